// What an independent kill can know of placements that left before it and may still be accepted.
//
// A daemon of the same journal knows what it has under way, and notes its proof on the latch. Without
// one, only time tells: the venue takes a signed request for so long and no longer.

import type { Timers } from '../domain/time.ts';
import type { KillOptions } from '../guard/kill.ts';
import { type JournalActivity, journalActivity } from '../journal/activity.ts';
import { readLatch } from '../journal/latch.ts';

export type ArrivalsOptions = {
  readonly journal: string;
  readonly nowMs: number;
  readonly horizonMs: number;
  readonly timers: Timers;
  /** When the latch of this kill was set; a proof from before is of an earlier kill. */
  readonly latchedAt: string;
};

/** The latch is looked at this often. */
const LOOK_MS = 200;

export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #activity: JournalActivity;
  #isVouched = false;
  #isClosed = false;
  #callOff: () => void = () => {};

  private constructor(options: ArrivalsOptions, activity: JournalActivity) {
    this.#options = options;
    this.#activity = activity;
    this.#look();
  }

  /** A journal that cannot be read keeps nobody from cancelling; that nothing was sent is no guess. */
  static async of(options: ArrivalsOptions): Promise<Arrivals> {
    const unread = { writtenAtMs: options.nowMs, holders: [] };
    const activity = await journalActivity(options.journal).catch(() => unread);
    return new Arrivals(options, activity);
  }

  /** A process that may go on placing, since it has not said that it stopped. */
  get unconfirmed(): JournalActivity['holders'][number] | undefined {
    return this.#isVouched ? undefined : this.#activity.holders[0];
  }

  /**
   * Until when something may arrive. Nothing can where a daemon has proven so, or where this journal
   * has sent nothing for as long as the venue takes a request and the account has shown no order: what
   * cancels found came from somewhere.
   */
  readonly untilMs: NonNullable<KillOptions['arrivalsUntilMs']> = ({ cancelled, left }) => {
    if (this.#isVouched) return undefined;
    const { nowMs, horizonMs } = this.#options;
    const { writtenAtMs, holders } = this.#activity;
    const isIdle = writtenAtMs === undefined || nowMs - writtenAtMs > horizonMs;
    if (isIdle && holders.length === 0 && cancelled + left === 0) return undefined;
    return nowMs + horizonMs;
  };

  /** The control route of the daemon has proven it. */
  vouch(): void {
    this.#isVouched = true;
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff();
  }

  #look(): void {
    const { journal, latchedAt, timers } = this.#options;
    void readLatch(journal)
      .catch(() => undefined)
      .then((latch) => {
        if (latch?.proven !== undefined && latch.proven >= latchedAt) this.#isVouched = true;
        if (this.#isVouched || this.#isClosed) return;
        this.#callOff = timers.after(LOOK_MS, () => this.#look());
      });
  }
}
