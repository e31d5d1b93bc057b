// The difference between what a strategy wants and what is live, level by level.
// A level that is near enough keeps its orders and so their places in the queue.

import { isOnBook } from '../../domain/order.ts';
import { microShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import type { AxisSide } from '../../strategy/index.ts';
import {
  isCancellable,
  isLeaving,
  isQuoting,
  isUncancellable,
  type OwnOrder,
  remaining,
} from '../orders/own-order.ts';
import type { Missing, PlanTolerance, Renewal, Target, WriteClass } from './market.ts';

/** What moves wherever it is not on its target, whatever its place is worth. */
export const AT_ONCE: PlanTolerance = Object.freeze({ priceTicks: 0, size: 0 });

export type Plan = {
  readonly cancels: readonly OwnOrder[];
  readonly missing: readonly Missing[];
};

/**
 * Plans one market. Targets of one side at one price are joined; live orders are matched to the
 * target at their price, then to the nearest one within the tolerance.
 *
 * Orders in flight or unknown count as live, so that nothing is placed twice; they cannot be
 * named yet, so a target they no longer fit is cancelled when the venue has answered.
 */
export function planMarket(
  targets: readonly Target[],
  orders: Iterable<OwnOrder>,
  tolerance: PlanTolerance,
): Plan {
  const known = [...orders];
  if (isOnTarget(targets, known, tolerance)) return NOTHING_TO_DO;
  const cancels: OwnOrder[] = [];
  const missing: Missing[] = [];
  const live = known.filter(isQuoting);
  for (const side of ['bid', 'ask'] as const) {
    const sink = { cancels, missing, ...leavingOf(known, side, tolerance) };
    planSide(joined(targets, side), levelsOf(live, side), tolerance, sink);
  }
  // A cancel that could not be confirmed is wanted again; how soon is the caller's back-off.
  cancels.push(
    ...known.filter((order) => order.state === 'cancelUnresolved' && isCancellable(order)),
  );
  return { cancels, missing };
}

const NOTHING_TO_DO: Plan = Object.freeze({
  cancels: Object.freeze([]),
  missing: Object.freeze([]),
});

/**
 * Each target has one order, at its price and near enough to its size, and each order has its target: what
 * most decisions find. Nothing is built to find it, and whatever else is the case is planned.
 */
function isOnTarget(
  targets: readonly Target[],
  known: readonly OwnOrder[],
  { size, renewal }: PlanTolerance,
): boolean {
  if (targets.length !== known.length) return false;
  for (const order of known) {
    if (!isQuoting(order) || renewal?.isDying(order) === true) return false;
    // Of two targets at one price, one order is not both of theirs.
    if (!targets.some((target) => isAt(order, target))) return false;
  }
  for (const target of targets) {
    const order = onlyOrderOf(target, known);
    if (order === undefined || !(target.quantity > 0)) return false;
    if (!(Math.abs(target.quantity - remaining(order)) <= target.quantity * size)) return false;
  }
  return true;
}

function onlyOrderOf(target: Target, known: readonly OwnOrder[]): OwnOrder | undefined {
  let found: OwnOrder | undefined;
  for (const order of known) {
    if (!isAt(order, target)) continue;
    if (found !== undefined) return undefined;
    found = order;
  }
  return found;
}

function isAt({ axisSide, axisPrice }: OwnOrder, { side, price }: Target): boolean {
  return axisSide === side && axisPrice === price;
}

/** Whether a plan would leave an order where it is for one of these targets. */
export function isWanted(
  order: OwnOrder,
  targets: readonly Target[],
  tolerance: PlanTolerance,
): boolean {
  return targets.some(
    (target) => target.side === order.axisSide && mayStay(order, target, tolerance),
  );
}

type Sink = {
  readonly cancels: OwnOrder[];
  readonly missing: Missing[];
  /** Prices that an order is leaving so that it can be renewed. */
  readonly left: ReadonlySet<Ticks>;
  /** Shares at each price that are leaving for any other reason: until the venue has answered they may rest. */
  readonly leaving: ReadonlyMap<Ticks, number>;
};
type Levels = Map<Ticks, OwnOrder[]>;

function planSide(
  targets: readonly Target[],
  levels: Levels,
  tolerance: PlanTolerance,
  sink: Sink,
): void {
  const claims = claim(targets, levels, tolerance);
  const kept = targets.map((target) => keepAt(target, claims.get(target) ?? [], tolerance, sink));
  // Also while its last orders are only about to be cancelled: what takes their place is urgent now.
  const isBare = !kept.some(({ orders }) => orders.length > 0);
  kept.forEach((level, rank) => {
    const { target } = level;
    const writeClass = sink.left.has(target.price) ? 'renew' : classOf(target, isBare);
    const { quantity } = target;
    fillUp(missingOf(target, { quantity, rank, writeClass }), level, tolerance, sink);
  });
  for (const orders of levels.values()) sink.cancels.push(...orders.filter(isCancellable));
}

/** What of a side is being cancelled: dying orders so that they can be renewed, and all others. */
function leavingOf(
  known: readonly OwnOrder[],
  side: AxisSide,
  { renewal }: PlanTolerance,
): Pick<Sink, 'left' | 'leaving'> {
  const left = new Set<Ticks>();
  const leaving = new Map<Ticks, number>();
  for (const order of known) {
    if (!isLeaving(order) || order.axisSide !== side) continue;
    const { axisPrice } = order;
    if (order.state === 'cancelling' && renewal?.isDying(order) === true) left.add(axisPrice);
    else leaving.set(axisPrice, (leaving.get(axisPrice) ?? 0) + remaining(order));
  }
  return { left, leaving };
}

function classOf(target: Target, isBare: boolean): WriteClass {
  if (target.purpose === 'reduce') return 'reduce';
  return isBare ? 'repair' : 'improve';
}

/**
 * Gives each target the orders it may keep, exact prices first, then those within the tolerance; what
 * stays in `levels` nobody wants. A target that was topped up keeps both of its levels this way.
 */
function claim(
  targets: readonly Target[],
  levels: Levels,
  tolerance: PlanTolerance,
): Map<Target, readonly OwnOrder[]> {
  const claims = new Map<Target, OwnOrder[]>(targets.map((target) => [target, []]));
  const reach = Math.max(tolerance.priceTicks, tolerance.judge?.reachTicks ?? 0);
  for (let distance = 0; distance <= reach; distance += 1) {
    for (const [target, claimed] of claims) {
      claimed.push(...takeLevels(levels, target, { distance, tolerance }));
    }
  }
  return claims;
}

function takeLevels(
  levels: Levels,
  target: Target,
  at: { readonly distance: number; readonly tolerance: PlanTolerance },
): readonly OwnOrder[] {
  const taken: OwnOrder[] = [];
  for (const [price, orders] of levels) {
    if (Math.abs(price - target.price) !== at.distance) continue;
    const left = orders.filter((order) => !mayStay(order, target, at.tolerance));
    taken.push(...orders.filter((order) => !left.includes(order)));
    if (left.length === 0) levels.delete(price);
    else levels.set(price, left);
  }
  return taken;
}

/** An order beyond the worst price of its target never stays, whatever its place is worth. */
function mayStay(order: OwnOrder, target: Target, tolerance: PlanTolerance): boolean {
  const inward = target.side === 'bid' ? 1 : -1;
  const aheadTicks = inward * (order.axisPrice - target.price);
  if (aheadTicks === 0) return true;
  if (target.worst !== undefined && aheadTicks > 0) {
    return inward * (order.axisPrice - target.worst) <= 0;
  }
  if (Math.abs(aheadTicks) <= tolerance.priceTicks) return true;
  return aheadTicks < 0 && (tolerance.judge?.keeps(order, target) ?? false);
}

/** A level after what is too much of it is cancelled. */
type KeptLevel = {
  readonly target: Target;
  /** All that stays of it, dying orders too. */
  readonly orders: readonly OwnOrder[];
  readonly dying: readonly OwnOrder[];
  readonly fresh: readonly OwnOrder[];
  /** Shares that rest for longer. */
  readonly resting: number;
};

function keepAt(
  target: Target,
  orders: readonly OwnOrder[],
  { renewal, size }: PlanTolerance,
  sink: Sink,
): KeptLevel {
  const dying = renewal === undefined ? [] : orders.filter((order) => renewal.isDying(order));
  const fresh = dying.length === 0 ? orders : orders.filter((order) => !dying.includes(order));
  const cut: OwnOrder[] = [];
  const resting = cutDown(fresh, target.quantity + target.quantity * size, cut);
  sink.cancels.push(...cut);
  const staying = cut.length === 0 ? orders : orders.filter((order) => !cut.includes(order));
  return { target, orders: staying, dying, fresh, resting };
}

/** Nothing is placed at a price that an order is still leaving: until the venue has answered, both would rest. */
function fillUp(
  target: Missing,
  { dying, fresh, resting }: KeptLevel,
  { renewal, size }: PlanTolerance,
  sink: Sink,
): void {
  const { rank, writeClass } = target;
  const slack = target.quantity * size;
  const lacking = target.quantity - resting;
  if (renewal !== undefined && dying.length > 0) {
    const found = renewLevel({ target, dying, fresh, lacking, slack, renewal });
    sink.cancels.push(...found.cancels);
    sink.missing.push(...found.missing);
  } else if (lacking > slack && !((sink.leaving.get(target.price) ?? 0) > slack)) {
    sink.missing.push(missingOf(target, { rank, writeClass, quantity: microShares(lacking) }));
  }
}

/** @returns What rests when as much as is too much is cancelled. */
function cutDown(orders: readonly OwnOrder[], most: number, cancels: OwnOrder[]): number {
  let resting = sharesOf(orders);
  if (resting <= most) return resting;
  for (const order of leastWanted(orders, most)) {
    if (resting <= most) break;
    if (!isCancellable(order)) continue;
    cancels.push(order);
    // Refused so far, it will rest on: whatever took its place would be too much again.
    if (!isUncancellable(order)) resting -= remaining(order);
  }
  return resting;
}

/**
 * Too much: what is too much by itself goes first, since it goes in any case and another one need not; then
 * off prices, then the newest, since the oldest hold the better places.
 */
function leastWanted(orders: readonly OwnOrder[], most: number): readonly OwnOrder[] {
  const newestFirst = orders.toReversed();
  const isTooMuch = (order: OwnOrder) => remaining(order) > most;
  if (!newestFirst.some(isTooMuch)) return newestFirst;
  return [...newestFirst.filter(isTooMuch), ...newestFirst.filter((order) => !isTooMuch(order))];
}

/** Named one by one: a spread gives each object a shape of its own, and what reads them is slow. */
function missingOf(
  { side, price, purpose, worst }: Target,
  { quantity, rank, writeClass }: Pick<Missing, 'quantity' | 'rank' | 'writeClass'>,
): Missing {
  return { side, price, quantity, purpose, worst, rank, writeClass, renews: undefined };
}

function joined(targets: readonly Target[], side: AxisSide): readonly Target[] {
  const byPrice = new Map<Ticks, Target>();
  for (const target of targets) {
    if (target.side !== side || target.quantity <= 0) continue;
    const known = byPrice.get(target.price);
    const quantity = microShares((known?.quantity ?? 0) + target.quantity);
    byPrice.set(
      target.price,
      known === undefined ? target : { ...merged(known, target), quantity },
    );
  }
  const inwardFirst = side === 'bid' ? -1 : 1;
  return [...byPrice.values()].sort((a, b) => inwardFirst * (a.price - b.price));
}

/** Of two targets at one price the stricter worst price holds, and `add` where either adds. */
function merged(one: Target, other: Target): Target {
  const { worst: _, ...rest } = one;
  const purpose = one.purpose === other.purpose ? one.purpose : 'add';
  if (one.worst === undefined || other.worst === undefined) return { ...rest, purpose };
  const isStricter = one.side === 'bid' ? one.worst <= other.worst : one.worst >= other.worst;
  return { ...rest, purpose, worst: isStricter ? one.worst : other.worst };
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

// One level whose orders are near their end: what takes their place, and when they may go. The new
// order rests before the old one is cancelled wherever both may count; a sell is cancelled first, since
// the same shares cannot be offered twice.

type DyingLevel = {
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

/** Plans a level of which some orders have to be replaced. */
function renewLevel(level: DyingLevel): Plan {
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

function sharesOf(orders: readonly OwnOrder[]): number {
  return orders.reduce((sum, order) => sum + remaining(order), 0);
}

/** What is on the book by the venue's word is enough: the rest may go. */
function isCovered({ target, fresh, slack }: DyingLevel): boolean {
  const resting = sharesOf(fresh.filter((order) => isOnBook(order.state)));
  return resting > 0 && resting >= target.quantity - slack;
}
