// How many open orders the venue lets this account have, as its refusals say: whoever else trades with the account,
// and whatever its plan is, the documented ceiling need not be the one that holds.
// @spec Limits

import type { UnixMs } from '../../domain/time.ts';
import { OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';

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
/** Of each market so many orders are left for a rest beside its top-up, or a quote on its way out. */
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
