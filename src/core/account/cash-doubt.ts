// Cash that nothing explains says that shares came or went of which nobody told. Cash forgets it in some
// minutes, and a number of positions may be possible by chance: each market has to prove its position anew.

import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { cashOf, mayBeOver } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import { unexplainedCashNano } from '../sets/sets.ts';
import type { World } from '../world.ts';
import { confirmMarket, noteShown } from './confirm.ts';
import { unproven } from './doubts.ts';
import { witnessHolds } from './hold-witness.ts';
import { onBalances } from './positions.ts';

/** Frames that come late, and the history of settled trades, have explained by then what they can. */
const LASTING_MS = 60_000;
/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;
/** Sums of matches that are tried, ten of different cash: beyond it they explain nothing. */
const SUMS_MAX = 1_024;

/**
 * A complete read of the balances: what it proves comes first, and then what its cash leaves in doubt.
 * @returns Whether what is held fits a placement without an answer, so that a list is worth a look.
 */
export function takeBalances(world: World, balances: Balances, askedAtMs: UnixMs): boolean {
  const isFirst = !world.inventory.isBaselined;
  noteWaiting(world, askedAtMs);
  onBalances(world, balances, askedAtMs);
  noteWaiting(world, askedAtMs);
  if (isFirst) world.account.noteStart(askedAtMs);
  doubtByCash(world, askedAtMs);
  return witnessHolds(world, balances, askedAtMs);
}

/**
 * What is explained by matches that may have settled unheard is looked at with each read until they have:
 * a settlement that comes with its own cash was not what moved it before.
 */
function doubtByCash(world: World, askedAtMs: UnixMs): void {
  const untilMs = askedAtMs - LASTING_MS;
  if (!world.account.hasLasting(untilMs)) return;
  const nano = unexplainedCashNano(world, askedAtMs);
  if (Math.abs(nano) <= EPSILON_NANO) return;
  const explainedMs = explainedUntil(world, nano, { untilMs, askedAtMs });
  if (explainedMs === 'later') return;
  world.account.noteDoubted(explainedMs ?? askedAtMs);
  if (explainedMs !== undefined) return;
  for (const market of world.markets.values()) doubtSince(world, market);
  // Where positions have had their time since, this very read shows all that had moved by then.
  const { balancesRead } = world;
  if (balancesRead === undefined) return;
  const read = { ...balancesRead, isCashExplained: false };
  for (const market of world.markets.values()) confirmMarket(world, market, read);
  noteShown(world);
}

/** What had moved the cash by then shows within the lag behind it: positions do not wait anew. */
function doubtSince(world: World, market: MarketState): void {
  const sinceMs = world.account.surprisedByMs;
  const before = market.unprovenSinceMs;
  unproven(world, market);
  if (sinceMs === undefined) return;
  market.unprovenSinceMs = before !== undefined && before > sinceMs ? before : sinceMs;
}

/**
 * Until when just some of the matches that we knew of have settled, all of it or what lasts: their shares
 * show, or may later. What came since is not asked about yet, and may have taken some of it back.
 */
function explainedUntil(
  world: World,
  nano: number,
  { untilMs, askedAtMs }: { readonly untilMs: number; readonly askedAtMs: UnixMs },
): number | 'later' | undefined {
  const lasting = world.account.lasting(untilMs);
  if (Math.abs(lasting.nano) <= EPSILON_NANO) return 'later';
  const shown = world.account.shownNano(lasting.lastAtMs);
  if (isSumOf(shown, nano)) return askedAtMs;
  if (isSumOf(shown, lasting.nano)) return untilMs;
  const pending = pendingNano(world, lasting.lastAtMs);
  const all = [...pending, ...shown, ...world.account.unreadNano()];
  return isSumOf(all, nano) || isSumOf(all, lasting.nano) ? 'later' : undefined;
}

function isSumOf(parts: readonly number[], nano: number): boolean {
  const sums = new Set([0]);
  for (const part of parts) {
    if (sums.size >= SUMS_MAX) break;
    for (const sum of [...sums]) if (sums.size < SUMS_MAX) sums.add(sum + part);
  }
  return [...sums].some((sum) => Math.abs(sum - nano) <= EPSILON_NANO);
}

/** Cash of the matches that wait for their settlement and of which we knew before a moment. */
function pendingNano({ byToken, inventory }: World, untilMs: number): readonly number[] {
  const fills = [...byToken.keys()].flatMap((tokenId) => inventory.pendingFills(tokenId));
  return fills.filter(({ atMs }) => atMs < untilMs).map((fill) => cashOf(fill, fill.quantity));
}

/** Of which matches of earlier lives nobody knows yet what became of them, those of any market. */
function noteWaiting({ account, inventory }: World, askedAtMs: UnixMs): void {
  if (!account.isAnyAwaited) return;
  const earlier: number[] = [];
  const later: number[] = [];
  for (const tokenId of inventory.tokens()) {
    for (const fill of inventory.pendingFills(tokenId)) {
      if (mayBeOver(fill)) earlier.push(cashOf(fill, fill.quantity));
      else if (inventory.hadEarlierMatches(tokenId)) later.push(cashOf(fill, fill.quantity));
    }
  }
  account.onWaiting(earlier, askedAtMs, later);
}
