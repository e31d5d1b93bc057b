// Settled trades that the venue lists: what no frame told is counted as if its frame came now. The interface shows no
// shape of the list, so it is trusted once it tells a settlement by the name and in the words of its frame.
// @spec Endpoints › Portfolio (all Auth)

import type { ReadOutcome, SettledTrade } from '../../domain/message.ts';
import { formatShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { tradeNano } from '../kernel/nano.ts';
import { forgetOldest, partName, settle } from './fills.ts';
import type { AccountStores } from './stores.ts';
import { hasAlike } from './trade-tokens.ts';

/** A list may be so late, and show the halves of a split or merge as trades: balances have shown those. */
const SETS_LISTED_MS = 600_000;
/** What came to a list since one that is older than this balances may have shown meanwhile. */
const FRESH_MS = 60_000;

/** Takes in a list. */
export function onTrades(
  stores: AccountStores,
  outcome: ReadOutcome<readonly SettledTrade[]>,
  askedAtMs: UnixMs,
): void {
  if (outcome.kind !== 'ok') {
    const isUnreadable = outcome.kind === 'unknown' && outcome.cause === 'unreadable';
    if (isUnreadable && !stores.history.isUnreadable) {
      stores.history.isUnreadable = true;
      report(stores, 'unreadable', outcome.detail);
    }
    return;
  }
  // Only a market says what shares cost, and only a baseline what there was before.
  if (stores.catalogue === undefined || !stores.positions.isBaselined) return;
  const { history, tradeIds } = stores;
  const isTold = outcome.value.some((trade) => tradeIds.has(nameOf(trade)));
  if (isTold && !history.isTrusted) {
    history.isTrusted = true;
    report(stores, 'counted', 'it tells what frames told');
  }
  const isNext = askedAtMs - (history.askedAtMs ?? 0) < FRESH_MS;
  history.askedAtMs = askedAtMs;
  for (const trade of outcome.value) take(stores, trade, isNext);
  forgetOldest(history.listed);
}

/** @param isNext - The list before is so young that what it lacked came just now. */
function take(stores: AccountStores, trade: SettledTrade, isNext: boolean): void {
  const { history, tradeIds, outbox } = stores;
  const { tradeId, tokenId, side, quantity } = trade;
  const isOld = !isNext || history.listed.has(tradeId);
  history.listed.add(tradeId);
  if (!history.isTrusted || tradeIds.has(tradeId) || tokenId === undefined) return;
  const waiting = stores.positions.settleableOf(tokenId, side);
  if (isOld && !hasAlike(stores, trade)) return;
  if (waiting < quantity && mayBeShown(stores, trade)) return;
  for (const name of [tradeId, nameOf(trade)]) tradeIds.add(name);
  outbox.report({
    event: 'trade.recovered',
    ...{ tradeId, tokenId, side, quantity: formatShares(quantity) },
  });
  settle(stores, trade, tokenId);
}

/** The opening position may have it, or the balances that a split or merge has changed. */
function mayBeShown(
  { positions, sets, byToken, settings, nowMs }: AccountStores,
  trade: SettledTrade,
) {
  const { tokenId } = trade;
  const marketId = tokenId && byToken.get(tokenId)?.market.market.id;
  if (tokenId === undefined || marketId === undefined) return true;
  const openedAtMs = positions.openedAtMs(tokenId) ?? 0;
  if (nowMs - openedAtMs <= (settings?.timing.positionLagMs ?? 0)) return true;
  const sinceMs = addMs(nowMs, -SETS_LISTED_MS);
  return sets.underWay(marketId) !== undefined || sets.mayBeListedAs(marketId, trade, sinceMs);
}

function nameOf(trade: SettledTrade): string {
  const { tradeId, side, quantity } = trade;
  return partName({ tradeId, side, quantity, cashNano: tradeNano(trade) });
}

function report({ outbox }: AccountStores, state: 'counted' | 'unreadable', detail: string): void {
  outbox.report({ event: 'history.state', state, detail });
}
