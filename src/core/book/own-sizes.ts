// Keeps what is taken out of a market's books in step with the own orders.

import { isInFlight } from '../../domain/order.ts';
import { clampShares, type MicroShares, NO_SHARES, subtractShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { OrderLedger } from '../orders/ledger.ts';
import { isExposed, type OwnOrder, remaining } from '../orders/own-order.ts';
import { shownAt } from './axis.ts';
import type { MirroredMarket, Shown } from './market.ts';
import type { BookMirror } from './mirror.ts';
import { AT_ANY_MOMENT, type Clocks, staleOwnUntilMs } from './own.ts';

const NOTHING: Shown = Object.freeze({
  resting: NO_SHARES,
  transient: NO_SHARES,
  before: undefined,
  changesAtMs: undefined,
  leaving: undefined,
});
/**
 * An acknowledged order that has not shown after this long counts as shown. Own-order audits come first, with the
 * answers over REST that they ask for: in a book that has gone deaf, levels of others would vanish with each
 * order and be back with its cancel, every two seconds, before one rests for as long as an own-order audit must.
 */
const SHOWN_MS_MAX = 10_000;

/**
 * An order is about to leave. As long as its level shows what it shows now, the order is not in it:
 * taking it out would make a level of others vanish, and prices would move for our own quote alone.
 */
export function enterOwnSize(market: MirroredMarket, order: OwnOrder): void {
  if (order.isTake === true) return;
  market.ownLevels.enter(market.book, order);
  market.shown.set(order, { ...NOTHING, before: othersOf(market, order, NOTHING) });
  market.wasQuoted = true;
}

/**
 * A cancel of an order that shows is about to leave. Once its level is what others showed beside it, it has gone.
 * Taken for its trace, as many shares of others would vanish with each cancel and be back a moment later, and quotes
 * would go to and fro over them for ever.
 */
export function leaveOwnSize(market: MirroredMarket, order: OwnOrder): void {
  const known = market.shown.get(order);
  if (known === undefined || known.before !== undefined || known.transient > 0) return;
  const { resting: size } = known;
  const displayed = othersOf(market, order, known);
  if (size === 0 || displayed < size) return;
  const others = subtractShares(displayed, size);
  market.shown.set(order, { ...known, leaving: { size, others } });
}

/** Brings the own sizes of one market up to date; called before its books are priced. */
export function syncOwnSizes(
  market: MirroredMarket,
  ledger: OrderLedger,
  clocks: Clocks & { readonly isUnified: boolean },
): void {
  if (market.book.isUnified !== clocks.isUnified) moveOwnSizes(market);
  for (const order of market.shown.keys()) sync(market, order, clocks);
  for (const order of ledger.ofMarket(market.market.id)) {
    if (!market.shown.has(order)) sync(market, order, clocks);
  }
  market.ownLevels.sync(market.book, market.shown, clocks);
}

/** The venue shows one book twice after all, or two: own orders are taken out where they show. */
function moveOwnSizes(market: MirroredMarket): void {
  const { book, shown } = market;
  for (const [order, known] of shown) count(market, order, known, -1);
  book.isUnified = !book.isUnified;
  for (const [order, known] of shown) {
    count(market, order, known, 1);
    // What others showed at the level before was of the other book: it counts as seen.
    shown.set(order, { ...known, before: undefined, leaving: undefined });
  }
}

/**
 * From when on what the books show of own orders may change by itself: at any moment while something
 * comes or fades, and otherwise when an order has not shown for too long, or a late book has shown one that
 * ended for long enough.
 */
export function changesAtMs(market: MirroredMarket): UnixMs | undefined {
  let atMs: UnixMs | undefined;
  for (const each of market.shown.values()) atMs = sooner(atMs, each.changesAtMs);
  return atMs;
}

function sync(market: MirroredMarket, order: OwnOrder, clocks: Clocks): void {
  const known = market.shown.get(order);
  const before = known ?? NOTHING;
  const isTake = order.isTake === true;
  const after = isTake ? NOTHING : shownOf(market, order, { known: before, clocks });
  if (before.resting !== after.resting || before.transient !== after.transient) {
    count(market, order, before, -1);
    count(market, order, after, 1);
  }
  const isGone = after.resting === 0 && after.changesAtMs === undefined;
  if (isGone && !isExposed(order)) market.shown.delete(order);
  else if (known !== after) market.shown.set(order, after);
}

/** Adds what an order shows to the own sizes, or takes it away. */
function count(market: MirroredMarket, order: OwnOrder, shown: Shown, sign: 1 | -1): void {
  const { leg, side, price } = shownAt(market.book, order);
  const { own } = market.book[leg];
  const { resting, transient } = shown;
  if (resting > 0 && sign > 0) own.addResting(side, price, resting);
  if (resting > 0 && sign < 0) own.removeResting(side, price, resting);
  if (transient > 0 && sign > 0) own.addTransient(side, price, transient);
  if (transient > 0 && sign < 0) own.removeTransient(side, price, transient);
}

/** What the level of an order shows without it. */
function othersOf(market: MirroredMarket, order: OwnOrder, known: Shown): MicroShares {
  const { leg, side, price } = shownAt(market.book, order);
  const { mirror, own } = market.book[leg];
  count(market, order, known, -1);
  const others = own.othersAt(side, price, mirror.sizeAt(side, price));
  count(market, order, known, 1);
  return others;
}

type At = { readonly known: Shown; readonly clocks: Clocks };

function shownOf(market: MirroredMarket, order: OwnOrder, { known, clocks }: At): Shown {
  const { before } = known;
  const others = before === undefined ? undefined : othersOf(market, order, known);
  const hasMoved = before === undefined || others !== before;
  const { mirror } = market.book.showing(order.leg);
  if (!isExposed(order)) return traceOf(market, order, { known, clocks, hasMoved });
  const left = remaining(order);
  const isAcknowledged = !isInFlight(order.state) && order.state !== 'unknown';
  if (!isAcknowledged) {
    return fleeting({ size: left, changesAtMs: AT_ANY_MOMENT }, { ...known, hasMoved });
  }
  const seenByMs = addMs(order.confirmedAtMs ?? order.sentAtMs, SHOWN_MS_MAX);
  const isSeen = others === undefined || (hasMoved && others >= left) || clocks.nowMs >= seenByMs;
  if (!isSeen) return unseen(known, seenByMs);
  const fadesMs = fadesAtMs(order, mirror, clocks);
  const transient = fadesMs === undefined ? NO_SHARES : order.lastExecuted;
  // Most orders rest as they did: nothing is built for those.
  const isAsKnown = known.resting === left && known.transient === transient;
  if (isAsKnown && before === undefined && known.changesAtMs === fadesMs) return known;
  return { ...NOTHING, resting: left, transient, changesAtMs: fadesMs };
}

/** It rests, and has not shown yet; most wait as they did, and nothing is built for those. */
function unseen(known: Shown, seenByMs: UnixMs): Shown {
  if (known.changesAtMs === seenByMs) return known;
  return { ...NOTHING, before: known.before, changesAtMs: seenByMs };
}

/** A size that may or may not be in the book; it is not while its level did not move. */
function fleeting(
  { size, changesAtMs }: Fleeting,
  { before, leaving, hasMoved }: Pick<Shown, 'before' | 'leaving'> & { readonly hasMoved: boolean },
): Shown {
  if (size === 0) return { ...NOTHING, before };
  return { ...NOTHING, before, leaving, transient: hasMoved ? size : NO_SHARES, changesAtMs };
}

/** Of an order that is over: nothing, once its level says that it has gone or no book can show it any more. */
function traceOf(
  market: MirroredMarket,
  order: OwnOrder,
  { known, clocks, hasMoved }: At & { readonly hasMoved: boolean },
): Shown {
  if (hasLeft(market, order, known)) return NOTHING;
  const { mirror } = market.book.showing(order.leg);
  return fleeting(endedOf(order, mirror, clocks), { ...known, hasMoved });
}

/** It was cancelled whole, and its level shows what others showed beside it, with any that left together with it. */
function hasLeft(market: MirroredMarket, order: OwnOrder, known: Shown): boolean {
  const { leaving } = known;
  if (leaving === undefined || remaining(order) !== leaving.size) return false;
  const { leg, side, price } = shownAt(market.book, order);
  const { mirror, own } = market.book[leg];
  // Until it is over it counts among what rests there.
  const others = mirror.sizeAt(side, price) - (own.restingAt(side, price) - known.resting);
  if (others === leaving.others) return true;
  return othersOf(market, order, known) === leaving.others;
}

type Fleeting = { readonly size: MicroShares } & Pick<Shown, 'changesAtMs'>;

/** What a book may still show, or show only now, of an order that is over. */
function endedOf(order: OwnOrder, mirror: BookMirror, clocks: Clocks): Fleeting {
  const goneMs = goneAtMs(order, mirror, clocks);
  const fadesMs = fadesAtMs(order, mirror, clocks);
  const rested = goneMs === undefined ? NO_SHARES : remaining(order);
  const traded = fadesMs === undefined ? NO_SHARES : order.lastExecuted;
  return { size: clampShares(rested + traded), changesAtMs: sooner(goneMs, fadesMs) };
}

/** Until when its book may still show, or show only now, what has ended. */
function goneAtMs(order: OwnOrder, mirror: BookMirror, clocks: Clocks): UnixMs | undefined {
  return wasNeverThere(order) ? undefined : staleOwnUntilMs(mirror, order.stateSinceMs, clocks);
}

/** Until when it may show what traded: the frame about it may still be in flight. */
function fadesAtMs(order: OwnOrder, mirror: BookMirror, clocks: Clocks): UnixMs | undefined {
  const { executedAtMs } = order;
  return executedAtMs === undefined ? undefined : staleOwnUntilMs(mirror, executedAtMs, clocks);
}

/** No venue has ever shown it. */
function wasNeverThere(order: OwnOrder): boolean {
  const isGone = order.state === 'refused' || order.state === 'absent';
  return isGone && order.confirmedAtMs === undefined;
}

function sooner(one: UnixMs | undefined, other: UnixMs | undefined): UnixMs | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
