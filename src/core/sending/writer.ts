// Cancels at once, placements when a write is allowed. What goes into a write is decided here, at that moment, across all markets.
// @spec Architecture decision 7

import type { MarketId, OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelScope } from '../../domain/message.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { leaveOwnSize } from '../book/own-sizes.ts';
import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import type { MarketState } from '../market.ts';
import { backOff } from '../orders/back-off.ts';
import { isCancellable, isUncancellable, type OwnOrder, staysPut } from '../orders/own-order.ts';
import { type RoutedOrder, routeQuote } from '../orders/routing.ts';
import { waitBehind } from '../orders/uncancellable.ts';
import { crossesBook } from '../quoting/sift.ts';
import type { Missing } from '../quoting/target.ts';
import type { LimitName } from '../risk/limits.ts';
import { RiskPass } from '../risk/risk-pass.ts';
import { prefersSell } from '../risk/terms.ts';
import type { World } from '../world.ts';
import { awaitsLone, isGoingAlone } from './alone.ts';
import { type Candidate, dueCandidates } from './candidates.ts';
import { ownInTheWay, type Placement, place } from './place.ts';
import { isAsked } from './restriction.ts';
import { sendTakes } from './takes.ts';

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
export function sendCancels(world: World, orders: readonly OwnOrder[]): void {
  const due = new Map<OrderHash, OwnOrder>();
  for (const order of orders) {
    if (order.orderHash === undefined) continue;
    const dueAtMs = cancelDueAtMs(order);
    if (dueAtMs <= world.nowMs) due.set(order.orderHash, order);
    else planAgainAt(world, order, dueAtMs);
  }
  if (due.size === 0) return;
  for (const orderHashes of world.cancelBatches.group([...due.keys()], world.nowMs)) {
    sendCancel(world, orderHashes, due);
  }
  // More than fits into one moment: the next tick plans again.
  for (const order of due.values()) touch(world, order);
}

/** One request; its orders are due no more. */
function sendCancel(
  world: World,
  orderHashes: readonly OrderHash[],
  due: Map<OrderHash, OwnOrder>,
): void {
  const orders = orderHashes.flatMap((orderHash) => due.get(orderHash) ?? []);
  for (const orderHash of orderHashes) due.delete(orderHash);
  const requestId = awaitCancel(world, orders);
  world.outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
}

/** Cancels of a market, or of the account, all that may rest there; `orders` are those of ours that it means. */
export function sendCancelAll(world: World, scope: CancelScope, orders: readonly OwnOrder[]): void {
  const requestId = awaitCancel(world, orders);
  world.bulkCancels.add(requestId);
  world.outbox.send({ kind: 'cancelAll', requestId, scope });
}

/**
 * Cancels all that may rest on a market that is not quoted any more: nothing is placed there beside it, so that
 * other markets wait for nothing.
 */
export function sendCancelMarket(
  world: World,
  marketId: MarketId,
  orders: readonly OwnOrder[],
): RequestId {
  const requestId = awaitCancel(world, orders);
  world.outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'market', marketId } });
  return requestId;
}

/** The request whose answer says what became of these. */
export function awaitCancel(
  world: World,
  orders: readonly OwnOrder[],
  requestId = world.outbox.nextRequestId(),
): RequestId {
  for (const order of orders) {
    const market = world.markets.get(order.marketId);
    if (market !== undefined) {
      leaveOwnSize(market, order);
      world.arms.touched.add(market);
    }
    order.cancelAttempts += 1;
    order.wasCancelRefused = false;
    world.ledger.signal(order, 'cancelSent', world.nowMs);
  }
  world.pendingCancels.set(requestId, orders);
  return requestId;
}

/**
 * A batch was refused as a whole, perhaps because of one order in it: the others do not wait for what
 * is not about them, and go again at once in halves.
 */
export function halveCancel(world: World, orders: readonly OwnOrder[]): void {
  for (const order of orders) order.cancelAttempts = Math.max(0, order.cancelAttempts - 1);
  sendCancels(world, orders.filter(isCancellable));
}

