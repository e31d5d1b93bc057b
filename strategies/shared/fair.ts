// The fair price that strategies quote around, or why there is none: there is no default price.

import type { FairValue, QuoteContext, QuoteReason } from '../../src/strategy/index.ts';

/**
 * A live quiet book keeps being observed, so that an older value means that nothing has been seen: two
 * missed looks of the slowest kind and a little more.
 */
const FAIR_AGE_MS_MAX = 5_000;

type Found = { readonly kind: 'found'; readonly fair: FairValue };
type Absent = { readonly kind: 'absent'; readonly reason: QuoteReason };

/** The market's fair value, unless it is missing, out of date or at the end of the range. */
export function fairOf(context: QuoteContext<unknown>): Found | Absent {
  const { fair } = context;
  if (fair === undefined) return absent('fair_missing', 'no price has been observed');
  if (fair.ageMs > FAIR_AGE_MS_MAX) {
    return absent('fair_stale', `nothing has been observed for ${fair.ageMs} ms`);
  }
  // Beyond half a tick of the ends no quote on one of the sides could have an edge.
  const edge = 0.5 / context.grid.ticksPerUnit;
  const isInside = fair.price > edge && fair.price < 1 - edge;
  return isInside
    ? { kind: 'found', fair }
    : absent('fair_at_end', 'the price has reached its end');
}

/** Variance that the log-odds gather per second: the measured one, or the stated one until then. */
export function logOddsVarPerSecOf(fair: FairValue, priorPerHour: number): number {
  return fair.logOddsVarPerSec ?? priorPerHour / 3_600;
}

/** Absolute price volatility per square root of a second at the fair price, `p(1-p) sigma_b`. */
export function priceVolPerSqrtSecOf(fair: FairValue, priorPerHour: number): number {
  return fair.price * (1 - fair.price) * Math.sqrt(logOddsVarPerSecOf(fair, priorPerHour));
}

function absent(code: string, detail: string): Absent {
  const clears = 'others quote both sides of the book, or an external price arrives';
  return { kind: 'absent', reason: { side: 'both', code, detail, clears } };
}
