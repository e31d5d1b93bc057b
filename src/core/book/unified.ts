// Venues that show one book twice: an order to buy YES at p shows as an ask of NO at 1 - p as well. There the book of
// YES is the market's, every own order shows in it, and the book of NO adds nothing.

import type { Leg } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import { isOnBook } from '../../domain/order.ts';
import type { Ticks } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import { dropOldest } from '../kernel/bounds.ts';
import { bookSideOf, isExposed, type OwnOrder, remaining } from '../orders/own-order.ts';
import type { MarketBook } from './axis.ts';
import { rankOf } from './ladder.ts';
import type { BookMirror } from './mirror.ts';
import { type Clocks, STALE_OWN_MS, staleOwnUntilMs } from './own.ts';

/** Where an order shows, as far as prices are made from it. */
type ShownAt = { readonly leg: Leg; readonly side: BookSide; readonly price: Ticks };

export function shownAt(book: MarketBook, order: OwnOrder): ShownAt {
  if (book.isUnified) return { leg: 'yes', side: order.axisSide, price: order.axisPrice };
  return { leg: order.leg, side: bookSideOf(order), price: order.price };
}

/** Orders in a row that show otherwise than assumed before that changes: a bid and an ask are enough. */
const ORDERS_OF_CHANGE = 2;
/** Orders watched at once; the oldest makes room. */
const WATCHED_MAX = 16;
/** An order that has not told by then never will: its level moves all the time, or its own book is late. */
const WATCHED_MS_MAX = 10_000;

/**
 * Finds out by own orders whether the venue shows one book twice: such a venue shows each of them, whole, in the
 * book of the other outcome too. Levels that are alike there are no sign of it, since a maker may quote both.
 */
export class UnifiedBooks {
  /** What own orders have shown; absent until they agree. */
  known: { readonly isUnified: boolean; readonly sinceMs: UnixMs } | undefined;
  /** What the other book showed at its price before it left. */
  readonly #watched = new Map<OwnOrder, number>();
  #last: { readonly isThere: boolean; readonly times: number } | undefined;

  get isSeen(): boolean {
    return this.known?.isUnified === true;
  }

  /** An order is about to leave. */
  watch(book: MarketBook, order: OwnOrder, orders: Iterable<OwnOrder>): void {
    if (order.isTake === true || hasCompany(order, orders)) return;
    this.#watched.set(order, shownBeside(book, order));
    dropOldest(this.#watched, WATCHED_MAX);
  }

  /** @returns Whether what is assumed of the venue has changed. */
  look(book: MarketBook, orders: Iterable<OwnOrder>, nowMs: UnixMs): boolean {
    if (this.#watched.size === 0) return false;
    let hasChanged = false;
    for (const order of orders) {
      const before = this.#watched.get(order);
      if (before === undefined || !isTelling(book, order, nowMs)) continue;
      const after = shownBeside(book, order);
      const isThere = after - before === remaining(order);
      // Somebody may offer just as much there; a venue that shows one book twice shows all of it.
      if (isThere && !areAlike(book)) continue;
      this.#watched.delete(order);
      if (!hasCompany(order, orders) && (isThere || after < remaining(order))) {
        hasChanged = this.#note(isThere, nowMs) || hasChanged;
      }
    }
    this.#forget(nowMs);
    return hasChanged;
  }

  #note(isThere: boolean, nowMs: UnixMs): boolean {
    const times = this.#last?.isThere === isThere ? this.#last.times + 1 : 1;
    this.#last = { isThere, times };
    if (times < ORDERS_OF_CHANGE || this.known?.isUnified === isThere) return false;
    const hasChanged = this.isSeen !== isThere;
    this.known = { isUnified: isThere, sinceMs: nowMs };
    return hasChanged;
  }

  #forget(nowMs: UnixMs): void {
    for (const order of this.#watched.keys()) {
      const isOver = !isExposed(order) || order.executed > 0;
      if (isOver || nowMs - order.sentAtMs > WATCHED_MS_MAX) this.#watched.delete(order);
    }
  }
}

/** It rests whole, and the frame that shows it in its own book would have shown it in the other one. */
function isTelling(book: MarketBook, order: OwnOrder, nowMs: UnixMs): boolean {
  const { confirmedAtMs, state, executed } = order;
  if (!isOnBook(state) || executed > 0 || confirmedAtMs === undefined) return false;
  if (nowMs - confirmedAtMs < STALE_OWN_MS) return false;
  const { mirror } = book[order.leg];
  const own = mirror.sizeAt(bookSideOf(order), order.price);
  return own >= remaining(order) && isKnownBeside(book, order);
}

/** Another own order at its price on the axis, of either outcome: what shows there may be of that one. */
function hasCompany(one: OwnOrder, orders: Iterable<OwnOrder>): boolean {
  for (const order of orders) {
    const isThere = order.axisSide === one.axisSide && order.axisPrice === one.axisPrice;
    if (isThere && order !== one && isExposed(order)) return true;
  }
  return false;
}

function shownBeside(book: MarketBook, order: OwnOrder): number {
  const { mirror, side, rank } = besideOf(book, order);
  return mirror.levels(side).at(rank);
}

/** A level beyond the known window is unknown, not absent. */
function isKnownBeside(book: MarketBook, order: OwnOrder): boolean {
  const { mirror, side, rank } = besideOf(book, order);
  const edge = mirror.edge(side);
  return mirror.isPriceable && (edge === undefined || rank >= rankOf(mirror.grid, side, edge));
}

