// A previous run is taken over: what it held, what it earned, and every order that had not ended.
// Orders come back with their market, since only the market says what their prices mean.

import type { OrderHash } from '../../domain/ids.ts';
import { isInFlight, type OrderReport, type OrderState } from '../../domain/order.ts';
import type {
  PersistedState,
  StoredOrder,
  StoredRecent,
  StoredSteady,
  StoredToken,
} from '../../domain/record.ts';
import type { StoredBaselines, StoredLatch } from '../../domain/risk.ts';
import { microShares, NO_SHARES } from '../../domain/shares.ts';
import { type TickGrid, ticks } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { mayArriveUntilMs } from '../orders/deadlines.ts';
import { type OwnOrder, orderOf } from '../orders/own-order.ts';
import type { LateOrder } from '../orders/restored.ts';
import type { OrderStores } from '../orders/stores.ts';
import { noteUncancellable } from '../orders/uncancellable.ts';
import { doubtStored } from '../positions/doubt.ts';
import type { PositionStores } from '../positions/stores.ts';
import { restoreCounts, restoreMarketCounts } from '../risk/breakers.ts';
import { MarketFlows } from '../risk/market.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { MarketState } from '../sending/market.ts';
import { restoreUnnamed } from './fills.ts';
import { countedAt } from './named-order.ts';
import { isOfOthers, onFound, setConflict } from './own-scope.ts';
import type { AccountStores } from './stores.ts';

/** A venue that was as slow a month ago is trusted to be what the settings say. */
export const SLOWEST_KEPT_MS = 30 * 86_400_000;

/** Takes over everything but the orders, which wait for their markets. */
export function restoreState(stores: AccountStores, left: PersistedState): void {
  const persisted = setBack(left, stores.nowMs);
  stores.positions.restore(persisted.tokens);
  stores.written.adoptedNano = persisted.adoptedNano ?? 0;
  if (persisted.cashNano !== undefined) stores.cash.restore(persisted.cashNano, persisted);
  if (persisted.locks !== undefined) stores.locks.restore(persisted.locks.keepsMatched);
  for (const stored of persisted.flows) {
    stores.flows.set(stored.marketId, flowsOf(stored));
  }
  for (const tradeId of persisted.tradeIds) stores.tradeIds.add(tradeId);
  stores.history.restore(persisted.settlements ?? []);
  restoreUnnamed(stores, persisted);
  stores.memories.load(persisted.memories);
  stores.sets.restore(persisted.sets ?? []);
  restoreStops(stores, persisted);
  if (persisted.recent !== undefined) restoreCounts(stores, persisted.recent);
  if (persisted.baselines !== undefined) restoreBaselines(stores, persisted.baselines);
  restoreInFlight(stores, persisted);
  for (const order of persisted.orders) stores.restored.wait(order);
  for (const orderHash of persisted.endedHashes ?? []) stores.ledger.hashes.addOwn(orderHash);
}

/** What keeps quotes away, but for the pause and the halt of the account. */
function restoreStops(
  stores: AccountStores,
  { latches = [], marketStops = [] }: PersistedState,
): void {
  const { controls, nowMs } = stores;
  for (const latch of latches) controls.latches.set(latch);
  // Who had yielded yields on, and leaves alone what the other one has there.
  if (controls.latches.get('account_conflict', undefined) !== undefined) {
    controls.conflict.seenAtMs = nowMs;
    setConflict(stores, true);
  }
  for (const stop of marketStops) controls.marketStops.set(stop);
}

/** How late the venue was seen to accept, and by which clock. */
function restoreInFlight(stores: RiskStores, { slowest, ahead, clock }: PersistedState): void {
  const { inFlightTracker, nowMs } = stores;
  if (slowest !== undefined && nowMs - slowest.atMs < SLOWEST_KEPT_MS) {
    inFlightTracker.onAccepted(slowest.tookMs);
  }
  if (ahead !== undefined) inFlightTracker.restoreAhead(ahead);
  if (clock === undefined) return;
  stores.clock.knownOffsetMs = clock.offsetMs;
  stores.clock.offsetBeforeMs = clock.offsetMs;
  inFlightTracker.restoreOffset(clock.offsetMs);
}

