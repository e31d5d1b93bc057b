// Settlements that the history tells of and no frame did: counted as if their frames came now, unless
// what balances showed may have them in it already.

import type { TokenId } from '../../domain/ids.ts';
import type { ReadOutcome, SettledTrade } from '../../domain/message.ts';
import { formatShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { World } from '../world.ts';
import { isRepeated, recordSettlement, settle, takeUnnamedTrade } from './fills.ts';
import { isNamed, tokenOf } from './trade-tokens.ts';

/** Refusals of what was asked for, whoever asks: there is no such list, or not by these words. */
const SAYS_NO: ReadonlySet<number> = new Set([400, 404, 405, 410, 422]);

/** Takes in a read of the history. @returns Whether balances must be read. */
export function onTrades(
  world: World,
  outcome: ReadOutcome<readonly SettledTrade[]>,
  askedAtMs: UnixMs,
): boolean {
  if (outcome.kind !== 'ok') {
    onUnreadTrades(world, outcome);
    return false;
  }
  // Only a market says what shares cost, and only a baseline what there was before.
  if (world.catalogue === undefined || !world.positions.isBaselined) return false;
  const fresh = world.history.onRead(outcome.value, askedAtMs);
  reportStanding(world);
  let isUnclear = false;
  for (const { trade, sinceMs } of fresh) {
    if (take(world, trade, sinceMs)) isUnclear = true;
  }
  return isUnclear;
}

/** A shape that cannot be read is told once; what a network loses comes again. */
function onUnreadTrades(
  world: World,
  outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>,
): void {
  const detail = whyUnreadable(outcome);
  if (detail !== undefined && world.history.onUnreadable()) {
    world.outbox.report({ event: 'history.state', state: 'unreadable', detail });
  }
}

function whyUnreadable(outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>): string | undefined {
  if (outcome.kind === 'unknown' && outcome.cause === 'unreadable') return outcome.detail;
  const isSaid = outcome.kind === 'refused' && SAYS_NO.has(outcome.refusal.httpStatus ?? 0);
  return isSaid ? outcome.refusal.message : undefined;
}

function reportStanding(world: World): void {
  const state = world.history.takeNewStanding();
  if (state === undefined) return;
  const detail =
    state === 'counted'
      ? 'it tells what frames told'
      : 'it tells of a settlement otherwise than its frame did, or of two by one name';
  world.outbox.report({ event: 'history.state', state, detail });
}

function take(world: World, trade: SettledTrade, sinceMs: UnixMs): boolean {
  const toldAtMs = world.history.takeUnnamed(trade.tradeId);
  if (toldAtMs === undefined && isRepeated(world, trade.tradeId)) return false;
  if (toldAtMs !== undefined) takeUnnamedTrade(world, trade);
  const tokenId = trade.tokenId ?? tokenOf(world, trade);
  const isShown = tokensOf(world, trade).some(
    (each) => isInOpening(world, each, sinceMs) || isOfSets(world, each, trade),
  );
  const isCounted = tokenId === undefined || !isShown;
  if (toldAtMs === undefined) report(world, trade, isCounted);
  if (isCounted) return settle(world, trade, tokenId);
  recordSettlement(world, trade, tokenId);
  return true;
}

/** Tokens that a record may be of: without a name, what balances have shown of one is no other one's. */
function tokensOf(world: World, trade: SettledTrade): readonly TokenId[] {
  if (trade.tokenId !== undefined) return [trade.tokenId];
  return [...world.byToken.keys()].filter((each) => isNamed(world, each, trade));
}

/** The opening position has in it whatever settled before it was read. */
function isInOpening({ positions }: World, tokenId: TokenId, sinceMs: UnixMs): boolean {
  const openedAtMs = positions.openedAtMs(tokenId);
  return openedAtMs !== undefined && openedAtMs >= sinceMs;
}

/** A history may be so late, and list the halves of a split or merge as trades: balances have shown those. */
const SETS_LISTED_MS = 600_000;

function isOfSets(world: World, tokenId: TokenId, trade: SettledTrade): boolean {
  const { sets, nowMs } = world;
  const id = world.marketOf(tokenId)?.market.id;
  if (id === undefined) return false;
  const sinceMs = addMs(nowMs, -SETS_LISTED_MS);
  return sets.underWay(id) !== undefined || sets.mayBeListedAs(id, trade, sinceMs);
}

function report(
  world: World,
  { tradeId, tokenId, side, quantity }: SettledTrade,
  isCounted: boolean,
): void {
  world.outbox.report({
    event: 'trade.recovered',
    tradeId,
    tokenId,
    side,
    quantity: formatShares(quantity),
    isCounted,
  });
}
