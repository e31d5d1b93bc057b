// Closes what was opened, last first; one part that fails or hangs never keeps the others open.

import { inTime } from '../domain/in-time.ts';
import type { Timers } from '../domain/time.ts';

type Part = { readonly name: string; readonly close: () => void | Promise<void> };

/** A part that is not closed by then is left to the end of the process. */
const CLOSE_MS_MAX = 3_000;

export class Closing {
  readonly #timers: Timers;
  readonly #onTrouble: (part: string, detail: string) => void;
  readonly #parts: Part[] = [];

  constructor(timers: Timers, onTrouble: (part: string, detail: string) => void) {
    this.#timers = timers;
    this.#onTrouble = onTrouble;
  }

  add(name: string, close: () => void | Promise<void>): void {
    this.#parts.push({ name, close });
  }

  /** Each part is closed once, however often this is called. */
  async closeAll(): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      await this.#closeOne(part);
    }
  }

  async #closeOne({ name, close }: Part): Promise<void> {
    try {
      const closed = Promise.resolve(close()).then(() => true);
      const bound = { timers: this.#timers, ms: CLOSE_MS_MAX };
      if (!(await inTime(closed, false, bound)))
        this.#onTrouble(name, `not closed within ${CLOSE_MS_MAX} ms`);
    } catch (error) {
      this.#onTrouble(name, error instanceof Error ? error.message : String(error));
    }
  }
}
