// What follows from a refused placement. A client branches on the code, never on the message; a
// batch item has prose only, so the next placement of its market goes alone to learn the code.
// @spec Errors

import { type Consequence, consequenceOf } from '../../domain/codes.ts';
import type { Refusal } from '../../domain/message.ts';
import { isInFlight, type OrderReport, type OrderUpdate } from '../../domain/order.ts';
import { decimalsOf, formatShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { onStatusRejection } from '../book/market.ts';
import { touchMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { type OwnOrder, priceText } from '../orders/own-order.ts';
import { asksFor } from '../orders/reconcile.ts';
import type { OrderStores } from '../orders/stores.ts';
import { renewalOf } from '../orders/taught.ts';
import type { EarlyUpdates } from '../orders/told.ts';
import { elsewhere } from '../orders/uncancellable.ts';
import { doubtEnd } from '../positions/doubt.ts';
import type { QuotingStores } from '../quoting/stores.ts';
import { onRefusalCounted } from '../risk/breakers.ts';
import { backOff } from '../risk/market.ts';
import { onRestricted } from './budget.ts';
import { goAlone, onAnsweredAlone } from './candidates.ts';
import type { MarketState } from './market.ts';
import type { SendingStores } from './stores.ts';

/** Pause of a side whose cause only time or the venue can clear. */
const LONG_PAUSE_MS = 30_000;
/** So many sells of one token refused without a code in that time are no accident of cancels under way. */
const UNNAMED_SELLS_MAX = 3;
const UNNAMED_MS = 60_000;
/** Pause of the whole account after a refusal that every order would meet. */
const ACCOUNT_PAUSE_MS = 5_000;
/** The client has measured the clock before it hands such a refusal on: this is for the case that it could not. */
const RESYNCED_PAUSE_MS = 1_000;
/** Pause after `rate_limited` when the venue names none. */
const RATE_PAUSE_MS = 1_000;

/** What is to be read beside the pauses that are set here. */
export type FollowUp = 'nothing' | 'orders' | 'balances' | 'catalogue';

/** Applies the consequence of one refused placement. */
export function onRefusal(
  stores: SendingStores,
  market: MarketState | undefined,
  order: OwnOrder,
  { refusal, isOfBatch }: Rejection,
): FollowUp {
  const code = refusal.code ?? 'refused_without_code';
  report(stores, order, code, refusal.message);
  if (isAboutCount(stores, refusal)) return onCeiling(stores, market);
  if (isAboutDate(code) && stores.expiry.onRefused(order))
    return onRefusedDate(stores, market, code);
  const consequence = consequenceOf(refusal.code, refusal.httpStatus);
  const isAnyOfBatch = isOfBatch && ABOUT_ORDERS.has(consequence);
  if (market === undefined) return 'nothing';
  const isOfAnother = isAnyOfBatch && !isProse(refusal);
  if (isOfAnother || learnDecimals(stores, market, order, refusal)) {
    goAlone(stores, market, order);
    market.isDirty = true;
    return 'nothing';
  }
  // What never left was refused by nobody: a machine without time for it costs a moment, however often.
  if (code !== 'not_sent') countRefusal(market, order);
  // What a batch says may be about another order in it: the one that goes alone is counted.
  if (!isAnyOfBatch) {
    onRefusalCounted(stores, market, { order, code, consequence });
    onAnsweredAlone(market, order);
  }
  if (onStatusRejection(stores, market, order, code)) {
    return code === 'market_paused' ? 'nothing' : 'catalogue';
  }
  return follow(stores, market, order, refusal);
}

/** What the code asks for. */
function follow(
  stores: SendingStores,
  market: MarketState,
  order: OwnOrder,
  refusal: Refusal,
): FollowUp {
  const code = refusal.code ?? 'refused_without_code';
  const why = { code, detail: detailOf(refusal) };
  switch (consequenceOf(refusal.code, refusal.httpStatus)) {
    case 'backOff':
      return onBackOff(stores, refusal);
    case 'resyncClock':
      pauseAccount(stores, code, RESYNCED_PAUSE_MS);
      return 'nothing';
    case 'reloadCredentials':
      // The client cures it; until it has, every order would be refused alike.
      pauseAccount(stores, code, ACCOUNT_PAUSE_MS);
      return 'nothing';
    case 'stopMarket':
      for (const side of ['bid', 'ask'] as const) {
        backOff(stores, market, side, { ...why, forMs: LONG_PAUSE_MS });
      }
      return 'catalogue';
    case 'reconcile':
      pauseSide(stores, market, order, why);
      return 'orders';
    case 'reduceOnly':
      if (!onRestricted(stores, refusal)) pauseSide(stores, market, order, why);
      return 'nothing';
    case 'retry':
    case 'stopSide':
      return onStopSide(stores, market, order, { ...why, httpStatus: refusal.httpStatus });
  }
}

/** A placement that the venue rejected. */
type Rejection = {
  readonly refusal: Refusal;
  /** It was sent together with others. */
  readonly isOfBatch: boolean;
};

/** What a batch that is rejected as a whole may say of any one of its orders. */
const ABOUT_ORDERS: ReadonlySet<Consequence> = new Set<Consequence>([
  'stopSide',
  'stopMarket',
  'reconcile',
]);

/** The cause in words: of a rejection without a code there are only the venue's. */
function detailOf(refusal: Refusal): string {
  if (refusal.code !== undefined) return refusal.message;
  const said = refusal.message === '' ? 'the venue gives no reason' : `"${refusal.message}"`;
  return isProse(refusal) ? `${said}; an order that goes alone learns the code` : said;
}

/** The venue has no other word for a quantity that is too fine: a coarser one is tried at once. */
function learnDecimals(
  { outbox, nowMs }: KernelStores,
  market: MarketState,
  { quantity }: OwnOrder,
  { code }: Refusal,
): boolean {
  const decimals = decimalsOf(quantity);
  if (code !== 'invalid_quantity' || decimals === 0) return false;
  market.onDecimalsRejected(decimals, nowMs);
  const marketId = market.market.id;
  outbox.report({
    event: 'market.quantity_decimals',
    marketId,
    decimals: market.quantityDecimals,
  });
  return true;
}

type Why = { readonly code: string; readonly detail: string };
type Answer = Why & Pick<Refusal, 'httpStatus'>;

function onStopSide(
  stores: KernelStores,
  market: MarketState,
  order: OwnOrder,
  why: Answer,
): FollowUp {
  if (why.code === 'insufficient_shares' || isUnnamedSell(stores, market, order, why)) {
    // Settled by our ledger and not yet by the venue's: the complement is bought meanwhile.
    market.sellBlockedUntilMs[order.leg] = stores.nowMs + LONG_PAUSE_MS;
    market.isDirty = true;
    return 'balances';
  }
  if (why.code === 'refused_without_code') goAlone(stores, market, order);
  pauseSide(stores, market, order, why);
  return why.code === 'insufficient_balance' ? 'balances' : 'nothing';
}

/**
 * A sell that went alone, and still nobody says why it is refused, or the third one in a minute whose like
 * was taken each time it went alone. Somebody else may have sold the shares; smaller sells that are taken
 * would end every shorter pause.
 */
function isUnnamedSell(
  { nowMs }: KernelStores,
  { unnamedSellsAtMs }: MarketState,
  { leg, side }: OwnOrder,
  { code, httpStatus }: Answer,
): boolean {
  if (side !== 'SELL' || code !== 'refused_without_code') return false;
  const before = unnamedSellsAtMs[leg].filter((atMs) => nowMs - atMs < UNNAMED_MS);
  unnamedSellsAtMs[leg] = [...before, nowMs].slice(-UNNAMED_SELLS_MAX);
  return httpStatus !== undefined || unnamedSellsAtMs[leg].length === UNNAMED_SELLS_MAX;
}

/** The venue has no code of its own for a date that it does not take. */
function isAboutDate(code: string): boolean {
  return code === 'invalid_parameter' || code === 'invalid_request';
}

/** A later date is tried at once: the side is not kept away, and nothing is wrong with the book. */
function onRefusedDate(
  stores: OrderStores,
  market: MarketState | undefined,
  code: string,
): FollowUp {
  const aheadMs = stores.expiry.aheadMs(renewalOf(stores.settings).gtd);
  stores.outbox.report({ event: 'order.date_refused', code, aheadMs });
  if (market) market.isDirty = true;
  return 'nothing';
}

function onBackOff(stores: SendingStores, { code, retryAfterMs }: Refusal): FollowUp {
  if (code !== 'rate_limited') {
    pauseAccount(stores, code ?? 'refused', Math.max(ACCOUNT_PAUSE_MS, retryAfterMs ?? 0));
    return 'nothing';
  }
  const forMs = retryAfterMs ?? RATE_PAUSE_MS;
  const isNew = stores.budget.blockUntil(addMs(stores.nowMs, forMs));
  if (isNew) stores.outbox.report({ event: 'venue.rate_limited', retryAfterMs: forMs });
  return 'nothing';
}

/** An item of a batch has no code; where as many are open as when the code was last heard, it is the same. */
function isAboutCount(stores: OrderStores, refusal: Refusal): boolean {
  if (refusal.code === 'max_open_orders') return true;
  return isProse(refusal) && stores.ceiling.isReached(openOrders(stores));
}

/**
 * What rests stays. The next plan wants the nearest levels that have room, so that outer ones give way to
 * them, and nothing more than fits is sent.
 */
function onCeiling(stores: SendingStores, market: MarketState | undefined): FollowUp {
  const open = openOrders(stores);
  stores.ceiling.onRefused(open, stores.nowMs);
  if (market) market.goesAlone = undefined;
  for (const each of stores.markets.values()) each.isDirty = true;
  // All that is open is of others, or ended unreported: nothing of ours could give way.
  if (open === 0) pauseAccount(stores, 'max_open_orders', ACCOUNT_PAUSE_MS);
  return 'orders';
}

/** What counts at the venue, as far as we know: the rest of a batch is not open while one of it is refused. */
function openOrders(stores: OrderStores): number {
  let count = elsewhere(stores);
  for (const { state } of stores.ledger.exposed()) if (!isInFlight(state)) count += 1;
  return count;
}

/** Those of one batch are one refusal of their side: its pause does not grow with its levels. */
function countRefusal(market: MarketState, { axisSide, requestId }: OwnOrder): void {
  if (requestId !== undefined && market.refusedIn[axisSide] === requestId) return;
  market.refusedIn[axisSide] = requestId;
  market.refusals[axisSide] += 1;
}

function pauseSide(stores: KernelStores, market: MarketState, order: OwnOrder, why: Why): void {
  const forMs = refusalPauseMs(market.refusals[order.axisSide]);
  backOff(stores, market, order.axisSide, { ...why, forMs });
}

/** As with a side, a shorter pause never ends a longer one. */
function pauseAccount({ gate, nowMs }: QuotingStores, code: string, forMs: number): void {
  if ((gate.backoff?.untilMs ?? 0) <= nowMs + forMs)
    gate.backoff = { untilMs: nowMs + forMs, code };
}

function report(stores: SendingStores, order: OwnOrder, code: string, detail: string): void {
  stores.outbox.report({
    event: 'order.refused',
    tokenId: order.tokenId,
    side: order.side,
    price: priceText(stores, order),
    quantity: formatShares(order.quantity),
    code,
    detail,
  });
}

/** When a retry of this back-off ends, for callers that count refusals. */
export function refusalPauseMs(refusals: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, refusals - 1), 60_000);
}

