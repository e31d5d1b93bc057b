// How long after a death what had left the trader may still be accepted: as configured now, as slow as
// the venue was ever seen, and as far as a clock of ours ran ahead of the venue's.

import { addMs, type Clock, type UnixMs, unixMs } from '../domain/time.ts';
import { TIMESTAMP_WINDOW_SEC } from '../wire/limits.ts';

/** What a trader says of it, each where it is new. */
export type HorizonUpdate = {
  /** As configured from now on. */
  readonly horizonMs?: number | undefined;
  /** The venue has accepted a placement so late. */
  readonly slowestMs?: number | undefined;
  /** What was sent lately may be dated so far ahead of the venue's clock. */
  readonly aheadMs?: number | undefined;
};

/** What is under way may be later than the slowest that was ever seen by this much. */
const LATER_MS = 5_000;
/** No trader learns of a slower acceptance than this. */
const SLOWEST_MS_MAX = 600_000;
/** What was sent so long after a reading of the clock is no longer dated by it. */
const KEPT_MS = 120_000;
/** A clock that is put right step by step says less each minute; the two oldest then count as one. */
const HELD_MAX = 16;

/** It never becomes shorter than what is still under way was told to need. */
export class Horizon {
  readonly #clock: Clock;
  #configuredMs: number;
  #slowestMs = 0;
  #isTold = false;
  /** What was configured before, and how far the clock was ahead, until what was sent then is over. */
  readonly #before = new Held();
  readonly #ahead = new Held();

  constructor(clock: Clock, configuredMs: number) {
    this.#clock = clock;
    this.#configuredMs = configuredMs;
  }

  get ms(): number {
    const nowMs = this.#clock.nowMs();
    const configuredMs = Math.max(this.#configuredMs, this.#before.longestMs(nowMs));
    const bySlowestMs = this.#slowestMs === 0 ? 0 : this.#slowestMs + LATER_MS;
    return Math.max(configuredMs + this.#ahead.longestMs(nowMs), bySlowestMs);
  }

  /** Whether somebody has said what traders before had learnt. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /**
   * The longest that a trader may have learnt of: the slowest acceptance of all, or a clock that was as
   * far ahead as the venue takes a date.
   * @spec Authentication › Signature, rule 3
   */
  get longestMs(): number {
    return Math.max(this.ms + TIMESTAMP_WINDOW_SEC * 1_000, SLOWEST_MS_MAX + LATER_MS);
  }

  onTold({ horizonMs = this.#configuredMs, slowestMs = 0, aheadMs = 0 }: HorizonUpdate): void {
    this.#isTold = true;
    this.#slowestMs = Math.max(this.#slowestMs, slowestMs);
    if (horizonMs !== this.#configuredMs) {
      this.#before.hold(this.#configuredMs, this.#untilMs(0));
      this.#configuredMs = horizonMs;
    }
    if (aheadMs > 0) this.#ahead.hold(aheadMs, this.#untilMs(aheadMs));
  }

  /** Until when what leaves soon is over. */
  #untilMs(aheadMs: number): UnixMs {
    return addMs(this.#clock.nowMs(), this.ms + aheadMs + KEPT_MS);
  }
}

type Entry = { readonly ms: number; readonly untilMs: UnixMs };

/** Durations that hold for a while, of which the longest counts. */
class Held {
  #entries: readonly Entry[] = [];

  longestMs(nowMs: UnixMs): number {
    this.#entries = this.#entries.filter(({ untilMs }) => untilMs > nowMs);
    return Math.max(0, ...this.#entries.map(({ ms }) => ms));
  }

  hold(ms: number, untilMs: UnixMs): void {
    const others = this.#entries.filter((other) => other.ms > ms || other.untilMs > untilMs);
    const [first, second, ...rest] = [...others, { ms, untilMs }];
    const isFull = others.length >= HELD_MAX && first !== undefined && second !== undefined;
    this.#entries = isFull ? [longer(first, second), ...rest] : [...others, { ms, untilMs }];
  }
}

function longer(one: Entry, other: Entry): Entry {
  return {
    ms: Math.max(one.ms, other.ms),
    untilMs: unixMs(Math.max(one.untilMs, other.untilMs)),
  };
}
