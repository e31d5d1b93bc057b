// The difference between what a strategy wishes and what is live, level by level.
// A level that is near enough keeps its orders and so their places in the queue.

import type { MicroShares } from '../../domain/shares.ts';
import { microShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import type { AxisSide, QuotePurpose } from '../../strategy/index.ts';
import { isCancellable, isQuoting, type OwnOrder, remaining } from './own-order.ts';

export type Wish = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly purpose: QuotePurpose;
};

export type PlanTolerance = {
  readonly priceTicks: number;
  /** Relative difference of size a level may keep, 0 to 1. */
  readonly size: number;
};

/** A wish that still lacks shares, with its rank from the middle outwards. */
export type Missing = Wish & { readonly rank: number };

export type Plan = {
  readonly cancels: readonly OwnOrder[];
  readonly missing: readonly Missing[];
};

/**
 * Plans one market. Wishes of one side at one price are joined; live orders are matched to the
 * wish at their price, then to the nearest one within the tolerance.
 *
 * Orders on their way or unknown count as live, so that nothing is placed twice; they cannot be
 * named yet, so a wish they no longer fit is cancelled when the venue has answered.
 */
export function planMarket(
  wishes: readonly Wish[],
  orders: Iterable<OwnOrder>,
  tolerance: PlanTolerance,
): Plan {
  const cancels: OwnOrder[] = [];
  const missing: Missing[] = [];
  const known = [...orders];
  const live = known.filter(isQuoting);
  for (const side of ['bid', 'ask'] as const) {
    planSide(joined(wishes, side), levelsOf(live, side), tolerance, { cancels, missing });
  }
  // A cancel that could not be proven is wished again; how soon is the caller's back-off.
  cancels.push(
    ...known.filter((order) => order.state === 'cancelUnproven' && isCancellable(order)),
  );
  return { cancels, missing };
}

type Sink = { readonly cancels: OwnOrder[]; readonly missing: Missing[] };
type Levels = Map<Ticks, OwnOrder[]>;

function planSide(
  wishes: readonly Wish[],
  levels: Levels,
  tolerance: PlanTolerance,
  sink: Sink,
): void {
  const claims = claim(wishes, levels, tolerance.priceTicks);
  wishes.forEach((wish, rank) => {
    const orders = claims.get(wish) ?? [];
    fitLevel({ ...wish, rank }, orders, tolerance, sink);
  });
  for (const orders of levels.values()) sink.cancels.push(...orders.filter(isCancellable));
}

/**
 * Gives each wish the levels it may keep, exact prices first, then those within the tolerance; what
 * stays in `levels` nobody wishes. A wish that was topped up keeps both of its levels this way.
 */
function claim(
  wishes: readonly Wish[],
  levels: Levels,
  priceTicks: number,
): Map<Wish, readonly OwnOrder[]> {
  const claims = new Map<Wish, OwnOrder[]>(wishes.map((wish) => [wish, []]));
  for (let distance = 0; distance <= priceTicks; distance += 1) {
    for (const [wish, claimed] of claims) claimed.push(...takeLevels(levels, wish.price, distance));
  }
  return claims;
}

function takeLevels(levels: Levels, price: Ticks, distance: number): readonly OwnOrder[] {
  const taken: OwnOrder[] = [];
  for (const [at, orders] of levels) {
    if (Math.abs(at - price) !== distance) continue;
    taken.push(...orders);
    levels.delete(at);
  }
  return taken;
}

function fitLevel(
  wish: Missing,
  orders: readonly OwnOrder[],
  tolerance: PlanTolerance,
  sink: Sink,
): void {
  let resting = orders.reduce((sum, order) => sum + remaining(order), 0);
  const slack = wish.quantity * tolerance.size;
  // Too much: off prices go first, then the newest, since the oldest hold the better places.
  for (const order of [...orders].reverse()) {
    if (resting <= wish.quantity + slack) break;
    if (!isCancellable(order)) continue;
    sink.cancels.push(order);
    resting -= remaining(order);
  }
  const lacking = wish.quantity - resting;
  if (lacking > slack) sink.missing.push({ ...wish, quantity: microShares(lacking) });
}

function joined(wishes: readonly Wish[], side: AxisSide): readonly Wish[] {
  const byPrice = new Map<Ticks, Wish>();
  for (const wish of wishes) {
    if (wish.side !== side || wish.quantity <= 0) continue;
    const known = byPrice.get(wish.price);
    const quantity = microShares((known?.quantity ?? 0) + wish.quantity);
    byPrice.set(wish.price, { ...wish, quantity });
  }
  const inwardFirst = side === 'bid' ? -1 : 1;
  return [...byPrice.values()].sort((a, b) => inwardFirst * (a.price - b.price));
}

function levelsOf(orders: readonly OwnOrder[], side: AxisSide): Levels {
  const levels: Levels = new Map();
  const inOrder = orders
    .filter((order) => order.axisSide === side)
    .sort((a, b) => a.sentAtMs - b.sentAtMs);
  for (const order of inOrder) {
    const level = levels.get(order.axisPrice);
    if (level) level.push(order);
    else levels.set(order.axisPrice, [order]);
  }
  return levels;
}
