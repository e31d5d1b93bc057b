// A previous run is taken over: what it held, what it earned, and every order that had not ended.
// Orders come back with their market, since only the market says what their prices mean.

import type { OrderHash } from '../../domain/ids.ts';
import { isInFlight, type OrderReport, type OrderState } from '../../domain/order.ts';
import type { PersistedState, StoredOrder } from '../../domain/record.ts';
import type { StoredBaselines } from '../../domain/risk.ts';
import { microShares, NO_SHARES } from '../../domain/shares.ts';
import { type TickGrid, ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { MarketFlows, type MarketState } from '../market.ts';
import { type OwnOrder, orderOf } from '../orders/own-order.ts';
import { noteUncancellable } from '../orders/uncancellable.ts';
import { doubtStored } from '../positions/doubt.ts';
import { restoreCounts, restoreMarketCounts } from '../risk/recent.ts';
import type { World } from '../world.ts';
import { countedAt } from './list-grid.ts';
import { isOfOthers } from './meant.ts';
import { onFound } from './possible-duplicates.ts';
import type { LateOrder } from './restored.ts';
import { setBack } from './set-back.ts';

/** A venue that was as slow a month ago is trusted to be what the settings say. */
export const SLOWEST_KEPT_MS = 30 * 86_400_000;

/** Takes over everything but the orders, which wait for their markets. */
export function restoreState(world: World, left: PersistedState): void {
  const persisted = setBack(left, world.nowMs);
  world.positions.restore(persisted.tokens);
  world.touched.writtenAdoptedNano = persisted.adoptedNano ?? 0;
  if (persisted.cashNano !== undefined) world.cash.restore(persisted.cashNano, persisted);
  if (persisted.locks !== undefined) world.locks.restore(persisted.locks.keepsMatched);
  for (const stored of persisted.flows) {
    world.flows.set(stored.marketId, flowsOf(stored));
  }
  for (const tradeId of persisted.tradeIds) world.tradeIds.add(tradeId);
  world.history.restore(persisted.settlements ?? []);
  world.memories.load(persisted.memories);
  world.sets.restore(persisted.sets ?? []);
  restoreStops(world, persisted);
  if (persisted.recent !== undefined) restoreCounts(world, persisted.recent);
  if (persisted.baselines !== undefined) restoreBaselines(world, persisted.baselines);
  restoreInFlight(world, persisted);
  for (const order of persisted.orders) world.restored.wait(order);
  for (const orderHash of persisted.endedHashes ?? []) world.ledger.rememberHash(orderHash);
}

/** What keeps quotes away, but for the pause and the halt of the account. */
function restoreStops(
  { controls }: World,
  { latches = [], marketStops = [] }: PersistedState,
): void {
  for (const latch of latches) controls.latches.set(latch);
  for (const stop of marketStops) controls.marketStops.set(stop);
}

/** How late the venue was seen to accept, and by which clock. */
function restoreInFlight(world: World, { slowest, ahead, clock }: PersistedState): void {
  const { inFlightTracker, nowMs } = world;
  if (slowest !== undefined && nowMs - slowest.atMs < SLOWEST_KEPT_MS) {
    inFlightTracker.onAccepted(slowest.tookMs);
  }
  if (ahead !== undefined) inFlightTracker.restoreAhead(ahead);
  if (clock === undefined) return;
  world.knownOffsetMs = clock.offsetMs;
  world.offsetBeforeMs = clock.offsetMs;
  inFlightTracker.restoreOffset(clock.offsetMs);
}

/** What is held is worth what it last was, until a book says otherwise. */
function restoreBaselines(world: World, baselines: StoredBaselines): void {
  world.controls.baselines.restore(baselines);
  world.risk.restoreLeft(baselines);
  for (const [marketId, markMilliUsdc] of baselines.marks ?? []) {
    const flows = world.flows.get(marketId);
    if (flows !== undefined) flows.markMilliUsdc = markMilliUsdc;
  }
}

/** The market is known again, and so are its orders. */
export function restoreOrders(world: World, market: MarketState): void {
  restoreMarketCounts(world, market);
  // It waited for a price when it was last looked at, and the first one lets go.
  if (world.controls.latches.get('unmarked_position', market.market.id) !== undefined)
    market.unmarkedSinceMs = world.nowMs;
  // Its shares were too uncertain: the first look at what is left of that holds on or lets go.
  if (world.controls.latches.get('position_uncertain', market.market.id) !== undefined)
    market.doubt = { sinceMs: world.nowMs, pulledUntilMs: undefined };
  const refused = new Set(world.restored.staying);
  for (const stored of world.restored.takeOf(market.market.id)) {
    // On another grid the price means something else. It may rest all the same until lists miss it.
    if (stored.ticksPerUnit !== market.grid.ticksPerUnit) {
      const { orderHash } = stored;
      if (orderHash === undefined) letGo(world, onGrid(stored, market.grid), world.nowMs);
      else if (refused.has(orderHash)) joinAsCounted(world, market, stored);
      else world.restored.stay(stored);
      continue;
    }
    join(world, market, stored);
  }
}

/** It is in the ledger from now on, with what lists and news have said of it meanwhile. */
function join(world: World, market: MarketState, stored: StoredOrder): OwnOrder {
  const order = ownOrder(market, stored, pendingOf(world, stored));
  order.isOfOthers = isOfOthers(world, order);
  world.ledger.add(order);
  world.restored.onBack(order);
  const { answeredHash } = order;
  if (answeredHash !== undefined) {
    world.ledger.rememberHash(answeredHash);
    // A list that was faster than the catalogue has shown it, just as it was sent.
    if (world.restored.isSeen(answeredHash)) onFound(world, order, answeredHash);
  }
  const executed = world.restored.takeSeen(order);
  if (executed !== undefined) world.ledger.onListed(order, executed, world.nowMs);
  world.ledger.applyEarly(order, world.nowMs);
  return order;
}

/**
 * It rests on a market that is quoted, on another grid, and the venue refuses to cancel it: limits count it,
 * at the tick that costs its owner more, and what it trades is a fill.
 */
function joinAsCounted(world: World, market: MarketState, stored: StoredOrder): void {
  const { grid } = market;
  const order = join(world, market, {
    ...stored,
    price: countedAt(grid, stored),
    ticksPerUnit: grid.ticksPerUnit,
  });
  noteUncancellable(world, order);
  market.isDirty = true;
}

/**
 * The venue showed nothing else: orders of markets that are quoted no more have ended as well.
 * @param staying - What it shows and refuses to cancel: that rests on, and waits on.
 */
export function endWaiting(world: World, staying: ReadonlySet<OrderHash>): void {
  for (const order of world.restored.takeAll()) {
    const isStaying = order.orderHash !== undefined && staying.has(order.orderHash);
    const market = world.markets.get(order.marketId);
    if (isStaying && market !== undefined) joinAsCounted(world, market, order);
    else if (isStaying) world.restored.stay(order);
    else letGo(world, order, world.nowMs);
  }
}

type List = { readonly reports: readonly OrderReport[]; readonly askedAtMs: UnixMs };

/** After a list: what had no answer and cannot arrive any more has ended, and so has what left the list. */
export function endLate(world: World, list: List): void {
  const { reports, askedAtMs } = list;
  const isLate = (order: LateOrder) =>
    mayArrive(world, order, askedAtMs) || isRefusedListed(world, order, list);
  const over = world.restored.takeLate(isLate);
  for (const order of over) recordEnd(world, order);
  const listed = new Set(reports.map((report) => report.orderHash));
  for (const order of world.restored.takeGone(listed)) letGo(world, order, world.nowMs);
}

/**
 * An order without a market to come back with. Its hash stays known as ours, and a placement that
 * nobody answered is looked for as long as it may arrive: in the own scope whatever is not known as
 * ours is left alone.
 */
function letGo(world: World, order: StoredOrder, nowMs: UnixMs): void {
  const { orderHash, isExternal } = order;
  if (orderHash === undefined && mayArrive(world, order, nowMs)) {
    world.restored.keepLate(order);
    return;
  }
  if (orderHash !== undefined && !isExternal) world.ledger.rememberHash(orderHash);
  // While nobody listened it may have traded as well as ended.
  doubtStored(world, order);
  recordEnd(world, order);
}

function mayArrive(world: World, order: LateOrder, atMs: UnixMs): boolean {
  const { sentAtMs, datedByMs, refusedAtMs } = order;
  return atMs <= world.mayArriveUntilMs({ sentAtMs, datedByMs, refusedAtMs });
}

/** It was refused, and rests all the same: it is looked for as long as if nobody had answered. */
function isRefusedListed(world: World, order: LateOrder, { reports, askedAtMs }: List): boolean {
  if (order.refusedAtMs === undefined) return false;
  const isUnanswered = mayArrive(world, { ...order, refusedAtMs: undefined }, askedAtMs);
  const unclaimed = reports.filter((report) => isUnclaimed(world, report));
  return isUnanswered && world.restored.isListed(order, unclaimed, world.lowestOffsetMs);
}

/** Neither what was sent in its stead, nor what is somebody else's. */
function isUnclaimed({ ledger }: World, { orderHash }: OrderReport): boolean {
  const known = ledger.byHash(orderHash);
  return known === undefined || (known.isExternal && !known.isOfOthers);
}

function recordEnd(world: World, order: StoredOrder): void {
  const ended = { ...order, state: 'cancelled', stateSinceMs: world.nowMs } as const;
  world.outbox.record({ kind: 'order', order: ended });
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
function pendingOf(world: World, { tokenId, intentId }: StoredOrder): number {
  let pending = 0;
  for (const fill of world.positions.pending(tokenId)) {
    if (fill.intentId === intentId) pending += fill.quantity;
  }
  return pending;
}

function ownOrder(market: MarketState, stored: StoredOrder, pending: number): OwnOrder {
  const { leg, side, intentId, marketId, tokenId, quantity, orderHash } = stored;
  const price = ticks(market.grid, stored.price);
  const state = stateAfterwards(stored.state);
  const isUnknown = state === 'unknown';
  return orderOf(market.grid, {
    intentId,
    marketId,
    tokenId,
    leg,
    side,
    price,
    quantity,
    sentAtMs: stored.sentAtMs,
    // A run that crashed did not say by which clock it had dated its request.
    datedByMs: undefined,
    expiresAtMs: stored.expiresAtMs,
    settingsVersion: stored.settingsVersion,
    isExternal: stored.isExternal,
    isTake: stored.isTake ?? false,
    orderHash: isUnknown ? undefined : orderHash,
    answeredHash: isUnknown ? orderHash : undefined,
    state,
    stateSinceMs: stored.stateSinceMs,
    executed: stored.executed,
    settled: microShares(Math.max(0, stored.executed - pending)),
    failed: stored.failed ?? NO_SHARES,
    confirmedAtMs: stored.confirmedAtMs,
  });
}
