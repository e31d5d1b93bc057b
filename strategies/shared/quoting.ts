// From wanted prices to quotes: rounded away from the fair price, beside the touch, sized so that the
// venue takes them and the position limit holds, and explained where a side stays empty.

import {
  clampShares,
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  shares,
} from '../../src/domain/shares.ts';
import { complement, type Ticks, ticksWithin } from '../../src/domain/ticks.ts';
import {
  type AxisSide,
  joined,
  noQuotes,
  QUOTES_MAX,
  type Quote,
  type QuoteContext,
  type QuotePurpose,
  type QuoteReason,
  quantityMin,
  quotedQuantity,
  quoteTicks,
  type TargetQuotes,
  ticksAtOrAbove,
  ticksAtOrBelow,
} from '../../src/strategy/index.ts';

/** Quantities are in hundredths of a share, which every venue's decimals can state. */
export const QUANTITY_STEP: MicroShares = shares(0.01);
/** Models differ by rounding when YES and NO change names: what is nearer than this is the same. */
const SHARE_DIGITS = 1_000_000;

/** One level that a model wants for, best first. */
export type Layer = {
  readonly price: number;
  readonly shares: number;
  /** The price nearest to the other side at which an order may stay for it. */
  readonly worstPrice?: number;
};

export type Layers = { readonly bids: readonly Layer[]; readonly asks: readonly Layer[] };

type Placed = {
  readonly quotes: readonly Quote[];
  /** Micro-shares of the quotes so far. */
  readonly used: number;
  readonly lack: QuoteReason | undefined;
};

/**
 * Both sides as quotes. What brings the position nearer to zero may lie at the fair price and through
 * it; what adds lies strictly beyond it. Levels that round to the same tick are quoted once.
 *
 * @param fairPrice - Strictly between 0 and 1.
 */
export function quoted(
  context: QuoteContext<unknown>,
  fairPrice: number,
  layers: Layers,
): TargetQuotes {
  return joined(
    sideOf(context, fairPrice, { side: 'bid', layers: layers.bids }),
    sideOf(context, fairPrice, { side: 'ask', layers: layers.asks }),
  );
}

/** Equal levels from a best price outwards. */
export function evenLayers(
  best: { readonly bid: number; readonly ask: number },
  plan: { readonly levels: number; readonly stepPrice: number; readonly shares: number },
): Layers {
  const at = (price: number): Layer => ({ price, shares: plan.shares });
  const steps = Array.from({ length: plan.levels }, (_, index) => index * plan.stepPrice);
  return {
    bids: steps.map((step) => at(best.bid - step)),
    asks: steps.map((step) => at(best.ask + step)),
  };
}

/** A tick inside the book's own limits: a bid below the best ask, an ask above the best bid. */
export function besideTouch(context: QuoteContext<unknown>, side: AxisSide, count: number): number {
  const { book } = context;
  if (side === 'bid') return Math.min(count, (book.bestAsk() ?? Number.POSITIVE_INFINITY) - 1);
  return Math.max(count, (book.bestBid() ?? Number.NEGATIVE_INFINITY) + 1);
}

/**
 * The smallest quantity of a quote: what makes 1.00 USDC of its purchase, of YES for a bid and of NO for
 * an ask, which carries it wherever a sale of held shares would be too small.
 */
export function quantityLeast(
  { grid }: QuoteContext<unknown>,
  side: AxisSide,
  price: Ticks,
): MicroShares {
  return quantityMin(grid, side === 'bid' ? price : complement(grid, price), QUANTITY_STEP);
}

/** Shares that quotes of a side may have in all before the position limit; of more than can be counted, the most that can. */
export function roomOf(context: QuoteContext<unknown>, side: AxisSide): MicroShares {
  const { net } = context.inventory;
  return clampShares(Math.max(0, context.maxPosition - (side === 'bid' ? net : -net)));
}

/** Whether a quantity on a side, beside what is quoted there already, only brings the net to zero. */
export function purposeOf(
  context: QuoteContext<unknown>,
  side: AxisSide,
  quantity: number,
): QuotePurpose {
  const { net } = context.inventory;
  return quantity <= (side === 'bid' ? -net : net) ? 'reduce' : 'add';
}

/** The side's part of the position limit that is used, -1 to 1 and positive when long. */
export function usedPart(context: QuoteContext<unknown>): number {
  const { net } = context.inventory;
  const limit = context.maxPosition;
  if (net === 0) return 0;
  return Math.abs(net) >= limit ? Math.sign(net) : net / limit;
}

function sideOf(
  context: QuoteContext<unknown>,
  fairPrice: number,
  plan: { readonly side: AxisSide; readonly layers: readonly Layer[] },
): TargetQuotes {
  const { side } = plan;
  let placed: Placed = { quotes: [], used: 0, lack: undefined };
  for (const layer of plan.layers.slice(0, QUOTES_MAX)) {
    placed = withLayer(context, placed, { side, layer, fairPrice });
  }
  if (placed.quotes.length > 0) return { quotes: placed.quotes, reasons: [] };
  return noQuotes(placed.lack ?? nothingWanted(side));
}

