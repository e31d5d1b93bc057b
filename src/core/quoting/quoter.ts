// One market at a time: ask the strategy, hold its target quotes against what is live, say what to cancel
// and what is missing, and keep the reason for every side that ends up without a quote.

import type { AxisSide, TargetQuotes } from '../../strategy/index.ts';
import { changesAtMs, syncOwnSizes } from '../book/own-sizes.ts';
import { mark } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { renewalOf } from '../orders/taught.ts';
import { watchPosition } from '../risk/divergence.ts';
import { termsOf } from '../risk/limits.ts';
import { watchMark } from '../risk/loss.ts';
import { judgeFired } from './arms.ts';
import { contextOf, type Look, updateCapital } from './context.ts';
import type { Missing, QuotedMarket, ReasonText, Renewal } from './market.ts';
import { AT_ONCE, isWanted, planMarket } from './plan.ts';
import { keepReasons, marketReason } from './reasons.ts';
import { judgeOf, sifted, toleranceOf } from './sift.ts';
import type { QuotingStores } from './stores.ts';
import { answersOf, NO_TARGETS, noteFailure } from './targets.ts';

/** A market nothing happened to is looked at this often, for strategies that mind the clock. */
const REPLAN_MS = 1_000;
/**
 * So many of them in one turn, or this part of all: a twentieth would do at twenty ticks a second.
 * Thousands that began together would otherwise all hold up the same turn, once a second.
 */
const REPLANS_OF_TURN_MIN = 50;
const REPLANS_OF_TURN_PART = 0.1;

type Group = readonly QuotedMarket[];

/** Markets to plan now, those of one event strategy together; the others wait for the next turn, the oldest plans first. */
export function dueGroups(stores: QuotingStores, asksMax = Infinity): readonly Group[] {
  const groups = allDue(stores);
  if (groups.length <= asksMax) return groups;
  const asked = groups.filter(([first]) => first !== undefined && isAsked(stores, first));
  const left = new Set(asked.sort((a, b) => plannedMs(a) - plannedMs(b)).slice(asksMax));
  return groups.filter((group) => !left.has(group));
}

function isAsked(stores: QuotingStores, market: QuotedMarket): boolean {
  return market.strategy.scope === 'event' || marketReason(stores, market) === undefined;
}

function plannedMs([first]: Group): number {
  return first?.plannedAtMs ?? 0;
}