/** What is held is worth what it last was, until a book says otherwise. */
function restoreBaselines(stores: AccountStores, baselines: StoredBaselines): void {
  stores.controls.baselines.restore(baselines);
  stores.risk.restoreLeft(baselines);
  for (const [marketId, markMilliUsdc] of baselines.marks ?? []) {
    const flows = stores.flows.get(marketId);
    if (flows !== undefined) flows.markMilliUsdc = markMilliUsdc;
  }
}

/** The market is known again, and so are its orders. */
export function restoreOrders(stores: AccountStores, market: MarketState): void {
  restoreMarketCounts(stores, market);
  // It waited for a price when it was last looked at, and the first one lets go.
  if (stores.controls.latches.get('unmarked_position', market.market.id) !== undefined)
    market.unmarkedSinceMs = stores.nowMs;
  // Its shares were too uncertain: the first look at what is left of that holds on or lets go.
  if (stores.controls.latches.get('position_uncertain', market.market.id) !== undefined)
    market.doubt ??= { sinceMs: stores.nowMs, pulledUntilMs: undefined };
  const refused = new Set(stores.restored.staying.keys());
  for (const stored of stores.restored.takeOf(market.market.id)) {
    // On another grid the price means something else. It may rest all the same until lists miss it.
    if (stored.ticksPerUnit !== market.grid.ticksPerUnit) {
      const { orderHash } = stored;
      if (orderHash === undefined) letGo(stores, onGrid(stored, market.grid), stores.nowMs);
      else if (refused.has(orderHash)) joinAsCounted(stores, market, stored);
      else stores.restored.stay(stored);
      continue;
    }
    join(stores, market, stored);
  }
}

/** It is in the ledger from now on, with what lists and news have said of it meanwhile. */
function join(stores: AccountStores, market: MarketState, stored: StoredOrder): OwnOrder {
  const order = ownOrder(market, stored, pendingOf(stores, stored));
  order.isOfOthers = isOfOthers(stores, order);
  stores.ledger.add(order);
  stores.restored.onBack(order);
  const { answeredHash } = order;
  if (answeredHash !== undefined) {
    stores.ledger.hashes.addOwn(answeredHash);
    // A list that was faster than the catalogue has shown it, just as it was sent.
    if (stores.restored.isSeen(answeredHash)) onFound(stores, order, answeredHash);
  }
  const executed = stores.restored.takeSeen(order);
  if (executed !== undefined) stores.ledger.onListed(order, executed, stores.nowMs);
  stores.ledger.applyEarly(order, stores.nowMs);
  return order;
}

/**
 * It rests on a market that is quoted, on another grid, and the venue refuses to cancel it: limits count it,
 * at the tick that costs its owner more, and what it trades is a fill.
 */
function joinAsCounted(stores: AccountStores, market: MarketState, stored: StoredOrder): void {
  const { grid } = market;
  const order = join(stores, market, {
    ...stored,
    price: countedAt(grid, stored),
    ticksPerUnit: grid.ticksPerUnit,
  });
  noteUncancellable(stores, order);
  market.isDirty = true;
}

/**
 * The venue showed nothing else: orders of markets that are quoted no more have ended as well.
 * @param staying - What it shows and refuses to cancel: that rests on, and waits on.
 */
export function endWaiting(stores: AccountStores, staying: ReadonlySet<OrderHash>): void {
  for (const order of stores.restored.takeAll()) {
    const isStaying = order.orderHash !== undefined && staying.has(order.orderHash);
    const market = stores.markets.get(order.marketId);
    if (isStaying && market !== undefined) joinAsCounted(stores, market, order);
    else if (isStaying) stores.restored.stay(order);
    else letGo(stores, order, stores.nowMs);
  }
}

type List = { readonly reports: readonly OrderReport[]; readonly askedAtMs: UnixMs };

/** After a list: what had no answer and cannot arrive any more has ended, and so has what left the list. */
export function endLate(stores: PositionStores, list: List): void {
  const { reports, askedAtMs } = list;
  const isLate = (order: LateOrder) =>
    mayArrive(stores, order, askedAtMs) || isRefusedListed(stores, order, list);
  const over = stores.restored.takeLate(isLate);
  for (const order of over) recordEnd(stores, order);
  const listed = new Set(reports.map((report) => report.orderHash));
  for (const order of stores.restored.takeGone(listed)) letGo(stores, order, stores.nowMs);
}

