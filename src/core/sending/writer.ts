// Cancels at once, placements when a write is allowed. What goes into a write is decided here, at that moment, across all markets.
// @spec Architecture decision 7

import type { FiredCancel } from '../../domain/arms.ts';
import type { MarketId, OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelScope } from '../../domain/message.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { leaveOwnSize } from '../book/own-sizes.ts';
import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import { touchMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isCancellable, isUncancellable, type OwnOrder } from '../orders/own-order.ts';
import { renewalOf } from '../orders/taught.ts';
import { onFiredArm } from '../quoting/arms.ts';
import type { Missing } from '../quoting/market.ts';
import { crossesBook } from '../quoting/sift.ts';
import type { LimitName } from '../risk/limits.ts';
import { backOff } from '../risk/market.ts';
import { type Approved, RiskPass } from '../risk/risk-pass.ts';
import type { RiskStores } from '../risk/stores.ts';
import { asks, isAsked } from './budget.ts';
import {
  awaitsLone,
  type Candidate,
  dueCandidates,
  isGoingAlone,
  sayNoWrite,
} from './candidates.ts';
import type { MarketState, Placement } from './market.ts';
import { crossesOwn, place, routedOf, sendTakes } from './place.ts';
import type { SendingStores } from './stores.ts';

/** A limit that stopped a placement is looked at again this soon. */
const LIMIT_PAUSE_MS = 1_000;
/** First pause before a cancel that could not be confirmed is sent again; it doubles up to the last. */
const RECANCEL_MS_MIN = 250;
const RECANCEL_MS_MAX = 5_000;

/** What the venue has refused to cancel is asked for again at a pace that does no harm for days. */
const REFUSED_MS_MIN = 30_000;
const REFUSED_MS_MAX = 60_000;

/** Part of the time for renewing that is kept for cancelling first and placing then. */
const LAST_PART = 0.5;

/**
 * Sends cancels of these orders, up to 100 to a request, and fewer where the venue refused a batch as a
 * whole; each order has one cancel under way at most.
 */
export function sendCancels(stores: SendingStores, orders: readonly OwnOrder[]): void {
  const due = new Map<OrderHash, OwnOrder>();
  for (const order of orders) {
    if (order.orderHash === undefined) continue;
    const dueAtMs = cancelDueAtMs(order);
    if (dueAtMs <= stores.nowMs) due.set(order.orderHash, order);
    else planAgainAt(stores, order, dueAtMs);
  }
  if (due.size === 0) return;
  for (const orderHashes of stores.cancelBatches.group([...due.keys()], stores.nowMs)) {
    const batch = orderHashes.flatMap((orderHash) => due.get(orderHash) ?? []);
    for (const orderHash of orderHashes) due.delete(orderHash);
    const requestId = awaitCancel(stores, batch);
    stores.outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
  }
  // More than fits into one moment: the next tick plans again.
  for (const { marketId } of due.values()) touchMarket(stores, marketId);
}

/** Cancels of a market, or of the account, all that may rest there; `orders` are those of ours that it means. */
export function sendCancelAll(
  stores: SendingStores,
  scope: CancelScope,
  orders: readonly OwnOrder[],
): void {
  const requestId = awaitCancel(stores, orders);
  stores.bulkCancels.add(requestId);
  stores.outbox.send({ kind: 'cancelAll', requestId, scope });
}

/**
 * Cancels all that may rest on a market that is not quoted any more: nothing is placed there beside it, so that
 * other markets wait for nothing.
 */
export function sendCancelMarket(
  stores: SendingStores,
  marketId: MarketId,
  orders: readonly OwnOrder[],
): RequestId {
  const requestId = awaitCancel(stores, orders);
  stores.outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'market', marketId } });
  return requestId;
}

/** The request whose answer says what became of these. */
function awaitCancel(
  stores: SendingStores,
  orders: readonly OwnOrder[],
  requestId = stores.outbox.nextRequestId(),
): RequestId {
  for (const order of orders) {
    const market = stores.markets.get(order.marketId);
    if (market !== undefined) {
      leaveOwnSize(market, order);
      stores.arms.touched.add(market);
    }
    order.cancelAttempts += 1;
    order.wasCancelRefused = false;
    stores.ledger.signal(order, 'cancelSent', stores.nowMs);
  }
  stores.pendingCancels.set(requestId, orders);
  return requestId;
}

/**
 * A batch was refused as a whole, perhaps because of one order in it: the others do not wait for what
 * is not about them, and go again at once in halves.
 */
export function halveCancel(stores: SendingStores, orders: readonly OwnOrder[]): void {
  for (const order of orders) order.cancelAttempts = Math.max(0, order.cancelAttempts - 1);
  sendCancels(stores, orders.filter(isCancellable));
}

/** The pause before a cancel ends by itself: nothing else may happen to the market until then. */
function planAgainAt(stores: SendingStores, { marketId }: OwnOrder, atMs: UnixMs): void {
  const market = stores.markets.get(marketId);
  if (market !== undefined) stores.workQueue.planBy(market, atMs);
}

