// A trade failed on the chain: shares that had matched did not come, and their order may rest again. The
// frame names neither order nor token.
// @spec Settlement outcome

import { intentId, type TokenId } from '../../domain/ids.ts';
import type { MessageOf } from '../../domain/message.ts';
import { isCommitted, isOnBook, type OrderReport, type Side } from '../../domain/order.ts';
import { formatShares, type MicroShares, microShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { touchToken } from '../kernel/market.ts';
import { SETTLEMENT_MS } from '../orders/deadlines.ts';
import { isLeaving, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { doubt } from '../positions/doubt.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { Reversed } from '../positions/token-position.ts';
import { cashOf, type Fill, type UncertainItem } from '../positions/unsettled.ts';
import { holdToLimits } from '../risk/beyond-limits.ts';
import { onSettlementFailed } from '../risk/breakers.ts';
import type { AccountStores, Bust } from './stores.ts';
import { addFlow, isNamed, tokensWithPending } from './trade-tokens.ts';

type Failed = MessageOf<'tradeFailed'>;

/** A frame that comes twice comes with nothing or little between. */
const TOLD_AGAIN_MS = 1_000;
/** Busts whose token or order is not known; a venue on which more fail at once is watched by a breaker. */
const BUSTS_MAX = 200;

/**
 * Takes back the shares where only one token can be meant, and counts them as uncertain on each token
 * where several can.
 */
export function onTradeFailed(stores: AccountStores, trade: Failed): void {
  onSettlementFailed(stores);
  // A failure of no shares takes none back, and is of no order: lists and balances are read all the same.
  const tokens = trade.quantity > 0 ? tokensWithPending(stores, trade) : [];
  if (tokens.length === 0) closeOwed(stores, trade);
  const [tokenId] = tokens;
  const isAgain =
    isToldAgain(stores, trade) && !tokens.some((each) => hasWhole(stores, each, trade));
  const isSure =
    tokens.length === 1 && tokenId !== undefined && !isAgain && !mayBeOfOthers(stores, trade);
  stores.outbox.report({
    event: 'trade.failed',
    marketId: trade.marketId,
    side: trade.side,
    quantity: formatShares(trade.quantity),
    reason: trade.reason,
    reversed: isSure,
  });
  const { side, quantity } = trade;
  const bust: Bust = {
    id: intentId(`bust-${stores.intentIds.next(stores.nowMs)}`),
    side,
    quantity,
    atMs: stores.nowMs,
    tokens: new Set(tokens),
    reversed: undefined,
  };
  if (isSure) reverse(stores, bust, tokenId);
  else for (const each of tokens) doubtPending(stores, each, bust);
  if (tokens.length === 0 || (isSure && bust.reversed === undefined)) return;
  stores.busts.push(bust);
  if (stores.busts.length > BUSTS_MAX) stores.busts.shift();
}

/** Its order rests again if there is only one that it can be; of several an order of its size may. */
function reverse(stores: AccountStores, bust: Bust, tokenId: TokenId): void {
  const { side, quantity } = bust;
  const { positions, ledger, nowMs } = stores;
  positions.close(tokenId, (item) => isItem(item, bust));
  const { cashNano, intentId: of } = takeBack(stores, tokenId, side, quantity);
  bust.tokens.clear();
  const order = of === undefined ? undefined : ledger.byIntent(of);
  if (order !== undefined) {
    ledger.onSettlement(order, { kind: 'failed', quantity }, nowMs);
    return;
  }
  bust.reversed = tokenId;
  const { id, atMs: sinceMs } = bust;
  const cause = 'order_restored';
  doubt(stores, tokenId, { cause, intentId: id, side, quantity, cashNano, sinceMs });
}

/** What failed was taken back minutes ago, as balances lacked it: limits need not count on it any more. */
function closeOwed(stores: AccountStores, trade: Failed): void {
  const { side, quantity } = trade;
  const owed = [...stores.positions.allUncertain()].filter(
    ({ tokenId, item }) =>
      item.isOwed === true &&
      item.cause === 'unsettled' &&
      item.side === side &&
      item.quantity === quantity &&
      isNamed(stores, tokenId, trade),
  );
  const [first] = owed;
  if (first === undefined || owed.some(({ tokenId }) => tokenId !== first.tokenId)) return;
  stores.positions.close(first.tokenId, (item) => item === first.item);
  touchToken(stores, first.tokenId);
}

function takeBack(
  stores: AccountStores,
  tokenId: TokenId,
  side: Side,
  quantity: MicroShares,
): Reversed {
  const reversed = stores.positions.onBust(tokenId, side, quantity, stores.nowMs);
  addFlow(stores, tokenId, -reversed.cashNano);
  touchToken(stores, tokenId);
  holdToLimits(stores, tokenId);
  return reversed;
}

/** The shares are pending and may not come: an item that undoes them. */
function doubtPending(
  stores: PositionStores,
  tokenId: TokenId,
  { id, side, quantity, atMs }: Bust,
): void {
  const fill = stores.positions.pending(tokenId).find((each) => each.side === side);
  const nano = fill === undefined ? 0 : (cashOf(fill, fill.quantity) / fill.quantity) * quantity;
  doubt(stores, tokenId, {
    cause: 'trade_failed',
    intentId: id,
    side: side === 'BUY' ? 'SELL' : 'BUY',
    quantity,
    cashNano: Math.round(-nano),
    sinceMs: atMs,
  });
}

function isItem({ intentId: of }: Pick<UncertainItem, 'intentId'>, { id }: Bust): boolean {
  return of === id;
}

/** After a settlement: a token with less pending than a bust took is not the one that it was of. */
export function settleBusts(stores: AccountStores, tokenId: TokenId): void {
  for (const bust of stores.busts) {
    if (!isOut(stores, bust, tokenId)) continue;
    const [only] = bust.tokens;
    if (bust.tokens.size === 1 && only !== undefined) reverse(stores, bust, only);
  }
  dropSettled(stores);
}

function isOut(stores: AccountStores, bust: Bust, tokenId: TokenId): boolean {
  if (!bust.tokens.has(tokenId)) return false;
  if (stores.positions.pendingOf(tokenId, bust.side) >= bust.quantity) return false;
  stores.positions.close(tokenId, (item) => isItem(item, bust));
  return bust.tokens.delete(tokenId);
}

/** A fill failed, as balances show: a bust that was reported may be of it, and of no other that is left of its token. */
export function reverseFailed(stores: AccountStores, tokenId: TokenId, fill: Fill): void {
  const { side, quantity, intentId: of } = fill;
  takeBack(stores, tokenId, side, quantity);
  const order = of === undefined ? undefined : stores.ledger.byIntent(of);
  if (order !== undefined)
    stores.ledger.onSettlement(order, { kind: 'failed', quantity }, stores.nowMs);
  for (const bust of stores.busts) isOut(stores, bust, tokenId);
  dropSettled(stores);
}

/**
 * A list shows an order with so much less traded than was reported: it rests again after a bust.
 * @returns Whether a bust explains it; its shares are taken back by now.
 */
function onRestored(stores: AccountStores, order: OwnOrder, given: number): boolean {
  const { tokenId, side } = order;
  const bust = stores.busts.find(
    (each) =>
      each.side === side &&
      each.quantity === given &&
      (each.reversed === tokenId || each.tokens.has(tokenId)),
  );
  if (bust === undefined) return false;
  if (bust.tokens.has(tokenId)) {
    const others = [...bust.tokens].filter((each) => each !== tokenId);
    for (const each of others) stores.positions.close(each, (item) => isItem(item, bust));
    reverse(stores, bust, tokenId);
  }
  stores.positions.close(tokenId, (item) => isItem(item, bust));
  bust.reversed = undefined;
  touchToken(stores, tokenId);
  dropSettled(stores);
  return true;
}

/** Lists show an order with less traded than was reported for longer than a settlement takes: a bust nobody reported. */
function reverseUnreported(stores: AccountStores, order: OwnOrder, given: MicroShares): void {
  const { tokenId, side } = order;
  if (stores.positions.pendingOf(tokenId, side) >= given) takeBack(stores, tokenId, side, given);
}

/** A bust is over once no item of it is open: reported, or closed by balances. */
function dropSettled(stores: AccountStores): void {
  stores.busts = stores.busts.filter((bust) => bust.tokens.size > 0 || bust.reversed !== undefined);
}

/** Balances have closed the items of a token: busts that waited for it are over. */
export function forgetBusts(stores: AccountStores, tokenId: TokenId): void {
  for (const bust of stores.busts) {
    bust.tokens.delete(tokenId);
    if (bust.reversed === tokenId) bust.reversed = undefined;
  }
  dropSettled(stores);
}

/** Its order does not rest again, as balances have shown. */
export function forgetRestored(stores: AccountStores, item: UncertainItem): void {
  for (const bust of stores.busts) if (isItem(item, bust)) bust.reversed = undefined;
  dropSettled(stores);
}

function hasWhole(stores: PositionStores, tokenId: TokenId, { side, quantity }: Failed): boolean {
  return stores.positions
    .pending(tokenId)
    .some((fill) => fill.side === side && fill.quantity === quantity);
}

/** What somebody else's order traded before a list first showed it may still settle, and is pending nowhere here. */
function mayBeOfOthers(stores: AccountStores, trade: Failed): boolean {
  const { ledger, nowMs } = stores;
  const orders = [...ledger.notEnded(), ...ledger.endedSince(addMs(nowMs, -SETTLEMENT_MS))];
  return orders.some(
    ({ isOfOthers, tokenId, side, settled }) =>
      isOfOthers &&
      side === trade.side &&
      settled >= trade.quantity &&
      isNamed(stores, tokenId, trade),
  );
}

/** A failure just like it was reported a moment before: one frame that came twice, or two of one size. */
function isToldAgain(stores: AccountStores, { marketId, side, quantity, reason }: Failed): boolean {
  const what = JSON.stringify([marketId, side, quantity, reason]);
  const before = stores.lastFailed;
  stores.lastFailed = { what, atMs: stores.nowMs };
  return before?.what === what && stores.nowMs - before.atMs <= TOLD_AGAIN_MS;
}

// What a list of open orders says of shares that had matched: an order that it shows with less traded
// than we know of rests again, since a settlement failed.

/** Matches settle in 15 to 20 s, and some lists may count only what settled. @spec States and transitions */
const UNTOLD_MS = 30_000;

/** Takes in what a list shows to have traded; one asked for before a failure still counts that in. */
export function onShownTraded(
  stores: AccountStores,
  order: OwnOrder,
  seen: { readonly report: OrderReport; readonly askedAtMs: UnixMs },
): void {
  const { report, askedAtMs } = seen;
  const isOfBefore = order.failedAtMs !== undefined && askedAtMs <= order.failedAtMs;
  if (isOfBefore) return;
  if (report.executed < order.executed) onShownLess(stores, order, seen);
  else if (isFilledInPart(order, report) && order.stateSinceMs < askedAtMs) {
    stores.ledger.onOrderRestored(order, order.executed, stores.nowMs);
  } else {
    order.shownLessSinceMs = undefined;
    stores.ledger.onListed(order, report.executed, stores.nowMs);
  }
}

/**
 * Less than we know of is old news, unless a trade of its token and side failed. Where no bust was reported,
 * lists have to say the same for longer than a settlement takes: then what matched is taken back.
 */
function onShownLess(
  stores: AccountStores,
  order: OwnOrder,
  { report, askedAtMs }: { readonly report: OrderReport; readonly askedAtMs: UnixMs },
): void {
  const isOlder = order.executedAtMs !== undefined && askedAtMs <= order.executedAtMs;
  if (isOlder || !mayRestAgain(order)) return;
  const given = order.executed - report.executed;
  const isTold = onRestored(stores, order, given);
  if (!isTold) {
    order.shownLessSinceMs ??= askedAtMs;
    if (askedAtMs - order.shownLessSinceMs < UNTOLD_MS) return;
    reverseUnreported(stores, order, microShares(given));
  }
  stores.outbox.report({
    event: 'order.restored',
    orderHash: report.orderHash,
    tokenId: order.tokenId,
    isTold,
  });
  stores.ledger.onOrderRestored(order, report.executed, stores.nowMs);
}

/** What a list does not show it does not show with less than we know of. */
export function forgetShownLess(stores: OrderStores, reports: readonly OrderReport[]): void {
  const listed = new Set(reports.map(({ orderHash }) => orderHash));
  for (const order of stores.ledger.notEnded()) {
    const isListed = order.orderHash !== undefined && listed.has(order.orderHash);
    if (!isListed) order.shownLessSinceMs = undefined;
  }
}

function mayRestAgain(order: OwnOrder): boolean {
  const { state } = order;
  return isOnBook(state) || isLeaving(order) || isCommitted(state) || state === 'filled';
}

/** Reported as filled while a part of it failed, and the list shows that it rests. */
function isFilledInPart({ state, executed, quantity }: OwnOrder, report: OrderReport): boolean {
  return state === 'filled' && executed < quantity && report.executed < quantity;
}
