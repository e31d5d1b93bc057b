// What the venue has taught of orders: how many it lets this account have, and when those with a date end.

import { type CoreSettings, GTD_DEFAULTS, type GtdSettings } from '../../domain/input.ts';
import type { Lifetime } from '../../domain/order.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { GTD_AHEAD_MS_MIN, OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';
import type { OwnOrder } from './own-order.ts';

/**
 * Room may come back: after this a quarter more is tried, and at least one order; then twice as many each time. A venue that
 * still counts what has ended says so for seconds. Each try that is refused makes the next wait twice as long.
 */
const PROBE_MS_MIN = 1_000;
const PROBE_MS_MAX = 30_000;
const PROBE_PART = 0.25;
/** What was not refused for so long is no word of now: tries are as soon again as after a first refusal. */
const OVER_MS = 300_000;
/**
 * A refusal lowers what is known by no more: orders that traded or were cancelled since the venue counted are
 * missing from our count by then, and a ceiling that is too low keeps sides bare until it is tried again.
 */
const LOWERED_PART = 0.1;
/** Of each market so many orders are left for a rest beside its top-up, or a quote whose cancel is in flight. */
const SPARE_OF_MARKET = 1;
const SIDES_OF_MARKET = 2;
/** So near to the documented ceiling, orders on their way out explain a refusal: it teaches nothing new. */
const FULL = Math.floor(0.95 * OPEN_ORDERS_OF_ACCOUNT_MAX);

/** What `max_open_orders` has taught. */
export class OrderCeiling {
  #refused: { readonly open: number; readonly atMs: UnixMs; readonly probeMs: number } | undefined;

  /** An order more than so many was refused for their number; where none was open it was a count of others, or an old one. */
  onRefused(open: number, atMs: UnixMs): void {
    if (open === 0 || open >= FULL) return;
    this.#refused = { open: Math.max(open, this.#lowered), atMs, probeMs: this.#probeMs(atMs) };
  }

