// A ladder that leans against the position, in price and in size.

import { formatShares, type MicroShares, microShares, shares } from '../src/domain/shares.ts';
import {
  type AxisSide,
  defineStrategy,
  joined,
  type Middle,
  middleOf,
  noQuotes,
  numberParam,
  QUOTES_MAX,
  type QuoteContext,
  sideQuotes,
  type TargetQuotes,
  wholeParam,
} from '../src/strategy/index.ts';

export type InventorySkewParams = {
  readonly halfSpreadTicks: number;
  readonly levels: number;
  readonly levelSpacingTicks: number;
  readonly size: number;
  readonly skewTicks: number;
};

type Context = QuoteContext<InventorySkewParams>;

/** Prices lean in hundredths of a tick: whole numbers, so that YES and NO mirror exactly. */
const LEAN_STEPS_PER_TICK = 100;
/** A shrunken quantity is cut to hundredths of a share, which every venue's decimals can state. */
const QUANTITY_STEP: MicroShares = shares(0.01);

/**
 * The middle of the book moves against the net position, by `skewTicks` at the position limit. The
 * side that would add to the position shrinks linearly and is empty at the limit.
 */
export const strategy = defineStrategy<InventorySkewParams>({
  name: 'inventory-skew',
  summary: 'A ladder that leans against the position in price and size, one-sided at the limit.',
  params: {
    halfSpreadTicks: wholeParam({
      doc: 'Distance of the best bid and the best ask from the leaned middle of the book.',
      unit: 'ticks',
      default: 2,
      min: 1,
      max: 400,
    }),
    levels: wholeParam({
      doc: 'Quotes on each side.',
      unit: 'quotes',
      default: 3,
      min: 1,
      max: QUOTES_MAX,
    }),
    levelSpacingTicks: wholeParam({
      doc: 'Distance from one level to the next.',
      unit: 'ticks',
      default: 1,
      min: 1,
      max: 100,
    }),
    size: numberParam({
      doc: 'Quantity of each quote without a position; below 1.00 USDC nothing is placed.',
      unit: 'shares',
      default: 50,
      min: 1,
      max: 1_000_000,
    }),
    skewTicks: numberParam({
      doc: 'How far the middle leans at the position limit; proportionally less before it.',
      unit: 'ticks',
      default: 3,
      min: 0,
      max: 400,
    }),
  },
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    const leaned = leanedMiddle(context, middle);
    const { halfSpreadTicks } = context.params;
    const bid = Math.floor(leaned / LEAN_STEPS_PER_TICK) - halfSpreadTicks;
    const ask = Math.ceil(leaned / LEAN_STEPS_PER_TICK) + halfSpreadTicks;
    return joined(leanedSide(context, middle, 'bid', bid), leanedSide(context, middle, 'ask', ask));
  },
});

/** In hundredths of a tick: below the middle when we are long YES, above when short. */
function leanedMiddle(context: Context, middle: Middle): number {
  const lean = LEAN_STEPS_PER_TICK * context.params.skewTicks * usedShare(context);
  // Rounding the magnitude, not the signed value, treats long and short alike.
  const steps = Math.sign(context.inventory.net) * Math.round(lean);
  return (middle.twiceTicks * LEAN_STEPS_PER_TICK) / 2 - steps;
}

function leanedSide(
  context: Context,
  middle: Middle,
  side: AxisSide,
  bestTicks: number,
): TargetQuotes {
  const { levels, levelSpacingTicks } = context.params;
  const quantity = leanedQuantity(context, side);
  if (quantity === 0) return noQuotes(atLimit(context, side));
  const spacingTicks = levelSpacingTicks;
  return sideQuotes(context, middle, { side, bestTicks, levels, spacingTicks, quantity });
}

function leanedQuantity(context: Context, side: AxisSide): MicroShares {
  const size = shares(context.params.size);
  if (!isAdding(context, side)) return size;
  const left = size * (1 - usedShare(context));
  return microShares(left === size ? size : Math.floor(left / QUANTITY_STEP) * QUANTITY_STEP);
}

/** Without a position both sides add; with a limit of zero neither may. */
function isAdding(context: Context, side: AxisSide): boolean {
  const { net } = context.inventory;
  return side === 'bid' ? net >= 0 : net <= 0;
}

/** How much of the position limit is used, 0 to 1. */
function usedShare(context: Context): number {
  const net = Math.abs(context.inventory.net);
  return net >= context.maxPosition ? 1 : net / context.maxPosition;
}

function atLimit(context: Context, side: AxisSide) {
  const net = formatShares(context.inventory.net);
  const limit = formatShares(context.maxPosition);
  return {
    side,
    code: 'position_limit',
    detail: `net position ${net} leaves no room under the limit of ${limit} shares`,
    clears: 'the position shrinks or the limit rises',
  };
}
