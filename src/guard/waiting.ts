// Waits until something is so: looked at whenever somebody wakes it.

import type { Timers } from '../domain/time.ts';

export class Waiting {
  readonly #timers: Timers;
  #wake: () => void = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  wake(): void {
    this.#wake();
  }

  /** Until it is so, or the time is over. */
  async until(isSo: () => boolean, withinMs?: number): Promise<void> {
    let isOver = false;
    const onTime = (): void => {
      isOver = true;
      this.#wake();
    };
    const callOff = withinMs === undefined ? () => {} : this.#timers.after(withinMs, onTime);
    while (!isSo() && !isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    callOff();
  }
}
