// Bands: amounts kept at distances from a target price, in integer ticks and micro-shares.
// Source: Polymarket/poly-market-maker, bands strategy, with its defects left out: every open buy
// takes from the cash, a margin is adjusted for one round only, and there is no price without data.
//
// Bands are processed for one token at a time, where a SELL of the complement at y is a BUY at n - y.
// On the YES axis: bids against the target, and asks as bids for NO against its mirror.

import { assert } from '../../../domain/assert.ts';
import type { MicroShares } from '../../../domain/shares.ts';
import { MICRO_SHARES_MAX, microShares, minShares } from '../../../domain/shares.ts';
import { type TickGrid, type Ticks, ticksWithin } from '../../../domain/ticks.ts';

export type Band = {
  readonly marginTicksMin: number;
  readonly marginTicksAvg: number;
  readonly marginTicksMax: number;
  readonly amountMin: MicroShares;
  readonly amountAvg: MicroShares;
  readonly amountMax: MicroShares;
};

/** An order as its token's bands see it: the price of a BUY, or of the BUY that a SELL amounts to. */
export type BandOrder = { readonly price: Ticks; readonly amount: MicroShares };

/** Says what is wrong with bands as a whole; `undefined` when nothing is. */
export function bandsFault(bands: readonly Band[]): string | undefined {
  if (bands.some((band) => !isOrdered(band))) return 'margins and amounts rise from min to max';
  const overlaps = bands.some((a, i) => bands.some((b, j) => j < i && doOverlap(a, b)));
  return overlaps ? 'bands do not overlap' : undefined;
}

function isOrdered(band: Band): boolean {
  const { marginTicksMin, marginTicksAvg, marginTicksMax } = band;
  const { amountMin, amountAvg, amountMax } = band;
  const areMargins = marginTicksMin <= marginTicksAvg && marginTicksAvg <= marginTicksMax;
  const areAmounts = 0 <= amountMin && amountMin <= amountAvg && amountAvg <= amountMax;
  return areMargins && marginTicksMin < marginTicksMax && areAmounts;
}

function doOverlap(a: Band, b: Band): boolean {
  return a.marginTicksMin < b.marginTicksMax && b.marginTicksMin < a.marginTicksMax;
}

/**
 * Bands that a target leaves room for: those whose nearest price is above zero. Where the usual price
 * of one would not be, it is one tick.
 */
export function usableBands(bands: readonly Band[], targetTicks: number): readonly Band[] {
  return bands
    .filter((band) => targetTicks - band.marginTicksMin > 0)
    .map((band) =>
      targetTicks - band.marginTicksAvg > 0 ? band : { ...band, marginTicksAvg: targetTicks - 1 },
    );
}

/** `target - marginMax < price <= target - marginMin`. */
export function isInBand(band: Band, targetTicks: number, price: number): boolean {
  return price > targetTicks - band.marginTicksMax && price <= targetTicks - band.marginTicksMin;
}

/**
 * Orders to cancel: all outside every band, and from a band above its maximum as many as bring it
 * below: in the first band the nearest to the target first, in the last the farthest, between them
 * the largest.
 */
export function excessOrders<Order extends BandOrder>(
  bands: readonly Band[],
  targetTicks: number,
  orders: readonly Order[],
): readonly Order[] {
  const usable = usableBands(bands, targetTicks);
  const outside = orders.filter(({ price }) =>
    usable.every((band) => !isInBand(band, targetTicks, price)),
  );
  const surplus = usable.flatMap((band, index) => {
    const place = index === 0 ? 'first' : index === usable.length - 1 ? 'last' : 'middle';
    const inside = orders.filter(({ price }) => isInBand(band, targetTicks, price));
    return surplusOf(inside, band.amountMax, place);
  });
  return [...surplus, ...outside];
}

const GIVEN_UP_FIRST = {
  first: (a: BandOrder, b: BandOrder) => b.price - a.price,
  last: (a: BandOrder, b: BandOrder) => a.price - b.price,
  middle: (a: BandOrder, b: BandOrder) => b.amount - a.amount,
} as const;

