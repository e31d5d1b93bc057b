// One market at a time: ask the strategy, hold its wishes against what is live, say what to cancel
// and what is missing, and keep the reason for every side that ends up without a quote.

import { addMs } from '../domain/time.ts';
import type { AxisSide, Quote, QuoteReason, QuoteWish } from '../strategy/index.ts';
import { updateCapital } from './context.ts';
import { marketReason } from './gate.ts';
import type { MarketState } from './market.ts';
import type { OwnOrder } from './orders/own-order.ts';
import { type Missing, planMarket, type Wish } from './orders/plan.ts';
import { hasTransients, syncOwnSizes } from './own-sizes.ts';
import type { ReasonText } from './reasons.ts';
import { askEvent, askMarket } from './wishes.ts';
import type { World } from './world.ts';

/** A market nothing happened to is looked at this often, for strategies that mind the clock. */
const REPLAN_MS = 1_000;

const SIDES = ['bid', 'ask'] as const;
const NO_WISH: QuoteWish = Object.freeze({ quotes: [], reasons: [] });

function needsPlan(world: World, market: MarketState): boolean {
  if (market.isDirty || market.plannedAtMs === undefined) return true;
  if (market.shown.size > 0 && hasTransients(market)) return true;
  return world.nowMs - market.plannedAtMs >= REPLAN_MS;
}

/** Markets to plan now, those of one event strategy together. */
export function dueGroups(world: World): readonly (readonly MarketState[])[] {
  const groups: (readonly MarketState[])[] = [];
  const grouped = new Set<MarketState>();
  for (const market of world.markets.values()) {
    if (grouped.has(market) || !needsPlan(world, market)) continue;
    const group = market.strategy.scope === 'event' ? siblings(world, market) : [market];
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
}

/** The markets that one event strategy prices together, in the order of the catalogue. */
function siblings(world: World, market: MarketState): readonly MarketState[] {
  const found = market.event.markets.flatMap((each) => world.markets.get(each.id) ?? []);
  const group = found.filter((each) => isSameChoice(each, market));
  return group.includes(market) ? group : [market];
}

function isSameChoice(one: MarketState, other: MarketState): boolean {
  return one.choice === other.choice && one.isLeaving === other.isLeaving;
}

/**
 * Plans the markets of one group.
 * @param accountWide - Why nothing at all may be quoted, if so.
 * @returns Orders to cancel now; what is missing is kept with each market for the next write.
 */
export function replan(
  world: World,
  group: readonly MarketState[],
  accountWide: ReasonText | undefined,
): readonly OwnOrder[] {
  for (const market of group) look(world, market);
  const blocked = group.map((market) => accountWide ?? marketReason(world, market));
  const wishes = ask(world, group, { blocked, isHeld: accountWide !== undefined });
  return group.flatMap((market, index) => {
    const wish = blocked[index] === undefined ? wishes[index] : undefined;
    return plan(world, market, { wish: wish ?? NO_WISH, blocked: blocked[index] });
  });
}

/** Brings what is known of a market up to this moment. */
function look(world: World, market: MarketState): void {
  market.isDirty = false;
  market.plannedAtMs = world.nowMs;
  syncOwnSizes(market, world.ledger, world.nowMs);
  market.onMid(world.inventory);
  market.insight.update(world.ledger.ofMarket(market.market.id), world.nowMs);
  updateCapital(world, market);
}

function ask(
  world: World,
  group: readonly MarketState[],
  at: { readonly blocked: readonly (ReasonText | undefined)[]; readonly isHeld: boolean },
): readonly QuoteWish[] {
  const [first] = group;
  if (first === undefined || at.isHeld) return [];
  const { strategy } = first;
  if (strategy.scope === 'event') {
    const blocked = at.blocked.map((reason) => reason?.code);
    return askEvent(world, group, { strategy, blocked });
  }
  return at.blocked[0] === undefined ? [askMarket(world, first, strategy)] : [];
}

function plan(
  world: World,
  market: MarketState,
  { wish, blocked }: { readonly wish: QuoteWish; readonly blocked: ReasonText | undefined },
): readonly OwnOrder[] {
  const wishes = restable(market, wish);
  const found = planMarket(wishes, world.ledger.ofMarket(market.market.id), {
    priceTicks: world.settings?.orders.priceToleranceTicks ?? 0,
    size: world.settings?.orders.sizeTolerance ?? 0,
  });
  setMissing(market, found.missing, world);
  keepReasons(world, market, blocked, wishes);
  return found.cancels;
}

function setMissing(market: MarketState, missing: readonly Missing[], world: World): void {
  market.missing = missing;
  if (missing.length === 0) market.missingSinceMs = undefined;
  else market.missingSinceMs ??= world.nowMs;
}

function restable(market: MarketState, wish: QuoteWish): readonly Wish[] {
  const crossing = wish.quotes.find((quote) => quote.quantity > 0 && crossesBook(market, quote));
  market.strategyReasons = crossing ? [...wish.reasons, wouldCross(crossing)] : wish.reasons;
  return wish.quotes.filter((quote) => mayRest(market, quote));
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
