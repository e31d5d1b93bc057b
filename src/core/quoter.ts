// One market at a time: ask the strategy, hold its wishes against what is live, say what to cancel
// and what is missing, and keep the reason for every side that ends up without a quote.

import { microShares, shares } from '../domain/shares.ts';
import { ticksWithin } from '../domain/ticks.ts';
import { addMs } from '../domain/time.ts';
import {
  type AxisSide,
  type OwnQuote,
  QUOTES_MAX,
  type Quote,
  type QuoteContext,
  type QuoteReason,
  type QuoteWish,
} from '../strategy/index.ts';
import { marketReason } from './gate.ts';
import type { MarketState } from './market.ts';
import { isQuoting, type OwnOrder, remaining } from './orders/own-order.ts';
import { type Missing, planMarket, type Wish } from './orders/plan.ts';
import { hasTransients, syncOwnSizes } from './own-sizes.ts';
import type { ReasonText } from './reasons.ts';
import type { World } from './world.ts';

/** A market nothing happened to is looked at this often, for strategies that mind the clock. */
const REPLAN_MS = 1_000;

const SIDES = ['bid', 'ask'] as const;

export function needsPlan(world: World, market: MarketState): boolean {
  if (market.isDirty || market.plannedAtMs === undefined) return true;
  if (market.shown.size > 0 && hasTransients(market)) return true;
  return world.nowMs - market.plannedAtMs >= REPLAN_MS;
}

/**
 * Plans one market.
 * @param accountWide - Why nothing at all may be quoted, if so.
 * @returns Orders to cancel now; what is missing is kept with the market for the next write.
 */
export function replan(
  world: World,
  market: MarketState,
  accountWide: ReasonText | undefined,
): readonly OwnOrder[] {
  market.isDirty = false;
  market.plannedAtMs = world.nowMs;
  syncOwnSizes(market, world.ledger, world.nowMs);
  market.onMid(world.inventory);
  const blocked = accountWide ?? marketReason(world, market);
  const wishes = blocked ? [] : wishesOf(world, market);
  const plan = planMarket(wishes, world.ledger.ofMarket(market.market.id), {
    priceTicks: world.settings?.orders.priceToleranceTicks ?? 0,
    size: world.settings?.orders.sizeTolerance ?? 0,
  });
  setMissing(market, plan.missing, world);
  keepReasons(world, market, blocked, wishes);
  return plan.cancels;
}

function setMissing(market: MarketState, missing: readonly Missing[], world: World): void {
  market.missing = missing;
  if (missing.length === 0) market.missingSinceMs = undefined;
  else market.missingSinceMs ??= world.nowMs;
}

function wishesOf(world: World, market: MarketState): readonly Wish[] {
  const wish = askStrategy(world, market);
  const crossing = wish.quotes.find((quote) => quote.quantity > 0 && crossesBook(market, quote));
  market.strategyReasons = crossing ? [...wish.reasons, wouldCross(crossing)] : wish.reasons;
  return wish.quotes.filter((quote) => mayRest(market, quote));
}

/** Asks the strategy; what it throws or wishes wrongly costs this market its quotes, no more. */
function askStrategy(world: World, market: MarketState): QuoteWish {
  try {
    const wish = market.strategy.quote(contextOf(world, market));
    const fault = faultOf(market, wish);
    if (fault === undefined) {
      market.strategyFailure = undefined;
      return wish;
    }
    return onStrategyFailed(world, market, fault);
  } catch (cause) {
    return onStrategyFailed(world, market, cause instanceof Error ? cause.message : String(cause));
  }
}

function onStrategyFailed(world: World, market: MarketState, detail: string): QuoteWish {
  if (market.strategyFailure !== detail) {
    world.outbox.report({
      event: 'strategy.failed',
      marketId: market.market.id,
      strategy: market.strategy.name,
      detail,
    });
  }
  market.strategyFailure = detail;
  return { quotes: [], reasons: [] };
}

