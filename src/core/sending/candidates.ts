// What may be written now, over all markets, in which order and what of it alone: bringing positions down may use the
// whole budget, repairing a bare side keeps a reserve for that, improving one for both.

import { RESERVE_PART } from '../../domain/input.ts';
import { isInFlight } from '../../domain/order.ts';
import { MICRO_PER_SHARE } from '../../domain/shares.ts';
import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { renewalOf } from '../orders/taught.ts';
import type { Missing, WriteClass } from '../quoting/market.ts';
import { WRITE_WINDOW_MS, writesOf } from './budget.ts';
import type { MarketState } from './market.ts';
import type { SendingStores } from './stores.ts';

export type Candidate = {
  readonly market: MarketState;
  readonly missing: Missing;
  /** Expected gain of its shares at their distance from the fair value, growing while it waits. */
  readonly worth: number;
  /** When the first of the orders that it renews ends; zero where none is left to wait for. */
  readonly endsAtMs: number;
};

/** The longest wait for company, when the budget of most writes is used up. */
const SCARCE_GATHER_MS = 250;
/** A shorter wait brings no company and still costs a whole tick. */
const WORTHWHILE_MS = 25;
/** Part of that budget from which on waiting begins: before it, waiting gains nothing. */
const SCARCE_FROM = 0.85;
const CLASS_RANKS: Readonly<Record<WriteClass, number>> = {
  reduce: 0,
  repair: 1,
  renew: 2,
  improve: 3,
};
/** Renewals wait this part of their time for company, since a full batch costs no more than one. */
const RENEW_GATHER_PART = 0.1;

/**
 * What is missing and may be sent now: not resting after a refusal, gathered long enough, and of a
 * class that the budget still serves. A batch costs one write whatever is in it, so the lower classes
 * ride along with the first one.
 */
export function dueCandidates(stores: SendingStores): readonly Candidate[] {
  const candidates: Candidate[] = [];
  let isAnyDue = false;
  const patience = patienceOf(stores);
  for (const market of stores.workQueue.missing) {
    if (isOutdated(market, stores)) continue;
    const waitedMs = stores.nowMs - (market.missingSinceMs ?? stores.nowMs);
    if (waitedMs >= patienceMs(market.missing, patience)) isAnyDue = true;
    for (const missing of market.missing) {
      const until = market.backoff[missing.side]?.untilMs;
      if (until !== undefined && stores.nowMs < until) continue;
      const worth = worthOf(stores, market, missing);
      candidates.push({ market, missing, worth, endsAtMs: endOf(stores, missing) });
    }
  }
  if (!isAnyDue && candidates.length < BATCH_ORDERS_MAX) return [];
  const sorted = candidates.sort(byClassRankWorth);
  return isServed(stores, sorted[0]) ? sorted : [];
}

/** What is missing says why no write is allowed at all. */
export function sayNoWrite({ budget, nowMs, workQueue }: SendingStores): void {
  const why = workQueue.missing.size === 0 ? undefined : budget.whyNot(nowMs);
  if (why === undefined) return;
  for (const { desk, missing } of workQueue.missing) {
    for (const { side } of missing) desk.waiting[side] = why;
  }
}

/** What it lacks is by a book that has moved since, and its strategy waits for its turn. */
export function isOutdated(
  { isDirty, plannedAtMs }: MarketState,
  { nowMs }: KernelStores,
): boolean {
  return isDirty && plannedAtMs !== nowMs;
}

/** Of renewals the one that ends first. Inner levels first; among equals what is worth more, where waiting adds worth so none starves. */
function byClassRankWorth(a: Candidate, b: Candidate): number {
  return (
    CLASS_RANKS[a.missing.writeClass] - CLASS_RANKS[b.missing.writeClass] ||
    a.endsAtMs - b.endsAtMs ||
    a.missing.rank - b.missing.rank ||
    b.worth - a.worth
  );
}

/** How long what is missing waits for company. */
type Patience = { readonly urgentMs: number; readonly usualMs: number; readonly renewalMs: number };

function patienceOf(stores: SendingStores): Patience {
  const urgentMs = scarceGatherMs(stores);
  const usualMs = Math.max(urgentMs, stores.settings?.orders.gatherMs ?? 0);
  const renewalMs = Math.max(usualMs, renewalOf(stores.settings).gtd.renewMs * RENEW_GATHER_PART);
  return { urgentMs, usualMs, renewalMs };
}

function patienceMs(missing: readonly Missing[], of: Patience): number {
  if (missing.some(isUrgent)) return of.urgentMs;
  return missing.every(isRenewal) ? of.renewalMs : of.usualMs;
}

function isRenewal(missing: Missing): boolean {
  return missing.renews !== undefined;
}

/** Its side has nothing, or the position is too large: a write of its own is worth it. */
function isUrgent({ writeClass }: Missing): boolean {
  return writeClass === 'reduce' || writeClass === 'repair';
}

function endOf(stores: OrderStores, { renews = [] }: Missing): number {
  const ends = renews.map(({ expiresAtMs: at }) =>
    at === undefined ? 0 : stores.expiry.endMs(at),
  );
  return ends.length === 0 ? 0 : Math.min(...ends);
}

