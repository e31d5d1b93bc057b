// How soon a trader that died is started again: later with each death, and at some point not at all.

export type BackoffSettings = {
  readonly restartsMax: number;
  readonly restartWindowMs: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
};

/** Whatever is configured, runs that end before they begin follow each other no faster in the end. */
const REFUSED_MS_MIN = 100;
const REFUSED_MS_MAX_LEAST = 1_000;

export class Backoff {
  readonly #settings: BackoffSettings;
  /** Times of the deaths that count, oldest first; one more than `restartsMax` at the most. */
  #deathsAtMs: readonly number[] = [];
  #refusedInRow = 0;

  constructor(settings: BackoffSettings) {
    this.#settings = settings;
  }

  /** The pause before the next run, or that there is none. */
  onDeath(atMs: number): number | 'exhausted' {
    const { restartsMax, restartWindowMs, backoffMsMin, backoffMsMax } = this.#settings;
    this.#refusedInRow = 0;
    const counted = this.#deathsAtMs.filter((each) => atMs - each < restartWindowMs);
    this.#deathsAtMs = [...counted, atMs].slice(-restartsMax - 1);
    if (this.#deathsAtMs.length > restartsMax) return 'exhausted';
    return Math.min(backoffMsMin * 2 ** (this.#deathsAtMs.length - 1), backoffMsMax);
  }

  /**
   * The pause after a run whose end is no crash of the program: the venue was away, the machine was crowded, or a
   * strategy that is not asked again for now. It is tried for as long as it takes.
   */
  onNoCrash(livedMs: number): number {
    const { backoffMsMin, backoffMsMax, restartWindowMs } = this.#settings;
    if (livedMs >= restartWindowMs) this.#refusedInRow = 0;
    const pauseMs = Math.max(backoffMsMin, REFUSED_MS_MIN) * 2 ** this.#refusedInRow;
    this.#refusedInRow += 1;
    return Math.min(pauseMs, Math.max(backoffMsMax, REFUSED_MS_MAX_LEAST));
  }
}
