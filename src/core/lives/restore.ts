// An earlier life is taken over: what it held, what it earned, and every order that had not ended.
// Orders come back with their market, since only the market says what their prices mean.

import type { OrderHash } from '../../domain/ids.ts';
import { isOnItsWay, type OrderReport, type OrderState } from '../../domain/order.ts';
import type { StoredLife, StoredOrder } from '../../domain/record.ts';
import type { StoredBaselines } from '../../domain/risk.ts';
import { microShares, NO_SHARES } from '../../domain/shares.ts';
import { type TickGrid, ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { unproven } from '../account/doubts.ts';
import { restoreStart } from '../account/starts.ts';
import { countedAt } from '../answers/list-grid.ts';
import { onFound } from '../answers/twins.ts';
import { restoreCounts, restoreMarketCounts } from '../halts/recent.ts';
import { cashOf } from '../inventory/pending.ts';
import type { LeftMatch } from '../inventory/unheard.ts';
import { MarketFlows, type MarketState } from '../market.ts';
import { type OwnOrder, orderOf } from '../orders/own-order.ts';
import { noteUncancellable } from '../orders/uncancellable.ts';
import { touchOrder } from '../records.ts';
import { isForeign } from '../strangers/meant.ts';
import type { World } from '../world.ts';
import type { LateOrder } from './restored.ts';
import { setBack } from './set-back.ts';

/** A venue that was as slow a month ago is believed to be what the settings say. */
export const SLOWEST_KEPT_MS = 30 * 86_400_000;

/** Takes over everything but the orders, which wait for their markets. */
export function restoreLife(world: World, left: StoredLife): void {
  const life = setBack(left, world.nowMs);
  world.inventory.restore(life.tokens);
  // As it was left: of what is set back to one moment nobody can say which came first.
  restoreCash(world, left);
  for (const stored of life.flows) {
    world.flows.set(stored.marketId, flowsOf(stored, world.nowMs));
    world.restored.waitStart(stored);
  }
  for (const tradeId of life.tradeIds) world.tradeIds.add(tradeId);
  world.history.restore(life.settlements ?? []);
  world.memories.load(life.memories);
  world.sets.restore(life.sets ?? []);
  for (const latch of life.latches ?? []) world.controls.latches.set(latch);
  if (life.recent !== undefined) restoreCounts(world, life.recent);
  if (life.baselines !== undefined) restoreBaselines(world, life.baselines);
  restoreArrivals(world, life);
  for (const order of life.orders) world.restored.wait(order);
  restoreEnded(world, life);
}

/** What had ended is known by its hash, and what of it may have traded untold waits for its market. */
function restoreEnded(
  { ledger, restored }: World,
  { endedHashes = [], unprovenEnds = [] }: StoredLife,
): void {
  for (const orderHash of endedHashes) ledger.rememberHash(orderHash);
  for (const order of unprovenEnds) {
    restored.waitUnproven(order);
    if (order.orderHash !== undefined) ledger.rememberHash(order.orderHash);
  }
}

/** How late the venue was seen to accept, and by which clock. */
function restoreArrivals(world: World, { slowest, ahead, clock }: StoredLife): void {
  const { arrivals, nowMs } = world;
  if (slowest !== undefined && nowMs - slowest.atMs < SLOWEST_KEPT_MS) {
    arrivals.onAccepted(slowest.tookMs);
  }
  if (ahead !== undefined) arrivals.restoreAhead(ahead);
  if (clock === undefined) return;
  world.knownOffsetMs = clock.offsetMs;
  world.offsetBeforeMs = clock.offsetMs;
  arrivals.restoreOffset(clock.offsetMs);
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
  restoreStart(world, market);
  restoreMarketCounts(world, market);
  // It waited for a price when it was last looked at, and the first one lets go.
  if (world.controls.latches.get('unmarked_position', market.market.id) !== undefined)
    market.unmarkedSinceMs = world.nowMs;
  const refused = new Set(world.restored.staying);
  for (const stored of world.restored.takeOf(market.market.id)) {
    // On another grid the price means something else. It may rest all the same until lists miss it.
    if (stored.ticksPerUnit !== market.grid.ticksPerUnit) {
      const { orderHash } = stored;
      if (orderHash === undefined) letGo(world, onGrid(stored, market.grid), world.nowMs);
      else if (refused.has(orderHash)) joinAsCounted(world, market, stored);
      else world.restored.stay(stored);
      // While nobody listened it may have traded.
      unproven(world, market);
      continue;
    }
    join(world, market, stored);
  }
  restoreUnproven(world, market);
  doubtUncompared(world, market);
}

/** What had ended unheard, in an earlier life or before the market went, counts on until the market is proven. */
function restoreUnproven(world: World, market: MarketState): void {
  for (const stored of world.restored.takeUnproven(market.market.id)) {
    const order = joinEnded(world, market, stored);
    if (!world.ledger.ends.isTold(order)) world.ledger.ends.onUnproven(order);
    // One that counts no more is kept no longer as if it did.
    touchOrder(world, order);
    if (market.unprovenSinceMs === undefined) unproven(world, market);
  }
}

/**
 * What is told of it late is of this order and no other. On another grid the price of its trades would be another
 * one: there only its hash is known, and what it is told to have traded is for balances to prove.
 */
function joinEnded(world: World, market: MarketState, stored: StoredOrder): OwnOrder {
  const { grid } = market;
  const { ledger } = world;
  const isOtherGrid = stored.ticksPerUnit !== grid.ticksPerUnit;
  if (isOtherGrid) ledger.forgetEnded(stored.marketId);
  const known = ledger.byIntent(stored.intentId);
  if (known !== undefined) return known;
  const price = countedAt(grid, stored);
  const order = ownOrder(market, { ...stored, price }, pendingOf(world, stored));
  if (!isOtherGrid) ledger.addEnded(order, world.nowMs);
  return order;
}

/** It is in the ledger from now on, with what lists and news have said of it meanwhile. */
function join(world: World, market: MarketState, stored: StoredOrder): OwnOrder {
  const order = ownOrder(market, stored, pendingOf(world, stored));
  order.isForeign = isForeign(world, order);
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

/** Balances that came before the market have compared nothing that an earlier life left of it. */
function doubtUncompared(world: World, market: MarketState): void {
  if (!world.inventory.isBaselined) return;
  const legs = ['yes', 'no'] as const;
  if (!legs.some((leg) => world.inventory.isRestored(market.tokenOf(leg)))) return;
  market.unprovenSinceMs = world.nowMs;
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
  const { orderHash, isOrphan } = order;
  if (orderHash === undefined && mayArrive(world, order, nowMs)) {
    world.restored.keepLate(order);
    return;
  }
  if (orderHash !== undefined && !isOrphan) world.ledger.rememberHash(orderHash);
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
  return known === undefined || (known.isOrphan && !known.isForeign);
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

function restoreCash({ account, touched }: World, life: StoredLife): void {
  const { cashNano, unexplained } = life;
  // It goes when nothing of it is left.
  touched.writtenUnexplainedText = unexplained && JSON.stringify(unexplained);
  if (cashNano === undefined) return;
  // An older version may have written since, which knows of none.
  const isOfIt = unexplained?.cashNano === cashNano;
  account.restore(cashNano, leftMatches(life), isOfIt ? unexplained : undefined);
}

/** Matches that had not settled, oldest first. */
function leftMatches({ tokens }: StoredLife): readonly LeftMatch[] {
  return tokens
    .flatMap(({ pending }) => pending)
    .map((fill) => ({ nano: cashOf(fill, fill.quantity), atMs: fill.atMs }))
    .sort((a, b) => a.atMs - b.atMs);
}

function flowsOf(stored: StoredLife['flows'][number], nowMs: UnixMs): MarketFlows {
  const flows = new MarketFlows();
  flows.cashNano = stored.cashNano;
  flows.fills = stored.fills;
  flows.start = stored.start;
  flows.startValueNano = stored.startValueNano;
  if (stored.adopted !== undefined) flows.adopted = stored.adopted;
  flows.unprovenSinceMs = stored.isUnproven ? nowMs : undefined;
  return flows;
}

/** Nobody will answer what the earlier life asked: a request under way is an unknown outcome. */
function stateAfterwards(state: OrderState): OrderState {
  if (isOnItsWay(state)) return 'unknown';
  return state === 'cancelling' ? 'cancelUnproven' : state;
}

/** Shares of an order that had matched and not settled. */
function pendingOf(world: World, { tokenId, intentId }: StoredOrder): number {
  let pending = 0;
  for (const fill of world.inventory.pendingFills(tokenId)) {
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
    // A life that crashed did not say by which clock it had dated its request.
    datedByMs: undefined,
    expiresAtMs: stored.expiresAtMs,
    settingsVersion: stored.settingsVersion,
    isOrphan: stored.isOrphan,
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
