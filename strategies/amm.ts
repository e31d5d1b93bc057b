// Rests the curve of a concentrated-liquidity pool on the book: bounded capital, no attention.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import {
  type AmmLevel,
  type AmmShape,
  ammAsks,
  ammBestBidPerUsd,
  ammBids,
  ammCollateralOfA,
  defineStrategy,
  noQuotes,
  numberParam,
  QUOTES_MAX,
  type QuoteContext,
  type QuoteReason,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { type Layer, nearestTicks, quoted } from './shared/quoting.ts';

export type AmmParams = {
  readonly spread: number;
  readonly step: number;
  readonly depth: number;
  readonly priceMin: number;
  readonly priceMax: number;
  readonly maxCollateral: number;
};

type Context = QuoteContext<AmmParams>;

/**
 * Each token has bids bought with collateral and asks of the shares held, on a curve from its price to
 * `depth` away; the collateral is split so that the best bid of one token with the best ask of the
 * other weighs the same on both sides. An ask of NO joins the bids of YES at the same price.
 *
 * Source: Polymarket/poly-market-maker, AMM strategy.
 */
export const strategy = defineStrategy<AmmParams>({
  name: 'amm',
  summary: 'A concentrated-liquidity curve with bounded capital, for markets nobody watches.',
  params: {
    spread: priceParam('Distance of the best quotes from the fair price; at least a tick.', 0.003),
    step: priceParam('Distance from one level to the next; at least a tick.', 0.003),
    depth: priceParam('How far from the fair price the curve reaches.', 0.1),
    priceMin: priceParam('Lowest price of the curve.', 0.05),
    priceMax: priceParam('Highest price of the curve.', 0.95),
    maxCollateral: numberParam({
      doc: 'Cash that bids of both tokens may bind.',
      unit: 'USDC',
      default: 200,
      min: 1,
      max: 1_000_000,
    }),
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const price = nearestTicks(context, found.fair.price);
    const shape = shapeOf(context);
    const isInside = price.bid >= shape.priceTicksMin && price.ask <= shape.priceTicksMax;
    if (!isInside) return noQuotes(outside(context));
    return quoted(context, found.fair.price, layersOf(context, price, shape));
  },
});

function priceParam(doc: string, usual: number) {
  return numberParam({ doc, unit: 'USDC per share', default: usual, min: 0.001, max: 0.999 });
}

/** On a fine grid the step grows until the curve has no more levels than a side may have. */
function shapeOf({ params, grid }: Context): AmmShape {
  const n = grid.ticksPerUnit;
  const inTicks = (price: number) => Math.min(Math.max(1, Math.round(price * n)), n - 1);
  const depthTicks = inTicks(params.depth);
  return {
    spreadTicks: inTicks(params.spread),
    stepTicks: Math.max(inTicks(params.step), Math.ceil(depthTicks / QUOTES_MAX)),
    depthTicks,
    priceTicksMin: inTicks(params.priceMin),
    priceTicksMax: inTicks(params.priceMax),
  };
}

type Targets = { readonly bid: number; readonly ask: number };

function layersOf(
  context: Context,
  target: Targets,
  shape: AmmShape,
): { readonly bids: readonly Layer[]; readonly asks: readonly Layer[] } {
  const { grid, inventory } = context;
  const n = grid.ticksPerUnit;
  const mirrored = {
    ...shape,
    priceTicksMin: n - shape.priceTicksMax,
    priceTicksMax: n - shape.priceTicksMin,
  };
  // Sold here and by hand, too, shares may come to less than none until balances say so.
  const yes = Math.max(0, inventory.yes) / MICRO_PER_SHARE;
  const no = Math.max(0, inventory.no) / MICRO_PER_SHARE;
  // Bids of YES stand with asks of NO below the price, asks of YES with bids of NO above it.
  const asksOfYes = ammAsks(grid, { priceTicks: target.ask, tokenShares: yes }, shape);
  const asksOfNo = ammAsks(grid, { priceTicks: n - target.bid, tokenShares: no }, mirrored);
  const collateralUsd = Math.min(context.params.maxCollateral, Math.max(0, budgetOf(context)));
  const split = (own: {
    readonly at: number;
    readonly shape: AmmShape;
    readonly asks: readonly AmmLevel[];
  }) => ({
    bestBidPerUsd: ammBestBidPerUsd(grid, own.at, own.shape),
    bestAskShares: own.asks[0]?.shares ?? 0,
  });
  const ofYes = split({ at: target.bid, shape, asks: asksOfYes });
  const ofNo = split({ at: n - target.ask, shape: mirrored, asks: asksOfNo });
  const forYes = ammCollateralOfA(collateralUsd, ofYes, ofNo);
  const forNo = collateralUsd - forYes;
  const bidsOfYes = ammBids(grid, { priceTicks: target.bid, collateralUsd: forYes }, shape);
  const bidsOfNo = ammBids(grid, { priceTicks: n - target.ask, collateralUsd: forNo }, mirrored);
  return {
    bids: merged(bidsOfYes, turned(asksOfNo, n), n),
    asks: merged(asksOfYes, turned(bidsOfNo, n), n),
  };
}

/** Cash that is free, and what own quotes hold already, since they are part of the curve. */
function budgetOf({ capital, ownQuotes, grid }: Context): number {
  const resting = ownQuotes.reduce((total, { side, price, remaining }) => {
    const cost = side === 'bid' ? price : grid.ticksPerUnit - price;
    return total + (cost / grid.ticksPerUnit) * (remaining / MICRO_PER_SHARE);
  }, 0);
  return capital.freeUsdc + resting;
}

function turned(levels: readonly AmmLevel[], ticksPerUnit: number): readonly AmmLevel[] {
  return levels.map(({ ticks, shares }) => ({ ticks: ticksPerUnit - ticks, shares }));
}

/** Levels of both tokens at the same price are one. */
function merged(
  one: readonly AmmLevel[],
  other: readonly AmmLevel[],
  ticksPerUnit: number,
): readonly Layer[] {
  const [longer, shorter] = one.length >= other.length ? [one, other] : [other, one];
  return longer.map(({ ticks, shares }) => {
    const beside = shorter.find((level) => level.ticks === ticks)?.shares ?? 0;
    return { price: ticks / ticksPerUnit, shares: shares + beside };
  });
}

function outside({ params }: Context): QuoteReason {
  return {
    side: 'both',
    code: 'outside_curve',
    detail: `the fair price lies outside ${params.priceMin} to ${params.priceMax}`,
    clears: 'the price comes back, or the range of the curve is widened',
  };
}
