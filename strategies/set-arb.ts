// Consistency of YES and NO: buys both where they cost less than one with every fee, sells sets where
// they bring more, and does neither while the fee is not known.

import { MICRO_PER_SHARE, type MicroShares, microShares } from '../src/domain/shares.ts';
import { type TickGrid, type Ticks, ticksWithin } from '../src/domain/ticks.ts';
import { meetsMinNotional } from '../src/domain/usdc.ts';
import {
  type AxisBook,
  defineStrategy,
  noQuotes,
  numberParam,
  type QuoteContext,
  type QuoteReason,
  rememberedNumber,
  type Take,
  type TargetQuotes,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { QUANTITY_STEP, quoted } from './shared/quoting.ts';

export type SetArbParams = {
  readonly minEdge: number;
  readonly maxSpend: number;
  readonly waitMs: number;
};

type Context = QuoteContext<SetArbParams>;

/** Levels of each leg that a trade may walk over: deeper ones have gone when it arrives. */
const LEVELS_MAX = 20;

/** The longest wait that may be set, and so the longest that may be remembered. */
const WAIT_MS_MAX = 3_600_000;

/**
 * Walks both books level by level while a set still pays: `1 - ask_yes - ask_no - fees > minEdge` to
 * buy both tokens, `bid_yes + bid_no - fees - 1 > minEdge` to sell settled sets, with a fee of
 * `r p(1-p)` a share on either leg. The size is that of the thinner leg, which goes first. What is
 * left when a leg fails is offered at the fair price as a reduction, never chased.
 *
 * Baskets over the legs of a larger event are left alone: no merge across legs is documented, so that
 * the capital would be bound until resolution.
 */
export const strategy = defineStrategy<SetArbParams>({
  name: 'set-arb',
  summary: 'Takes both tokens where together they are cheaper than one, or dearer.',
  takes: true,
  params: {
    minEdge: numberParam({
      doc: 'Least gain of a set after all fees.',
      unit: 'USDC per set',
      default: 0.01,
      min: 0.000_1,
      max: 0.5,
    }),
    maxSpend: numberParam({
      doc: 'Largest cost of one trade, both legs together.',
      unit: 'USDC',
      default: 50,
      min: 2,
      max: 1_000_000,
    }),
    waitMs: numberParam({
      doc: 'After a trade nothing is taken for so long: the books must have shown it.',
      unit: 'ms',
      default: 5_000,
      min: 500,
      max: WAIT_MS_MAX,
    }),
  },
  quote(context) {
    const { takerRate } = context.fees;
    if (takerRate === undefined) return leftovers(context, feeUnknown());
    const sets = bestSets(context, takerRate);
    if (sets === undefined) return leftovers(context, consistent());
    if (isToWait(context)) return leftovers(context, waiting());
    // An own order in the way would be taken by ourselves: it goes first, the trade waits for it.
    if (context.ownQuotes.length > 0) return noQuotes(clearing());
    const memory = { untilMs: context.nowMs + context.params.waitMs };
    return { ...noQuotes(taking(sets)), takes: sets.takes, memory };
  },
});

/** A wait beyond the longest there is was not remembered by this clock, and would never end. */
function isToWait({ memory, nowMs }: Context): boolean {
  const leftMs = rememberedNumber(memory, 'untilMs', 0) - nowMs;
  return leftMs > 0 && leftMs <= WAIT_MS_MAX;
}

type Rung = { readonly price: number; readonly size: number };
type Sets = {
  readonly quantity: MicroShares;
  readonly edge: number;
  readonly takes: readonly Take[];
};

function bestSets(context: Context, takerRate: number): Sets | undefined {
  return setsOf(context, takerRate, 'BUY') ?? setsOf(context, takerRate, 'SELL');
}

function setsOf(context: Context, takerRate: number, side: Take['side']): Sets | undefined {
  const { grid } = context;
  const legs = legsOf(context, side);
  const walk = walked(context, legs, { takerRate, side });
  const quantity = microShares(Math.floor(walk.sets / QUANTITY_STEP) * QUANTITY_STEP);
  const yes = ticksWithin(grid, walk.yesPrice);
  const no = ticksWithin(grid, walk.noPrice);
  if (quantity <= 0 || yes === undefined || no === undefined) return undefined;
  if (!meetsMinNotional(grid, yes, quantity)) return undefined;
  if (!meetsMinNotional(grid, no, quantity)) return undefined;
  const takes: readonly Take[] = [
    { leg: 'yes', side, price: yes, quantity },
    { leg: 'no', side, price: no, quantity },
  ];
  const isYesThinner = sizeWithin(legs.yes, yes, side) <= sizeWithin(legs.no, no, side);
  return { quantity, edge: walk.edge, takes: isYesThinner ? takes : takes.toReversed() };
}

type Legs = { readonly yes: readonly Rung[]; readonly no: readonly Rung[] };

/** Levels that a taker of each leg meets, each on its own price axis. */
function legsOf({ tokenBooks, grid }: Context, side: Take['side']): Legs {
  const n = grid.ticksPerUnit;
  const mirror = (rungs: readonly Rung[]) =>
    rungs.map(({ price, size }) => ({ price: n - price, size }));
  return side === 'BUY'
    ? { yes: asksOf(tokenBooks.yes), no: mirror(bidsOf(tokenBooks.no)) }
    : { yes: bidsOf(tokenBooks.yes), no: mirror(asksOf(tokenBooks.no)) };
}

function asksOf(book: AxisBook): readonly Rung[] {
  return rungs(book.bestAsk(), {
    sizeAt: (at) => book.askSizeAt(at),
    next: (at) => book.nextAsk(at),
  });
}

function bidsOf(book: AxisBook): readonly Rung[] {
  return rungs(book.bestBid(), {
    sizeAt: (at) => book.bidSizeAt(at),
    next: (at) => book.nextBid(at),
  });
}

function rungs(
  best: Ticks | undefined,
  side: {
    readonly sizeAt: (price: Ticks) => MicroShares;
    readonly next: (price: Ticks) => Ticks | undefined;
  },
): readonly Rung[] {
  const found: Rung[] = [];
  let price = best;
  while (price !== undefined && found.length < LEVELS_MAX) {
    found.push({ price, size: side.sizeAt(price) });
    price = side.next(price);
  }
  return found;
}

type Walk = {
  readonly sets: number;
  /** Worst prices paid, zero before the first set. */
  readonly yesPrice: number;
  readonly noPrice: number;
  /** In USDC, over all sets. */
  readonly edge: number;
};

/** Takes from both legs at once, as long as a set pays and cash, sets and limits allow. */
function walked(
  context: Context,
  legs: Legs,
  by: { readonly takerRate: number; readonly side: Take['side'] },
): Walk {
  let walk: Walk = { sets: 0, yesPrice: 0, noPrice: 0, edge: 0 };
  let room = roomOf(context, by.side);
  let left = legs;
  // Each round empties a level of one of two legs, or ends.
  for (let round = 0; round < 2 * LEVELS_MAX; round += 1) {
    const [yes] = left.yes;
    const [no] = left.no;
    if (yes === undefined || no === undefined) return walk;
    const set = setOf(context.grid, { yes: yes.price, no: no.price }, by);
    const affordable = Math.floor((room.cash / set.cost) * MICRO_PER_SHARE);
    const count = Math.min(yes.size, no.size, room.sets, affordable);
    if (set.edge < context.params.minEdge || !(count > 0)) return walk;
    const shares = count / MICRO_PER_SHARE;
    const edge = walk.edge + shares * set.edge;
    walk = { sets: walk.sets + count, yesPrice: yes.price, noPrice: no.price, edge };
    room = { sets: room.sets - count, cash: room.cash - shares * set.cost };
    left = { yes: without(left.yes, count), no: without(left.no, count) };
  }
  return walk;
}

function without(leg: readonly Rung[], count: number): readonly Rung[] {
  const [first, ...rest] = leg;
  if (first === undefined || first.size <= count) return rest;
  return [{ ...first, size: first.size - count }, ...rest];
}

/** One set: what it costs in cash, and what it gains after the fees of both legs. */
function setOf(
  { ticksPerUnit }: TickGrid,
  at: { readonly yes: number; readonly no: number },
  by: { readonly takerRate: number; readonly side: Take['side'] },
): { readonly cost: number; readonly edge: number } {
  const [yes, no] = [at.yes / ticksPerUnit, at.no / ticksPerUnit];
  const fees = by.takerRate * (yes * (1 - yes) + no * (1 - no));
  const sum = (at.yes + at.no) / ticksPerUnit;
  return by.side === 'BUY'
    ? { cost: sum + fees, edge: 1 - sum - fees }
    : { cost: fees, edge: sum - fees - 1 };
}

/** Bought tokens must fit under the limit of each; only settled, free sets may be sold. */
function roomOf(
  { inventory, capital, maxPosition, params }: Context,
  side: Take['side'],
): { readonly sets: number; readonly cash: number } {
  if (side === 'SELL') return { sets: inventory.sets, cash: Number.POSITIVE_INFINITY };
  const held = Math.max(inventory.yes, inventory.no);
  const cash = Math.min(params.maxSpend, capital.freeUsdc);
  return { sets: Math.max(0, maxPosition - held), cash: Math.max(0, cash) };
}

function sizeWithin(leg: readonly Rung[], price: number, side: Take['side']): number {
  return leg
    .filter((rung) => (side === 'BUY' ? rung.price <= price : rung.price >= price))
    .reduce((total, { size }) => total + size, 0);
}

/** A position without its other half is offered at the fair price, and only to be rid of it. */
function leftovers(context: Context, reason: QuoteReason): TargetQuotes {
  const { net } = context.inventory;
  const found = fairOf(context);
  if (net === 0 || found.kind === 'absent') return noQuotes(reason);
  const layer = { price: found.fair.price, shares: Math.abs(net) / MICRO_PER_SHARE };
  const layers = net > 0 ? { bids: [], asks: [layer] } : { bids: [layer], asks: [] };
  const { quotes } = quoted(context, found.fair.price, layers);
  return { quotes: quotes.filter((quote) => quote.purpose === 'reduce'), reasons: [reason] };
}

function feeUnknown(): QuoteReason {
  return {
    side: 'both',
    code: 'fee_unknown',
    detail: 'the taker fee of this market is not known, so that no set can be said to pay',
    clears: 'the operator states the fee',
  };
}

function consistent(): QuoteReason {
  return {
    side: 'both',
    code: 'consistent',
    detail: 'YES and NO together leave nothing after fees',
    clears: 'the books of YES and NO drift apart',
  };
}

function waiting(): QuoteReason {
  return {
    side: 'both',
    code: 'taken_lately',
    detail: 'a trade was just sent, and the books may not show it yet',
    clears: 'the waiting time is over',
  };
}

function clearing(): QuoteReason {
  return {
    side: 'both',
    code: 'own_orders_first',
    detail: 'a set pays, but an own order rests in the way',
    clears: 'the own order is cancelled',
  };
}

function taking({ quantity, edge }: Sets): QuoteReason {
  return {
    side: 'both',
    code: 'taking',
    detail: `${quantity / MICRO_PER_SHARE} sets gain ${edge.toFixed(5)} USDC after fees`,
    clears: 'the trade is done',
  };
}
