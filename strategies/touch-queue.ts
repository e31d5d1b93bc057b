// For books whose spread is one tick: the price is given, the place in the queue is everything.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import { unixMs } from '../src/domain/time.ts';
import {
  type AxisSide,
  asMemory,
  clamped,
  type DecayedRate,
  defineStrategy,
  type Json,
  joined,
  type Middle,
  middleOf,
  newRate,
  noQuotes,
  numberParam,
  type QueueRates,
  type QuoteContext,
  type QuoteReason,
  queueValuePrice,
  ratePerSec,
  rememberedNumber,
  rememberedNumbers,
  type TargetQuotes,
  withRateCount,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { sizeParam } from './shared/params.ts';
import { quoted, usedPart } from './shared/quoting.ts';

export type TouchQueueParams = {
  readonly size: number;
  readonly lotShares: number;
  readonly tradesPerMinute: number;
  readonly movesPerMinute: number;
  readonly cancelsPerLotMinute: number;
  readonly sweptLossTicks: number;
  readonly stepBackAt: number;
  readonly pullAt: number;
};

type Context = QuoteContext<TouchQueueParams>;

/** Moves and trades of half an hour ago weigh half. */
const HALF_LIFE_SEC = 1_800;
/** Until so many have been seen the stated rate counts: one event is no rate. */
const EVENTS_MIN = 5;
/** Positions whose moves of a touch are counted: the bid's down and up, the ask's down and up. */
const MOVES = ['bidDown', 'bidUp', 'askDown', 'askUp'] as const;
type Move = (typeof MOVES)[number];
type Counted = Readonly<Record<Move, DecayedRate>>;

/**
 * Joins both touches while a place there is worth something, `V(a) = e F(a) - c (th_dn/th)(1 - F(a))
 * > 0` with `a` the lots ahead, and stands a tick behind otherwise. The price follows the touch, not a
 * fair value inside it; a touch beyond the fair value is not joined. Inventory acts on the sides: the
 * adding one steps back a tick, then leaves.
 */
export const strategy = defineStrategy<TouchQueueParams>({
  name: 'touch-queue',
  summary: 'Joins the touch while the place in the queue is worth it; for one-tick books.',
  params: {
    size: sizeParam,
    lotShares: numberParam({
      doc: 'Shares of a usual trade: what a queue is counted in until trades have shown another.',
      unit: 'shares',
      default: 30,
      min: 0.1,
      max: 1_000_000,
    }),
    tradesPerMinute: numberParam({
      doc: 'Lots that trades take from a side, until trades have shown another rate.',
      unit: 'per minute',
      default: 5,
      min: 0,
      max: 100_000,
    }),
    movesPerMinute: numberParam({
      doc: 'Moves of a touch in either direction, until it has moved often enough to tell.',
      unit: 'per minute',
      default: 1,
      min: 0,
      max: 100_000,
    }),
    cancelsPerLotMinute: numberParam({
      doc: 'How often a lot ahead of us is cancelled.',
      unit: 'per minute',
      default: 0.25,
      min: 0,
      max: 100_000,
    }),
    sweptLossTicks: numberParam({
      doc: 'Loss of a fill when the price runs through the level.',
      unit: 'ticks',
      default: 1,
      min: 0,
      max: 100,
    }),
    stepBackAt: numberParam({
      doc: 'Part of the position limit from which the adding side stands a tick behind.',
      unit: 'part',
      default: 0.3,
      min: 0,
      max: 1,
    }),
    pullAt: numberParam({
      doc: 'Part of the position limit from which the adding side is not quoted.',
      unit: 'part',
      default: 0.6,
      min: 0,
      max: 1,
    }),
  },
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const counted = countedMoves(context, middle);
    const seen = { middle, counted, fairPrice: found.fair.price };
    const targetQuotes = joined(
      sideTargets(context, { side: 'bid', ...seen }),
      sideTargets(context, { side: 'ask', ...seen }),
    );
    const memory = memoryOf(middle, counted);
    return memory === undefined ? targetQuotes : { ...targetQuotes, memory };
  },
});

type SideView = {
  readonly side: AxisSide;
  readonly middle: Middle;
  readonly fairPrice: number;
  readonly counted: Counted;
};

function sideTargets(context: Context, view: SideView): TargetQuotes {
  const { side, middle } = view;
  const { params, grid } = context;
  const used = side === 'bid' ? usedPart(context) : -usedPart(context);
  if (used >= params.pullAt && used > 0) return noQuotes(pulled(side, used));
  const isBehind = (used > 0 && used >= params.stepBackAt) || !isPlaceWorth(context, view);
  const away = side === 'bid' ? -1 : 1;
  const price = (middle[side] + (isBehind ? away : 0)) / grid.ticksPerUnit;
  const layer = { price, shares: params.size };
  const layers = { bids: side === 'bid' ? [layer] : [], asks: side === 'ask' ? [layer] : [] };
  const { quotes, reasons } = quoted(context, view.fairPrice, layers);
  return { quotes, reasons: reasons.filter((reason) => reason.side === side) };
}

