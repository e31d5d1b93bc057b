// What is done about an item of a batch that was rejected without a code: only a list says that it does not rest.
// @spec Errors, rule 2

import type { Refusal } from '../../domain/message.ts';
import { isInFlight, type OrderReport, type OrderUpdate } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { touchMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { asksFor } from '../orders/reconcile.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { EarlyUpdates } from '../orders/told.ts';
import { doubtEnd } from '../positions/doubt.ts';
import type { Missing } from '../quoting/target.ts';
import { WRITE_WINDOW_MS } from './budget.ts';
import type { MarketState } from './market.ts';
import type { SendingStores } from './stores.ts';

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

// An order was refused without a code, as an item of a batch is: those like it go alone, one after the
// other, until one of them is refused again, with what the venue says to it alone.
// @spec Endpoints › Orders › POST /orders/batch

/** An order that would tell the code of a refusal may not be wanted again: this long is enough. */
const ALONE_MS = 60_000;

/** Whether its orders go alone; when the time for that is over they go like any other. */
export function isGoingAlone({ nowMs }: KernelStores, market: MarketState): boolean {
  const { goesAlone } = market;
  const isSuspected = goesAlone !== undefined && nowMs < goesAlone.untilMs;
  return isSuspected || isProbing(market);
}

/** What it lacks asks whether it trades again: nothing else of it leaves. */
export function isProbing({ status }: MarketState): boolean {
  return status !== 'open';
}

/** Many may be paused at once, and what asks for them is taken from those that trade: this part of the writes. */
const PROBES_PART = 1 / 4;

function mayProbeNow({ budget, probedAtMs, nowMs }: SendingStores): boolean {
  return nowMs - probedAtMs >= WRITE_WINDOW_MS / (budget.perWindow * PROBES_PART);
}

/** The venue said no to one of several and not why. */
export function goAlone(stores: KernelStores, market: MarketState, { leg, side }: OwnOrder): void {
  market.goesAlone = { leg, side, untilMs: stores.nowMs + ALONE_MS };
}

/** One like it was refused with a word of its own: there is nothing more to learn. */
export function onAnsweredAlone(market: MarketState, { leg, side }: OwnOrder): void {
  const { goesAlone } = market;
  if (goesAlone?.leg === leg && goesAlone.side === side) market.goesAlone = undefined;
}

/**
 * Whether nothing is left to learn from when this order leaves. Only an order like the one that was refused
 * tells why; another one may well be taken, and so may a nearer one like it, so all that are missing go alone.
 */
export function isLastAlone(
  { nowMs }: KernelStores,
  { goesAlone, missing }: MarketState,
  { leg, side, axisSide }: OwnOrder,
): boolean {
  if (goesAlone === undefined || nowMs >= goesAlone.untilMs) return true;
  if (goesAlone.leg !== leg || goesAlone.side !== side) return false;
  return !missing.some((each) => each.side === axisSide);
}

/**
 * One like the order that was refused has gone alone: its answer comes before the next one of its side. So it does
 * of one that asks whether the market trades, and others that ask take turns.
 */
export function awaitsLone(stores: SendingStores, market: MarketState, { side }: Missing): boolean {
  const { goesAlone } = market;
  const isAny = isProbing(market);
  if (goesAlone === undefined && !isAny) return false;
  if (isAny && !mayProbeNow(stores)) return true;
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    const isLike = order.leg === goesAlone?.leg && order.side === goesAlone.side;
    const isAsker = isAny || (isLike && order.axisSide === side);
    if (isAsker && isInFlight(order.state)) return true;
  }
  return false;
}
