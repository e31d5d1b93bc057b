// One market at a time: ask the strategy, hold its wishes against what is live, say what to cancel
// and what is missing, and keep the reason for every side that ends up without a quote.

import { RISK_CONTROL_DEFAULTS } from '../domain/risk.ts';
import { addMs } from '../domain/time.ts';
import type { AxisSide, Quote, QuoteContext, QuoteReason, QuoteWish } from '../strategy/index.ts';
import { mark } from './agenda.ts';
import { contextOf, updateCapital } from './context.ts';
import { explain, type RememberingJudge, remembering } from './explain.ts';
import { marketReason } from './gate.ts';
import { type Held, held } from './halts/held.ts';
import type { MarketState } from './market.ts';
import type { OwnOrder } from './orders/own-order.ts';
import { type Missing, planMarket, type Wish } from './orders/plan.ts';
import { reachTicks, requoteVerdict } from './orders/requote.ts';
import { overlaid } from './overlays/stack.ts';
import { hasTransients, syncOwnSizes } from './own-sizes.ts';
import type { ReasonText } from './reasons.ts';
import { keepReasons } from './side-reasons.ts';
import { askEvent, askMarket, noteFailure } from './wishes.ts';
import type { World } from './world.ts';

/** A market nothing happened to is looked at this often, for strategies that mind the clock. */
const REPLAN_MS = 1_000;

const NO_WISH: QuoteWish = Object.freeze({ quotes: [], reasons: [] });

