// Sets itself to its market: inventory priced by a scoring rule whose depth follows size, price and tick, and
// an edge that follows the others' spread and what takers have turned out to know.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import {
  caraAsk,
  caraBid,
  defineStrategy,
  type FairValue,
  noQuotes,
  numberParam,
  type QuoteContext,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { levelsParam, sizeParam } from './shared/params.ts';
import { type Layer, quoted } from './shared/quoting.ts';

export type AutoParams = {
  readonly size: number;
  readonly levels: number;
  readonly leanPart: number;
  readonly edgeTicksMin: number;
  readonly spreadPart: number;
  readonly flowWeight: number;
};

type Context = QuoteContext<AutoParams>;

/** Near the ends a price hardly moves by odds: the rule is no deeper than at a price of 0.05. */
const SLOPE_MIN = 0.05 * 0.95;

/**
 * With `t` the tick, `p` the fair price and the edge `e = max(edgeTicksMin t, spreadPart (ask-bid)/2,
 * flowWeight lead p(1-p))`, where `lead` is how far books moved in log-odds in the ten seconds after a taker, the
 * rule has the depth `b = p(1-p) size / (leanPart e)`, so that a filled quote moves both sides by about
 * `leanPart e`: level i bids the average price of going from `q + (i-1) size` to `q + i size`, less `e`, and never
 * above the others' best bid: to improve on it gives a tick away for a place that its queue often has anyway. Asks
 * mirror it.
 */
export const strategy = defineStrategy<AutoParams>({
  name: 'auto',
  summary: 'Sets depth and edge by size, tick, spread and the flow of takers; the default.',
  params: {
    size: sizeParam,
    levels: levelsParam,
    leanPart: numberParam({
      doc: 'Part of its own distance by which one filled quote moves both sides against itself.',
      unit: 'part',
      default: 0.25,
      min: 0.01,
      max: 20,
    }),
    edgeTicksMin: numberParam({
      doc: 'Least distance of a quote from its price under the rule.',
      unit: 'ticks',
      default: 0.5,
      min: 0,
      max: 400,
    }),
    spreadPart: numberParam({
      doc: "Part of the others' half spread that is kept as distance where that is more.",
      unit: 'part',
      default: 0.6,
      min: 0,
      max: 5,
    }),
    flowWeight: numberParam({
      doc: 'Times that the distance covers what books move after a taker.',
      unit: 'times',
      default: 2,
      min: 0,
      max: 10,
    }),
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const { fair } = found;
    return quoted(context, fair.price, {
      bids: layersOf(context, fair, 'bid'),
      asks: layersOf(context, fair, 'ask'),
    });
  },
});

function layersOf(context: Context, fair: FairValue, side: 'bid' | 'ask'): readonly Layer[] {
  const { levels, size, leanPart } = context.params;
  const held = context.inventory.net / MICRO_PER_SHARE;
  const edge = edgeOf(context, fair);
  // Without any edge the rule still leans, by its part of a tick.
  const lean = leanPart * (edge > 0 ? edge : 1 / context.grid.ticksPerUnit);
  const riskScaleShares = (slopeOf(fair) * size) / lean;
  return Array.from({ length: levels }, (_, level) => {
    const holding = (inventoryShares: number) => ({
      ...{ probability: fair.price, riskScaleShares, inventoryShares },
    });
    const price =
      side === 'bid'
        ? caraBid(holding(held + level * size), size) - edge
        : caraAsk(holding(held - level * size), size) + edge;
    return { price: behindTouch(context, side, { price, level }), shares: size };
  });
}

/** The best level at the touch of others or behind it, each further one a tick more. */
function behindTouch(
  { book, grid }: Context,
  side: 'bid' | 'ask',
  { price, level }: { readonly price: number; readonly level: number },
): number {
  const touch = side === 'bid' ? book.bestBid() : book.bestAsk();
  if (touch === undefined) return price;
  if (side === 'bid') return Math.min(price, (touch - level) / grid.ticksPerUnit);
  return Math.max(price, (touch + level) / grid.ticksPerUnit);
}

function edgeOf({ params, book, grid }: Context, fair: FairValue): number {
  const { edgeTicksMin, spreadPart, flowWeight } = params;
  const bid = book.bestBid();
  const ask = book.bestAsk();
  const isTwoSided = bid !== undefined && ask !== undefined && bid < ask;
  const halfSpreadTicks = isTwoSided ? (ask - bid) / 2 : 0;
  const ticks = Math.max(edgeTicksMin, spreadPart * halfSpreadTicks);
  return Math.max(ticks / grid.ticksPerUnit, flowWeight * (fair.takerLead ?? 0) * slopeOf(fair));
}

function slopeOf({ price }: FairValue): number {
  return Math.max(SLOPE_MIN, price * (1 - price));
}
