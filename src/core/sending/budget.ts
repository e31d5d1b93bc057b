// The write budget: what the core allows itself before the client's limiter has to say no.

import { assert } from '../../domain/assert.ts';
import { consequenceOf } from '../../domain/codes.ts';
import type { RequestId } from '../../domain/ids.ts';
import type { Refusal } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { askAgainInMs, BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { ReasonText, WriteClass } from '../quoting/market.ts';
import type { RiskStores } from '../risk/stores.ts';
import { afterMs, trip } from '../risk/trip.ts';

/**
 * The venue counts in windows of 10 s; ours is a little longer, so that writes which the network
 * squeezes together do not land in one window of the venue's. @spec Limits
 */
export const WRITE_WINDOW_MS = 10_250;
/** Placement requests that may be unanswered at once: more only hides a venue in trouble. */
const IN_FLIGHT_MAX = 16;

export class WriteBudget {
  /** Times of the last writes, a ring as long as the venue's own limit. */
  readonly #sentAtMs: Float64Array;
  #next = 0;
  #count = 0;
  #perWindow: number;
  #blockedUntilMs = 0;
  /** Unanswered placements, oldest first. */
  readonly #inFlight = new Map<RequestId, UnixMs>();

  constructor(perWindow: number, capacity: number) {
    assert(perWindow <= capacity, 'a write budget fits its ring');
    this.#perWindow = perWindow;
    this.#sentAtMs = new Float64Array(capacity);
  }

  setPerWindow(perWindow: number): void {
    assert(perWindow <= this.#sentAtMs.length, 'a write budget fits its ring');
    this.#perWindow = perWindow;
  }

  get perWindow(): number {
    return this.#perWindow;
  }

  usedInWindow(nowMs: UnixMs): number {
    const capacity = this.#sentAtMs.length;
    let used = 0;
    while (used < this.#count) {
      const at = this.#sentAtMs[(this.#next - 1 - used + 2 * capacity) % capacity] ?? 0;
      if (nowMs - at >= WRITE_WINDOW_MS) break;
      used += 1;
    }
    return used;
  }

  mayWrite(nowMs: UnixMs): boolean {
    return (
      nowMs >= this.#blockedUntilMs &&
      this.#inFlight.size < IN_FLIGHT_MAX &&
      this.usedInWindow(nowMs) < this.#perWindow
    );
  }

  /** Why no write is allowed now, where that is not for the answers to earlier ones. */
  whyNot(nowMs: UnixMs): ReasonText | undefined {
    const leftMs = this.#blockedUntilMs - nowMs;
    if (leftMs > 0) {
      const clears = `the venue takes order writes again in ${Math.ceil(leftMs / 1_000)} s`;
      return { code: 'rate_limited', detail: 'the venue calls our order writes too many', clears };
    }
    if (this.usedInWindow(nowMs) < this.#perWindow) return undefined;
    const detail = `all ${this.#perWindow} order writes of 10 s are used`;
    return { code: 'write_budget', detail, clears: 'earlier writes leave the window' };
  }

  onSent(requestId: RequestId, nowMs: UnixMs): void {
    assert(this.mayWrite(nowMs), 'a write is sent only within the budget');
    this.count(requestId, nowMs);
  }

  /** It has left, whatever a clock that was set since says of the budget. */
  count(requestId: RequestId, nowMs: UnixMs): void {
    const capacity = this.#sentAtMs.length;
    this.#sentAtMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % capacity;
    this.#count = Math.min(this.#count + 1, capacity);
    this.#inFlight.set(requestId, nowMs);
  }

  onAnswered(requestId: RequestId): void {
    this.#inFlight.delete(requestId);
  }

  /** An answer that never came must not take up its place for ever. */
  giveUpBefore(atMs: number): void {
    for (const [requestId, sentAtMs] of this.#inFlight) {
      if (sentAtMs >= atMs) return;
      this.#inFlight.delete(requestId);
    }
  }

  /**
   * The venue said `rate_limited`: nothing more until then.
   * @returns Whether that is new: each order of a batch is told so by the same answer.
   */
  blockUntil(atMs: number): boolean {
    const isLater = atMs > this.#blockedUntilMs;
    if (isLater) this.#blockedUntilMs = atMs;
    return isLater;
  }
}

// How many writes of the budget each class may use up. What one class leaves to those before it is
// sized by what they may need at once, so that it is large where much may go wrong and small elsewhere.

/** Each market has two sides that may become bare, and one position to be brought down. */
const SIDES_OF_MARKET = 2;
/** However many markets there are, no more of the budget is kept for them. */
const REDUCE_PART_MAX = 0.2;
const REPAIR_PART_MAX = 0.3;
/** Improvements always have this part of it. */
const IMPROVE_PART_MIN = 0.5;

type ReserveView = {
  /** Writes of the whole window. */
  readonly perWindow: number;
  /** Part of them that is kept at least, 0 to 0.5. */
  readonly reservePart: number;
  /** Markets with orders of ours: each of them may need them back. */
  readonly marketsQuoted: number;
};

/**
 * Writes of a window after which a class is served no more.
 *
 * Bringing positions down may use all of them. Bare sides and renewals leave enough for one such order
 * in every market, improvements also for one order on each side of every market. A write carries 15.
 * @spec Limits
 */
export function writesOf(writeClass: WriteClass, view: ReserveView): number {
  const { perWindow, marketsQuoted } = view;
  if (writeClass === 'reduce') return perWindow;
  const forReducing = kept(view, marketsQuoted, REDUCE_PART_MAX);
  if (writeClass !== 'improve') return perWindow - forReducing;
  const forRepairs = kept(view, marketsQuoted * SIDES_OF_MARKET, REPAIR_PART_MAX);
  return Math.max(perWindow * IMPROVE_PART_MIN, perWindow - forReducing - forRepairs);
}

/** Half of the least reserve, or as many writes as so many orders take. */
function kept({ perWindow, reservePart }: ReserveView, orders: number, partMax: number): number {
  const needed = Math.ceil(orders / BATCH_ORDERS_MAX);
  return Math.max((perWindow * reservePart) / 2, Math.min(needed, perWindow * partMax));
}

// The venue says that this account may not trade, or not open positions from here: only orders that reduce go
// out for as long as that lasts, and one order that adds asks now and then whether it still does.
// @spec Errors

/** A short one costs a tenth more than it lasted, one for good a write a minute. */
const PACE = { leastMs: 2_000, mostMs: 60_000 };

/** Of what opens nothing but one order leaves: it asks whether the restriction is over. */
export function isAsking({ controls }: RiskStores): boolean {
  if (controls.restriction.sinceMs === undefined) return false;
  return controls.latches.get('account_refused', undefined) === undefined;
}

/** The one that asks has left, and has no answer yet. */
export function isAsked(stores: RiskStores): boolean {
  return stores.controls.restriction.askedIn !== undefined && isAsking(stores);
}

/** A sell asks nothing: who may only reduce can still sell, as many at once as ever. */
export function asks(stores: RiskStores, { side }: Pick<OwnOrder, 'side'>): boolean {
  return side === 'BUY' && isAsking(stores);
}

/** @param requestId - Of a placement that was answered, whatever the answer. */
export function onAskedAnswered(
  { controls: { restriction } }: RiskStores,
  requestId: RequestId,
): void {
  if (restriction.askedIn === requestId) restriction.askedIn = undefined;
}

/**
 * What was sent while the restriction held tells nothing new; what asks makes the next wait longer.
 * @returns Whether it is known of this order: all of them wait for the next one that asks.
 */
export function onRestricted(stores: RiskStores, refusal: Refusal): boolean {
  const { controls, nowMs } = stores;
  const { restriction } = controls;
  if (controls.latches.get('account_refused', undefined) !== undefined) return false;
  restriction.sinceMs ??= nowMs;
  const forMs = askAgainInMs(nowMs - restriction.sinceMs, PACE);
  trip(stores, {
    control: 'account_refused',
    level: 'reduce-only',
    detail: () => `${refusal.code}: ${refusal.message}; one order asks again after this`,
    resumes: afterMs(stores, forMs),
  });
  return true;
}

/** A position may be opened: a buy was accepted. */
export function onBuyAccepted(stores: RiskStores, order: OwnOrder): void {
  if (!asks(stores, order)) return;
  stores.controls.restriction.sinceMs = undefined;
  for (const market of stores.markets.values()) {
    for (const axisSide of ['bid', 'ask'] as const) {
      const code = market.backoff[axisSide]?.code;
      if (code === undefined || consequenceOf(code) !== 'reduceOnly') continue;
      market.backoff[axisSide] = undefined;
      market.isDirty = true;
    }
  }
}
