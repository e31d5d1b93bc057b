// The last things that the core reported, for people who look on: kept as they are, and made into text only as
// fast as somebody is shown them.

import { REPORT_SEVERITY, type Report } from '../domain/report.ts';
import type { UnixMs } from '../domain/time.ts';

export type RecentEvent = {
  /** In this run. */
  readonly number: number;
  readonly atMs: UnixMs;
  readonly report: Report;
};

/** Some minutes of a lively day; who looks on for the first time sees these. */
const KEPT_MAX = 300;

export class RecentEvents {
  #kept: RecentEvent[] = [];
  /** Of `#kept`, those that were taken already. */
  #taken = 0;
  #lastNumber = 0;

  /** Keeps what the log shows, too: every moved order is more than a person reads. */
  add(report: Report, atMs: UnixMs): void {
    if (REPORT_SEVERITY[report.event] === 'debug') return;
    this.#lastNumber += 1;
    this.#kept.push({ number: this.#lastNumber, atMs, report });
    // Cut by halves, so that an event costs no shift of all the others.
    if (this.#kept.length < 2 * KEPT_MAX) return;
    this.#kept = this.#kept.slice(KEPT_MAX);
    this.#taken = Math.max(0, this.#taken - KEPT_MAX);
  }

  /** The oldest that were not taken yet. */
  take(max: number): readonly RecentEvent[] {
    const taken = this.#kept.slice(this.#taken, this.#taken + max);
    this.#taken += taken.length;
    return taken;
  }

  /** Somebody new looks on: they are all to be taken again. */
  again(): void {
    this.#taken = 0;
  }
}
