// What becomes of a target quote before it is held against live orders; nothing in here changes anything.

import type { OverlayName, OverlaySettings } from '../../domain/overlays.ts';
import { RISK_CONTROL_DEFAULTS } from '../../domain/risk.ts';
import { SHARE_DECIMALS_MAX, withDecimals } from '../../domain/shares.ts';
import { formatPrice, type TickGrid, ticksWithin } from '../../domain/ticks.ts';
import type { AxisSide, Quote, QuoteReason, TargetQuotes } from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { type OwnOrder, staysPut } from '../orders/own-order.ts';
import { held } from '../risk/latches.ts';
import type { Terms } from '../risk/limits.ts';
import type { Look } from './context.ts';
import { guardJump, guardShape } from './filters/book.ts';
import { guardLife, guardNews, guardQuiet } from './filters/calendar.ts';
import type { Guard, Guarded, GuardReason, OverlayState, Situation } from './filters/guard.ts';
import { guardBoundary, guardInventory, guardToxicity } from './filters/inventory.ts';
import type { Judge, PlanTolerance, QuotedMarket, Target } from './market.ts';
import { PlaceJudge } from './requote.ts';
import type { QuotingStores } from './stores.ts';

/** What is left of the target quotes of a market. */
type Sifted = {
  readonly targets: readonly Target[];
  readonly reasons: readonly QuoteReason[];
  /** What the guards did, and remember of it. */
  readonly guards: readonly GuardReason[];
  readonly overlays: OverlayState;
};

/** Sends target quotes through the guards and what has tripped, to what fits the venue, the book and own orders. */
export function sifted(stores: QuotingStores, at: Look, targetQuotes: TargetQuotes): Sifted {
  const { market, terms, context } = at;
  const guarded = guard(stores, at, targetQuotes.quotes);
  const left = held(guarded.quotes, stores.controls.latches.binding(market.market.id), {
    grid: market.grid,
    net: context.inventory.net,
    widenPrice: terms.settings?.risk.widenPrice ?? RISK_CONTROL_DEFAULTS.widenPrice,
    nowMs: stores.nowMs,
  });
  const levelsMax = stores.ceiling.levelsMax(stores.workQueue.planned.size, stores.nowMs);
  const found = restable(
    market,
    {
      quotes: inLots(market, nearest(left.quotes, levelsMax)),
      reasons: [...left.reasons, ...targetQuotes.reasons],
    },
    stores.ledger.ofMarket(market.market.id),
  );
  return { ...found, guards: guarded.reasons, overlays: guarded.state };
}

type Overlaid = Guarded & { readonly state: OverlayState };

/** A blocked market has no quotes, and its books teach nothing. */
function guard(
  { clock }: KernelStores,
  { market, terms: { choice }, context, blocked }: Look,
  quotes: readonly Quote[],
): Overlaid {
  const { overlays } = market.desk;
  if (choice.overlays === undefined || blocked !== undefined)
    return { quotes, reasons: [], state: overlays };
  const { nowMs, grid, book, fair, trades, toxicity, life, maxPosition } = context;
  const situation: Situation = {
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
  return overlaid(quotes, situation, choice.overlays, overlays);
}

const GUARDS: { readonly [Name in OverlayName]: Guard<Name> } = {
  life: guardLife,
  news: guardNews,
  quiet: guardQuiet,
  jump: guardJump,
  shape: guardShape,
  toxicity: guardToxicity,
  boundary: guardBoundary,
  inventory: guardInventory,
};

/** Those that end everything first, those that trim last. */
const IN_ORDER = [
  'life',
  'news',
  'quiet',
  'jump',
  'shape',
  'toxicity',
  'boundary',
  'inventory',
] as const;

/** Sends the quotes of one market through all guards that are switched on. */
export function overlaid(
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings,
  before: OverlayState,
): Overlaid {
  let left: Overlaid = { quotes, reasons: [], state: before };
  for (const name of IN_ORDER) left = behind(name, left, situation, settings);
  return left;
}

function behind<Name extends OverlayName>(
  name: Name,
  left: Overlaid,
  situation: Situation,
  settings: OverlaySettings,
): Overlaid {
  const own = settings[name];
  if (!own.enabled) return left;
  const { quotes, reasons, state } = GUARDS[name](left.quotes, situation, own, left.state);
  return {
    quotes,
    reasons: [...left.reasons, ...reasons],
    state: state === undefined ? left.state : { ...left.state, ...state },
  };
}

/** Who values places in the queue; nobody where distance decides, or nothing may be quoted. */
export function judgeOf(
  { ledger, budget, nowMs }: QuotingStores,
  { market, terms, context, blocked }: Look,
): PlaceJudge | undefined {
  const settings = terms.settings?.orders.requote;
  if (settings?.policy !== 'value' || blocked !== undefined) return undefined;
  const { grid, book, fair, trades } = context;
  const view = { grid, book, fair, trades, queues: market.insight.queues };
  const orders = ledger.ofMarket(market.market.id);
  return new PlaceJudge({ view, settings, desk: market.desk, orders, budget, nowMs });
}

export function toleranceOf({ settings }: Terms, judge: Judge | undefined): PlanTolerance {
  const { priceToleranceTicks: priceTicks = 0, sizeTolerance: size = 0 } = settings?.orders ?? {};
  return { priceTicks, size, ...(judge && { judge }) };
}

/** The levels of each side that lie nearest to the other one, at most so many. */
function nearest(quotes: readonly Quote[], levelsMax: number): readonly Quote[] {
  if (quotes.length <= levelsMax) return quotes;
  const [bids, asks] = (['bid', 'ask'] as const).map((side) => {
    const prices = quotes.filter((quote) => quote.side === side).map(({ price }) => price);
    const inwardFirst = [...new Set(prices)].sort((a, b) => (side === 'bid' ? b - a : a - b));
    return new Set(inwardFirst.slice(0, levelsMax));
  });
  return quotes.filter(({ side, price }) => (side === 'bid' ? bids : asks)?.has(price));
}

/** With no more decimals than the venue takes. */
function inLots({ quantityDecimals }: QuotedMarket, quotes: readonly Quote[]): readonly Quote[] {
  if (quantityDecimals === SHARE_DECIMALS_MAX) return quotes;
  return quotes.map((quote) => {
    const quantity = withDecimals(quote.quantity, quantityDecimals);
    return quantity === quote.quantity ? quote : { ...quote, quantity };
  });
}

/** What may rest: neither on the other side of the book, nor on our own. */
function restable(
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