// An item of a batch that was rejected without a code may rest all the same: only a list says that it does not.
// @spec Errors, rule 2

/** An item of a batch has neither a code nor a status. */
export function isProse({ code, httpStatus }: Refusal): boolean {
  return code === undefined && httpStatus === undefined;
}

/**
 * After a list was taken in: what it lacks never was, and what it shows counts by itself as soon as
 * anybody here can name it.
 */
export function settleRefusals(
  stores: SendingStores,
  { reports, askedAtMs }: { readonly reports: readonly OrderReport[]; readonly askedAtMs: UnixMs },
): void {
  if (stores.refusals.count === 0) return;
  const unnamed = reports.filter(({ orderHash }) => stores.ledger.byHash(orderHash) === undefined);
  const isOver = (order: OwnOrder) =>
    order.stateSinceMs < askedAtMs && !unnamed.some((report) => asksFor(order, report));
  for (const order of stores.refusals.take(isOver)) {
    touchMarket(stores, order.marketId);
    // It may have rested and traded whole, and then no list shows it: only balances say so.
    if (isSpokenOf(stores, order)) doubtEnd(stores, order);
  }
}

/** News of a hash that nobody can name is about an order of its token, side and price. */
function isSpokenOf({ ledger }: OrderStores, order: OwnOrder): boolean {
  return ledger.early.all().some(({ orderHash, updates }) => {
    const [first] = updates;
    return first !== undefined && !ledger.isKnownHash(orderHash) && isSpokenOfBy(order, first);
  });
}

/** News of a hash that is nobody's may be of one that was refused: then it traded, and no list shows it. */
export function doubtRefusedLike(stores: SendingStores, { updates: [first] }: EarlyUpdates): void {
  const market = first && stores.byToken.get(first.tokenId)?.market;
  if (first === undefined || market === undefined) return;
  const refused = stores.refusals.ofMarket(market.market.id);
  for (const order of refused) if (isSpokenOfBy(order, first)) doubtEnd(stores, order);
}

function isSpokenOfBy(order: OwnOrder, { tokenId, side, price }: OrderUpdate): boolean {
  return order.tokenId === tokenId && order.side === side && order.price === price;
}
