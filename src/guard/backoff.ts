// How soon a trader that died is started again: later with each death, and at some point not at all.

export type BackoffSettings = {
  readonly restartsMax: number;
  readonly restartWindowMs: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
};

export class Backoff {
  readonly #settings: BackoffSettings;
  /** Times of the deaths that count, oldest first; one more than `restartsMax` at the most. */
  #deathsAtMs: readonly number[] = [];

  constructor(settings: BackoffSettings) {
    this.#settings = settings;
  }

  /** The pause before the next life, or that there is none. */
  onDeath(atMs: number): number | 'exhausted' {
    const { restartsMax, restartWindowMs, backoffMsMin, backoffMsMax } = this.#settings;
    const counted = this.#deathsAtMs.filter((each) => atMs - each < restartWindowMs);
    this.#deathsAtMs = [...counted, atMs].slice(-restartsMax - 1);
    if (this.#deathsAtMs.length > restartsMax) return 'exhausted';
    return Math.min(backoffMsMin * 2 ** (this.#deathsAtMs.length - 1), backoffMsMax);
  }
}
