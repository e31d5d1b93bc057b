// Our own size in a token's book, to be taken out before anything is priced from it.

import { assert } from '../../domain/assert.ts';
import type { BookSide } from '../../domain/message.ts';
import { clampShares, type MicroShares, microShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import type { TrustSettings } from '../../domain/trust.ts';
import { rankOf } from './ladder.ts';
import { type BookMirror, FLUSH_MS } from './mirror.ts';

/**
 * An ended order may still show in the book this long: frames are coalesced (150 ms) and travel. In a feed that
 * is later it may for longer.
 */
export const STALE_OWN_MS = 300;

/**
 * Own sizes of one token by side and price; the order ledger keeps it up to date.
 *
 * Resting: the venue has the order, so the displayed size contains it. Transient: it may or may not
 * be displayed yet (placement in flight) or any more (ended so lately that the book may not tell).
 */
export class OwnSizes {
  readonly #grid: TickGrid;
  readonly #bids: OwnSide;
  readonly #asks: OwnSide;

  constructor(grid: TickGrid) {
    this.#grid = grid;
    this.#bids = new OwnSide();
    this.#asks = new OwnSide();
  }

  addResting(side: BookSide, price: Ticks, quantity: MicroShares): void {
    this.side(side).addResting(rankOf(this.#grid, side, price), quantity);
  }

  /** @throws {AssertionError} when less than that rests there. */
  removeResting(side: BookSide, price: Ticks, quantity: MicroShares): void {
    this.side(side).addResting(rankOf(this.#grid, side, price), -quantity);
  }

  addTransient(side: BookSide, price: Ticks, quantity: MicroShares): void {
    this.side(side).addTransient(rankOf(this.#grid, side, price), quantity);
  }

  /** @throws {AssertionError} when no transient order of this size is known there. */
  removeTransient(side: BookSide, price: Ticks, quantity: MicroShares): void {
    this.side(side).removeTransient(rankOf(this.#grid, side, price), quantity);
  }

  restingAt(side: BookSide, price: Ticks): MicroShares {
    return clampShares(this.side(side).restingAt(rankOf(this.#grid, side, price)));
  }

  /** What others show at a price by the sizes alone, given what is displayed there. */
  othersAt(side: BookSide, price: Ticks, displayed: MicroShares): MicroShares {
    return microShares(this.side(side).beside(rankOf(this.#grid, side, price), displayed));
  }

  /** Ours come and go at a price: what others showed there before is what they show. */
  hold(side: BookSide, price: Ticks, held: HeldLevel): void {
    this.side(side).hold(rankOf(this.#grid, side, price), held);
  }

  free(side: BookSide, price: Ticks): void {
    this.side(side).free(rankOf(this.#grid, side, price));
  }

  /** By rank, for the walks of this room. */
  side(side: BookSide): OwnSide {
    return side === 'bid' ? this.#bids : this.#asks;
  }
}

/** A level at which ours come and go: what others showed there before, and how much of it may be ours. */
type HeldLevel = { readonly others: number; readonly ours: number };

/** One side by rank. */
export class OwnSide {
  /**
   * Rank and size in turns, in no order: we rest at a few prices of a side and at most of them not at
   * all, and this is read with every walk over a book. As many pairs as prices we rest at; absent where
   * we rest at none, since an empty list too is an object to look at.
   */
  #resting: number[] | undefined;
  /** Sizes of transient orders by rank, oldest first; as many as the ledger has such orders, or absent. */
  #transient: Map<number, number[]> | undefined;
  /** By rank; as many as prices at which ours move, or absent. */
  #held: Map<number, HeldLevel> | undefined;

  hold(rank: number, held: HeldLevel): void {
    this.#held ??= new Map();
    this.#held.set(rank, held);
  }

  free(rank: number): void {
    this.#held?.delete(rank);
    if (this.#held?.size === 0) this.#held = undefined;
  }

  restingAt(rank: number): number {
    const resting = this.#resting;
    if (resting === undefined) return 0;
    const at = placeOf(resting, rank);
    return at < 0 ? 0 : (resting[at + 1] ?? 0);
  }

  addResting(rank: number, quantity: number): void {
    const sum = this.restingAt(rank) + quantity;
    assert(sum >= 0, 'no more own size is removed from a level than was added to it');
    const resting = this.#resting ?? [];
    const at = placeOf(resting, rank);
    if (sum === 0) {
      if (at >= 0) resting.splice(at, 2);
    } else if (at >= 0) resting[at + 1] = sum;
    else resting.push(rank, sum);
    this.#resting = resting.length > 0 ? resting : undefined;
  }

  addTransient(rank: number, quantity: number): void {
    this.#transient ??= new Map();
    const sizes = this.#transient.get(rank);
    if (sizes) sizes.push(quantity);
    else this.#transient.set(rank, [quantity]);
  }

  removeTransient(rank: number, quantity: number): void {
    const sizes = this.#transient?.get(rank) ?? [];
    const at = sizes.indexOf(quantity);
    assert(at >= 0, 'a transient own size is removed only after it was added');
    sizes.splice(at, 1);
    if (sizes.length === 0) this.#transient?.delete(rank);
    if (this.#transient?.size === 0) this.#transient = undefined;
  }

  /**
   * What others show of a displayed size, as prices are made from it.
   *
   * Where ours come and go it is no more than stood there before, so that no part of ours is ever a level of
   * others, and no less than is displayed beyond all that may be ours, so that who comes there is seen.
   */
  others(rank: number, displayed: number): number {
    const left = this.beside(rank, displayed);
    const held = this.#held?.get(rank);
    if (held === undefined || left <= held.others) return left;
    return Math.max(held.others, displayed - held.ours);
  }

  /**
   * Displayed size without ours, by the sizes alone.
   *
   * Resting size always comes off, clamped at zero because a delta of another flush may lag behind
   * our fill. A transient size comes off only when so much is left that it can be in there: an order
   * not displayed yet never makes a smaller level of others vanish. Just one of them is that one, whichever
   * came first: taken for a part of it, an older one that has gone would leave a level of nobody.
   */
  beside(rank: number, displayed: number): number {
    let left = Math.max(0, displayed - this.restingAt(rank));
    if (this.#transient === undefined) return left;
    const transient = this.#transient.get(rank) ?? NONE;
    if (transient.includes(left)) return 0;
    for (const size of transient) {
      if (left >= size) left -= size;
    }
    return left;
  }
}

const NONE: readonly number[] = [];

function placeOf(resting: readonly number[], rank: number): number {
  for (let at = 0; at < resting.length; at += 2) if (resting[at] === rank) return at;
  return -1;
}

// How long a book may still show what has ended: for a moment in any feed, and in a late one for as long as
// its own frames are behind.

/** What tells how late a frame is. */
export type Clocks = {
  readonly nowMs: UnixMs;
  /** Without an offset to the venue's clock stamps say nothing. */
  readonly clock: { readonly offsetMs: number | undefined };
  readonly trustLimits: Pick<TrustSettings, 'frameAgeMs'>;
};

/** Long since. */
export const AT_ANY_MOMENT = unixMs(0);

/** A feed that falls behind is later with the next frame than it was with the last one. */
const DELAY_MARGIN = 1.5;
/** A feed that is later is in doubt for its age, or its stamps are no measure of it. */
const DELAY_MS_MAX = 5_000;

/**
 * Until when a book may still show what ended or traded at `atMs`; absent when it cannot.
 *
 * A frame stamped later than that by a flush, and by what clocks may differ, is of a book without it. While none
 * has come it lasts as long as the last frame took, so that a quiet book does not keep it: own orders never
 * measure this, since one of the same size in the same place shows no change.
 */
export function staleOwnUntilMs(
  mirror: BookMirror,
  atMs: UnixMs,
  clocks: Clocks,
): UnixMs | undefined {
  const { nowMs, clock, trustLimits } = clocks;
  if (nowMs - atMs < STALE_OWN_MS) return AT_ANY_MOMENT;
  // Where stamps are not to be trusted, or none came, the feed counts as one in time.
  const { lastUpdateMs, lastVenueTs } = mirror;
  if (clock.offsetMs === undefined || trustLimits.frameAgeMs === 0) return undefined;
  if (lastUpdateMs === undefined || lastVenueTs === undefined) return undefined;
  const stampedAtMs = lastVenueTs - clock.offsetMs;
  if (stampedAtMs - atMs >= STALE_OWN_MS) return undefined;
  const delayMs = Math.min(lastUpdateMs - stampedAtMs, DELAY_MS_MAX);
  const untilMs = addMs(atMs, FLUSH_MS + DELAY_MARGIN * delayMs);
  return nowMs < untilMs ? untilMs : undefined;
}
