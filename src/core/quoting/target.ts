// What is wanted to rest, what of it is missing, and what a write for it would be for.

import type { MicroShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import type { AxisSide, QuotePurpose } from '../../strategy/index.ts';
import type { OwnOrder } from '../orders/own-order.ts';

export type Target = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly purpose: QuotePurpose;
  /** The price nearest to the other side at which an order may stay; `price` where absent. */
  readonly worst?: Ticks | undefined;
};

/**
 * What a write is for, in the order in which writes are given out: bringing the position down, putting
 * something on a side that has nothing, keeping what would end by itself, and making better what is
 * there.
 */
export const WRITE_CLASSES = ['reduce', 'repair', 'renew', 'improve'] as const;
export type WriteClass = (typeof WRITE_CLASSES)[number];

/** A target quote that still lacks shares, with its rank from the middle outwards. */
export type Missing = Target & {
  readonly rank: number;
  readonly writeClass: WriteClass;
  readonly renews?: readonly OwnOrder[] | undefined;
};

/** Says which orders are near their end, and how they are replaced. */
export type Renewal = {
  isDying(order: OwnOrder): boolean;
  /** The new order may rest beside it; otherwise the old one goes first. */
  overlaps(order: OwnOrder): boolean;
};