type Step = { readonly side: AxisSide; readonly layer: Layer; readonly fairPrice: number };

function withLayer(context: QuoteContext<unknown>, before: Placed, step: Step): Placed {
  const { side, layer } = step;
  const wanted = Math.round(layer.shares * SHARE_DIGITS) / SHARE_DIGITS;
  if (!(wanted > 0)) return before;
  const first = purposeOf(context, side, before.used + wanted * MICRO_PER_SHARE);
  const tried = sized(context, before, { ...step, purpose: first, wanted });
  if (tried.kind === 'lack') return { ...before, lack: before.lack ?? tried.reason };
  // Raised to the minimum, a quantity may turn the position over: then it adds, and is priced so.
  const purpose = purposeOf(context, side, before.used + tried.quantity);
  const final =
    purpose === first ? tried : sized(context, before, { ...step, purpose: 'add', wanted });
  if (final.kind === 'lack') return { ...before, lack: before.lack ?? final.reason };
  const { price, quantity } = final;
  if (before.quotes.some((quote) => quote.price === price)) return before;
  const isFinalAdd = purpose === first ? purpose : 'add';
  const worst = worstOf(context, step, { price, purpose: isFinalAdd });
  const quote: Quote = { side, price, quantity, purpose: isFinalAdd, ...worst };
  return { ...before, quotes: [...before.quotes, quote], used: before.used + quantity };
}

type Sized =
  | { readonly kind: 'sized'; readonly price: Ticks; readonly quantity: MicroShares }
  | { readonly kind: 'lack'; readonly reason: QuoteReason };

function sized(
  context: QuoteContext<unknown>,
  before: Placed,
  step: Step & { readonly purpose: QuotePurpose; readonly wanted: number },
): Sized {
  const { side, layer, fairPrice, purpose } = step;
  const price = priceOf(context, { side, price: layer.price, fairPrice, purpose });
  if (price === undefined) return { kind: 'lack', reason: outOfRange(side, layer.price) };
  const room = microShares(Math.max(0, roomOf(context, side) - before.used));
  const min = quantityLeast(context, side, price);
  const targetQuotes = { shares: step.wanted, min, room, step: QUANTITY_STEP };
  const quantity = quotedQuantity(targetQuotes);
  if (quantity === undefined) return { kind: 'lack', reason: noRoom(side) };
  return { kind: 'sized', price, quantity };
}

function priceOf(
  context: QuoteContext<unknown>,
  wanted: {
    readonly side: AxisSide;
    readonly price: number;
    readonly fairPrice: number;
    readonly purpose: QuotePurpose;
  },
): Ticks | undefined {
  // A position that must go may be worth less than nothing to the model: any price will then do.
  const tick = 1 / context.grid.ticksPerUnit;
  const price =
    wanted.side === 'bid' ? Math.min(wanted.price, 1 - tick) : Math.max(wanted.price, tick);
  const count = quoteTicks(context.grid, { ...wanted, price });
  if (count === undefined) return undefined;
  return ticksWithin(context.grid, besideTouch(context, wanted.side, count));
}

function worstOf(
  context: QuoteContext<unknown>,
  step: Step,
  quote: { readonly price: Ticks; readonly purpose: QuotePurpose },
): { readonly worst?: Ticks } {
  const { worstPrice } = step.layer;
  if (worstPrice === undefined) return {};
  const { side, fairPrice } = step;
  const worst = priceOf(context, { side, price: worstPrice, fairPrice, purpose: quote.purpose });
  if (worst === undefined) return {};
  const isNearer = side === 'bid' ? worst > quote.price : worst < quote.price;
  return isNearer ? { worst } : {};
}

function outOfRange(side: AxisSide, price: number): QuoteReason {
  return {
    side,
    code: 'out_of_range',
    detail: `the ${side} would lie at ${price.toFixed(4)}, where the venue takes no price`,
    clears: 'the fair price moves away from the end of the range, or the distance shrinks',
  };
}

function noRoom(side: AxisSide): QuoteReason {
  return {
    side,
    code: 'position_limit',
    detail: 'the position leaves no room for an order of 1.00 USDC under its limit',
    clears: 'the position shrinks or the limit rises',
  };
}

function nothingWanted(side: AxisSide): QuoteReason {
  return {
    side,
    code: 'no_target',
    detail: `the model wants no ${side} at this position and price`,
    clears: 'the price or the position changes',
  };
}

/** Whole ticks nearest to a price, seen from each side: half a tick goes down for bids, up for asks. */
export function nearestTicks(
  context: QuoteContext<unknown>,
  price: number,
): { readonly bid: number; readonly ask: number } {
  const { grid } = context;
  const half = 0.5 / grid.ticksPerUnit;
  return { bid: ticksAtOrAbove(grid, price - half), ask: ticksAtOrBelow(grid, price + half) };
}
