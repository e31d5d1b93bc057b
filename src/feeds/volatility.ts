// Volatility of a spot price, fitted to its own moves and held to what was stated while there are few of them.

export type VolatilityBounds = {
  /** Deviation of the log price over the root of a year; what holds before any move. */
  readonly volatility: number;
  readonly volatilityMin: number;
  readonly volatilityMax: number;
  readonly halfLifeMs: number;
  readonly sampleMs: number;
};

export const YEAR_MS = 365.25 * 24 * 3_600_000;

/** What was stated weighs as much as so many moves. */
const PRIOR_SAMPLES = 20;
/** One move counts as so many deviations at most: a glitch is no volatility. */
const CLIP = 6;
/** Over a longer gap nobody knows what the price did. */
const GAP_SAMPLES = 20;

/** A decayed mean of squared log moves over `sampleMs` or a little more. */
export class VolatilityFit {
  readonly #bounds: VolatilityBounds;
  #anchor: { readonly price: number; readonly atMs: number } | undefined;
  #sum = 0;
  #weight = 0;

  constructor(bounds: VolatilityBounds) {
    this.#bounds = bounds;
  }

  take(price: number, atMs: number): void {
    const anchor = this.#anchor;
    const { sampleMs } = this.#bounds;
    if (anchor === undefined || atMs < anchor.atMs) {
      this.#anchor = { price, atMs };
      return;
    }
    const passedMs = atMs - anchor.atMs;
    if (passedMs < sampleMs) return;
    this.#anchor = { price, atMs };
    if (passedMs > GAP_SAMPLES * sampleMs) return;
    this.#add(Math.log(price / anchor.price) ** 2 / (passedMs / YEAR_MS), passedMs);
  }

  /** Over the root of a year. */
  get volatility(): number {
    const { volatility, volatilityMin, volatilityMax } = this.#bounds;
    const total = PRIOR_SAMPLES * volatility ** 2 + this.#sum;
    const fitted = Math.sqrt(total / (PRIOR_SAMPLES + this.#weight));
    return Math.min(volatilityMax, Math.max(volatilityMin, fitted));
  }

  /** Standard error of it, as a part of it. */
  get errorPart(): number {
    return 1 / Math.sqrt(2 * (PRIOR_SAMPLES + this.#weight));
  }

  #add(varPerYear: number, passedMs: number): void {
    const kept = 2 ** (-passedMs / this.#bounds.halfLifeMs);
    const clipped = Math.min(varPerYear, (CLIP * this.volatility) ** 2);
    this.#sum = this.#sum * kept + clipped;
    this.#weight = this.#weight * kept + 1;
  }
}