/** Markets to plan now, those of one event strategy together. */
export function dueGroups(world: World): readonly (readonly MarketState[])[] {
  const groups: (readonly MarketState[])[] = [];
  const grouped = new Set<MarketState>();
  for (const market of dueMarkets(world)) {
    if (grouped.has(market)) continue;
    const group = market.strategy.scope === 'event' ? siblings(world, market) : [market];
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
}

function dueMarkets(world: World): Iterable<MarketState> {
  const { dirty, planned, transient } = world.agenda;
  const due = new Set(dirty);
  for (const market of transient) if (hasTransients(market)) due.add(market);
  for (const market of planned) {
    if (world.nowMs - (market.plannedAtMs ?? 0) < REPLAN_MS) break;
    due.add(market);
  }
  return due;
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
  const looks = group.map((market) => ({
    market,
    context: contextOf(world, market),
    blocked: accountWide ?? marketReason(world, market),
  }));
  const wishes = accountWide === undefined ? ask(world, looks) : [];
  return looks.flatMap((each, index) => {
    const wish = each.blocked === undefined ? wishes[index] : undefined;
    return contained(world, each, wish ?? NO_WISH);
  });
}

/** One market at the moment of its decision. */
type Look = {
  readonly market: MarketState;
  readonly context: QuoteContext<unknown>;
  readonly blocked: ReasonText | undefined;
};

/** Brings what is known of a market up to this moment. */
function look(world: World, market: MarketState): void {
  market.isDirty = false;
  market.plannedAtMs = world.nowMs;
  syncOwnSizes(market, world.ledger, world.nowMs);
  world.agenda.onPlanned(market, hasTransients(market));
  market.onMid(world.inventory);
  market.insight.setExternalAgeMax(market.choice.externalAgeMsMax);
  market.insight.update(world.ledger.ofMarket(market.market.id), world.nowMs);
  updateCapital(world, market);
}

function ask(world: World, looks: readonly Look[]): readonly QuoteWish[] {
  const [first] = looks;
  if (first === undefined) return [];
  const { strategy } = first.market;
  if (strategy.scope === 'event') return askEvent(world, looks, strategy);
  return first.blocked === undefined
    ? [askMarket(world, first.market, { strategy, context: first.context })]
    : [];
}

/** Guards and estimates that fail cost this market its quotes, and no other market anything. */
function contained(world: World, at: Look, wish: QuoteWish): readonly OwnOrder[] {
  try {
    return plan(world, at, wish);
  } catch (cause) {
    const { market } = at;
    noteFailure(world, market, cause instanceof Error ? cause.message : String(cause));
    setMissing(market, [], world);
    market.desk.takes = [];
    keepReasons(world, market, { blocked: at.blocked, wishes: [] });
    const orders = world.ledger.ofMarket(market.market.id);
    return planMarket([], orders, { priceTicks: 0, size: 0 }).cancels;
  }
}

function plan(world: World, at: Look, wish: QuoteWish): readonly OwnOrder[] {
  const { market, blocked } = at;
  const guarded = guard(market, at, wish);
  const left = leveled(world, at, guarded);
  const wishes = restable(market, {
    quotes: left.quotes,
    reasons: left.reasons.length === 0 ? wish.reasons : [...left.reasons, ...wish.reasons],
  });
  const judge = judgeOf(world, at);
  const { desk } = market;
  const found = planMarket(wishes, world.ledger.ofMarket(market.market.id), {
    priceTicks: desk.movesAtOnce ? 0 : (world.settings?.orders.priceToleranceTicks ?? 0),
    size: desk.movesAtOnce ? 0 : (world.settings?.orders.sizeTolerance ?? 0),
    ...(judge === undefined || desk.movesAtOnce ? {} : { judge }),
  });
  desk.movesAtOnce = false;
  desk.takes = blocked === undefined ? (wish.takes ?? []) : [];
  mark(world.agenda.taking, market, desk.takes.length > 0);
  setMissing(market, found.missing, world);
  keepReasons(world, market, { blocked, wishes });
  explain(world, market, found, { judge, because: blocked?.code ?? 'not_wished_there' });
  return found.cancels;
}

/** Sends a wish through the guards; a blocked market has none, and its books teach nothing. */
function guard(market: MarketState, at: Look, wish: QuoteWish): readonly Quote[] {
  const settings = market.choice.overlays;
  if (settings === undefined || at.blocked !== undefined) {
    market.desk.guards = [];
    return wish.quotes;
  }
  const { context } = at;
  const situation = {
    ...context,
    net: context.inventory.net,
    quickLosses: (side: AxisSide, sinceMs: number) =>
      market.insight.toxicity.quickLosses(side, sinceMs),
  };
  const done = overlaid(wish.quotes, situation, settings, market.desk.overlays);
  market.desk.overlays = done.state;
  market.desk.guards = done.reasons;
  return done.quotes;
}

/** What the level of the market leaves of its wishes; all of it where no control has tripped. */
function leveled(world: World, { market, context }: Look, quotes: readonly Quote[]): Held {
  return held(quotes, world.controls.latches.binding(market.market.id), {
    grid: market.grid,
    net: context.inventory.net,
    widenPrice: world.settings?.risk.widenPrice ?? RISK_CONTROL_DEFAULTS.widenPrice,
    nowMs: world.nowMs,
  });
}

function judgeOf(world: World, { market, context, blocked }: Look): RememberingJudge | undefined {
  const settings = world.settings?.orders.requote;
  if (settings?.policy !== 'value' || blocked !== undefined) return undefined;
  const { grid, book, fair, trades } = context;
  const view = { grid, book, fair, trades, queues: market.insight.queues };
  return remembering(reachTicks(grid, settings), (of) => requoteVerdict(view, settings, of));
}

function setMissing(market: MarketState, missing: readonly Missing[], world: World): void {
  market.missing = missing;
  if (missing.length === 0) market.missingSinceMs = undefined;
  else market.missingSinceMs ??= world.nowMs;
  for (const side of ['bid', 'ask'] as const) {
    if (!missing.some((each) => each.side === side)) market.desk.waiting[side] = undefined;
  }
}

/** What may rest: neither on the other side of the book, nor on our own. */
function restable(
  market: MarketState,
  wish: Pick<QuoteWish, 'quotes' | 'reasons'>,
): readonly Wish[] {
  const wished = wish.quotes.filter((quote) => quote.quantity > 0);
  const outside = wished.filter((quote) => !crossesBook(market, quote));
  const crossing = wished.find((quote) => crossesBook(market, quote));
  const meeting = outside.filter((quote) => outside.some((other) => doMeet(quote, other)));
  market.strategyReasons = [
    ...wish.reasons,
    ...(crossing === undefined ? [] : [wouldCross(crossing)]),
    ...meeting.map(wouldMeet),
  ];
  return outside.filter((quote) => !meeting.includes(quote));
}

/** Of two quotes that would trade with each other neither is right, and neither is placed. */
function doMeet(one: Quote, other: Quote): boolean {
  if (one.side === other.side) return false;
  const [bid, ask] = one.side === 'bid' ? [one, other] : [other, one];
  return bid.price >= ask.price;
}

function wouldMeet(quote: Quote): QuoteReason {
  return {
    side: quote.side,
    code: 'would_meet_own',
    detail: `a ${quote.side} at ${quote.price} ticks would meet a wished quote of the other side`,
    clears: 'the strategy wishes bids below its asks',
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
  market: MarketState,
  quote: { readonly side: AxisSide; readonly price: number },
): boolean {
  const opposite = quote.side === 'bid' ? market.book.bestAsk() : market.book.bestBid();
  if (opposite === undefined) return false;
  return quote.side === 'bid' ? quote.price >= opposite : quote.price <= opposite;
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