function touch(world: World, { marketId }: OwnOrder): void {
  const market = world.markets.get(marketId);
  if (market !== undefined) market.isDirty = true;
}

/** The pause before a cancel ends by itself: nothing else may happen to the market until then. */
function planAgainAt(world: World, { marketId }: OwnOrder, atMs: UnixMs): void {
  const market = world.markets.get(marketId);
  if (market !== undefined) world.workQueue.planBy(market, atMs);
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
export function sendPlacements(world: World): void {
  if (world.bulkCancels.size > 0) return;
  sendTakes(world);
  let wasFull = false;
  while (world.budget.mayWrite(world.nowMs) && !isAsked(world)) {
    const batch = gather(world, wasFull);
    if (batch.length === 0) return;
    place(world, batch);
    wasFull = batch.length === BATCH_ORDERS_MAX;
  }
}

/**
 * Up to 15 orders over all markets, the levels nearest to the middle first.
 * @param isRemainder - A full batch has just left: so much is moving that company is near.
 */
function gather(world: World, isRemainder: boolean): readonly Placement[] {
  const candidates = dueCandidates(world);
  if (candidates.length === 0) return [];
  const { batch, taken, awaitRoom } = fill(world, candidates);
  if (!isComplete(world, batch)) {
    if (awaitRoom && mayAwaitRoom(world)) return [];
    if (isRemainder && !taken.some((each) => hasWaited(world, each))) return [];
  }
  world.roomPendingSinceMs = undefined;
  for (const candidate of taken) settleCandidate(candidate);
  return batch;
}

/** What was left over by a full batch waits so long for the next one: two ticks. */
const REMAINDER_WAIT_MS = 100;

function hasWaited(world: World, { market }: Candidate): boolean {
  return world.nowMs - (market.missingSinceMs ?? world.nowMs) >= REMAINDER_WAIT_MS;
}

type Filled = {
  readonly batch: readonly Placement[];
  readonly taken: readonly Candidate[];
  /** Others would have come along, had cancels under way been answered. */
  readonly awaitRoom: boolean;
};

function fill(world: World, candidates: readonly Candidate[]): Filled {
  const risk = new RiskPass(world);
  const batch: Placement[] = [];
  const taken: Candidate[] = [];
  let awaitRoom = false;
  for (const candidate of candidates) {
    const { market, missing } = candidate;
    // A market that learns the code of a refusal has a write to itself.
    const isAlone = isGoingAlone(world, market);
    if (isAlone && (batch.length > 0 || awaitsLone(world, market, missing))) continue;
    const orders = routeCandidate(world, candidate, risk);
    if (orders === 'noRoomYet') {
      awaitRoom = true;
      break;
    }
    const fitting = isAlone ? orders.slice(0, 1) : orders;
    if (batch.length + fitting.length > BATCH_ORDERS_MAX) continue;
    const { writeClass } = missing;
    for (const routed of fitting) batch.push({ market, routed, writeClass });
    taken.push(candidate);
    if (isComplete(world, batch)) break;
  }
  return { batch, taken, awaitRoom };
}

/** Five ticks: what makes room are answers to cancels, which mostly take less. */
const ROOM_WAIT_MS = 250;

/** At the ceiling of open orders a few orders wait for the answers that make room for more. */
function mayAwaitRoom(world: World): boolean {
  world.roomPendingSinceMs ??= world.nowMs;
  return world.nowMs - world.roomPendingSinceMs < ROOM_WAIT_MS;
}

function isComplete(world: World, batch: readonly Placement[]): boolean {
  const [first] = batch;
  const isAlone = first !== undefined && isGoingAlone(world, first.market);
  return batch.length === BATCH_ORDERS_MAX || isAlone;
}

function settleCandidate({ market, missing }: Candidate): void {
  market.missing = market.missing.filter((each) => each !== missing);
  if (market.missing.length === 0) market.missingSinceMs = undefined;
}

/** Routes one candidate and holds it against every gate; empty when it may not go now. */
function routeCandidate(
  world: World,
  candidate: Candidate,
  risk: RiskPass,
): readonly RoutedOrder[] | 'noRoomYet' {
  const { market, missing } = candidate;
  const met = ownInTheWay(world, market, missing);
  if (met !== undefined && staysPut(met)) {
    settleCandidate(candidate);
    waitBehind(market, missing.side, met);
    return [];
  }
  if (crossesBook(market, missing) || met !== undefined) {
    // What stands in the way is moving: the next tick plans again.
    settleCandidate(candidate);
    market.isDirty = true;
    return [];
  }
  if (isHeldByQuietFeed(world, market, missing)) {
    settleCandidate(candidate);
    return [];
  }
  const free = risk.free(market);
  const policy = { preferSell: prefersSell(world, market), decimals: market.quantityDecimals };
  const quote = { side: missing.side, price: missing.price, quantity: missing.quantity };
  const routed = routeQuote(market.grid, quote, free, policy);
  if (routed.length === 0) {
    const text = `${formatPrice(market.grid, missing.price)} buys less than 1.00 USDC`;
    pause(world, candidate, 'below_min_notional', text);
    return [];
  }
  const allowed: RoutedOrder[] = [];
  for (const order of routed) {
    const broken = risk.admit(market, order, missing);
    if (broken === undefined) allowed.push(order);
    else if (isFreedSoon(world, broken)) return allowed.length > 0 ? allowed : 'noRoomYet';
    else onLimit(world, candidate, broken);
  }
  return allowed;
}

/**
 * Nothing was heard for a while, so the other side may have come nearer unseen: there is no post-only
 * flag, and a quote that meets it pays. Orders that rest already stay; only new ones keep a tick more.
 */
function isHeldByQuietFeed(world: World, market: MarketState, missing: Missing): boolean {
  const quietMs = world.nowMs - world.heardAtMs;
  const allowedMs = world.settings?.orders.quietFeedMs;
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
function isFreedSoon(world: World, limit: LimitName): boolean {
  return limit === 'max_open_orders' && world.pendingCancels.size > 0;
}

function onLimit(world: World, candidate: Candidate, limit: LimitName): void {
  const { market, missing } = candidate;
  const what = `${missing.side} at ${formatPrice(market.grid, missing.price)}`;
  const latch = world.controls.latches.binding(market.market.id);
  const isHeld = latch !== undefined && (limit === 'stop_adding' || limit === 'reduce_only');
  const detail = isHeld ? `${what}: ${latch.control}, ${latch.detail}` : `${what} would break it`;
  world.outbox.report({ event: 'risk.refused', marketId: market.market.id, limit, detail });
  if (missing.renews !== undefined) makeRoom(world, missing.renews);
  pause(world, candidate, limit, detail);
}

/** No limit has room for a quote and its renewal: near its end the old one goes first. */
function makeRoom(world: World, orders: readonly OwnOrder[]): void {
  const { gtd } = world.renewal;
  const due = orders.filter(({ expiresAtMs }) => {
    if (expiresAtMs === undefined) return true;
    return world.expiry.endMs(expiresAtMs) - world.nowMs <= gtd.renewMs * LAST_PART;
  });
  sendCancels(world, due.filter(isCancellable));
}

/** Only the first level shows a reason and holds its side back; deeper levels just wait. */
function pause(world: World, candidate: Candidate, code: string, detail: string): void {
  settleCandidate(candidate);
  const { market, missing } = candidate;
  // What is renewed is still there, so its side need not be kept away.
  if (missing.rank > 0 || missing.renews !== undefined) return;
  backOff(world, market, missing.side, { code, detail, forMs: LIMIT_PAUSE_MS });
}

/** When a retry of this back-off ends, for callers that count refusals. */
export function refusalPauseMs(refusals: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, refusals - 1), 60_000);
}
