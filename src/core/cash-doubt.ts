// Cash that nothing explains says that shares came or went of which nobody told. Cash forgets it in some
// minutes, and a number of positions may be possible by chance: each market has to prove its position anew.

import type { Balances } from '../domain/message.ts';
import type { UnixMs } from '../domain/time.ts';
import { cashOf } from './inventory/pending.ts';
import type { MarketState } from './market.ts';
import { onBalances, unproven } from './positions.ts';
import { unexplainedCashNano } from './sets.ts';
import type { World } from './world.ts';

/** Frames that come late, and the history of settled trades, have explained by then what they can. */
const LASTING_MS = 60_000;
/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;
/** Sums of matches that are tried, ten of different cash: beyond it they explain nothing. */
const SUMS_MAX = 1_024;

/** A complete read of the balances: what it proves comes first, and then what its cash leaves in doubt. */
export function takeBalances(world: World, balances: Balances, askedAtMs: UnixMs): void {
  onBalances(world, balances, askedAtMs);
  doubtByCash(world, askedAtMs);
}

function doubtByCash(world: World, askedAtMs: UnixMs): void {
  const untilMs = askedAtMs - LASTING_MS;
  if (!world.account.hasLasting(untilMs)) return;
  const nano = unexplainedCashNano(world, askedAtMs);
  if (Math.abs(nano) <= EPSILON_NANO) return;
  const isKnown = isOfKnown(world, nano);
  world.account.noteDoubted(isKnown ? untilMs : askedAtMs);
  if (isKnown) return;
  for (const market of world.markets.values()) doubtSince(world, market);
}

/** What had moved the cash by then shows within the lag behind it: positions do not wait anew. */
function doubtSince(world: World, market: MarketState): void {
  const sinceMs = world.account.lastSurpriseAtMs;
  const before = market.unprovenSinceMs;
  unproven(world, market);
  if (sinceMs === undefined) return;
  market.unprovenSinceMs = before !== undefined && before > sinceMs ? before : sinceMs;
}

/** Just some of the matches that we know of have settled, and only their frames are missing. */
function isOfKnown(world: World, nano: number): boolean {
  const sums = new Set([0]);
  for (const cash of pendingNano(world)) {
    for (const sum of [...sums]) if (sums.size < SUMS_MAX) sums.add(sum + cash);
  }
  return [...sums].some((sum) => Math.abs(sum - nano) <= EPSILON_NANO);
}

function pendingNano(world: World): readonly number[] {
  return [...world.byToken.keys()].flatMap((tokenId) =>
    world.inventory.pendingFills(tokenId).map((fill) => cashOf(fill, fill.quantity)),
  );
}
