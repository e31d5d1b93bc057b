// The score of a liquidity reward programme. The venue documents none, so that nothing uses it
// unless an operator asks; it never overrides a price that risk demands.
// Source: Polymarket, liquidity rewards documentation.

import { assertNotNegative, assertPositive, sum } from '../numeric/domain.ts';

/** `S(v, s) = ((v - s)/v)^2` per share at distance `s` from the middle; nothing from `v` on. */
export function rewardPerShare(distanceCents: number, distanceCentsMax: number): number {
  assertNotNegative({ distanceCents });
  assertPositive({ distanceCentsMax });
  const near = Math.max(0, distanceCentsMax - distanceCents) / distanceCentsMax;
  return near ** 2;
}

/** One order of a side. */
export type ScoredOrder = { readonly shares: number; readonly distanceCents: number };

export function rewardOfSide(orders: readonly ScoredOrder[], distanceCentsMax: number): number {
  return sum(
    orders.map(
      ({ shares, distanceCents }) => shares * rewardPerShare(distanceCents, distanceCentsMax),
    ),
  );
}

/** How much the better side counts alone, in the middle of the price range. */
const ONE_SIDED_SHARE = 3;

/**
 * `max(min(Q1, Q2), max(Q1, Q2)/3)` for a middle from 0.10 to 0.90, otherwise `min(Q1, Q2)`: Q1 bids
 * on YES and asks on NO, Q2 the others.
 */
export function rewardOfMarket(q1: number, q2: number, midPrice: number): number {
  assertNotNegative({ q1, q2 });
  const isCentral = midPrice >= 0.1 && midPrice <= 0.9;
  const both = Math.min(q1, q2);
  return isCentral ? Math.max(both, Math.max(q1, q2) / ONE_SIDED_SHARE) : both;
}