function cancelDueAtMs(order: OwnOrder): UnixMs {
  if (order.cancelAttempts === 0) return order.stateSinceMs;
  const answeredAtMs = order.cancelAnsweredAtMs ?? order.stateSinceMs;
  const [leastMs, longestMs] = isUncancellable(order)
    ? [REFUSED_MS_MIN, REFUSED_MS_MAX]
    : [0, RECANCEL_MS_MAX];
  const growingMs = RECANCEL_MS_MIN * 2 ** (order.cancelAttempts - 1);
  return addMs(answeredAtMs, Math.max(leastMs, Math.min(growingMs, longestMs)));
}

/** Sends as many placements as budget, limits and the gate allow right now. */
export function sendPlacements(stores: SendingStores): void {
  if (stores.bulkCancels.size > 0) return;
  sendTakes(stores);
  let wasFull = false;
  while (stores.budget.mayWrite(stores.nowMs)) {
    const batch = gather(stores, wasFull);
    if (batch.length === 0) return;
    place(stores, batch);
    wasFull = batch.length === BATCH_ORDERS_MAX;
  }
  sayNoWrite(stores);
}

/**
 * Up to 15 orders over all markets, the levels nearest to the middle first.
 * @param isRemainder - A full batch has just left: so much is moving that company is near.
 */
function gather(stores: SendingStores, isRemainder: boolean): readonly Placement[] {
  const candidates = dueCandidates(stores);
  if (candidates.length === 0) return [];
  const { batch, taken, awaitRoom } = fill(stores, candidates);
  if (!isComplete(stores, batch)) {
    if (awaitRoom && mayAwaitRoom(stores)) return [];
    if (isRemainder && !taken.some((each) => hasWaited(stores, each))) return [];
  }
  stores.roomPendingSinceMs = undefined;
  for (const candidate of taken) settleCandidate(candidate);
  return batch;
}

/** What was left over by a full batch waits so long for the next one: two ticks. */
const REMAINDER_WAIT_MS = 100;

function hasWaited(stores: KernelStores, { market }: Candidate): boolean {
  return stores.nowMs - (market.missingSinceMs ?? stores.nowMs) >= REMAINDER_WAIT_MS;
}

type Filled = {
  readonly batch: readonly Placement[];
  readonly taken: readonly Candidate[];
  /** Others would have come along, had cancels under way been answered. */
  readonly awaitRoom: boolean;
};

function fill(stores: SendingStores, candidates: readonly Candidate[]): Filled {
  const risk = new RiskPass(stores);
  const batch: Placement[] = [];
  const taken: Candidate[] = [];
  let awaitRoom = false;
  for (const candidate of candidates) {
    const { market, missing } = candidate;
    // A market that learns the code of a refusal has a write to itself.
    const isAlone = isGoingAlone(stores, market);
    if (isAlone && (batch.length > 0 || awaitsLone(stores, market, missing))) continue;
    const orders = routeCandidate(stores, candidate, risk);
    if (orders === 'noRoomYet') {
      awaitRoom = true;
      break;
    }
    const fitting = fittingOf(stores, batch, isAlone ? orders.slice(0, 1) : orders);
    if (fitting === undefined) continue;
    const { writeClass } = missing;
    for (const approved of fitting) batch.push({ approved, writeClass });
    taken.push(candidate);
    if (isComplete(stores, batch)) break;
  }
  return { batch, taken, awaitRoom };
}

/** What of these joins a batch, `undefined` where none does: what asks whether the account may trade goes alone. */
function fittingOf(
  stores: RiskStores,
  batch: readonly Placement[],
  orders: readonly Approved<MarketState>[],
): readonly Approved<MarketState>[] | undefined {
  const others = orders.filter(({ routed }) => !asks(stores, routed));
  const isAsker = others.length === 0 && orders.length > 0;
  if (isAsker && (batch.length > 0 || isAsked(stores))) return undefined;
  const fitting = isAsker ? orders.slice(0, 1) : others;
  return batch.length + fitting.length > BATCH_ORDERS_MAX ? undefined : fitting;
}

/** Five ticks: what makes room are answers to cancels, which mostly take less. */
const ROOM_WAIT_MS = 250;

/** At the ceiling of open orders a few orders wait for the answers that make room for more. */
function mayAwaitRoom(stores: SendingStores): boolean {
  stores.roomPendingSinceMs ??= stores.nowMs;
  return stores.nowMs - stores.roomPendingSinceMs < ROOM_WAIT_MS;
}

function isComplete(stores: RiskStores, batch: readonly Placement[]): boolean {
  const [first] = batch;
  if (first === undefined) return false;
  const { market, routed } = first.approved;
  const isAlone = isGoingAlone(stores, market) || asks(stores, routed);
  return batch.length === BATCH_ORDERS_MAX || isAlone;
}

function settleCandidate({ market, missing }: Candidate): void {
  market.missing = market.missing.filter((each) => each !== missing);
  if (market.missing.length === 0) market.missingSinceMs = undefined;
}

