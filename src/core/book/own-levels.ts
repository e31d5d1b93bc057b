// What others show at prices where orders of ours come and go. Between a fill, a new order and the frame that
// tells of both, a book may show any part of what is ours: others are then taken to show what they showed before.

import { microShares } from '../../domain/shares.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { MarketBook } from './axis.ts';
import { rankOf } from './levels.ts';
import { type Clocks, staleOwnUntilMs } from './stale-own-size.ts';
import { type ShownAt, shownAt } from './unified.ts';

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
  const displayed = mirror.levels(side).at(rankOf(mirror.grid, side, price));
  return own.othersAt(side, price, microShares(displayed));
}

/** More than a grid has prices. */
const PRICES = 1 << 16;

function keyOf({ leg, side, price }: ShownAt): number {
  return ((leg === 'yes' ? 0 : 2) + (side === 'bid' ? 0 : 1)) * PRICES + price;
}
