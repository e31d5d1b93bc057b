// The kill latch of a guard that stays down: without it whoever starts us anew would trade, so it is tried
// again until it is on the disk.

import type { Timers } from '../domain/time.ts';
import { type GuardLog, LOST_WITH_US } from './held.ts';
import type { Waiting } from './waiting.ts';

export type DownLatchOptions = {
  /** Rejects where no disk takes it. */
  readonly latch: (reason: string) => Promise<void>;
  readonly timers: Timers;
  readonly log: GuardLog;
  readonly onSet: () => void;
};

const RETRY_MS = 1_000;
/** A latch is one small file: a disk that has not taken it by then is hung, and may never answer. */
const ANSWER_MS_MAX = 2_000;
/** A latch that the disk does not take is reported again this often. */
const TOLD_MS = 60_000;

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

  /** Returns when it is on the disk, or when it is known that it is not: a disk that hangs is waited for behind. */
  async set(why: string): Promise<void> {
    const { timers } = this.#options;
    let callOff = () => {};
    const late = new Promise<void>((resolve) => {
      callOff = timers.after(ANSWER_MS_MAX, () => {
        this.#onMissing('the disk does not answer');
        resolve();
      });
    });
    const done = this.#try(why).finally(() => callOff());
    await Promise.race([done, late]);
  }

  /** As long as we live nothing is started; whoever ends us is told that a new start would trade. */
  async untilSet(waiting: Waiting, isEnding: () => boolean): Promise<void> {
    const isOver = () => !this.#isMissing || isEnding();
    while (!isOver()) {
      this.#options.log.error('guard.unlatched', { means: LOST_WITH_US });
      await waiting.until(isOver, TOLD_MS);
    }
  }

  async #try(why: string): Promise<void> {
    const { latch, log, timers, onSet } = this.#options;
    try {
      await latch(why);
      if (this.#isMissing) log.info('guard.latched');
      this.#isMissing = false;
      onSet();
    } catch (error) {
      this.#onMissing(String(error));
      timers.after(RETRY_MS, () => void this.set(why));
    }
  }

  #onMissing(detail: string): void {
    const { log } = this.#options;
    if (!this.#isMissing) log.error('guard.latch_failed', { detail, means: LOST_WITH_US });
    this.#isMissing = true;
  }
}
