// Sets itself to its market: inventory priced by a scoring rule whose depth follows size, price and tick, and answered
// by where on its side the shares rest, an edge that follows the others' spread and what takers have turned out to know,
// and a place that follows what the queue gives.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import { ticksWithin } from '../src/domain/ticks.ts';
import {
  caraAsk,
  caraBid,
  defineStrategy,
  type FairValue,
  flagParam,
  noQuotes,
  numberParam,
  type QuoteContext,
  ticksAtOrAbove,
  ticksAtOrBelow,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { levelsParam, sizeParam } from './shared/params.ts';
import { placeOf } from './shared/place.ts';
import { type Layer, quantityLeast, quoted } from './shared/quoting.ts';

export type AutoParams = {
  readonly size: number;
  readonly levels: number;
  readonly leanPart: number;
  readonly sizeLean: number;
  readonly edgeTicksMin: number;
  readonly spreadPart: number;
  readonly flowWeight: number;
  readonly sweptCents: number;
  readonly improves: boolean;
};

type Context = QuoteContext<AutoParams>;

/** Near the ends a price hardly moves by odds: the rule is no deeper than at a price of 0.05. */
const SLOPE_MIN = 0.05 * 0.95;

/** What adds keeps this part of a quote at its best level, whatever the position: who is not there earns nothing. */
const KEPT_PART = 0.3;
/** A position of one quote moves this part of it away from the best level of what adds, and all of it to that of what reduces. */
const ADDS_PART = 0.35;

/**
 * With `t` the tick, `p` the fair price and the edge `e = max(edgeTicksMin t, spreadPart (ask-bid)/2,
 * flowWeight lead p(1-p))`, where `lead` is how far books moved in log-odds in the ten seconds after a taker, the
 * rule has the depth `b = p(1-p) size / (leanPart e)`, so that a filled quote moves both sides by about
 * `leanPart e`: level i bids the average price of going from `q + (i-1) size` to `q + i size`, less `e`, and not above
 * the others' best bid. Only where its queue gives little does the best level improve on them, by a tick: with `d` from
 * the price under the rule to their best bid, less what books move after a taker, and `w` the part of what takers trade
 * at our prices beside the others that is ours, a place there is worth `w d` and one before them `d - t`. Asks mirror it.
 *
 * A side that has traded more than `max(1, 2.5 w)` quotes within some seconds was swept, and who sweeps knows more than
 * the books show: it stands back `sweptCents` for each quote beyond those, of which half is forgotten after five seconds.
 *
 * A side rests `levels size` shares whatever the position. With one of `h` quotes, the best level of the side that reduces has
 * `1 + min(1, sizeLean h)` of them and the last one as many fewer, and the side that adds a part of that the other way round.
 */
export const strategy = defineStrategy<AutoParams>({
  name: 'auto',
  summary:
    'Sets depth, edge and place by size, tick, spread, queue and the flow of takers; the default.',
  params: {
    size: sizeParam,
    levels: levelsParam,
    leanPart: numberParam({
      doc: 'Part of its own distance by which one filled quote moves both sides against itself.',
      unit: 'part',
      default: 0.15,
      min: 0.01,
      max: 20,
    }),
    sizeLean: numberParam({
      doc: 'Part of the net position by which the best level of the side that reduces grows, at the cost of its last.',
      unit: 'part',
      default: 1,
      min: 0,
      max: 2,
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
      default: 0.45,
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
    sweptCents: numberParam({
      doc: 'Cents that a swept side stands back for each quote that it traded in the last seconds beyond what is usual.',
      unit: 'cents',
      default: 10,
      min: 0,
      max: 100,
    }),
    improves: flagParam({
      doc: "Improve on the others' best price by a tick where that earns more than a place in their queue.",
      default: true,
    }),
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const { fair } = found;
    const { part: ours, late, least, ...remembered } = placeOf(context, context.params.size);
    const part = context.params.improves ? ours : 1;
    return {
      ...quoted(context, fair.price, {
        bids: layersOf(context, { fair, part, late: late.bid, least: least.bid, side: 'bid' }),
        asks: layersOf(context, { fair, part, late: late.ask, least: least.ask, side: 'ask' }),
      }),
      ...remembered,
    };
  },
});

type SideOf = {
  readonly fair: FairValue;
  readonly part: number;
  /** Shares that the side has traded of late. */
  readonly late: number;
  /** Of the least quote that the side had then. */
  readonly least: number;
  readonly side: 'bid' | 'ask';
};

function layersOf(context: Context, { fair, part, late, least, side }: SideOf): readonly Layer[] {
  const { levels, size, leanPart, sweptCents } = context.params;
  const held = context.inventory.net / MICRO_PER_SHARE;
  const edge = edgeOf(context, fair);
  // Without any edge the rule still leans, by its part of a tick.
  const lean = leanPart * (edge > 0 ? edge : 1 / context.grid.ticksPerUnit);
  const riskScaleShares = (slopeOf(fair) * size) / lean;
  // On the rule's price itself, before any edge.
  const pricedAt = (level: number) => {
    const away = side === 'bid' ? held + level * size : held - level * size;
    const holding = { probability: fair.price, riskScaleShares, inventoryShares: away };
    return side === 'bid' ? caraBid(holding, size) : caraAsk(holding, size);
  };
  const isImproving = isBetterBefore(context, { fair, side, part, price: pricedAt(0) });
  const best = bestOf(context, side, isImproving);
  const placedAt = (level: number, away: number) => {
    const kept = (isImproving && level === 0 ? 0 : edge) + away;
    const price = pricedAt(level) + (side === 'bid' ? -kept : kept);
    return behind(context, { side, best, price, level });
  };
  // The book may have moved since: the same shares make fewer quotes at the price of then, or of now.
  const quotes = late / Math.max(least, quoteShares(context, side, placedAt(0, 0)));
  const away = (Math.max(0, quotes - sweptFrom(part)) * sweptCents) / 100;
  return Array.from({ length: levels }, (_, level) => ({
    price: placedAt(level, away),
    shares: sharesAt(context, side === 'bid' ? held : -held, level),
  }));
}

/** Shares of one quote as it rests at a price: near an end it is raised to what makes 1.00 USDC. */
function quoteShares(context: Context, side: 'bid' | 'ask', price: number): number {
  const { grid, params } = context;
  const count = side === 'bid' ? ticksAtOrBelow(grid, price) : ticksAtOrAbove(grid, price);
  const at = ticksWithin(grid, count);
  if (at === undefined) return params.size;
  return Math.max(params.size, quantityLeast(context, side, at) / MICRO_PER_SHARE);
}

/**
 * Shares of a level, of which the best is 0.
 *
 * @param held - The net position that the side adds to, in shares; negative where it reduces.
 */
function sharesAt({ params, limits }: Context, held: number, level: number): number {
  const { size, levels, sizeLean } = params;
  if (levels === 1) return size;
  const quotes = (sizeLean * held) / size;
  const moved = Math.max(KEPT_PART - 1, quotes > 0 ? -ADDS_PART * quotes : Math.min(1, -quotes));
  // The best level has all of what is moved more, the last one all of it less.
  const wanted = size * (1 + moved * (1 - (2 * level) / (levels - 1)));
  // A share costs less than 1 USDC. What the size itself passes is not for this rule to mend.
  const { maxOrderNotionalUsdc, maxOrderShares = maxOrderNotionalUsdc } = limits;
  return Math.min(wanted, Math.max(size, Math.min(maxOrderNotionalUsdc, maxOrderShares)));
}

/** Whether a place before the others is worth more than one behind them: `d - t` more than `part d`. */
function isBetterBefore(
  context: Context,
  { fair, side, part, price }: Omit<SideOf, 'late' | 'least'> & { readonly price: number },
): boolean {
  const { book, grid } = context;
  const bid = book.bestBid();
  const ask = book.bestAsk();
  if (bid === undefined || ask === undefined || ask - bid < 2) return false;
  const priceTicks = price * grid.ticksPerUnit;
  const leadTicks = leadOf(context, fair) * grid.ticksPerUnit;
  const distanceTicks = (side === 'bid' ? priceTicks - bid : ask - priceTicks) - leadTicks;
  return distanceTicks - 1 >= part * distanceTicks;
}

/** The price nearest to the other side for the best level, in ticks: the touch of others, or a tick before it. */
function bestOf({ book }: Context, side: 'bid' | 'ask', isImproving: boolean): number | undefined {
  const touch = side === 'bid' ? book.bestBid() : book.bestAsk();
  if (touch === undefined || !isImproving) return touch;
  return side === 'bid' ? touch + 1 : touch - 1;
}

/** The best level there or behind it, each further one a tick more. */
function behind(
  { grid }: Context,
  of: {
    readonly side: 'bid' | 'ask';
    readonly best: number | undefined;
    readonly price: number;
    readonly level: number;
  },
): number {
  const { side, best, price, level } = of;
  if (best === undefined) return price;
  if (side === 'bid') return Math.min(price, (best - level) / grid.ticksPerUnit);
  return Math.max(price, (best + level) / grid.ticksPerUnit);
}

function edgeOf(context: Context, fair: FairValue): number {
  const { params, book, grid } = context;
  const { edgeTicksMin, spreadPart } = params;
  const bid = book.bestBid();
  const ask = book.bestAsk();
  const isTwoSided = bid !== undefined && ask !== undefined && bid < ask;
  const halfSpreadTicks = isTwoSided ? (ask - bid) / 2 : 0;
  const ticks = Math.max(edgeTicksMin, spreadPart * halfSpreadTicks);
  return Math.max(ticks / grid.ticksPerUnit, leadOf(context, fair));
}

/** What the distance covers of what books move after a taker. */
function leadOf({ params }: Context, fair: FairValue): number {
  return params.flowWeight * (fair.takerLead ?? 0) * slopeOf(fair);
}

function slopeOf({ price }: FairValue): number {
  return Math.max(SLOPE_MIN, price * (1 - price));
}

/** Quotes from which on a side was swept: who is before all others there trades several with those who know nothing. */
function sweptFrom(part: number): number {
  return Math.max(1, 2.5 * part);
}
