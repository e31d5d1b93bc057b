// How long a process that is stopped in good order waits for its core's word, as `app/daemon.ts` has it.

import { SETTLEMENT_MS } from '../../../src/core/orders/deadlines.ts';
import type { Report } from '../../../src/domain/report.ts';

/** The word may come a moment after its deadline. */
const SLACK_MS = 1_000;

export class Leaving {
  #deadlineMs: number;
  /** Nothing but settlements kept the stop from being confirmed in time. */
  hasWaited = false;

  constructor(nowMs: number, proofDeadlineMs: number) {
    this.#deadlineMs = nowMs + proofDeadlineMs + SLACK_MS;
  }

  onReport(report: Report, nowMs: number): void {
    if (report.event !== 'kill.unconfirmed' || this.hasWaited) return;
    const { settling, orderHashes, inFlight } = report;
    if (settling === 0 || orderHashes.length > 0 || inFlight.length > 0) return;
    this.hasWaited = true;
    this.#deadlineMs = nowMs + SETTLEMENT_MS;
  }

  mayWait(nowMs: number): boolean {
    return nowMs < this.#deadlineMs;
  }
}
