// One level whose orders are near their end: what takes their place, and when they may go. The new
// order rests before the old one is cancelled wherever both may count; a sell is cancelled first, since
// the same shares cannot be offered twice.

import { isOnBook } from '../../domain/order.ts';
import { microShares } from '../../domain/shares.ts';
import { isCancellable, type OwnOrder, remaining } from '../orders/own-order.ts';
import type { Missing, Renewal } from './target.ts';

export type DyingLevel = {
  readonly target: Missing;
  readonly dying: readonly OwnOrder[];
  /** Those at this level that will not end soon. */
  readonly fresh: readonly OwnOrder[];
  /** What the fresh ones lack. */
  readonly lacking: number;
  /** How much may be missing or too much. */
  readonly slack: number;
  readonly renewal: Renewal;
};

export type LevelRenewal = {
  readonly cancels: readonly OwnOrder[];
  readonly missing: readonly Missing[];
};

/** Plans a level of which some orders have to be replaced. */
export function renewLevel(level: DyingLevel): LevelRenewal {
  const { target, dying, lacking, slack, renewal } = level;
  if (isCovered(level)) return { cancels: dying.filter(isCancellable), missing: [] };
  const overlapping = dying.filter((order) => renewal.overlaps(order));
  // What goes first is missing at the next look, when its cancel is under way.
  const cancels = dying.filter((order) => !overlapping.includes(order) && isCancellable(order));
  if (lacking <= slack) return { cancels, missing: [] };
  const missing: Missing[] = [];
  const renewing = Math.min(lacking, sharesOf(overlapping));
  if (renewing > 0) {
    const writeClass = target.purpose === 'reduce' ? 'reduce' : 'renew';
    const quantity = microShares(renewing);
    missing.push({ ...target, quantity, writeClass, renews: overlapping });
  }
  const others = lacking - sharesOf(dying);
  if (others > slack) missing.push({ ...target, quantity: microShares(others) });
  return { cancels, missing };
}

export function sharesOf(orders: readonly OwnOrder[]): number {
  return orders.reduce((sum, order) => sum + remaining(order), 0);
}

/** What is on the book by the venue's word is enough: the rest may go. */
function isCovered({ target, fresh, slack }: DyingLevel): boolean {
  const resting = sharesOf(fresh.filter((order) => isOnBook(order.state)));
  return resting > 0 && resting >= target.quantity - slack;
}