/** Each book is the mirror of the other one, as far as both are known: equal ranks are equal prices on the axis. */
function areAlike({ yes, no }: MarketBook): boolean {
  for (const [side, other] of [
    ['bid', 'ask'],
    ['ask', 'bid'],
  ] as const) {
    const [one, two] = [yes.mirror, no.mirror];
    const edges = [rankAt(one, side), rankAt(two, other)];
    for (let rank = one.grid.ticksPerUnit - 1; rank >= Math.max(...edges); rank -= 1) {
      if (one.levels(side).at(rank) !== two.levels(other).at(rank)) return false;
    }
  }
  return true;
}

/** The worst rank that is known. */
function rankAt(mirror: BookMirror, side: BookSide): number {
  const edge = mirror.edge(side);
  return edge === undefined ? 1 : rankOf(mirror.grid, side, edge);
}

/** Its level in the book of the other outcome: the other side, at the same rank. */
function besideOf(book: MarketBook, order: OwnOrder) {
  const { mirror } = book[order.leg === 'yes' ? 'no' : 'yes'];
  const ownSide = bookSideOf(order);
  const side: BookSide = ownSide === 'bid' ? 'ask' : 'bid';
  return { mirror, side, rank: rankOf(mirror.grid, ownSide, order.price) };
}

// What others show at prices where orders of ours come and go. Between a fill, a new order and the frame that
// tells of both, a book may show any part of what is ours: others are then taken to show what they showed before.

/** A level where ours come and go without a break is looked at anew this often, as it is then. */
const HELD_MS_MAX = 2_000;

type OwnLevel = ShownAt & {
  /** What others showed there when nothing of ours moved. */
  others: number;
  /** At most so much of what it shows is ours. */
  ours: number;
  movingSinceMs: UnixMs | undefined;
  isMoving: boolean;
  isOurs: boolean;
};

/** The levels of one market at which something of ours rests, is in flight, or may still show. */
export class OwnLevels {
  readonly #levels = new Map<number, OwnLevel>();

  /** Before an order leaves for a level: what stands there now is of others. */
  enter(book: MarketBook, order: OwnOrder): void {
    this.#levelOf(book, order);
  }

  /** Holds the levels at which something moves to what others showed there before, and frees the rest. */
  sync(book: MarketBook, orders: Iterable<[OwnOrder, RestingOf]>, clocks: Clocks): void {
    for (const level of this.#levels.values()) {
      level.ours = 0;
      level.isMoving = false;
      level.isOurs = false;
    }
    for (const [order, { resting }] of orders) {
      if (order.isTake === true) continue;
      const level = this.#levelOf(book, order);
      const isMoving = mayShowOtherwise(book, order, clocks);
      level.isOurs = true;
      level.isMoving ||= isMoving;
      level.ours += isMoving ? order.quantity : resting;
    }
    for (const [key, level] of this.#levels) {
      if (level.isOurs) hold(book, level, clocks.nowMs);
      else this.#forget(book, key, level);
    }
  }

  #levelOf(book: MarketBook, order: OwnOrder): OwnLevel {
    const at = shownAt(book, order);
    const key = keyOf(at);
    const known = this.#levels.get(key);
    if (known !== undefined) return known;
    const found = { others: othersAt(book, at), ours: 0, movingSinceMs: undefined };
    const level: OwnLevel = { ...at, ...found, isMoving: false, isOurs: false };
    this.#levels.set(key, level);
    return level;
  }

  #forget(book: MarketBook, key: number, { leg, side, price }: OwnLevel): void {
    book[leg].own.free(side, price);
    this.#levels.delete(key);
  }
}

type RestingOf = { readonly resting: number };

function hold(book: MarketBook, level: OwnLevel, nowMs: UnixMs): void {
  const { leg, side, price, movingSinceMs } = level;
  const isPastDeadline = movingSinceMs !== undefined && nowMs - movingSinceMs >= HELD_MS_MAX;
  if (!level.isMoving || isPastDeadline) {
    level.others = othersAt(book, level);
    level.movingSinceMs = undefined;
  }
  const { own } = book[leg];
  if (level.isMoving) {
    level.movingSinceMs ??= nowMs;
    own.hold(side, price, level);
  } else own.free(side, price);
}

/** The book may show an order in part, whole or not at all, whatever we know of it. */
function mayShowOtherwise(book: MarketBook, order: OwnOrder, clocks: Clocks): boolean {
  const { confirmedAtMs, executedAtMs, state, stateSinceMs } = order;
  if (confirmedAtMs === undefined || state === 'cancelling') return true;
  const { mirror } = book.showing(order.leg);
  const movedAtMs = unixMs(Math.max(confirmedAtMs, executedAtMs ?? 0, stateSinceMs));
  return staleOwnUntilMs(mirror, movedAtMs, clocks) !== undefined;
}

function othersAt(book: MarketBook, { leg, side, price }: ShownAt): number {
  const { mirror, own } = book[leg];
  return own.othersAt(side, price, mirror.sizeAt(side, price));
}

/** More than a grid has prices. */
const PRICES = 1 << 16;

function keyOf({ leg, side, price }: ShownAt): number {
  return ((leg === 'yes' ? 0 : 2) + (side === 'bid' ? 0 : 1)) * PRICES + price;
}
