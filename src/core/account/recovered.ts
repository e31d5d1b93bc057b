// Settlements that the history tells of and no frame did: counted as if their frames came now, unless
// what balances showed may have them in it already.

import type { TokenId } from '../../domain/ids.ts';
import type { ReadOutcome, SettledTrade } from '../../domain/message.ts';
import { formatShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { PositionStores } from '../positions/stores.ts';
import { isRepeated, recordSettlement, settle, takeUnnamedTrade } from './fills.ts';
import type { AccountStores } from './stores.ts';
import { isNamed, tokenOf } from './trade-tokens.ts';

/** Refusals of what was asked for, whoever asks: there is no such list, or not by these words. */
const SAYS_NO: ReadonlySet<number> = new Set([400, 404, 405, 410, 422]);

/** Takes in a read of the history. @returns Whether balances must be read. */
export function onTrades(
  stores: AccountStores,
  outcome: ReadOutcome<readonly SettledTrade[]>,
  askedAtMs: UnixMs,
): boolean {
  if (outcome.kind !== 'ok') {
    onUnreadTrades(stores, outcome);
    return false;
  }
  // Only a market says what shares cost, and only a baseline what there was before.
  if (stores.catalogue === undefined || !stores.positions.isBaselined) return false;
  const fresh = stores.history.onRead(outcome.value, askedAtMs);
  reportStanding(stores);
  let isUnclear = false;
  for (const { trade, sinceMs } of fresh) {
    if (take(stores, trade, sinceMs)) isUnclear = true;
  }
  return isUnclear;
}

/** A shape that cannot be read is told once; what a network loses comes again. */
function onUnreadTrades(
  stores: AccountStores,
  outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>,
): void {
  const detail = whyUnreadable(outcome);
  if (detail !== undefined && stores.history.onUnreadable()) {
    stores.outbox.report({ event: 'history.state', state: 'unreadable', detail });
  }
}

function whyUnreadable(outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>): string | undefined {
  if (outcome.kind === 'unknown' && outcome.cause === 'unreadable') return outcome.detail;
  const isSaid = outcome.kind === 'refused' && SAYS_NO.has(outcome.refusal.httpStatus ?? 0);
  return isSaid ? outcome.refusal.message : undefined;
}

function reportStanding(stores: AccountStores): void {
  const state = stores.history.takeNewStanding();
  if (state === undefined) return;
  const detail =
    state === 'counted'
      ? 'it tells what frames told'
      : 'it tells of a settlement otherwise than its frame did, or of two by one name';
  stores.outbox.report({ event: 'history.state', state, detail });
}

function take(stores: AccountStores, trade: SettledTrade, sinceMs: UnixMs): boolean {
  const toldAtMs = stores.history.takeUnnamed(trade.tradeId);
  if (toldAtMs === undefined && isRepeated(stores, trade.tradeId)) return false;
  if (toldAtMs !== undefined) takeUnnamedTrade(stores, trade);
  const tokenId = trade.tokenId ?? tokenOf(stores, trade);
  const isShown = tokensOf(stores, trade).some(
    (each) => isInOpening(stores, each, sinceMs) || isOfSets(stores, each, trade),
  );
  const isCounted = tokenId === undefined || !isShown;
  const { tradeId, side } = trade;
  const told = { tradeId, tokenId: trade.tokenId, side, quantity: formatShares(trade.quantity) };
  if (toldAtMs === undefined)
    stores.outbox.report({ event: 'trade.recovered', ...told, isCounted });
  if (isCounted) return settle(stores, trade, tokenId);
  recordSettlement(stores, trade, tokenId);
  return true;
}

/** Tokens that a record may be of: without a name, what balances have shown of one is no other one's. */
function tokensOf(stores: AccountStores, trade: SettledTrade): readonly TokenId[] {
  if (trade.tokenId !== undefined) return [trade.tokenId];
  return [...stores.byToken.keys()].filter((each) => isNamed(stores, each, trade));
}

/** The opening position has in it whatever settled before it was read. */
function isInOpening({ positions }: PositionStores, tokenId: TokenId, sinceMs: UnixMs): boolean {
  const openedAtMs = positions.openedAtMs(tokenId);
  return openedAtMs !== undefined && openedAtMs >= sinceMs;
}

/** A history may be so late, and list the halves of a split or merge as trades: balances have shown those. */
const SETS_LISTED_MS = 600_000;

function isOfSets(stores: AccountStores, tokenId: TokenId, trade: SettledTrade): boolean {
  const { sets, nowMs } = stores;
  const id = stores.byToken.get(tokenId)?.market.market.id;
  if (id === undefined) return false;
  const sinceMs = addMs(nowMs, -SETS_LISTED_MS);
  return sets.underWay(id) !== undefined || sets.mayBeListedAs(id, trade, sinceMs);
}
