// A stop that was proven is the last word: nothing of the daemon rests while no process runs, nor comes back to
// the book of itself.

import type { Report } from '../../../src/domain/report.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

export class Leavings {
  /** The era of the process that said it had stopped. */
  #stopped: number | undefined;

  onReport(report: Report, era: number): void {
    if (report.event !== 'phase.changed') return;
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
      (fact) => fact.owner === 'intent' && fact.era === era && !fact.isBackLate,
    );
  }
}
