// A trader whose guard is gone ends with its proof. Where a stop could not be confirmed in time, as while the
// venue is away, nobody else would go on: it does what the guard above it would have done.

import type { Clock, Timers } from '../domain/time.ts';
import type { GuardLog } from '../guard/held.ts';
import type { KillResult } from '../guard/kill.ts';
import type { OwnOrders } from '../guard/own-book.ts';
import type { KillDoor } from '../guard/sweep.ts';
import { LEFT_TOLD_MAX } from '../guard/told.ts';
import { Waiting } from '../guard/waiting.ts';
import { Watch } from '../guard/watch.ts';

export type OutlastOptions = {
  /** Given where only these are meant. */
  readonly own?: OwnOrders | undefined;
  /** By which it is confirmed: nobody sets it. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** What has left before may be accepted so much later. */
  readonly horizonMs: () => number;
  /** Orders that are still open after this long are reported, again and again. */
  readonly tellMs: number;
  readonly log: GuardLog;
};

/** Between two lines about what is still waited for. */
const WAIT_TOLD_MS = 10_000;

export class Outlast {
  readonly #options: OutlastOptions;
  #isGivenUp = false;
  readonly #waiting: Waiting;

  constructor(options: OutlastOptions) {
    this.#options = options;
    this.#waiting = new Waiting(options.timers);
  }

  /** Somebody who was told that it goes on wants it to end all the same. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#waiting.wake();
  }

  /**
   * Cancels until nothing is left and nothing can arrive any more, or until the time of the stop is over;
   * nothing of this process is sent beside it.
   */
  async run(
    door: KillDoor,
    first: KillResult,
    withinMs = Number.POSITIVE_INFINITY,
  ): Promise<KillResult> {
    const { clock } = this.#options;
    const beganAtMs = clock.nowMs();
    const watch = this.#watch(door);
    const callOff = withinMs === Number.POSITIVE_INFINITY ? () => {} : this.#giveUpAfter(withinMs);
    while (!this.#isOver(watch)) {
      await this.#waiting.until(() => this.#isOver(watch), WAIT_TOLD_MS);
      this.#tell(watch);
    }
    callOff();
    // A call that is under way ends with its connection.
    void watch.release();
    const counts = {
      scope: this.#options.own === undefined ? 'account' : 'own',
      leftAlone: watch.leftAlone,
      cancelled: first.cancelled + watch.cancelled,
      tookMs: first.tookMs + clock.nowMs() - beganAtMs,
      settling: watch.settling,
    } as const;
    if (watch.proof === true) return { kind: 'confirmed', ...counts };
    // No list at all is not an empty one: anything may rest.
    const left = watch.leftOrders?.map(({ orderHash }) => orderHash);
    return { kind: 'unconfirmed', ...counts, left, detail: whyNot(watch) };
  }

  #giveUpAfter(durationMs: number): () => void {
    return this.#options.timers.after(durationMs, () => this.giveUp());
  }

  #watch(door: KillDoor): Watch {
    const { own, clock, timers, horizonMs, tellMs, log } = this.#options;
    return new Watch({
      ...{ door, own, clock, timers, horizonMs, tellMs },
      onUpdate: () => this.#waiting.wake(),
      onNotClear: ({ left, detail }) =>
        log.error('daemon.not_clear', {
          detail,
          left: left.length,
          orderHashes: left.slice(0, LEFT_TOLD_MAX),
        }),
    });
  }

  /** Waiting for what the venue cancels for nobody would never end. */
  #isOver(watch: Watch): boolean {
    return watch.proof !== undefined || watch.isStuck || this.#isGivenUp;
  }

  #tell(watch: Watch): void {
    if (this.#isOver(watch)) return;
    const { waitMs: forMs, settling, left } = watch;
    this.#options.log.warn('daemon.watching', { forMs, settling, left: left.length });
  }
}

function whyNot(watch: Watch): string {
  if (watch.proof === false) return `nobody has said whose the ${watch.leftAlone} open orders are`;
  if (watch.isStuck) return 'the venue refuses to cancel what is open';
  return watch.leftOrders === undefined
    ? `nobody waited for it; ${watch.trouble}`
    : 'nobody waited for it';
}
