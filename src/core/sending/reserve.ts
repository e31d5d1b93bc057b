// How many writes of the budget each class may use up. What one class leaves to those before it is
// sized by what they may need at once, so that it is large where much may go wrong and small elsewhere.

import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import type { WriteClass } from '../quoting/target.ts';

/** Each market has two sides that may become bare, and one position to be brought down. */
const SIDES_OF_MARKET = 2;
/** However many markets there are, no more of the budget is kept for them. */
const REDUCE_PART_MAX = 0.2;
const REPAIR_PART_MAX = 0.3;
/** Improvements always have this part of it. */
const IMPROVE_PART_MIN = 0.5;

/** What the reserve is for. */
export type ReserveView = {
  /** Writes of the whole window. */
  readonly perWindow: number;
  /** Part of them that is kept at least, 0 to 0.5. */
  readonly reservePart: number;
  /** Markets with orders of ours: each of them may need them back. */
  readonly marketsQuoted: number;
};

/**
 * Writes of a window after which a class is served no more.
 *
 * Bringing positions down may use all of them. Bare sides and renewals leave enough for one such order
 * in every market, improvements also for one order on each side of every market. A write carries 15.
 * @spec Limits
 */
export function writesOf(writeClass: WriteClass, view: ReserveView): number {
  const { perWindow, marketsQuoted } = view;
  if (writeClass === 'reduce') return perWindow;
  const forReducing = kept(view, marketsQuoted, REDUCE_PART_MAX);
  if (writeClass !== 'improve') return perWindow - forReducing;
  const forRepairs = kept(view, marketsQuoted * SIDES_OF_MARKET, REPAIR_PART_MAX);
  return Math.max(perWindow * IMPROVE_PART_MIN, perWindow - forReducing - forRepairs);
}

/** Half of the least reserve, or as many writes as so many orders take. */
function kept({ perWindow, reservePart }: ReserveView, orders: number, partMax: number): number {
  const needed = Math.ceil(orders / BATCH_ORDERS_MAX);
  return Math.max((perWindow * reservePart) / 2, Math.min(needed, perWindow * partMax));
}
