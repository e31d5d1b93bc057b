// A guard that cancels behind a trader which has ended holds the journal: what starts meanwhile would place, and the
// guard would cancel it.

import { BotError } from '../domain/errors.ts';
import { inTime } from '../domain/in-time.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { type Lock, lockJournal } from '../journal/lock.ts';

/** A disk that hangs is not waited for. */
const RELEASE_MS_MAX = 500;

export class GuardHold {
  readonly #journal: string;
  readonly #clock: Clock & Timers;
  readonly #locked: typeof lockJournal;
  #lock: Lock | undefined;
  #isOver = false;

  constructor(journal: string, clock: Clock & Timers, locked = lockJournal) {
    this.#journal = journal;
    this.#clock = clock;
    this.#locked = locked;
  }

  /** False where another instance has it; a disk that takes no claim keeps nobody from cancelling. Never rejects. */
  async take(): Promise<boolean> {
    const own = { journal: this.#journal, clock: this.#clock, onLost: () => {} };
    try {
      const lock = await this.#locked(own);
      if (this.#isOver) await lock.release();
      else this.#lock = lock;
      await this.#lock?.markStopping();
      return true;
    } catch (error) {
      return !(error instanceof BotError && error.code === 'journal.busy');
    }
  }

  /** Given free, or left to a disk that hangs. Never rejects. */
  async release(): Promise<void> {
    this.#isOver = true;
    const released = this.#lock?.release().catch(() => undefined) ?? Promise.resolve();
    await inTime(released, undefined, { timers: this.#clock, ms: RELEASE_MS_MAX });
  }
}
