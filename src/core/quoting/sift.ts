// What becomes of a target quote before it is held against live orders; nothing in here changes anything.

import type { CoreSettings, RequoteSettings } from '../../domain/input.ts';
import { RISK_CONTROL_DEFAULTS } from '../../domain/risk.ts';
import { SHARE_DECIMALS_MAX, withDecimals } from '../../domain/shares.ts';
import { formatPrice, type TickGrid, ticksWithin } from '../../domain/ticks.ts';
import type {
  AxisSide,
  Quote,
  QuoteContext,
  QuoteReason,
  TargetQuotes,
} from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { type OwnOrder, staysPut } from '../orders/own-order.ts';
import { type Held, held } from '../risk/latches.ts';
import type { RiskStores } from '../risk/stores.ts';
import { Drift, type RememberingJudge, remembering } from './drift.ts';
import type { Situation } from './filters/guard.ts';
import type { QuotedMarket } from './market.ts';
import type { PlanTolerance } from './plan.ts';
import { reachTicks, requoteVerdict } from './requote.ts';
import type { QuotingStores } from './stores.ts';
import type { Target } from './target.ts';
import type { Seen } from './targets.ts';

/** What the guards are shown of a market. */
export function situationOf(
  { clock }: KernelStores,
  market: QuotedMarket,
  context: QuoteContext<unknown>,
): Situation {
  const { nowMs, grid, book, fair, trades, toxicity, life, maxPosition } = context;
  return {
    nowMs,
    venueMs: clock.venueMs,
    grid,
    book,
    fair,
    trades,
    toxicity,
    life,
    net: context.inventory.net,
    maxPosition,
    quickLosses: (side, sinceMs) => market.insight.toxicity.quickLosses(side, sinceMs),
  };
}

/** What the level of the market leaves of its target quotes; all of it where no control has tripped. */
export function leveled(
  stores: RiskStores,
  { market, context }: Pick<Seen, 'market' | 'context'>,
  of: { readonly quotes: readonly Quote[]; readonly settings: CoreSettings | undefined },
): Held {
  return held(of.quotes, stores.controls.latches.binding(market.market.id), {
    grid: market.grid,
    net: context.inventory.net,
    widenPrice: of.settings?.risk.widenPrice ?? RISK_CONTROL_DEFAULTS.widenPrice,
    nowMs: stores.nowMs,
  });
}

/** Who values places in the queue; nobody where distance decides, or nothing may be quoted. */
export function judgeOf(
  { ledger, budget, nowMs }: QuotingStores,
  settings: RequoteSettings | undefined,
  { market, context, blocked }: Seen,
): RememberingJudge | undefined {
  if (settings?.policy !== 'value' || blocked !== undefined) return undefined;
  const { grid, book, fair, trades } = context;
  const view = { grid, book, fair, trades, queues: market.insight.queues };
  const orders = ledger.ofMarket(market.market.id);
  let drift: Drift | undefined;
  return remembering(reachTicks(grid, settings), (of) => {
    drift ??= new Drift({ desk: market.desk, orders, budget, nowMs });
    return drift.after(requoteVerdict(view, settings, of), of.order);
  });
}

/** What a plan leaves where it is. @param judge - None where all moves at once, whatever its place is worth. */
export function toleranceOf(
  orders: CoreSettings['orders'] | undefined,
  judge: RememberingJudge | 'none' | undefined,
): PlanTolerance {
  if (judge === 'none') return { priceTicks: 0, size: 0 };
  const { priceToleranceTicks: priceTicks = 0, sizeTolerance: size = 0 } = orders ?? {};
  return { priceTicks, size, ...(judge && { judge }) };
}

/** The levels of each side that lie nearest to the other one, at most so many. */
export function nearest(quotes: readonly Quote[], levelsMax: number): readonly Quote[] {
  if (quotes.length <= levelsMax) return quotes;
  const [bids, asks] = (['bid', 'ask'] as const).map((side) => {
    const prices = quotes.filter((quote) => quote.side === side).map(({ price }) => price);
    const inwardFirst = [...new Set(prices)].sort((a, b) => (side === 'bid' ? b - a : a - b));
    return new Set(inwardFirst.slice(0, levelsMax));
  });
  return quotes.filter(({ side, price }) => (side === 'bid' ? bids : asks)?.has(price));
}

/** With no more decimals than the venue takes. */
export function inLots(
  { quantityDecimals }: QuotedMarket,
  quotes: readonly Quote[],
): readonly Quote[] {
  if (quantityDecimals === SHARE_DECIMALS_MAX) return quotes;
  return quotes.map((quote) => {
    const quantity = withDecimals(quote.quantity, quantityDecimals);
    return quantity === quote.quantity ? quote : { ...quote, quantity };
  });
}

