// The kill latch of a guard that stays down: without it whoever starts us anew would trade, so it is tried
// again until it is on the disk.

import type { Timers } from '../domain/time.ts';
import { type GuardLog, LOST_WITH_US } from './held.ts';

export type DownLatchOptions = {
  /** Rejects where no disk takes it. */
  readonly latch: (reason: string) => Promise<void>;
  readonly timers: Timers;
  readonly log: GuardLog;
  readonly onSet: () => void;
};

const RETRY_MS = 1_000;

export class DownLatch {
  readonly #options: DownLatchOptions;
  #isMissing = false;

  constructor(options: DownLatchOptions) {
    this.#options = options;
  }

  /** It is to be set, and no disk has taken it yet. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  async set(why: string): Promise<void> {
    const { latch, log, timers, onSet } = this.#options;
    try {
      await latch(why);
      if (this.#isMissing) log.info('guard.latched');
      this.#isMissing = false;
      onSet();
    } catch (error) {
      const isNew = !this.#isMissing;
      if (isNew) log.error('guard.latch_failed', { detail: String(error), means: LOST_WITH_US });
      this.#isMissing = true;
      timers.after(RETRY_MS, () => void this.set(why));
    }
  }
}
