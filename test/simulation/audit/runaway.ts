// Placements that run away are stopped: many more than the breaker allows within its interval.

import type { Report } from '../../../src/domain/report.ts';
import type { RiskControls } from '../../../src/domain/risk.ts';

/** What brings a position down goes on, and one batch may cross the limit. */
const TIMES = 2;
const BATCH = 15;

export class Runaway {
  #placed: { readonly count: number; readonly atMs: number }[] = [];

  /** Whoever remembers counts on: a process that dies again and again is held to the breaker as well. */
  onProcessStarts(remembers: boolean): void {
    if (!remembers) this.#placed = [];
  }

  /** An operator who lifts the breaker lets as many go again at once. */
  onEased({ control, by }: Extract<Report, { readonly event: 'control.eased' }>): void {
    if (control === 'order_rate' && by !== 'itself') this.#placed = [];
  }

  onPlacing(
    count: number,
    rate: RiskControls['orderRate'] | undefined,
    nowMs: number,
  ): string | undefined {
    if (rate === undefined || rate.orders === 0) return undefined;
    this.#placed.push({ count, atMs: nowMs });
    this.#placed = this.#placed.filter(({ atMs }) => nowMs - atMs < rate.intervalMs);
    const sum = this.#placed.reduce((total, each) => total + each.count, 0);
    if (sum <= TIMES * rate.orders + BATCH) return undefined;
    return `${sum} orders in ${rate.intervalMs} ms, ${rate.orders} allowed`;
  }
}