function isPlaceWorth(context: Context, view: SideView): boolean {
  const { grid, params, toxicity } = context;
  const tick = 1 / grid.ticksPerUnit;
  const half = ((view.middle.ask - view.middle.bid) * tick) / 2;
  const lotShares = lotOf(context);
  const stakes = {
    edgePrice: toxicity.markout10sUsdc ?? half,
    sweptLossPrice: params.sweptLossTicks * tick,
  };
  const lotsAhead = aheadShares(context, view) / lotShares;
  return queueValuePrice(lotsAhead, ratesOf(context, view, lotShares), stakes) > 0;
}

/** What our order at the touch has ahead of it, or what a new one would have. */
function aheadShares({ ownQuotes, book }: Context, { side, middle }: SideView): number {
  const touch = middle[side];
  const known = ownQuotes.flatMap(({ side: own, price, queue }) =>
    own === side && price === touch && queue !== undefined ? [queue.ahead] : [],
  );
  const level = side === 'bid' ? book.bidSizeAt(touch) : book.askSizeAt(touch);
  return Math.min(level, ...known) / MICRO_PER_SHARE;
}

function lotOf({ trades, params }: Context): number {
  const { trades: count, boughtShares, soldShares } = trades.lastTenMinutes;
  if (count < EVENTS_MIN) return params.lotShares;
  return Math.max((boughtShares + soldShares) / MICRO_PER_SHARE / count, 0.01);
}

function ratesOf(context: Context, { side, counted }: SideView, lotShares: number): QueueRates {
  const { trades, params } = context;
  const { lastTenMinutes } = trades;
  const flow = side === 'bid' ? lastTenMinutes.soldShares : lastTenMinutes.boughtShares;
  const measured = flow / MICRO_PER_SHARE / lotShares / 600;
  const isKnown = lastTenMinutes.trades >= EVENTS_MIN;
  const rate = (move: Move) => moveRate(context, counted[move]);
  return {
    tradesPerSec: isKnown ? measured : params.tradesPerMinute / 60,
    cancelsPerLotSec: params.cancelsPerLotMinute / 60,
    awayPerSec: side === 'bid' ? rate('bidUp') : rate('askDown'),
    throughPerSec: side === 'bid' ? rate('bidDown') : rate('askUp'),
  };
}

function moveRate({ nowMs, params }: Context, rate: DecayedRate): number {
  const stated = params.movesPerMinute / 60;
  if (rate.decayedCount < EVENTS_MIN) return stated;
  return ratePerSec(rate, { nowMs, halfLifeSec: HALF_LIFE_SEC }) ?? stated;
}

/** Counts how the touches moved since the last look. */
function countedMoves(context: Context, middle: Middle): Counted {
  const before = rememberedRates(context);
  const bid = rememberedNumber(context.memory, 'bid', middle.bid);
  const ask = rememberedNumber(context.memory, 'ask', middle.ask);
  const step = (move: Move, isMoved: boolean): DecayedRate =>
    isMoved
      ? withRateCount(before[move], { count: 1, atMs: context.nowMs }, HALF_LIFE_SEC)
      : before[move];
  return {
    bidDown: step('bidDown', middle.bid < bid),
    bidUp: step('bidUp', middle.bid > bid),
    askDown: step('askDown', middle.ask < ask),
    askUp: step('askUp', middle.ask > ask),
  };
}

/** More moves than any book makes: a count beyond it is not ours, and its rate would be no number. */
const COUNT_MAX = 1e9;

function rememberedRates({ memory, nowMs }: Context): Counted {
  const rate = (move: Move): DecayedRate => {
    const [decayedCount, sinceMs, atMs] = rememberedNumbers(memory, move);
    const isWhole = decayedCount !== undefined && sinceMs !== undefined && atMs !== undefined;
    if (!isWhole || decayedCount > COUNT_MAX) return newRate(nowMs);
    const since = unixMs(clamped(sinceMs, 0, nowMs));
    // A count of later than now, after the clock was set back, would grow instead of fading.
    const at = unixMs(clamped(atMs, since, nowMs));
    return { decayedCount: Math.max(0, decayedCount), sinceMs: since, atMs: at };
  };
  return {
    bidDown: rate('bidDown'),
    bidUp: rate('bidUp'),
    askDown: rate('askDown'),
    askUp: rate('askUp'),
  };
}

function memoryOf({ bid, ask }: Middle, counted: Counted): Json | undefined {
  const plain = (move: Move): readonly number[] => {
    const { decayedCount, sinceMs, atMs } = counted[move];
    return [decayedCount, sinceMs, atMs];
  };
  return asMemory({
    bid,
    ask,
    bidDown: plain('bidDown'),
    bidUp: plain('bidUp'),
    askDown: plain('askDown'),
    askUp: plain('askUp'),
  });
}

function pulled(side: AxisSide, used: number): QuoteReason {
  return {
    side,
    code: 'position_limit',
    detail: `${Math.round(used * 100)}% of the position limit is used`,
    clears: 'the position shrinks or the limit rises',
  };
}