/** Routes one candidate and holds it against every gate; empty when it may not go now. */
function routeCandidate(
  stores: SendingStores,
  candidate: Candidate,
  risk: RiskPass,
): readonly Approved<MarketState>[] | 'noRoomYet' {
  const { market, missing } = candidate;
  if (crossesBook(market, missing) || crossesOwn(stores, market, missing)) {
    // What stands in the way has moved, or is about to: the next tick plans again.
    settleCandidate(candidate);
    market.isDirty = true;
    return [];
  }
  if (isHeldByQuietFeed(stores, market, missing)) {
    settleCandidate(candidate);
    return [];
  }
  const routed = routedOf(stores, market, missing, risk);
  if (routed.length === 0) {
    const text = `${formatPrice(market.grid, missing.price)} buys less than 1.00 USDC`;
    pause(stores, candidate, 'below_min_notional', text);
    return [];
  }
  const allowed: Approved<MarketState>[] = [];
  for (const order of routed) {
    const verdict = risk.admit(market, order, missing);
    if (typeof verdict !== 'string') allowed.push(verdict);
    else if (isFreedSoon(stores, verdict)) return allowed.length > 0 ? allowed : 'noRoomYet';
    else onLimit(stores, candidate, verdict);
  }
  return allowed;
}

/**
 * Nothing was heard for a while, so the other side may have come nearer unseen: there is no post-only
 * flag, and a quote that meets it pays. Orders that rest already stay; only new ones keep a tick more.
 */
function isHeldByQuietFeed(stores: KernelStores, market: MarketState, missing: Missing): boolean {
  const quietMs = stores.nowMs - stores.connection.heardAtMs;
  const allowedMs = stores.settings?.orders.quietFeedMs;
  if (allowedMs === undefined || quietMs <= allowedMs) return false;
  const nearer = missing.side === 'bid' ? missing.price + 1 : missing.price - 1;
  if (!crossesBook(market, { side: missing.side, price: nearer })) return false;
  market.desk.waiting[missing.side] = {
    code: 'quiet_feed',
    detail: `nothing was heard for ${quietMs} ms, and the quote is next to the other side`,
    clears: 'any frame of a book arrives',
  };
  return true;
}

/** The answer to a cancel under way makes room among the open orders: no back-off is due. */
function isFreedSoon(stores: SendingStores, limit: LimitName): boolean {
  return limit === 'max_open_orders' && stores.pendingCancels.size > 0;
}

function onLimit(stores: SendingStores, candidate: Candidate, limit: LimitName): void {
  const { market, missing } = candidate;
  const what = `${missing.side} at ${formatPrice(market.grid, missing.price)}`;
  const latch = stores.controls.latches.binding(market.market.id);
  const isHeld = latch !== undefined && (limit === 'stop_adding' || limit === 'reduce_only');
  const detail = isHeld ? `${what}: ${latch.control}, ${latch.detail}` : `${what} would break it`;
  stores.outbox.report({ event: 'risk.refused', marketId: market.market.id, limit, detail });
  if (missing.renews !== undefined) makeRoom(stores, missing.renews);
  pause(stores, candidate, limit, detail);
}

/** No limit has room for a quote and its renewal: near its end the old one goes first. */
function makeRoom(stores: SendingStores, orders: readonly OwnOrder[]): void {
  const { gtd } = renewalOf(stores.settings);
  const due = orders.filter(({ expiresAtMs }) => {
    if (expiresAtMs === undefined) return true;
    return stores.expiry.endMs(expiresAtMs) - stores.nowMs <= gtd.renewMs * LAST_PART;
  });
  sendCancels(stores, due.filter(isCancellable));
}

/** Only the first level shows a reason and holds its side back; deeper levels just wait. */
function pause(stores: KernelStores, candidate: Candidate, code: string, detail: string): void {
  settleCandidate(candidate);
  const { market, missing } = candidate;
  // What is renewed is still there, so its side need not be kept away.
  if (missing.rank > 0 || missing.renews !== undefined) return;
  backOff(stores, market, missing.side, { code, detail, forMs: LIMIT_PAUSE_MS });
}

// A cancel that was armed has left by itself: from here on it is a cancel as any other.

/** Told before the frame that set it off, so that the decision on that frame knows of it. */
export function onFired(
  stores: SendingStores,
  { marketId, requestId, orderHashes }: Pick<FiredCancel, 'marketId' | 'requestId' | 'orderHashes'>,
): void {
  const orders = orderHashes.flatMap((orderHash) => {
    const order = stores.ledger.byHash(orderHash);
    // It is being cancelled, or over: the request changes nothing about it.
    return order !== undefined && isCancellable(order) && order.state !== 'cancelling'
      ? [order]
      : [];
  });
  const market = stores.markets.get(marketId);
  onFiredArm(stores, market, { marketId, requestId, orders });
  awaitCancel(stores, orders, requestId);
  if (market !== undefined) market.isDirty = true;
}