/**
 * An order without a market to come back with. Its hash stays known as ours, and a placement that
 * nobody answered is looked for as long as it may arrive: in the own scope whatever is not known as
 * ours is left alone.
 */
function letGo(stores: PositionStores, order: StoredOrder, nowMs: UnixMs): void {
  const { orderHash, isExternal } = order;
  if (orderHash === undefined && mayArrive(stores, order, nowMs)) {
    stores.restored.keepLate(order);
    return;
  }
  if (orderHash !== undefined && !isExternal) stores.ledger.hashes.addOwn(orderHash);
  // While nobody listened it may have traded as well as ended.
  doubtStored(stores, order);
  recordEnd(stores, order);
}

function mayArrive(stores: OrderStores, order: LateOrder, atMs: UnixMs): boolean {
  return atMs <= mayArriveUntilMs(stores, order);
}

/** It was refused, and rests all the same: it is looked for as long as if nobody had answered. */
function isRefusedListed(
  stores: OrderStores,
  order: LateOrder,
  { reports, askedAtMs }: List,
): boolean {
  if (order.refusedAtMs === undefined) return false;
  const isUnanswered = mayArrive(stores, { ...order, refusedAtMs: undefined }, askedAtMs);
  const unclaimed = reports.filter((report) => isUnclaimed(stores, report));
  return isUnanswered && stores.restored.isListed(order, unclaimed, stores.clock.lowestOffsetMs);
}

/** Neither what was sent in its stead, nor what is somebody else's. */
function isUnclaimed({ ledger }: OrderStores, { orderHash }: OrderReport): boolean {
  const known = ledger.byHash(orderHash);
  return known === undefined || (known.isExternal && !known.isOfOthers);
}

function recordEnd(stores: KernelStores, order: StoredOrder): void {
  const ended = { ...order, state: 'cancelled', stateSinceMs: stores.nowMs } as const;
  stores.outbox.record({ kind: 'order', order: ended });
}

/** The same price on another grid; one that is not on it is no price of any order there. */
function onGrid(order: StoredOrder, grid: TickGrid): StoredOrder {
  const { ticksPerUnit } = grid;
  const price = (order.price * ticksPerUnit) / order.ticksPerUnit;
  return Number.isInteger(price) ? { ...order, price: ticks(grid, price), ticksPerUnit } : order;
}

function flowsOf(stored: PersistedState['flows'][number]): MarketFlows {
  const flows = new MarketFlows();
  flows.cashNano = stored.cashNano;
  flows.fills = stored.fills;
  flows.start = stored.start;
  flows.startValueNano = stored.startValueNano;
  return flows;
}

/** Nobody will answer what the previous run asked: a request under way is an unknown outcome. */
function stateAfterwards(state: OrderState): OrderState {
  if (isInFlight(state)) return 'unknown';
  return state === 'cancelling' ? 'cancelUnresolved' : state;
}

/** Shares of an order that had matched and not settled. */
function pendingOf(stores: PositionStores, { tokenId, intentId }: StoredOrder): number {
  let pending = 0;
  for (const fill of stores.positions.pending(tokenId)) {
    if (fill.intentId === intentId) pending += fill.quantity;
  }
  return pending;
}

function ownOrder(market: MarketState, stored: StoredOrder, pending: number): OwnOrder {
  const { isTake = false, failed = NO_SHARES, orderHash } = stored;
  const state = stateAfterwards(stored.state);
  const isUnknown = state === 'unknown';
  // A run that crashed did not say by which clock it had dated its requests.
  return orderOf(market.grid, {
    ...stored,
    price: ticks(market.grid, stored.price),
    isTake,
    orderHash: isUnknown ? undefined : orderHash,
    answeredHash: isUnknown ? orderHash : undefined,
    state,
    settled: microShares(Math.max(0, stored.executed - pending)),
    failed,
    refusalCode: undefined,
  });
}

// A previous run may have had a clock that was ahead, and was put back since. Whatever it did is over
// by now: a time that has not come yet would keep its waits open until it does, an hour or a day.

