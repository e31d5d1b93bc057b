// A claim on the journal that vanished: another instance may have taken this one for dead, and trade by now.

import { BotError } from '../domain/errors.ts';

export class LockLoss {
  #lost: string | undefined;
  #stop: (by: string) => void = () => {};

  readonly onLost = (detail: string): void => {
    this.#lost = `lock lost: ${detail}`;
    this.#stop(this.#lost);
  };

  /**
   * From here on a loss stops what trades.
   * @throws {BotError} `journal.busy` when it came before: nothing may be placed then.
   */
  begin(stop: (by: string) => void): void {
    if (this.#lost !== undefined) throw new BotError('journal.busy', this.#lost);
    this.#stop = stop;
  }
}