function surplusOf<Order extends BandOrder>(
  inside: readonly Order[],
  amountMax: MicroShares,
  place: keyof typeof GIVEN_UP_FIRST,
): readonly Order[] {
  const sorted = inside.toSorted(GIVEN_UP_FIRST[place]);
  let left = totalOf(inside);
  return sorted.filter(({ amount }) => {
    const isGivenUp = left > amountMax;
    if (isGivenUp) left -= amount;
    return isGivenUp;
  });
}

function totalOf(orders: readonly BandOrder[]): number {
  return orders.reduce((total, { amount }) => total + amount, 0);
}

/** What a token's bands may use; both shrink as orders are planned. */
export type BandBudget = {
  /** Free shares of the complement, to sell. */
  readonly complement: MicroShares;
  /** Free cash in micro-USDC: every open BUY of every token already taken off. */
  readonly cashMicroUsdc: number;
};

export type BandPlacement = {
  /** `sellComplement` at `n - price` does what `buy` does at `price`. */
  readonly kind: 'buy' | 'sellComplement';
  readonly price: Ticks;
  readonly amount: MicroShares;
};

export type BandPlan = { readonly placements: readonly BandPlacement[]; readonly left: BandBudget };

/**
 * Orders that fill bands below their minimum up to their average: first by selling the complement,
 * then by buying, both at the average margin.
 *
 * @param orders - Those that stay.
 * @param amountLeast - The smallest order of a kind; the price is that of the BUY it amounts to.
 */
export function bandPlacements(
  market: {
    readonly grid: TickGrid;
    readonly bands: readonly Band[];
    readonly targetTicks: number;
  },
  state: { readonly orders: readonly BandOrder[]; readonly budget: BandBudget },
  amountLeast: (kind: BandPlacement['kind'], price: Ticks) => MicroShares,
): BandPlan {
  const { grid, bands, targetTicks } = market;
  let plan: BandPlan = { placements: [], left: state.budget };
  for (const band of usableBands(bands, targetTicks)) {
    const price = ticksWithin(grid, targetTicks - band.marginTicksAvg);
    const inside = state.orders.filter((order) => isInBand(band, targetTicks, order.price));
    const total = totalOf(inside);
    if (price === undefined || total >= band.amountMin) continue;
    const wanted = band.amountAvg - total;
    const sold = filled(plan, grid, { kind: 'sellComplement', price, wanted, amountLeast });
    plan = filled(sold.plan, grid, {
      kind: 'buy',
      price,
      wanted: wanted - sold.amount,
      amountLeast,
    }).plan;
  }
  return plan;
}

type Filling = {
  readonly kind: BandPlacement['kind'];
  readonly price: Ticks;
  readonly wanted: number;
  readonly amountLeast: (kind: BandPlacement['kind'], price: Ticks) => MicroShares;
};

function filled(
  plan: BandPlan,
  grid: TickGrid,
  { kind, price, wanted, amountLeast }: Filling,
): { readonly plan: BandPlan; readonly amount: number } {
  const { left } = plan;
  const affordable = kind === 'buy' ? bought(grid, price, left.cashMicroUsdc) : left.complement;
  const amount = minShares(microShares(wanted), affordable);
  if (amount <= 0 || amount < amountLeast(kind, price)) return { plan, amount: 0 };
  const placements = [...plan.placements, { kind, price, amount }];
  const cost = Math.ceil((amount * price) / grid.ticksPerUnit);
  const rest =
    kind === 'buy'
      ? { ...left, cashMicroUsdc: left.cashMicroUsdc - cost }
      : { ...left, complement: microShares(left.complement - amount) };
  return { plan: { placements, left: rest }, amount };
}

/** Micro-shares that cash buys at a price, rounded down. */
function bought(grid: TickGrid, price: Ticks, cashMicroUsdc: number): MicroShares {
  assert(Number.isFinite(cashMicroUsdc), 'cash is a number');
  const count = Math.floor((Math.max(0, cashMicroUsdc) * grid.ticksPerUnit) / price);
  return microShares(Math.min(count, MICRO_SHARES_MAX));
}