/** The same run with nothing in it that happens later than now; waits then begin anew, and none ends early. */
export function setBack(persisted: PersistedState, nowMs: UnixMs): PersistedState {
  return {
    ...persisted,
    tokens: persisted.tokens.map((token) => tokenUntil(token, nowMs)),
    settlements: (persisted.settlements ?? []).map((trade) => ({
      ...trade,
      atMs: until(trade.atMs, nowMs),
    })),
    orders: ordersUntil(persisted.orders, nowMs),
    sets: (persisted.sets ?? []).map((request) => ({
      ...request,
      sentAtMs: until(request.sentAtMs, nowMs),
    })),
    marketStops: (persisted.marketStops ?? []).map((stop) => ({
      ...stop,
      sinceMs: until(stop.sinceMs, nowMs),
    })),
    latches: (persisted.latches ?? []).map((latch) => latchUntil(latch, nowMs)),
    recent: persisted.recent && recentUntil(persisted.recent, nowMs),
    cashSteady: steadyUntil(persisted.cashSteady, nowMs),
    ahead: persisted.ahead && { ...persisted.ahead, atMs: until(persisted.ahead.atMs, nowMs) },
  };
}

/** By a clock that was ahead nobody knows what was sent later: it begins anew. */
function steadyUntil(steady: StoredSteady | undefined, nowMs: UnixMs): StoredSteady | undefined {
  return steady !== undefined && steady.sinceMs > nowMs ? undefined : steady;
}

function tokenUntil(token: StoredToken, nowMs: UnixMs): StoredToken {
  const pending = token.pending.map((fill) => ({ ...fill, atMs: until(fill.atMs, nowMs) }));
  const { changedAtMs, uncertain, unreported, shown, past } = token;
  const early = (all: StoredToken['shown']) =>
    all.map((each) => ({ ...each, atMs: until(each.atMs, nowMs) }));
  return {
    ...token,
    pending,
    changedAtMs: changedAtMs && until(changedAtMs, nowMs),
    uncertain: uncertain.map((item) => ({ ...item, sinceMs: until(item.sinceMs, nowMs) })),
    unreported: early(unreported),
    shown: early(shown),
    past: past?.map((each) => ({ ...each, untilMs: until(each.untilMs, nowMs) })),
  };
}

/** The same orders, none of them sent later than now. */
export function ordersUntil(orders: readonly StoredOrder[], nowMs: UnixMs): readonly StoredOrder[] {
  return orders.map((order) => orderUntil(order, nowMs));
}

function orderUntil(order: StoredOrder, nowMs: UnixMs): StoredOrder {
  const { sentAtMs, stateSinceMs, confirmedAtMs } = order;
  return {
    ...order,
    sentAtMs: until(sentAtMs, nowMs),
    stateSinceMs: until(stateSinceMs, nowMs),
    confirmedAtMs: confirmedAtMs && until(confirmedAtMs, nowMs),
  };
}

/** What ends by itself ends as long after now as it was to last. */
function latchUntil(latch: StoredLatch, nowMs: UnixMs): StoredLatch {
  const { sinceMs, resumes } = latch;
  if (sinceMs <= nowMs) return latch;
  if (resumes.kind !== 'time') return { ...latch, sinceMs: nowMs };
  const lastsMs = resumes.atMs - sinceMs;
  return { ...latch, sinceMs: nowMs, resumes: { ...resumes, atMs: addMs(nowMs, lastsMs) } };
}

/** What happened one after the other did not happen at once: the distances stay. */
function recentUntil(recent: StoredRecent, nowMs: UnixMs): StoredRecent {
  const { ordersAtMs, fills, refusals, failuresAtMs, cleared } = recent;
  const dated = [...fills, ...(refusals ?? [])];
  const times = [...ordersAtMs, ...(failuresAtMs ?? []), ...dated.map(({ atMs }) => atMs)];
  const latestMs = times.reduce((latest, atMs) => Math.max(latest, atMs), Number(nowMs));
  const back = (atMs: UnixMs) => addMs(atMs, nowMs - latestMs);
  const setBackAll = <Happened extends { readonly atMs: UnixMs }>(all?: readonly Happened[]) =>
    all?.map((one) => ({ ...one, atMs: back(one.atMs) }));
  return {
    ordersAtMs: ordersAtMs.map(back),
    fills: setBackAll(fills) ?? [],
    refusals: setBackAll(refusals),
    failuresAtMs: failuresAtMs?.map(back),
    // What would clear something that is still to come clears nothing.
    cleared: setBackAll(cleared)?.filter(({ atMs }) => atMs <= nowMs),
  };
}

function until(atMs: UnixMs, nowMs: UnixMs): UnixMs {
  return atMs > nowMs ? nowMs : atMs;
}
