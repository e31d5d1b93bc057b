// Own resting orders as audits of the book: where the venue says they rest, the book must show all of them, and
// must have moved when they came. The time until they first show is the delay of the feed.

import type { TokenId } from '../../domain/ids.ts';
import type { BookSide } from '../../domain/message.ts';
import { isOnBook } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import { rankOf } from './levels.ts';
import type { BookMirror } from './mirror.ts';

/** What the own-order audits of one book are asked with. */
export type OwnOrderLook = {
  readonly leg: OwnOrder['leg'];
  readonly nowMs: UnixMs;
  /** An order that stands as it is for so long must show. */
  readonly settledMs: number;
};

/**
 * An own order whose level shows less than all own orders that must be there; `undefined` when each
 * level shows enough.
 */
export function missingOwnOrder(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  at: OwnOrderLook,
): OwnOrder | undefined {
  for (const order of orders) {
    if (!isDue(mirror, order, at)) continue;
    if (displayedAt(mirror, order) < ownAt(mirror, orders, order, at)) return order;
  }
  return undefined;
}

/**
 * Own orders, one of each level, that others show enough for and whose level has not moved since they
 * were placed. The frame that brought them may be lost; or as much of others left with it, so that
 * there was nothing to tell.
 */
export function unmovedOwnOrders(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  at: OwnOrderLook & { isUnmoved(order: OwnOrder): boolean },
): readonly OwnOrder[] {
  let found: OwnOrder[] | undefined;
  for (const order of orders) {
    if (!at.isUnmoved(order) || !isDue(mirror, order, at)) continue;
    found ??= [];
    if (!found.some((other) => isOfOneLevel(other, order))) found.push(order);
  }
  return found ?? NONE;
}

const NONE: readonly OwnOrder[] = Object.freeze([]);

/** What all own orders at the level of one add up to, as far as they must show by now. */
function ownAt(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  one: OwnOrder,
  at: OwnOrderLook,
): number {
  let sum = 0;
  for (const order of orders) {
    if (isOfOneLevel(order, one) && isDue(mirror, order, at)) sum += remaining(order);
  }
  return sum;
}

function isOfOneLevel(one: OwnOrder, other: OwnOrder): boolean {
  return one.price === other.price && one.side === other.side;
}

/** A level beyond the known window is unknown, not absent. */
function isDue(mirror: BookMirror, order: OwnOrder, at: OwnOrderLook): boolean {
  if (order.leg !== at.leg || !isSettledIn(order, at)) return false;
  return !isBeyondEdge(mirror, order);
}

/** The order stands as it is for so long that the book must have caught up with it. */
function isSettledIn(order: OwnOrder, { nowMs, settledMs }: OwnOrderLook): boolean {
  const isResting = isOnBook(order.state);
  if (!isResting || order.confirmedAtMs === undefined || order.executed >= order.quantity) {
    return false;
  }
  const changedAtMs = Math.max(order.confirmedAtMs, order.stateSinceMs, order.executedAtMs ?? 0);
  return nowMs - changedAtMs >= settledMs;
}

function isBeyondEdge(mirror: BookMirror, order: OwnOrder): boolean {
  const side = bookSideOf(order);
  const edge = mirror.edge(side);
  if (edge === undefined) return false;
  return rankOf(mirror.grid, side, order.price) < rankOf(mirror.grid, side, edge);
}

function displayedAt(mirror: BookMirror, order: OwnOrder): number {
  const side = bookSideOf(order);
  return mirror.levels(side).at(rankOf(mirror.grid, side, order.price));
}

function bookSideOf({ side }: OwnOrder): BookSide {
  return side === 'BUY' ? 'bid' : 'ask';
}

function isShown(mirror: BookMirror, order: OwnOrder): boolean {
  return isBeyondEdge(mirror, order) || displayedAt(mirror, order) >= remaining(order);
}

/** Orders waited for at once; more of them tell nothing new about the delay. */
const IN_FLIGHT_MAX = 64;
/** Each delay counts this much in the mean. */
const WEIGHT = 0.1;
/** An order that has not shown after this long will not tell a delay. */
const IN_FLIGHT_MS_MAX = 60_000;

/** An order that is waited for, and what its level displayed when it was acknowledged. */
type Awaiting = { readonly order: OwnOrder; readonly displayed: number };

/** Measures how long after its acknowledgement an own order shows in the book. */
export class FeedDelay {
  /** By token: a change of one book never looks at what is waited for in the others. */
  readonly #inFlight = new Map<TokenId, Awaiting[]>();
  #count = 0;
  #meanMs: number | undefined;
  #lastMs: number | undefined;

  get meanMs(): number | undefined {
    return this.#meanMs;
  }

  get lastMs(): number | undefined {
    return this.#lastMs;
  }

  get isAwaiting(): boolean {
    return this.#count > 0;
  }

  /**
   * The venue acknowledged an order; what is in the book already came before the answer.
   * @param at - Whether its level has moved since it was placed: others may show as much.
   */
  onAcknowledged(
    order: OwnOrder,
    mirror: BookMirror,
    { nowMs, hasMoved }: { readonly nowMs: UnixMs; readonly hasMoved: boolean },
  ): void {
    if (hasMoved && isShown(mirror, order)) {
      this.#note(0);
      return;
    }
    if (this.#count >= IN_FLIGHT_MAX) this.#dropOver(nowMs);
    if (this.#count >= IN_FLIGHT_MAX) return;
    this.#count += 1;
    const inFlight = this.#inFlight.get(order.tokenId);
    const entry = { order, displayed: displayedAt(mirror, order) };
    if (inFlight) inFlight.push(entry);
    else this.#inFlight.set(order.tokenId, [entry]);
  }

  /** It moved or traded: when it shows now says nothing of the delay. */
  forget({ intentId, tokenId }: OwnOrder): void {
    if (this.#inFlight.has(tokenId))
      this.#keep(tokenId, ({ order }) => order.intentId !== intentId);
  }

  /** A book changed. */
  onChange(mirror: BookMirror, tokenId: TokenId, nowMs: UnixMs): void {
    if (!this.#inFlight.has(tokenId)) return;
    this.#keep(tokenId, ({ order, displayed }) => {
      if (isOver(order, nowMs)) return false;
      if (displayedAt(mirror, order) === displayed || !isShown(mirror, order)) return true;
      this.#note(sinceMs(order, nowMs));
      return false;
    });
  }

  #dropOver(nowMs: UnixMs): void {
    for (const tokenId of this.#inFlight.keys()) {
      this.#keep(tokenId, ({ order }) => !isOver(order, nowMs));
    }
  }

  #keep(tokenId: TokenId, keeps: (inFlight: Awaiting) => boolean): void {
    const before = this.#inFlight.get(tokenId) ?? [];
    const left = before.filter(keeps);
    this.#count += left.length - before.length;
    if (left.length === 0) this.#inFlight.delete(tokenId);
    else this.#inFlight.set(tokenId, left);
  }

  #note(delayMs: number): void {
    this.#lastMs = delayMs;
    this.#meanMs =
      this.#meanMs === undefined ? delayMs : this.#meanMs + WEIGHT * (delayMs - this.#meanMs);
  }
}

function sinceMs(order: OwnOrder, nowMs: UnixMs): number {
  return nowMs - (order.confirmedAtMs ?? order.sentAtMs);
}

function isOver(order: OwnOrder, nowMs: UnixMs): boolean {
  return (
    order.executed > 0 || order.state !== 'resting' || sinceMs(order, nowMs) > IN_FLIGHT_MS_MAX
  );
}
