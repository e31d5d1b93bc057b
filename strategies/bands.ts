// Keeps an amount resting in each of three bands of distance, and moves nothing that is still in one.

import { MICRO_PER_SHARE, microShares, shares } from '../src/domain/shares.ts';
import { ticksWithin } from '../src/domain/ticks.ts';
import {
  type AxisSide,
  type Band,
  type BandOrder,
  bandPlacements,
  bandsFault,
  defineStrategy,
  excessOrders,
  joined,
  noQuotes,
  numberParam,
  type Quote,
  type QuoteContext,
  type QuoteReason,
  quantityMin,
  type TargetQuotes,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import {
  besideTouch,
  nearestTicks,
  purposeOf,
  QUANTITY_STEP,
  quantityLeast,
  roomOf,
} from './shared/quoting.ts';

/** Ticks of a margin that is not stated: so many of 0.01, or three times as many of 0.001. */
const USUAL = { coarse: 1, fine: 3 } as const;

const PLACES = ['near', 'middle', 'far'] as const;
type Place = (typeof PLACES)[number];

export type BandsParams = {
  readonly [Key in `${Place}Margin${'Min' | 'Avg' | 'Max'}`]: number;
} & { readonly [Key in `${Place}Amount${'Min' | 'Avg' | 'Max'}`]: number };

type Context = QuoteContext<BandsParams>;

/**
 * Around the tick nearest to the fair price, each band keeps from its least to its largest amount: an
 * order inside stays where it is, a band below its minimum is filled to its average at its average
 * margin, one above its maximum is cut. Sales of held shares come before purchases of the other token.
 *
 * Source: Polymarket/poly-market-maker, bands strategy, without its defects; prices are our own fair
 * value, the least order is the venue's, and cash is shared evenly by both sides.
 */
export const strategy = defineStrategy<BandsParams>({
  name: 'bands',
  summary: 'Amounts in bands of distance: cheap, stable, few writes.',
  params: {
    nearMarginMin: marginParam('Least distance of the near band from the fair price.', 1),
    nearMarginAvg: marginParam('Where the near band places.', 1),
    nearMarginMax: marginParam('Largest distance of the near band.', 2),
    nearAmountMin: amountParam('The near band is filled when it holds less.', 20),
    nearAmountAvg: amountParam('What the near band is filled to.', 30),
    nearAmountMax: amountParam('The near band is cut when it holds more; 0 switches it off.', 60),
    middleMarginMin: marginParam('Least distance of the middle band.', 2),
    middleMarginAvg: marginParam('Where the middle band places.', 2),
    middleMarginMax: marginParam('Largest distance of the middle band.', 3),
    middleAmountMin: amountParam('The middle band is filled when it holds less.', 20),
    middleAmountAvg: amountParam('What the middle band is filled to.', 40),
    middleAmountMax: amountParam('The middle band is cut when it holds more; 0 is off.', 80),
    farMarginMin: marginParam('Least distance of the far band.', 3),
    farMarginAvg: marginParam('Where the far band places.', 3),
    farMarginMax: marginParam('Largest distance of the far band.', 4),
    farAmountMin: amountParam('The far band is filled when it holds less.', 30),
    farAmountAvg: amountParam('What the far band is filled to.', 60),
    farAmountMax: amountParam('The far band is cut when it holds more; 0 is off.', 120),
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const bands = bandsOf(context);
    const fault = bandsFault(bands);
    if (bands.length === 0 || fault !== undefined) return noQuotes(unusable(fault));
    const target = nearestTicks(context, found.fair.price);
    return joined(
      banded(context, bands, { side: 'bid', targetTicks: target.bid }),
      banded(context, bands, { side: 'ask', targetTicks: target.ask }),
    );
  },
});

function marginParam(doc: string, usualTicks: number) {
  const fine = USUAL.fine * usualTicks;
  return numberParam({
    doc: `${doc} 0: ${usualTicks} ticks of 0.01, or ${fine} of 0.001.`,
    unit: 'USDC per share',
    default: 0,
    min: 0,
    max: 0.5,
  });
}

function amountParam(doc: string, usual: number) {
  return numberParam({ doc, unit: 'shares', default: usual, min: 0, max: 1_000_000 });
}

/** At least a tick from the target: both sides have the same one when it lies on a tick. */
function bandsOf({ params, grid }: Context): readonly Band[] {
  const usual = grid.ticksPerUnit > 100 ? USUAL.fine : USUAL.coarse;
  const inTicks = (margin: number, usualTicks: number) =>
    margin > 0 ? Math.max(1, Math.round(margin * grid.ticksPerUnit)) : usual * usualTicks;
  return PLACES.map((place, from) => ({
    marginTicksMin: inTicks(params[`${place}MarginMin`], from + 1),
    marginTicksAvg: inTicks(params[`${place}MarginAvg`], from + 1),
    marginTicksMax: inTicks(params[`${place}MarginMax`], from + 2),
    amountMin: shares(params[`${place}AmountMin`]),
    amountAvg: shares(params[`${place}AmountAvg`]),
    amountMax: shares(params[`${place}AmountMax`]),
  })).filter((band) => band.amountMax > 0);
}

type SideTarget = { readonly side: AxisSide; readonly targetTicks: number };

/** One side as bids for its token: asks are bids for NO, seen from the other end of the axis. */
function banded(context: Context, bands: readonly Band[], target: SideTarget): TargetQuotes {
  const { grid, inventory, capital } = context;
  const { side } = target;
  const fromEnd = (count: number) => (side === 'bid' ? count : grid.ticksPerUnit - count);
  const targetTicks = fromEnd(target.targetTicks);
  const own = ownOrders(context, side, fromEnd);
  const excess = new Set(excessOrders(bands, targetTicks, own));
  const kept = own.filter((order) => !excess.has(order));
  const other = side === 'bid' ? 'no' : 'yes';
  const free = Math.max(0, inventory.settled[other] - inventory.held[other]);
  const budget = {
    complement: microShares(free),
    cashMicroUsdc: Math.floor((capital.freeUsdc * MICRO_PER_SHARE) / 2),
  };
  const { placements } = bandPlacements(
    { grid, bands, targetTicks },
    { orders: kept, budget },
    (_, price) => quantityMin(grid, price, QUANTITY_STEP),
  );
  const wanted = [...kept, ...placements].map(({ price, amount }) => ({
    count: fromEnd(price),
    amount,
  }));
  return quotesOf(context, side, wanted);
}

/** What rests and would still rest: nothing that the book has come to meet. */
function ownOrders(
  context: Context,
  side: AxisSide,
  fromEnd: (count: number) => number,
): readonly BandOrder[] {
  return context.ownQuotes
    .filter((own) => own.side === side && besideTouch(context, side, own.price) === own.price)
    .flatMap(({ price, remaining }) => {
      const seen = ticksWithin(context.grid, fromEnd(price));
      return seen === undefined || remaining <= 0 ? [] : [{ price: seen, amount: remaining }];
    });
}

function quotesOf(
  context: Context,
  side: AxisSide,
  wanted: readonly { readonly count: number; readonly amount: number }[],
): TargetQuotes {
  const byPrice = new Map<number, number>();
  for (const { count, amount } of wanted) {
    const at = besideTouch(context, side, count);
    byPrice.set(at, (byPrice.get(at) ?? 0) + amount);
  }
  const nearFirst = [...byPrice].toSorted(([a], [b]) => (side === 'bid' ? b - a : a - b));
  const quotes: Quote[] = [];
  let used = 0;
  for (const [count, amount] of nearFirst) {
    const price = ticksWithin(context.grid, count);
    const quantity = microShares(Math.min(amount, Math.max(0, roomOf(context, side) - used)));
    if (price === undefined) continue;
    if (quantity < quantityLeast(context, side, price)) continue;
    used += quantity;
    quotes.push({ side, price, quantity, purpose: purposeOf(context, side, used) });
  }
  return quotes.length > 0 ? { quotes, reasons: [] } : noQuotes(nothing(side));
}

function unusable(fault: string | undefined): QuoteReason {
  return {
    side: 'both',
    code: 'bands_unusable',
    detail: fault === undefined ? 'every band is off' : `on this tick grid not true: ${fault}`,
    clears: 'margins or amounts are changed',
  };
}

function nothing(side: AxisSide): QuoteReason {
  return {
    side,
    code: 'bands_empty',
    detail: 'no band has a price in range and room for an order of 1.00 USDC',
    clears: 'the price, the position or the free cash changes',
  };
}