function allDue(stores: QuotingStores): readonly Group[] {
  const groups: Group[] = [];
  let grouped: Set<QuotedMarket> | undefined;
  for (const market of dueMarkets(stores)) {
    if (grouped?.has(market)) continue;
    if (market.strategy.scope !== 'event') {
      groups.push([market]);
      continue;
    }
    const group = siblings(stores, market);
    grouped ??= new Set();
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
}

/** Each of them once. */
function dueMarkets(stores: QuotingStores): readonly QuotedMarket[] {
  const { dirty, planned, waiting } = stores.workQueue;
  const due = [...dirty];
  for (const market of waiting.due(stores.nowMs)) if (!market.isDirty) due.push(market);
  let left = Math.max(REPLANS_OF_TURN_MIN, planned.size * REPLANS_OF_TURN_PART);
  for (const market of planned) {
    if (left <= 0 || stores.nowMs - (market.plannedAtMs ?? 0) < REPLAN_MS) break;
    if (market.isDirty || waiting.isDue(market, stores.nowMs)) continue;
    due.push(market);
    left -= 1;
  }
  return due;
}

/** The markets that one event strategy prices together, in the order of the catalogue. */
function siblings(stores: QuotingStores, market: QuotedMarket): readonly QuotedMarket[] {
  const found = market.event.markets.flatMap((each) => stores.markets.get(each.id) ?? []);
  const group = found.filter((each) => isSameChoice(each, market));
  return group.includes(market) ? group : [market];
}

function isSameChoice(one: QuotedMarket, other: QuotedMarket): boolean {
  return one.choice === other.choice && one.isLeaving === other.isLeaving;
}

/**
 * Plans the markets of one group.
 * @param accountWide - Why nothing at all may be quoted, if so.
 * @returns Orders to cancel now; what is missing is kept with each market for the next write.
 */
export function replan(
  stores: QuotingStores,
  group: readonly QuotedMarket[],
  accountWide: ReasonText | undefined,
): readonly OwnOrder[] {
  for (const market of group) update(stores, market);
  const looks = group.map((market): Look => {
    const terms = termsOf(stores, market);
    const blocked = accountWide ?? marketReason(stores, market);
    return { market, terms, context: contextOf(stores, market, terms), blocked };
  });
  const answers = accountWide === undefined ? answersOf(stores, looks, { remembers: true }) : [];
  for (const [index, answer] of answers.entries()) {
    const market = looks[index]?.market;
    if (market !== undefined) noteFailure(stores, market, answer.failure);
  }
  return looks.flatMap((each, index) =>
    contained(stores, each, answers[index]?.targetQuotes ?? NO_TARGETS),
  );
}

/** Brings what is known of a market up to this moment. */
function update(stores: QuotingStores, market: QuotedMarket): void {
  market.isDirty = false;
  market.plannedAtMs = stores.nowMs;
  stores.arms.touched.add(market);
  syncOwnSizes(market, stores.ledger, stores);
  stores.workQueue.onPlanned(market, changesAtMs(market));
  // The order that asks whether it trades again goes in that very turn.
  const { probeAtMs } = market.live;
  if (probeAtMs !== undefined && probeAtMs > stores.nowMs) {
    stores.workQueue.planBy(market, probeAtMs);
  }
  // What is in doubt says nothing of what a position is worth.
  const isMarked = market.isPriceable;
  if (isMarked) market.onMid(stores.positions, stores.nowMs);
  watchMark(stores, market, isMarked && market.hasMid);
  watchPosition(stores, market);
  market.insight.setExternalAgeMax(market.choice.externalAgeMsMax);
  market.insight.update(stores.ledger.ofMarket(market.market.id), stores.nowMs);
  updateCapital(stores, market);
}

/** Guards and estimates that fail cost this market its quotes, and no other market anything. */
function contained(
  stores: QuotingStores,
  at: Look,
  targetQuotes: TargetQuotes,
): readonly OwnOrder[] {
  try {
    return plan(stores, at, targetQuotes);
  } catch (cause) {
    const { market } = at;
    noteFailure(stores, market, cause instanceof Error ? cause.message : String(cause));
    setMissing(market, [], stores);
    market.desk.targets = [];
    market.desk.planned = undefined;
    market.desk.takes = [];
    keepReasons(stores, market, { blocked: at.blocked, targets: [] });
    const orders = stores.ledger.ofMarket(market.market.id);
    return planMarket([], orders, AT_ONCE).cancels;
  }
}

function plan(stores: QuotingStores, at: Look, targetQuotes: TargetQuotes): readonly OwnOrder[] {
  const { market, blocked } = at;
  const orders = stores.ledger.ofMarket(market.market.id);
  const { targets, reasons, guards, overlays } = sifted(stores, at, targetQuotes);
  market.strategyReasons = reasons;
  const { desk } = market;
  desk.guards = guards;
  desk.overlays = overlays;
  const judge = judgeOf(stores, at);
  const tolerance = {
    ...(desk.movesAtOnce ? AT_ONCE : toleranceOf(at.terms, judge)),
    renewal: renewalFor(stores),
  };
  const found = planMarket(targets, orders, tolerance);
  judgeFired(stores, market, (order) => isWanted(order, targets, tolerance));
  desk.targets = targets;
  desk.planned = blocked === undefined ? { targets, tolerance } : undefined;
  desk.driftsSinceMs = judge?.driftsSinceMs();
  desk.movesAtOnce = false;
  desk.takes = blocked === undefined ? (targetQuotes.takes ?? []) : [];
  mark(stores.workQueue.taking, market, desk.takes.length > 0);
  setMissing(market, found.missing, stores);
  const isAsked = blocked === undefined && market.strategyFailure === undefined;
  keepReasons(stores, market, {
    blocked,
    targets,
    ...(isAsked ? { wanted: targetQuotes.quotes } : {}),
  });
  return found.cancels;
}

/** Which orders are near their end; a sell cannot rest beside itself, its shares are held. */
function renewalFor(stores: OrderStores): Renewal {
  const { expiry, nowMs } = stores;
  const renewal = renewalOf(stores.settings);
  return {
    isDying: (order) => expiry.isDying(order, renewal, nowMs),
    overlaps: ({ side }) => side === 'BUY' && renewal.gtd.renewal === 'overlap',
  };
}

function setMissing(market: QuotedMarket, missing: readonly Missing[], stores: KernelStores): void {
  market.missing = missing;
  if (missing.length === 0) market.missingSinceMs = undefined;
  else market.missingSinceMs ??= stores.nowMs;
  for (const side of ['bid', 'ask'] as const) {
    if (!missing.some((each) => each.side === side)) forgetWaits(market, side, stores.nowMs);
  }
}

/** Nothing of a side is missing: what kept it away is over, but for a pause that still runs. */
function forgetWaits(market: QuotedMarket, side: AxisSide, nowMs: number): void {
  market.desk.waiting[side] = undefined;
  if (nowMs >= (market.backoff[side]?.untilMs ?? 0)) market.backoff[side] = undefined;
}
