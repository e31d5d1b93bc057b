// A stop that was confirmed is the last word: nothing of the daemon rests while no process runs, nor comes back to
// the book of itself.

import type { Report } from '../../../src/domain/report.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

/** A stop waits so long for settlements, and names those that it leaves. */
const SETTLES_WITHIN_MS = 8_000;

export class Leavings {
  /** The era of the process that said it had stopped. */
  #stopped: number | undefined;
  #beganAtMs = 0;

  onReport(report: Report, era: number, nowMs: number): void {
    if (report.event !== 'phase.changed') return;
    if (report.to === 'stopping') this.#beganAtMs = nowMs;
    this.#stopped = report.to === 'stopped' ? era : undefined;
  }

  onProcessStarts(): void {
    this.#stopped = undefined;
  }

  /** Own orders that rest, but for what a settlement gave back that failed later than a stop waits for it. */
  resting(facts: OrderFacts): readonly OrderFact[] {
    const era = this.#stopped;
    if (era === undefined) return [];
    return [...facts.live()].filter(
      (fact) => fact.owner === 'intent' && fact.era === era && !this.#isBackLate(fact),
    );
  }

  #isBackLate({ isBackLate, backAtMs = 0 }: OrderFact): boolean {
    return isBackLate || backAtMs - this.#beganAtMs >= SETTLES_WITHIN_MS;
  }
}
