// Whether the venue holds cash back for a match until that settles, or for what rests only: the interface
// does not say. Where it lets go of what matched, cash and holds look after a match that nobody told of just
// as if nothing had happened, until it settles: what is held proves less there, and no sooner.
// @spec Resources and their fields › Balances

import type { UnixMs } from '../../domain/time.ts';

/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;
/** Matches settle in 15 to 20 s: a younger one holds, unless it failed, or nothing is held for any. */
export const YOUNG_MS = 10_000;
/** Matches seen to hold nothing: one may have failed unheard. */
const SEEN_MIN = 2;

/** A read of the balances at which nothing but orders on the book and young matches held cash. */
export type QuietRead = {
  readonly onHoldNano: number;
  readonly restingNano: number;
  readonly matchedNano: number;
  /** When the youngest of the matches was told of. */
  readonly matchedAtMs: UnixMs;
};

export class MatchHolds {
  /** Matches that held nothing, since one was last seen to hold. */
  readonly #seen = new Set<UnixMs>();

  /** What has matched holds nothing here. */
  get isLetGo(): boolean {
    return this.#seen.size >= SEEN_MIN;
  }

  onRead({ onHoldNano, restingNano, matchedNano, matchedAtMs }: QuietRead): void {
    if (matchedNano <= EPSILON_NANO) return;
    const beyondNano = onHoldNano - restingNano;
    if (Math.abs(beyondNano - matchedNano) <= EPSILON_NANO) this.#seen.clear();
    else if (Math.abs(beyondNano) <= EPSILON_NANO && !this.isLetGo) this.#seen.add(matchedAtMs);
  }
}
