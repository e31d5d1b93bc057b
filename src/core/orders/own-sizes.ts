// Keeps what is taken out of a market's books in step with the own orders.

import type { BookSide } from '../../domain/message.ts';
import { isOnItsWay } from '../../domain/order.ts';
import { type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import { rankOf } from '../book/levels.ts';
import { GHOST_MS } from '../book/own.ts';
import type { MarketState, Shown } from '../market.ts';
import type { OrderLedger } from './ledger.ts';
import { isExposed, type Leg, type OwnOrder, remaining } from './own-order.ts';

const NOTHING: Shown = Object.freeze({
  resting: NO_SHARES,
  transient: NO_SHARES,
  isFleeting: false,
  before: undefined,
  isUnmoved: false,
  seenByMs: undefined,
});
/**
 * An acknowledged order that has not shown after this long counts as shown. Canaries come first, with the
 * answers over REST that they ask for: in a book that has gone deaf, levels of others would vanish with each
 * order and be back with its cancel, every two seconds, before one rests for as long as a canary must.
 */
const SHOWN_MS_MAX = 10_000;
/** Long since. */
const AT_ANY_MOMENT = unixMs(0);

/**
 * An order is about to leave. As long as its level shows what it shows now, the order is not in it:
 * taking it out would make a level of others vanish, and prices would move for our own quote alone.
 */
export function enterOwnSize(market: MarketState, order: OwnOrder): void {
  if (order.isTake === true) return;
  market.shown.set(order, { ...NOTHING, before: othersOf(market, order, NOTHING) });
  market.hasUnseen = true;
  market.wasQuoted = true;
}

/** Brings the own sizes of one market up to date; called before its books are priced. */
export function syncOwnSizes(market: MarketState, ledger: OrderLedger, nowMs: UnixMs): void {
  for (const order of market.shown.keys()) sync(market, order, nowMs);
  for (const order of ledger.ofMarket(market.market.id)) {
    if (!market.shown.has(order)) sync(market, order, nowMs);
  }
  if (market.hasUnseen) market.hasUnseen = hasUnseen(market);
}

function hasUnseen({ shown }: MarketState): boolean {
  for (const { before } of shown.values()) if (before !== undefined) return true;
  return false;
}

/** Orders that were not seen yet, at a level that has just become another one. */
export function movedAt(
  market: MarketState,
  at: { readonly leg: Leg; readonly side: BookSide; readonly price: Ticks },
): readonly OwnOrder[] {
  const moved: OwnOrder[] = [];
  for (const [order, known] of market.shown) {
    if (known.before === undefined || order.leg !== at.leg || order.price !== at.price) continue;
    if (bookSideOf(order) !== at.side) continue;
    if (othersOf(market, order, known) !== known.before) moved.push(order);
  }
  return moved;
}

/** Whether the level of an order is another one than when it was placed, or nothing says what it was. */
export function hasLevelMoved(market: MarketState, order: OwnOrder): boolean {
  const known = market.shown.get(order);
  return known?.before === undefined || othersOf(market, order, known) !== known.before;
}

/**
 * From when on what the books show of own orders may change by itself: at any moment while something
 * comes or fades, and otherwise when an order has not shown for too long.
 */
export function changesAtMs(market: MarketState): UnixMs | undefined {
  let atMs: UnixMs | undefined;
  for (const { isFleeting, seenByMs } of market.shown.values()) {
    if (isFleeting) return AT_ANY_MOMENT;
    if (seenByMs !== undefined && (atMs === undefined || seenByMs < atMs)) atMs = seenByMs;
  }
  return atMs;
}

function sync(market: MarketState, order: OwnOrder, nowMs: UnixMs): void {
  const known = market.shown.get(order);
  const before = known ?? NOTHING;
  const after = shownOf(market, order, { known: before, nowMs });
  if (before.resting !== after.resting || before.transient !== after.transient) {
    count(market, order, before, -1);
    count(market, order, after, 1);
  }
  if (after.resting === 0 && !after.isFleeting && !isExposed(order)) market.shown.delete(order);
  else if (known !== after) market.shown.set(order, after);
}

/** Adds what an order shows to the own sizes, or takes it away. */
function count(market: MarketState, order: OwnOrder, shown: Shown, sign: 1 | -1): void {
  const { own } = market.book[order.leg];
  const side = bookSideOf(order);
  const { resting, transient } = shown;
  if (resting > 0 && sign > 0) own.addResting(side, order.price, resting);
  if (resting > 0 && sign < 0) own.removeResting(side, order.price, resting);
  if (transient > 0 && sign > 0) own.addTransient(side, order.price, transient);
  if (transient > 0 && sign < 0) own.removeTransient(side, order.price, transient);
}

/** What the level of an order shows without it. */
function othersOf(market: MarketState, order: OwnOrder, known: Shown): MicroShares {
  const { mirror, own } = market.book[order.leg];
  const side = bookSideOf(order);
  const displayed = mirror.levels(side).at(rankOf(mirror.grid, side, order.price));
  count(market, order, known, -1);
  const others = own.othersAt(side, order.price, microShares(displayed));
  count(market, order, known, 1);
  return others;
}

function bookSideOf({ side }: OwnOrder): BookSide {
  return side === 'BUY' ? 'bid' : 'ask';
}

type At = { readonly known: Shown; readonly nowMs: UnixMs };

function shownOf(market: MarketState, order: OwnOrder, { known, nowMs }: At): Shown {
  if (order.isTake === true) return NOTHING;
  const { before } = known;
  const others = before === undefined ? undefined : othersOf(market, order, known);
  const hasMoved = before === undefined || others !== before;
  if (!isExposed(order)) return fleeting(endedSize(order, nowMs), { before, hasMoved });
  const left = remaining(order);
  const isAcknowledged = !isOnItsWay(order.state) && order.state !== 'unknown';
  if (!isAcknowledged) return fleeting(left, { before, hasMoved });
  const seenByMs = addMs(order.confirmedAtMs ?? order.sentAtMs, SHOWN_MS_MAX);
  const isSeen = others === undefined || (hasMoved && others >= left) || nowMs >= seenByMs;
  if (!isSeen) return unseen(known, seenByMs, !hasMoved);
  const transient = fading(order, nowMs);
  // Most orders rest as they did: nothing is built for those.
  const isAsKnown = known.resting === left && known.transient === transient;
  if (isAsKnown && known.isUnmoved === !hasMoved) return known;
  const rests = { ...NOTHING, resting: left, transient, isFleeting: transient > 0 };
  return hasMoved ? rests : { ...rests, before, isUnmoved: true };
}

/** It rests, and has not shown yet; most wait as they did, and nothing is built for those. */
function unseen(known: Shown, seenByMs: UnixMs, isUnmoved: boolean): Shown {
  if (known.seenByMs === seenByMs && known.isUnmoved === isUnmoved) return known;
  return { ...NOTHING, before: known.before, seenByMs, isUnmoved };
}

/** A size that may or may not be in the book; it is not while its level did not move. */
function fleeting(
  size: MicroShares,
  { before, hasMoved }: Pick<Shown, 'before'> & { readonly hasMoved: boolean },
): Shown {
  const transient = hasMoved ? size : NO_SHARES;
  return { ...NOTHING, before, transient, isFleeting: size > 0 };
}

function endedSize(order: OwnOrder, nowMs: UnixMs): MicroShares {
  const traded = fading(order, nowMs);
  if (!isGhost(order, nowMs)) return traded;
  return wasNeverThere(order) ? NO_SHARES : sum(remaining(order), traded);
}

/** It ended so lately that a coalesced book may still show it, or show it only now. */
function isGhost(order: OwnOrder, nowMs: UnixMs): boolean {
  return !isExposed(order) && nowMs - order.stateSinceMs < GHOST_MS;
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
