// Waits for the core's word on a kill or shutdown: confirmed, or what is left.

import type { Report } from '../domain/report.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import type { KillResult } from '../guard/kill.ts';

type Waiter = {
  readonly sinceMs: UnixMs;
  readonly settle: (result: KillResult | 'silent') => void;
};

/** Everybody who waits is notified of the next verdict; nobody waits longer than agreed. */
export class ProofWatch {
  /** Notified of each proof, whoever asked for it. */
  onConfirmed: () => void = () => {};
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  onReport(report: Report): void {
    if (report.event !== 'kill.confirmed' && report.event !== 'kill.unconfirmed') return;
    if (report.event === 'kill.confirmed') this.onConfirmed();
    for (const waiter of [...this.#waiters]) {
      this.#waiters.delete(waiter);
      waiter.settle(verdict(report, this.#clock.nowMs() - waiter.sinceMs));
    }
  }

  /** The next verdict, or `silent` when none comes in time. */
  async next(withinMs: number): Promise<KillResult | 'silent'> {
    return await new Promise((resolve) => {
      const callOff = this.#timers.after(withinMs, () => {
        this.#waiters.delete(waiter);
        waiter.settle('silent');
      });
      const waiter: Waiter = {
        sinceMs: this.#clock.nowMs(),
        settle: (result) => {
          callOff();
          resolve(result);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** No verdict will come any more: nobody waits on. */
  close(): void {
    for (const waiter of this.#waiters) waiter.settle('silent');
    this.#waiters.clear();
  }
}

function verdict(
  report: Extract<Report, { event: 'kill.confirmed' | 'kill.unconfirmed' }>,
  tookMs: number,
): KillResult {
  if (report.event === 'kill.confirmed') {
    const { scope, leftAlone, cancelled, settling, unsettled } = report;
    return { kind: 'confirmed', scope, leftAlone, cancelled, tookMs, settling, unsettled };
  }
  const { orderHashes, inFlight, detail, stillOpen, settling, unsettled } = report;
  const unanswered =
    inFlight.length === 0 ? '' : `; without an answer may still arrive: ${inFlight.join(' · ')}`;
  const text = `${stillOpen} orders are open as far as known: ${detail}${unanswered}`;
  return {
    kind: 'unconfirmed',
    cancelled: 0,
    tookMs,
    settling,
    unsettled,
    left: orderHashes,
    inFlight,
    detail: text,
  };
}
