// Keeps what is taken out of a market's books in step with the own orders.

import { isOnItsWay } from '../domain/order.ts';
import { type MicroShares, microShares, NO_SHARES } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';
import { GHOST_MS } from './book/own.ts';
import type { MarketState, Shown } from './market.ts';
import type { OrderLedger } from './orders/ledger.ts';
import { isExposed, type OwnOrder, remaining } from './orders/own-order.ts';

const NOTHING: Shown = Object.freeze({ resting: NO_SHARES, transient: NO_SHARES });

/** Brings the own sizes of one market up to date; called before its books are priced. */
export function syncOwnSizes(market: MarketState, ledger: OrderLedger, nowMs: UnixMs): void {
  for (const order of market.shown.keys()) sync(market, order, nowMs);
  for (const order of ledger.ofMarket(market.market.id)) {
    if (!market.shown.has(order)) sync(market, order, nowMs);
  }
}

/** True while something just ended or filled may still show in a coalesced book. */
export function hasTransients(market: MarketState): boolean {
  for (const shown of market.shown.values()) if (shown.transient > 0) return true;
  return false;
}

function sync(market: MarketState, order: OwnOrder, nowMs: UnixMs): void {
  const known = market.shown.get(order);
  const before = known ?? NOTHING;
  const after = shownOf(order, nowMs);
  const isSame = before.resting === after.resting && before.transient === after.transient;
  if (!isSame) apply(market, order, before, after);
  const isDone = after.resting === 0 && after.transient === 0 && !isExposed(order);
  if (isDone) market.shown.delete(order);
  else if (known === undefined || !isSame) market.shown.set(order, after);
}

function apply(market: MarketState, order: OwnOrder, before: Shown, after: Shown): void {
  const { own } = market.book[order.leg];
  const side = order.side === 'BUY' ? 'bid' : 'ask';
  if (before.resting > 0) own.removeResting(side, order.price, before.resting);
  if (after.resting > 0) own.addResting(side, order.price, after.resting);
  if (before.transient > 0) own.removeTransient(side, order.price, before.transient);
  if (after.transient > 0) own.addTransient(side, order.price, after.transient);
}

function shownOf(order: OwnOrder, nowMs: UnixMs): Shown {
  if (order.isTake === true) return NOTHING;
  const left = remaining(order);
  if (!isExposed(order)) {
    const faded = wasNeverThere(order) ? NO_SHARES : sum(left, fading(order, nowMs));
    const isGhost = nowMs - order.stateSinceMs < GHOST_MS;
    return { resting: NO_SHARES, transient: isGhost ? faded : fading(order, nowMs) };
  }
  if (isOnItsWay(order.state) || order.state === 'unknown') {
    return { resting: NO_SHARES, transient: left };
  }
  return { resting: left, transient: fading(order, nowMs) };
}

/** No venue has ever shown it. */
function wasNeverThere(order: OwnOrder): boolean {
  const isGone = order.state === 'refused' || order.state === 'absent';
  return isGone && order.confirmedAtMs === undefined;
}

/** Shares that traded a moment ago: the book's frame about it may still be on its way. */
function fading(order: OwnOrder, nowMs: UnixMs): MicroShares {
  const at = order.executedAtMs;
  return at !== undefined && nowMs - at < GHOST_MS ? order.lastExecuted : NO_SHARES;
}

function sum(a: MicroShares, b: MicroShares): MicroShares {
  return microShares(a + b);
}
