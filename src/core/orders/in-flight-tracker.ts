// Until when a placement without an answer may still be accepted. The venue takes a signed request
// for 30 s by its own clock, so a clock of ours that ran ahead makes it longer, and so does a venue
// that was once seen to be slower than the settings trust.
// @spec Authentication › Signature, rule 3

import type { StoredAhead } from '../../domain/record.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import { SIGNED_WITHIN_MS } from '../kernel/bounds.ts';

/** Readings of the venue's clock remembered: one in 30 s, for far longer than any horizon. */
const READINGS_MAX = 64;
/** An acceptance slower than this is not learned from: something else was wrong. */
const SLOWEST_MS_MAX = 600_000;
/** What takes less is within any horizon that the settings allow, and worth no record. */
const SLOW_MS = 25_000;
/** What was sent longer ago is taken no more, whatever its date. */
const AHEAD_KEPT_MS = 120_000;
/** What is less is within the horizon that the settings allow. */
const AHEAD_MS_MIN = 1_000;
const AHEAD_SAID_MS = 60_000;
/** The next one may be slower than the slowest by this much. */
export const LEARNED_MARGIN_MS = 5_000;

type Reading = { readonly atMs: UnixMs; readonly offsetMs: number };

/** What an order brings along. */
export type Sent = {
  readonly sentAtMs: UnixMs;
  /** Offset by which its request was dated, where that is known. */
  readonly datedByMs?: number | undefined;
  /** It was rejected without a code: a list asked for later shows it, or it is not there. */
  readonly refusedAtMs?: UnixMs | undefined;
};

export class InFlightTracker {
  readonly #readings: Reading[] = [];
  /** The slowest acceptance ever seen, zero before the first. */
  #slowestMs = 0;
  /** What our clock would be off if it was set, and not held up, when it last jumped. */
  #jumped: Reading | undefined;
  #jumpedAtMs: UnixMs | undefined;
  /** What a previous run may have dated ahead. */
  #before: StoredAhead | undefined;
  #saidAhead: Reading = { atMs: unixMs(0), offsetMs: 0 };
  /** The venue's clock minus ours in a previous run. */
  #offsetBeforeMs = 0;

  /** When our clock last jumped: what took until after it took nobody knows how long. */
  get jumpedAtMs(): UnixMs | undefined {
    return this.#jumpedAtMs;
  }

  /**
   * The venue's clock minus ours was measured, by a request that took so long.
   * @returns How far ahead of that clock what was sent lately may be dated, where another process
   *   should know: it is seconds, and more than was said, or was said a while ago.
   */
  onClock(offsetMs: number, atMs: UnixMs, tookMs = 0): number | undefined {
    // One that was in flight when our clock jumped says nothing of the time since.
    if (this.#jumped !== undefined && atMs - tookMs > this.#jumped.atMs) this.#jumped = undefined;
    this.#readings.push({ atMs, offsetMs });
    if (this.#readings.length > READINGS_MAX) this.#readings.shift();
    const aheadMs = this.#latestAheadMs(offsetMs, atMs);
    const { atMs: saidAtMs, offsetMs: saidMs } = this.#saidAhead;
    const isNew = aheadMs > saidMs || atMs - saidAtMs >= AHEAD_SAID_MS;
    if (aheadMs < AHEAD_MS_MIN || !isNew) return undefined;
    this.#saidAhead = { atMs, offsetMs: aheadMs };
    return aheadMs;
  }

  /**
   * Our clock is at once ahead of where it was. The host may have slept, or this process; or somebody set the
   * clock, and no time has passed in which what is in flight could have arrived. Until the venue's clock is
   * read that is what has to be trusted.
   */
  onJump(byMs: number, atMs: UnixMs): void {
    const before = this.#jumped ?? this.#readings.at(-1);
    this.#jumpedAtMs = atMs;
    this.#jumped = { atMs, offsetMs: (before?.offsetMs ?? 0) - byMs };
  }

  /** A previous run said so of what it sent: by which clock it had dated each request nobody knows. */
  restoreAhead(ahead: StoredAhead): void {
    this.#before = ahead;
  }

  /**
   * By this a previous run dated what it sent. A clock that was behind then and has been put right lets all of
   * it look older than it is.
   */
  restoreOffset(offsetMs: number): void {
    this.#offsetBeforeMs = offsetMs;
  }

  #latestAheadMs(offsetMs: number, atMs: UnixMs): number {
    let mostMs = 0;
    for (const reading of this.#readings) {
      if (atMs - reading.atMs <= AHEAD_KEPT_MS) mostMs = Math.max(mostMs, reading.offsetMs);
    }
    return Math.max(0, mostMs - offsetMs);
  }

  /**
   * A placement turned out to have been accepted this long after it was decided.
   * @returns Whether none took longer, and so long that another run should know.
   */
  onAccepted(tookMs: number): boolean {
    if (tookMs > SLOWEST_MS_MAX || tookMs <= this.#slowestMs) return false;
    this.#slowestMs = tookMs;
    return tookMs > SLOW_MS;
  }

  /** After this moment a placement that nobody has seen never arrives. */
  untilMs(order: Sent, horizonMs: number): UnixMs {
    const patienceMs = Math.max(
      SIGNED_WITHIN_MS + horizonMs + this.#aheadMs(order),
      this.#slowestMs === 0 ? 0 : this.#slowestMs + LEARNED_MARGIN_MS,
    );
    return addMs(order.sentAtMs, patienceMs);
  }

  /**
   * Until this moment a placement that nobody has seen keeps its slot: what is later than twice the slowest
   * acceptance ever seen is met as an order of ours that comes late, and is cancelled. A clock that was set
   * ahead makes no time pass in which it could have come.
   */
  slotUntilMs(order: Sent, slotMs: number): UnixMs {
    const patienceMs = Math.max(SIGNED_WITHIN_MS + slotMs, 2 * this.#slowestMs);
    return addMs(order.sentAtMs, patienceMs + this.#aheadMs(order));
  }

  /** How far ahead of the venue's clock the request may have been dated. */
  #aheadMs({ sentAtMs, datedByMs }: Sent): number {
    const leastMs = this.#leastOffsetMs({ sentAtMs, datedByMs });
    const aheadMs = Math.max(0, Math.max(0, datedByMs ?? this.#offsetBeforeMs) - leastMs);
    return datedByMs === undefined ? Math.max(aheadMs, this.#aheadBeforeMs(sentAtMs)) : aheadMs;
  }

  /** The lowest since it was sent; until the venue's clock is read ours passes for right. */
  #leastOffsetMs({ sentAtMs, datedByMs }: Sent): number {
    let leastMs = datedByMs;
    for (const { atMs, offsetMs } of this.#readings) {
      if (atMs >= sentAtMs) leastMs = Math.min(leastMs ?? offsetMs, offsetMs);
    }
    const jumped = this.#jumped;
    if (jumped !== undefined && jumped.atMs > sentAtMs)
      leastMs = Math.min(leastMs ?? jumped.offsetMs, jumped.offsetMs);
    return leastMs ?? 0;
  }

  #aheadBeforeMs(sentAtMs: UnixMs): number {
    if (this.#before === undefined) return 0;
    const { aheadMs, atMs } = this.#before;
    return sentAtMs - atMs <= AHEAD_KEPT_MS ? aheadMs : 0;
  }
}
