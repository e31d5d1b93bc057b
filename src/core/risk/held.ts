// What a level leaves of the target quotes of a market, and of the orders that would be sent for them.

import type { StoredLatch } from '../../domain/risk.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { AxisSide, Quote, QuoteReason } from '../../strategy/index.ts';
import type { Exposure, NetRange } from './exposure.ts';
import { isAtLeast } from './latches.ts';
import { clearsText } from './trip.ts';

export type Held = {
  readonly quotes: readonly Quote[];
  readonly reasons: readonly QuoteReason[];
};

const NO_REASONS: readonly QuoteReason[] = Object.freeze([]);

/** The target quotes that a latch leaves; all of them, as they are, where there is none. */
export function held(
  quotes: readonly Quote[],
  latch: StoredLatch | undefined,
  at: {
    readonly grid: TickGrid;
    readonly net: MicroShares;
    readonly widenPrice: number;
    readonly nowMs: UnixMs;
  },
): Held {
  if (latch === undefined) return { quotes, reasons: NO_REASONS };
  switch (latch.level) {
    case 'widen':
      return { quotes: widened(quotes, at.grid, at.widenPrice), reasons: NO_REASONS };
    case 'stop-adding':
      // What rests may stay; what would be new is stopped where it is sent.
      return { quotes, reasons: NO_REASONS };
    case 'cancel': {
      const kept = towardsZero(at.grid, quotes, at.net);
      return { quotes: kept, reasons: reasonsOf(latch, kept, at.nowMs) };
    }
    case 'reduce-only': {
      const kept = reducingPart(at.grid, quotes, at.net);
      return { quotes: kept, reasons: reasonsOf(latch, kept, at.nowMs) };
    }
    case 'killed':
      return { quotes: [], reasons: reasonsOf(latch, [], at.nowMs) };
  }
}

/** Why an order does not go at this level, `undefined` when it may. */
export function heldAtSend(
  latch: StoredLatch,
  order: { readonly axisSide: AxisSide },
  of: { readonly net: NetRange; readonly after: Exposure; readonly isWorse: boolean },
): 'stop_adding' | 'reduce_only' | undefined {
  if (!isAtLeast(latch.level, 'stop-adding')) return undefined;
  const room = roomOf(order.axisSide, of.net);
  const used = usedOf(order.axisSide, of);
  const mayGo = room > 0 && !of.isWorse && latch.level !== 'killed';
  if (isAtLeast(latch.level, 'reduce-only'))
    return mayGo && used <= room ? undefined : 'reduce_only';
  return mayGo && used <= FARTHEST * room ? undefined : 'stop_adding';
}

/** Beyond zero by as much as the position was before, it is no larger than that. */
const FARTHEST = 2;

/** How much a side may trade and bring the position nearer to zero, whatever of its range it is. */
function roomOf(side: AxisSide, { least, most }: NetRange): number {
  return Math.max(0, side === 'ask' ? least : -most);
}

/** Shares by which orders of a side may move the position; what is uncertain is in its range already. */
function usedOf(
  side: AxisSide,
  { net, after }: { readonly net: NetRange; readonly after: Exposure },
): number {
  return side === 'ask'
    ? after.netDown - (net.expected - net.least)
    : after.netUp - (net.most - net.expected);
}

/** The side whose fills bring the position nearer to zero: whole while they leave none that is larger. */
function towardsZero(grid: TickGrid, quotes: readonly Quote[], net: MicroShares): readonly Quote[] {
  if (net === 0) return [];
  const side: AxisSide = net > 0 ? 'ask' : 'bid';
  const kept = quotes.filter((quote) => quote.side === side);
  const all = kept.reduce((sum, { quantity }) => sum + quantity, 0);
  return all > FARTHEST * Math.abs(net) ? reducingPart(grid, quotes, net) : kept;
}

function widened(quotes: readonly Quote[], grid: TickGrid, byPrice: number): readonly Quote[] {
  // The price of one tick at least: a level that changes nothing would be none.
  const ticks = Math.max(1, Math.round(byPrice * grid.ticksPerUnit));
  return defined(quotes.map((quote) => movedBack(grid, quote, ticks)));
}

function reasonsOf(
  latch: StoredLatch,
  kept: readonly Quote[],
  nowMs: UnixMs,
): readonly QuoteReason[] {
  const reason = {
    code: latch.control,
    detail: `${latch.level}: ${latch.detail}`,
    clears: clearsText(latch.resumes, nowMs),
  };
  const sides = (['bid', 'ask'] as const).filter(
    (side) => !kept.some((each) => each.side === side),
  );
  return sides.map((side) => ({ side, ...reason }));
}

// What a level, or a guard, may do to a quote: keep what reduces, move it away from the other side.

/**
 * The quotes that lead towards a flat position, the inner ones first, up to the position itself. One share at 0.36 is
 * no order that the venue takes: such a rest leads nowhere, and what kept the others away is why nothing is quoted.
 */
export function reducingPart(
  grid: TickGrid,
  quotes: readonly Quote[],
  net: MicroShares,
): readonly Quote[] {
  const side: AxisSide = net < 0 ? 'bid' : 'ask';
  const inward = side === 'bid' ? -1 : 1;
  let left: number = Math.abs(net);
  const kept: Quote[] = [];
  const own = quotes.filter((quote) => quote.side === side);
  for (const quote of own.toSorted((a, b) => inward * (a.price - b.price))) {
    const quantity = microShares(Math.min(quote.quantity, left));
    left -= quantity;
    if (isSendable(grid, quote.price, quantity))
      kept.push({ ...quote, quantity, purpose: 'reduce' });
  }
  return kept;
}

/** As an order of either leg: a bid for YES at 0.36 may be a sale of NO at 0.64. */
function isSendable(grid: TickGrid, price: Ticks, quantity: MicroShares): boolean {
  const isWorth = (at: Ticks) => meetsMinNotional(grid, at, quantity);
  return isWorth(price) || isWorth(complement(grid, price));
}

/** The quote so many ticks further from the other side, `undefined` beyond the price range. */
export function movedBack(grid: TickGrid, quote: Quote, byTicks: number): Quote | undefined {
  if (byTicks === 0) return quote;
  const away = quote.side === 'bid' ? -byTicks : byTicks;
  const price = ticksWithin(grid, quote.price + away);
  if (price === undefined) return undefined;
  // What was safe nearer the other side is not any more.
  const { worst: _, ...rest } = quote;
  return { ...rest, price };
}

export function defined(quotes: readonly (Quote | undefined)[]): readonly Quote[] {
  return quotes.filter((quote) => quote !== undefined);
}
