// The configuration on disk that could not be used, for those who look at the state and not at the log.

import type { Clock } from '../domain/time.ts';
import type { RefusedEdit } from '../domain/view.ts';

/** More of them would drown the state. */
const PROBLEMS_MAX = 5;

export class EditedConfig {
  readonly #clock: Clock;
  /** Until a later text can be used. */
  refused: RefusedEdit | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  refuse(file: string, problems: readonly string[]): void {
    const at = new Date(this.#clock.nowMs()).toISOString();
    this.refused = { file, at, problems: problems.slice(0, PROBLEMS_MAX) };
  }

  accept(): void {
    this.refused = undefined;
  }
}