function worthOf(stores: KernelStores, market: MarketState, missing: Missing): number {
  const waitedSec = (stores.nowMs - (market.missingSinceMs ?? stores.nowMs)) / 1_000;
  const fair = market.insight.fairAt(stores.nowMs)?.price;
  const price = missing.price / market.grid.ticksPerUnit;
  const edge = fair === undefined ? 0 : Math.abs(fair - price);
  return (edge * missing.quantity * (1 + waitedSec)) / MICRO_PER_SHARE + waitedSec;
}

function isServed(stores: SendingStores, first: Candidate | undefined): boolean {
  if (first === undefined) return false;
  const { budget, nowMs } = stores;
  const used = budget.usedInWindow(nowMs);
  // Even the smallest budget serves every class while it is untouched.
  if (used === 0 || used < writesAllowed(stores, first.missing.writeClass)) return true;
  first.market.desk.waiting[first.missing.side] = {
    code: 'write_budget',
    detail: `${used} of ${budget.perWindow} order writes of 10 s are used; ${first.missing.writeClass} waits`,
    clears: 'earlier writes leave the window',
  };
  return false;
}

function writesAllowed(
  { budget, ledger, settings }: SendingStores,
  writeClass: WriteClass,
): number {
  const reservePart = settings?.orders.reservePart ?? RESERVE_PART;
  const { perWindow } = budget;
  return writesOf(writeClass, { perWindow, reservePart, marketsQuoted: ledger.marketsInUse });
}

/**
 * Fewer than a full batch wait for company when writes are scarce: before that waiting gains little, and
 * nothing for a side that is bare.
 */
function scarceGatherMs(stores: SendingStores): number {
  const usedPart = stores.budget.usedInWindow(stores.nowMs) / writesAllowed(stores, 'improve');
  const scarcity = Math.min(1, Math.max(0, usedPart - SCARCE_FROM) / (1 - SCARCE_FROM));
  const waitMs = SCARCE_GATHER_MS * scarcity;
  return waitMs < WORTHWHILE_MS ? 0 : waitMs;
}

// An order was refused without a code, as an item of a batch is: those like it go alone, one after the
// other, until one of them is refused again, with what the venue says to it alone.
// @spec Endpoints › Orders › POST /orders/batch

/** An order that would tell the code of a refusal may not be wanted again: this long is enough. */
const ALONE_MS = 60_000;

/** Whether its orders go alone; when the time for that is over they go like any other. */
export function isGoingAlone({ nowMs }: KernelStores, market: MarketState): boolean {
  const { goesAlone } = market;
  const isSuspected = goesAlone !== undefined && nowMs < goesAlone.untilMs;
  return isSuspected || isProbing(market);
}

/** What it lacks asks whether it trades again: nothing else of it leaves. */
export function isProbing({ status }: MarketState): boolean {
  return status !== 'open';
}

/** Many may be paused at once, and what asks for them is taken from those that trade: this part of the writes. */
const PROBES_PART = 1 / 4;

function mayProbeNow({ budget, probedAtMs, nowMs }: SendingStores): boolean {
  return nowMs - probedAtMs >= WRITE_WINDOW_MS / (budget.perWindow * PROBES_PART);
}

/** The venue said no to one of several and not why. */
export function goAlone(stores: KernelStores, market: MarketState, { leg, side }: OwnOrder): void {
  market.goesAlone = { leg, side, untilMs: stores.nowMs + ALONE_MS };
}

/** One like it was refused with a word of its own: there is nothing more to learn. */
export function onAnsweredAlone(market: MarketState, { leg, side }: OwnOrder): void {
  const { goesAlone } = market;
  if (goesAlone?.leg === leg && goesAlone.side === side) market.goesAlone = undefined;
}

/**
 * Whether nothing is left to learn from when this order leaves. Only an order like the one that was refused
 * tells why; another one may well be taken, and so may a nearer one like it, so all that are missing go alone.
 */
export function isLastAlone(
  { nowMs }: KernelStores,
  { goesAlone, missing }: MarketState,
  { leg, side, axisSide }: OwnOrder,
): boolean {
  if (goesAlone === undefined || nowMs >= goesAlone.untilMs) return true;
  if (goesAlone.leg !== leg || goesAlone.side !== side) return false;
  return !missing.some((each) => each.side === axisSide);
}

/**
 * One like the order that was refused has gone alone: its answer comes before the next one of its side. So it does
 * of one that asks whether the market trades, and others that ask take turns.
 */
export function awaitsLone(stores: SendingStores, market: MarketState, { side }: Missing): boolean {
  const { goesAlone } = market;
  const isAny = isProbing(market);
  if (goesAlone === undefined && !isAny) return false;
  if (isAny && !mayProbeNow(stores)) return true;
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    const isLike = order.leg === goesAlone?.leg && order.side === goesAlone.side;
    const isAsker = isAny || (isLike && order.axisSide === side);
    if (isAsker && isInFlight(order.state)) return true;
  }
  return false;
}