  #probeMs(atMs: UnixMs): number {
    const { atMs: beforeMs = -OVER_MS, probeMs = PROBE_MS_MIN } = this.#refused ?? {};
    const passedMs = atMs - beforeMs;
    if (passedMs >= OVER_MS) return PROBE_MS_MIN;
    return passedMs < probeMs ? probeMs : Math.min(2 * probeMs, PROBE_MS_MAX);
  }

  get #lowered(): number {
    if (this.#refused === undefined) return 0;
    const { open } = this.#refused;
    return open - Math.max(1, Math.floor(open * LOWERED_PART));
  }

  /** Whether so many are as many as there were when one more was refused; many more say that there is room by now. */
  isReached(open: number): boolean {
    if (this.#refused === undefined) return open >= FULL;
    return open >= this.#refused.open && open <= this.#refused.open + stepOf(this.#refused.open);
  }

  /** So many may be open. */
  max(nowMs: UnixMs): number {
    if (this.#refused === undefined) return OPEN_ORDERS_OF_ACCOUNT_MAX;
    const { open, atMs, probeMs } = this.#refused;
    const probes = Math.floor(Math.max(0, nowMs - atMs) / probeMs);
    return Math.min(open + stepOf(open) * (2 ** probes - 1), OPEN_ORDERS_OF_ACCOUNT_MAX);
  }

  /** Levels of each side, the nearest ones, for which so many markets have room; at least one. */
  levelsMax(markets: number, nowMs: UnixMs): number {
    const max = this.max(nowMs);
    if (max >= OPEN_ORDERS_OF_ACCOUNT_MAX) return Number.POSITIVE_INFINITY;
    const ofMarket = max / Math.max(1, markets) - SPARE_OF_MARKET;
    return Math.max(1, Math.floor(ofMarket / SIDES_OF_MARKET));
  }
}

function stepOf(open: number): number {
  return Math.max(1, Math.floor(open * PROBE_PART));
}

// Orders that die by themselves: the date each gets, when it is renewed, and what the venue taught us
// about both. A dead host's quotes live no longer than their dates.
// @spec Endpoints › POST /orders (limit order)

/** A refused date makes the next ones later by this much, up to the longest. */
const LEARN_STEP_MS = 30_000;
const LEARNED_MS_MAX = 600_000;
/** An order that ended this near to its date ended because of it, whatever the venue calls it. */
const EARLY_MS_MAX = 90_000;
/** So many orders must have ended early before it is taken for a custom of the venue. */
const EARLY_ENDS_MIN = 3;
/** Fraction of the golden ratio: numbers spread evenly, however many there are. */
const SPREAD = 0.618_033_988_749_894_9;

export class Expiry {
  #count = 0;
  /** Dates nearer than this were refused. */
  #refusedMs = 0;
  /** How long before their dates orders ended lately, oldest first. */
  readonly #earlyMs: number[] = [];

  /** The shortest time ahead that a date of ours has. */
  aheadMs(settings: GtdSettings): number {
    const learnedMs = this.#refusedMs === 0 ? 0 : this.#refusedMs + LEARN_STEP_MS;
    return Math.max(GTD_AHEAD_MS_MIN + settings.marginMs, learnedMs);
  }

  /** How long before its date an order must be expected to end. */
  get earlyMs(): number {
    // One that somebody cancelled by hand is no custom: the least of the last few is.
    return this.#earlyMs.length < EARLY_ENDS_MIN ? 0 : Math.min(...this.#earlyMs);
  }

  /** The date of the next order; dates of orders sent together lie apart. */
  next(settings: GtdSettings, nowMs: UnixMs): Extract<Lifetime, { timeInForce: 'GTD' }> {
    this.#count += 1;
    const part = settings.staggerPart * ((this.#count * SPREAD) % 1);
    const lifetimeMs = Math.round(settings.lifetimeMs * (1 - part));
    const aheadMs = Math.max(lifetimeMs, this.aheadMs(settings));
    return { timeInForce: 'GTD', expiresAtMs: addMs(nowMs, aheadMs) };
  }

  /** It must be replaced by now: its date is near, or it has none and should. */
  isDying(order: OwnOrder, settings: RenewalSettings, nowMs: UnixMs): boolean {
    const { expiresAtMs, sentAtMs } = order;
    // What cannot be named yet may still be in flight; nothing is put in its place.
    if (order.orderHash === undefined) return false;
    if (expiresAtMs === undefined) return settings.timeInForce === 'GTD';
    // A venue that ends everything far too early must not make us renew what has just been placed.
    const earliestMs = sentAtMs + (expiresAtMs - sentAtMs) / 3;
    return nowMs >= Math.max(earliestMs, this.endMs(expiresAtMs) - settings.gtd.renewMs);
  }

  /** When an order of that date is expected to end. */
  endMs(expiresAtMs: UnixMs): UnixMs {
    return addMs(expiresAtMs, -this.earlyMs);
  }

  /**
   * The venue refused an order that had a date, by a code that may be about the date.
   * @returns Whether a later date is worth a try.
   */
  onRefused({ expiresAtMs, sentAtMs }: OwnOrder): boolean {
    if (expiresAtMs === undefined) return false;
    const aheadMs = expiresAtMs - sentAtMs;
    if (aheadMs > LEARNED_MS_MAX) return false;
    this.#refusedMs = Math.max(this.#refusedMs, aheadMs);
    return true;
  }

  /**
   * Whether the end of an order is that of its date.
   * @param endedAtMs - When it ended, or at the latest.
   */
  isEndOf(order: OwnOrder, endedAtMs: UnixMs): boolean {
    const { expiresAtMs } = order;
    return expiresAtMs !== undefined && endedAtMs >= expiresAtMs - EARLY_MS_MAX;
  }

  /** The venue ended an order that we had not cancelled, near its date. */
  onEnded(order: OwnOrder, endedAtMs: UnixMs): void {
    const { expiresAtMs } = order;
    if (expiresAtMs === undefined) return;
    this.#earlyMs.push(Math.max(0, expiresAtMs - endedAtMs));
    if (this.#earlyMs.length > EARLY_ENDS_MIN) this.#earlyMs.shift();
  }
}

/** What decides about renewals. */
export type RenewalSettings = {
  readonly timeInForce: 'GTC' | 'GTD';
  readonly gtd: GtdSettings;
};

export function renewalOf(settings: Pick<CoreSettings, 'orders'> | undefined): RenewalSettings {
  const { timeInForce = 'GTC', gtd = GTD_DEFAULTS } = settings?.orders ?? {};
  return { timeInForce, gtd };
}