/** What may rest: neither on the other side of the book, nor on our own. */
export function restable(
  market: QuotedMarket,
  targetQuotes: Pick<TargetQuotes, 'quotes' | 'reasons'>,
  orders: Iterable<OwnOrder>,
): { readonly targets: readonly Target[]; readonly reasons: readonly QuoteReason[] } {
  const behind = behindStuck(market.grid, targetQuotes, orders);
  if (isClear(market, behind.quotes)) return { targets: behind.quotes, reasons: behind.reasons };
  const wanted = behind.quotes.filter((quote) => quote.quantity > 0);
  const outside = wanted.filter((quote) => !crossesBook(market, quote));
  const crossing = wanted.find((quote) => crossesBook(market, quote));
  const meeting = outside.filter((quote) => outside.some((other) => doMeet(quote, other)));
  const reasons = [
    ...behind.reasons,
    ...(crossing === undefined ? [] : [wouldCross(crossing)]),
    ...meeting.map(wouldMeet),
  ];
  return { targets: outside.filter((quote) => !meeting.includes(quote)), reasons };
}

/**
 * An order that nothing takes away holds prices of the other side: asks at 48 and 49 would trade with an own bid at
 * 50 that cannot be cancelled. Where it holds all of a side, the nearest quote goes right behind it, to 51.
 */
function behindStuck(
  grid: TickGrid,
  targetQuotes: Pick<TargetQuotes, 'quotes' | 'reasons'>,
  orders: Iterable<OwnOrder>,
): Pick<TargetQuotes, 'quotes' | 'reasons'> {
  let { quotes, reasons } = targetQuotes;
  for (const side of ['bid', 'ask'] as const) {
    const order = stuckBefore(side, orders);
    if (order === undefined) continue;
    const sign = side === 'bid' ? -1 : 1;
    const isHeld = (quote: Quote) =>
      quote.side === side && sign * (quote.price - order.axisPrice) <= 0;
    const held = quotes.filter(isHeld).sort((a, b) => sign * (a.price - b.price));
    quotes = quotes.filter((quote) => !isHeld(quote));
    const [first] = held;
    if (first === undefined || quotes.some((quote) => quote.side === side)) continue;
    const price = ticksWithin(grid, order.axisPrice + sign);
    if (price === undefined) reasons = [...reasons, stuckReason(grid, side, order)];
    else quotes = [...quotes, { side, price, quantity: first.quantity, purpose: first.purpose }];
  }
  return { quotes, reasons };
}

/** Of the orders opposite a side that nothing takes away, the one that reaches farthest into it. */
function stuckBefore(side: AxisSide, orders: Iterable<OwnOrder>): OwnOrder | undefined {
  let found: OwnOrder | undefined;
  for (const order of orders) {
    if (order.axisSide === side || !staysPut(order)) continue;
    const reaches = found === undefined || order.axisPrice > found.axisPrice === (side === 'ask');
    if (reaches) found = order;
  }
  return found;
}

/** All of them ask for something, and none meets another or the book: the usual case, in one look. */
function isClear({ book, grid }: QuotedMarket, quotes: readonly Quote[]): boolean {
  const bid: number = book.bestBid() ?? 0;
  const ask: number = book.bestAsk() ?? grid.ticksPerUnit;
  let highest = bid;
  let lowest = ask;
  for (const { side, price, quantity } of quotes) {
    if (!(quantity > 0)) return false;
    if (side === 'bid') {
      if (price >= ask) return false;
      highest = Math.max(highest, price);
    } else {
      if (price <= bid) return false;
      lowest = Math.min(lowest, price);
    }
  }
  return highest < lowest;
}

/** Of two quotes that would trade with each other neither is right, and neither is placed. */
function doMeet(one: Quote, other: Quote): boolean {
  if (one.side === other.side) return false;
  const [bid, ask] = one.side === 'bid' ? [one, other] : [other, one];
  return bid.price >= ask.price;
}

function stuckReason(grid: TickGrid, side: AxisSide, order: OwnOrder): QuoteReason {
  const { orderHash = '', isOfOthers } = order;
  const at = formatPrice(grid, order.axisPrice);
  return isOfOthers
    ? {
        side,
        code: 'order_of_others_met',
        detail: `order ${orderHash} at ${at} is in the way: somebody else sent it on this account`,
        clears: 'it trades, or whoever sent it cancels it',
      }
    : {
        side,
        code: 'own_order_stuck',
        detail: `own order ${orderHash} at ${at} is in the way, and the venue refuses to cancel it`,
        clears: 'it trades, or the venue cancels it',
      };
}

function wouldMeet(quote: Quote): QuoteReason {
  return {
    side: quote.side,
    code: 'would_meet_own',
    detail: `a ${quote.side} at ${quote.price} ticks would meet a wanted quote of the other side`,
    clears: 'the strategy wants bids below its asks',
  };
}

function wouldCross(quote: Quote): QuoteReason {
  return {
    side: quote.side,
    code: 'would_cross',
    detail: `a ${quote.side} at ${quote.price} ticks would take instead of make`,
    clears: 'the other side of the book moves away',
  };
}

export function crossesBook(
  market: QuotedMarket,
  quote: { readonly side: AxisSide; readonly price: number },
): boolean {
  const opposite = quote.side === 'bid' ? market.book.bestAsk() : market.book.bestBid();
  if (opposite === undefined) return false;
  return quote.side === 'bid' ? quote.price >= opposite : quote.price <= opposite;
}
