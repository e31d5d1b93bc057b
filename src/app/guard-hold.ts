// A guard that cancels behind a trader which has ended holds the journal: what starts meanwhile would place, and the
// guard would cancel it.

import { BotError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import { type Lock, lockJournal } from '../journal/lock.ts';

const RELEASE_MS_MAX = 500;

export class GuardHold {
  readonly #journal: string;
  readonly #clock: Clock;
  #lock: Lock | undefined;
  #isOver = false;

  constructor(journal: string, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** False where another instance has it; a disk that takes no claim keeps nobody from cancelling. Never rejects. */
  async take(): Promise<boolean> {
    const own = { journal: this.#journal, clock: this.#clock, onLost: () => {} };
    try {
      const lock = await lockJournal(own);
      if (this.#isOver) await lock.release();
      else this.#lock = lock;
      await this.#lock?.markStopping();
      return true;
    } catch (error) {
      return !(error instanceof BotError && error.code === 'journal.busy');
    }
  }

  /** A disk that hangs is not waited for. */
  async release(): Promise<void> {
    this.#isOver = true;
    const gone = this.#lock?.release().catch(() => undefined);
    await Promise.race([
      gone,
      new Promise((resolve) => setTimeout(resolve, RELEASE_MS_MAX).unref()),
    ]);
  }
}