function faultOf(market: MarketState, wish: QuoteWish): string | undefined {
  for (const side of SIDES) {
    const count = wish.quotes.filter((quote) => quote.side === side).length;
    if (count > QUOTES_MAX) return `${count} ${side}s wished, at most ${QUOTES_MAX} are allowed`;
  }
  for (const quote of wish.quotes) {
    if (ticksWithin(market.grid, quote.price) === undefined) {
      return `a ${quote.side} at ${quote.price} ticks is not a price`;
    }
    if (!Number.isSafeInteger(quote.quantity) || quote.quantity < 0) {
      return `a ${quote.side} of ${quote.quantity} micro-shares is not a quantity`;
    }
  }
  return undefined;
}

function contextOf(world: World, market: MarketState): QuoteContext<unknown> {
  const { yes, no } = market.holdingsShares(world.inventory);
  const ownQuotes: OwnQuote[] = [];
  for (const order of world.ledger.ofMarket(market.market.id)) {
    if (isQuoting(order) && order.orderHash !== undefined) ownQuotes.push(ownQuote(order));
  }
  return {
    nowMs: world.nowMs,
    marketId: market.market.id,
    grid: market.grid,
    expiryAtMs: market.event.expiryAtMs,
    book: market.book,
    inventory: { yes, no, net: microShares(yes - no) },
    maxPosition: shares(world.settings?.risk.maxPositionShares ?? 0),
    ownQuotes,
    params: market.choice.params,
  };
}

function ownQuote(order: OwnOrder): OwnQuote {
  return {
    side: order.axisSide,
    price: order.axisPrice,
    remaining: remaining(order),
    restingSinceMs: order.confirmedAtMs ?? order.sentAtMs,
  };
}

/** A quote that would meet the other side takes instead of makes: it is dropped. */
function mayRest(market: MarketState, quote: Quote): boolean {
  if (quote.quantity <= 0) return false;
  return !crossesBook(market, quote);
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
  market: MarketState,
  quote: { readonly side: AxisSide; readonly price: number },
): boolean {
  const opposite = quote.side === 'bid' ? market.book.bestAsk() : market.book.bestBid();
  if (opposite === undefined) return false;
  return quote.side === 'bid' ? quote.price >= opposite : quote.price <= opposite;
}

function keepReasons(
  world: World,
  market: MarketState,
  blocked: ReasonText | undefined,
  wishes: readonly Wish[],
): void {
  const quoted = { bid: false, ask: false };
  for (const order of world.ledger.ofMarket(market.market.id)) {
    const isLive = order.state === 'open' || order.state === 'partiallyFilled';
    if (isLive && order.executed < order.quantity) quoted[order.axisSide] = true;
  }
  for (const side of SIDES) {
    const isFree = quoted[side] && blocked === undefined;
    const reason = isFree ? undefined : (blocked ?? sideReason(world, market, side, wishes));
    market.reasons.set(side, reason, world.nowMs);
  }
}

function sideReason(
  world: World,
  market: MarketState,
  side: AxisSide,
  wishes: readonly Wish[],
): ReasonText {
  if (market.strategyFailure !== undefined) {
    return {
      code: 'strategy_failed',
      detail: `${market.strategy.name}: ${market.strategyFailure}`,
      clears: 'mend the strategy or its parameters',
    };
  }
  const own = market.strategyReasons.find((each) => each.side === side || each.side === 'both');
  if (!wishes.some((wish) => wish.side === side)) {
    return (
      own ?? {
        code: 'no_wish',
        detail: `${market.strategy.name} wishes no ${side}`,
        clears: 'the book or the position changes',
      }
    );
  }
  const backoff = market.backoff[side];
  if (backoff !== undefined && world.nowMs < backoff.untilMs) {
    return {
      code: backoff.code,
      detail: backoff.detail,
      clears: `tried again in ${Math.ceil((backoff.untilMs - world.nowMs) / 1_000)} s`,
    };
  }
  return {
    code: 'on_its_way',
    detail: 'wished, and waiting for a write or for its answer',
    clears: 'the venue answers',
  };
}

/** Keeps a side away for a while and remembers why. */
export function backOff(
  world: World,
  market: MarketState,
  side: AxisSide,
  why: { readonly code: string; readonly detail: string; readonly forMs: number },
): void {
  market.backoff[side] = {
    untilMs: addMs(world.nowMs, why.forMs),
    code: why.code,
    detail: why.detail,
  };
  market.isDirty = true;
}
