// What the venue's answers and user events do to the own orders.

import { isAboutOrders, isNotCancellable } from '../../domain/cancel-batches.ts';
import type { OrderHash } from '../../domain/ids.ts';
import type { CancelOutcome, PlaceOutcome, Refusal, VenueMessage } from '../../domain/message.ts';
import { isOnBook, type OrderReport } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { onBatchOrderIds } from '../account/batch-order-ids.ts';
import { noteUnclaimed, settleEarlyUpdates } from '../account/early-updates.ts';
import { isStillLocked, noteElsewhere } from '../account/exact.ts';
import { onMarketGrids } from '../account/list-grid.ts';
import { forgetShownLess, onShownTraded } from '../account/order-restored.ts';
import { onOtherHash } from '../account/other-hash.ts';
import { keepGivenUp, keepRefused, onFound } from '../account/possible-duplicates.ts';
import { givenUp, tellPossiblyOwn } from '../account/possibly-own.ts';
import { noteAnswer, type Reads, reportFailedRead } from '../account/reads.ts';
import { onNamed, onOtherQuantity, onRestatedAnswer } from '../account/restated.ts';
import { endLate } from '../account/restore.ts';
import type { MarketState } from '../market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { MISSING_LISTS_MAX, reconcile, type Verdict } from '../orders/reconcile.ts';
import { noteUncancellable, onCancelRefused } from '../orders/uncancellable.ts';
import { doubtEnd } from '../positions/doubt.ts';
import { onAcceptedStatus } from '../quoting/status.ts';
import { onAccepted } from '../risk/breakers.ts';
import { areCopiesLikely, countCopy, doubtCopy, noteCopy, settleCopies } from '../risk/copies.ts';
import { onRefusal } from '../sending/refusals.ts';
import { doubtRefusal, isProse, settleRefusals } from '../sending/rejected-without-code.ts';
import { onAskedAnswered, onBuyAccepted } from '../sending/restriction.ts';
import { halveCancel } from '../sending/writer.ts';
import type { World } from '../world.ts';
import { onCancelAnswered } from './cancel-escalation.ts';
import { onExternal } from './conflict.ts';
import { cancelIfUnwanted, onExternalOrder } from './external-orders.ts';
import type { Session } from './session.ts';

type Placed = Extract<VenueMessage, { kind: 'placed' }>;
type Cancelled = Extract<VenueMessage, { kind: 'cancelled' }>;
type OpenOrders = Extract<VenueMessage, { kind: 'openOrders' }>;

/** An order as a list shows it. */
type Seen = { readonly report: OrderReport; readonly askedAtMs: UnixMs };

export type Parts = { readonly world: World; readonly session: Session; readonly reads: Reads };

export function onPlaced(parts: Parts, message: Placed): void {
  const { world } = parts;
  world.budget.onAnswered(message.requestId);
  onAskedAnswered(world, message.requestId);
  for (const { intentId, outcome } of message.outcomes) {
    const order = world.ledger.byIntent(intentId);
    if (order === undefined) continue;
    applyPlacement(parts, order, { outcome, isOfBatch: message.outcomes.length > 1 });
    const market = world.markets.get(order.marketId);
    if (market) market.isDirty = true;
  }
  // What was reported of other hashes meanwhile is of none of these.
  for (const { orderHash } of world.ledger.earlyUpdates(Number.POSITIVE_INFINITY)) {
    if (noteUnclaimed(world, orderHash)) parts.reads.hasten('orders', world.nowMs);
  }
}

type Answer = { readonly outcome: PlaceOutcome; readonly isOfBatch: boolean };

function applyPlacement(parts: Parts, order: OwnOrder, { outcome, isOfBatch }: Answer): void {
  const { world } = parts;
  const market = world.markets.get(order.marketId);
  switch (outcome.kind) {
    case 'accepted':
      learnTook(world, order, world.nowMs - order.sentAtMs);
      if (onOtherHash(world, order, outcome.orderHash)) parts.reads.hasten('orders', world.nowMs);
      else world.ledger.onAccepted(order, outcome.orderHash, world.nowMs);
      if (market) onTaken(world, market, order);
      return;
    case 'refused':
      world.ledger.signal(order, 'refusal', world.nowMs);
      if (isProse(outcome.refusal)) onProse(parts, order);
      obey(parts, onRefusal(world, market, order, { ...outcome, isOfBatch }));
      return;
    case 'notSent':
      // It never left this process: as certain as a refusal.
      world.ledger.signal(order, 'refusal', world.nowMs);
      onRefusal(world, market, order, { refusal: notSent(outcome.detail), isOfBatch: false });
      return;
    case 'unknown':
      world.ledger.signal(order, 'noAnswer', world.nowMs);
      countCopy(world, order);
      world.outbox.report({
        event: 'order.unknown',
        tokenId: order.tokenId,
        cause: `${outcome.cause}: ${outcome.detail}`,
      });
      if (outcome.namedHash !== undefined) onRestatedAnswer(world, order, outcome.namedHash);
      if (outcome.batchOrderIds !== undefined) onBatchOrderIds(world, order, outcome.batchOrderIds);
      parts.reads.hasten('orders', world.nowMs);
      return;
  }
}

function onTaken(world: World, market: MarketState, order: OwnOrder): void {
  onAccepted(market, order.axisSide);
  onAcceptedStatus(world, market, order);
  onBuyAccepted(world, order);
}

function notSent(message: string): Refusal {
  return { code: 'not_sent', message, httpStatus: undefined, retryAfterMs: undefined };
}

/** Only a list says that it does not rest, in whatever scope. */
function onProse({ world, reads }: Parts, order: OwnOrder): void {
  doubtRefusal(world, order);
  keepRefused(world, order);
  reads.hasten('orders', world.nowMs);
}

function obey({ reads, world }: Parts, consequence: ReturnType<typeof onRefusal>): void {
  switch (consequence) {
    case 'none':
      return;
    case 'readOrders':
      reads.hasten('orders', world.nowMs);
      return;
    case 'readBalances':
      reads.hasten('balances', world.nowMs);
      return;
    case 'readCatalogue':
      reads.hasten('catalogue', world.nowMs);
      return;
  }
}

export function onCancelled(parts: Parts, message: Cancelled): void {
  const { world, session, reads } = parts;
  if (session.onCancelled(message.requestId, message.outcome)) return;
  const orders = world.pendingCancels.get(message.requestId);
  if (orders === undefined) return;
  world.pendingCancels.delete(message.requestId);
  const isBulk = world.bulkCancels.delete(message.requestId);
  session.onCancelledByName(message.outcome);
  const isConfirmed = isWholeChunk(message.outcome, orders.length);
  const isRefused = !isConfirmed && mayRefuse(message.outcome, orders.length);
  for (const order of orders) {
    order.cancelAnsweredAtMs = world.nowMs;
    order.wasCancelRefused = isRefused;
    const market = world.markets.get(order.marketId);
    if (market) market.isDirty = true;
    // News of its end may have come over the socket before this answer.
    if (order.state !== 'cancelling') continue;
    const signal = isConfirmed ? 'cancelled' : failedSignal(message.outcome);
    world.ledger.signal(order, signal, world.nowMs);
    // How much of it had traded an order report says, moments from now or before.
    if (isConfirmed) doubtEnd(world, order);
  }
  // The counts do not say which ones failed: the list of open orders does.
  if (!isConfirmed) reads.hasten('orders', world.nowMs);
  if (isAboutOrders(message.outcome)) onRefusedTogether(parts, orders);
  onCancelAnswered(parts, { outcome: message.outcome, isBulk });
}

/** Of a batch that is refused as a whole nobody knows whose refusal it is; one alone is asked for later. */
function onRefusedTogether({ world, session }: Parts, orders: readonly OwnOrder[]): void {
  const hashes = orders.flatMap(({ orderHash }) => orderHash ?? []);
  world.cancelBatches.onRefused(hashes, world.nowMs);
  // A mass cancel that is up cancels all of them itself.
  if (orders.length > 1 && !session.isMassCancelling) halveCancel(world, orders);
}

/** Whether an answer may be the refusal of each of so many orders; the next list says of which. */
function mayRefuse(outcome: CancelOutcome, count: number): boolean {
  return outcome.kind === 'accepted' || (count === 1 && isNotCancellable(outcome));
}

function isWholeChunk(outcome: CancelOutcome, count: number): boolean {
  return outcome.kind === 'accepted' && outcome.failed === 0 && outcome.cancelled >= count;
}

function failedSignal(outcome: CancelOutcome): 'cancelFailed' | 'noAnswer' {
  return outcome.kind === 'unknown' ? 'noAnswer' : 'cancelFailed';
}

export function onOpenOrders(parts: Parts, message: OpenOrders): void {
  const { world, session, reads } = parts;
  const { outcome, requestId, askedAtMs } = message;
  const isOurs = reads.onAnswer('orders', requestId, outcome.kind === 'ok', world.nowMs);
  if (isOurs) noteAnswer(world, outcome);
  // A list that was asked for before one that we know of tells of an older world.
  const isOld = askedAtMs < world.listAskedAtMs;
  const reports = outcome.kind === 'ok' ? onMarketGrids(world, outcome.value) : undefined;
  if (reports !== undefined && !isOld) applyList(parts, reports, askedAtMs);
  if (isOurs && outcome.kind !== 'ok') reportFailedRead(world, 'open orders', outcome);
  session.onOpenOrders(requestId, outcome, askedAtMs);
}

function applyList(parts: Parts, reports: readonly OrderReport[], askedAtMs: UnixMs): void {
  const { world } = parts;
  world.listAskedAtMs = askedAtMs;
  settleEarlyUpdates(world, reports);
  noteUnnamed(world, reports, askedAtMs);
  const known = {
    notEnded: world.ledger.notEnded(),
    byHash: world.ledger.byHash.bind(world.ledger),
    isKnownHash: world.isEndedHash.bind(world),
  };
  const mayArriveUntilMs = world.mayArriveUntilMs.bind(world);
  const evidence = {
    reports,
    askedAtMs,
    clockOffsetMs: world.lowestOffsetMs,
    isNamed: world.batchOrderIds.has.bind(world.batchOrderIds),
    shownSinceMs: (hash: OrderHash) => world.unnamed.get(hash),
    mayArriveUntilMs,
    slotUntilMs: world.slotUntilMs.bind(world),
  };
  world.externals = { now: new Set(), before: world.externals.now };
  const verdicts = reconcile(known, evidence);
  // External orders last: one may be just like an order that this list has found.
  const isExternal = ({ kind }: Verdict) => kind === 'external' || kind === 'zombie';
  const lost = givenUp(world, verdicts);
  for (const each of verdicts) if (!isExternal(each)) applyVerdict(parts, each, askedAtMs);
  for (const each of verdicts) if (isExternal(each)) applyVerdict(parts, each, askedAtMs);
  world.batchOrderIds.onListed(askedAtMs);
  tellPossiblyOwn(world, lost, reports);
  forgetShownLess(world, reports);
  noteRefused(parts, reports);
  noteElsewhere(world, reports);
  settleRefusals(world, { reports, askedAtMs });
  settleCopies(world, askedAtMs);
  endLate(world, { reports, askedAtMs });
}

/** Keeps of each hash on the list that nobody can name since when lists have shown it. */
function noteUnnamed(world: World, reports: readonly OrderReport[], askedAtMs: UnixMs): void {
  const before = world.unnamed;
  const unnamed = reports.filter(({ orderHash }) => world.ledger.byHash(orderHash) === undefined);
  world.unnamed = new Map(
    unnamed.map(({ orderHash }) => [orderHash, before.get(orderHash) ?? askedAtMs]),
  );
}

function applyVerdict(parts: Parts, verdict: Verdict, askedAtMs: UnixMs): void {
  const { world } = parts;
  switch (verdict.kind) {
    case 'seen':
      onSeen(parts, verdict.order, { report: verdict.report, askedAtMs });
      return;
    case 'found':
      learnArrival(world, verdict.order, verdict.report);
      onFound(world, verdict.order, verdict.report.orderHash);
      world.ledger.execute(verdict.order, verdict.report.executed, world.nowMs);
      return;
    case 'named':
      onNamedListed(world, verdict.order, verdict.report);
      return;
    case 'missing':
      onMissing(parts, verdict.order);
      return;
    case 'absent':
      if (isStillLocked(world, verdict.order)) onMissing(parts, verdict.order);
      else onAbsent(parts, verdict.order, askedAtMs);
      return;
    case 'zombie':
      learnArrival(world, verdict.order, verdict.report);
      onZombie(parts, verdict.order, { report: verdict.report, askedAtMs });
      return;
    case 'external':
      noteCopy(world, verdict.report);
      onExternal(parts, verdict.report);
      onExternalOrder(parts, verdict.report);
      return;
  }
}

function onNamedListed(world: World, order: OwnOrder, report: OrderReport): void {
  // A list may show it twice, as one that was read in pages while it changed.
  if (order.answeredHash !== report.orderHash) return;
  learnArrival(world, order, report);
  const named = onNamed(world, order, report);
  world.ledger.execute(named, report.executed, world.nowMs);
}

/** It traded as what it was: what comes in its stead begins with that. */
function onZombie(parts: Parts, order: OwnOrder, seen: Seen): void {
  const { world } = parts;
  const { report } = seen;
  onShownTraded(world, order, seen);
  onExternalOrder(parts, report);
}

/** How late the venue accepted what had no answer, where it says when that was. */
function learnArrival(world: World, order: OwnOrder, { createdAtMs }: OrderReport): void {
  // Once it was confirmed its age says nothing about its arrival.
  if (createdAtMs === undefined || order.confirmedAtMs !== undefined) return;
  const acceptedAtMs = createdAtMs - (world.clockOffsetMs ?? 0);
  learnTook(world, order, acceptedAtMs - order.sentAtMs);
}

/** So late that what a previous run sent may come as late: kept, so that no restart forgets it. */
function learnTook(world: World, { sentAtMs }: OwnOrder, tookMs: number): void {
  const { jumpedAtMs } = world.inFlightTracker;
  // By a clock that was set meanwhile it may seem to have taken minutes.
  if (jumpedAtMs !== undefined && jumpedAtMs >= sentAtMs) return;
  if (!world.inFlightTracker.onAccepted(tookMs)) return;
  world.outbox.record({ kind: 'slowest', slowest: { tookMs, atMs: world.nowMs } });
}

function onSeen({ world, session }: Parts, known: OwnOrder, seen: Seen): void {
  const order = asListed(world, known, seen.report);
  order.missingLists = 0;
  order.seenAtMs = world.nowMs;
  onShownTraded(world, order, seen);
  if (isShownLive(order, seen.askedAtMs)) onShownLive(world, order);
  // A mass cancel cancels by itself what rests.
  else if (!session.isMassCancelling) cancelIfUnwanted(world, order);
}

/** Where its answer showed no quantity, a list is the first to tell of another one than was sent. */
function asListed(world: World, order: OwnOrder, { orderHash, quantity }: OrderReport): OwnOrder {
  if (quantity === order.quantity || !isOnBook(order.state) || order.executed > 0) return order;
  onOtherQuantity(world, order, quantity);
  return world.ledger.byHash(orderHash) ?? order;
}

function onShownLive(world: World, order: OwnOrder): void {
  if (order.wasCancelRefused) onCancelRefused(world, order);
  world.ledger.signal(order, 'open', world.nowMs);
  const market = world.markets.get(order.marketId);
  if (market) market.isDirty = true;
  cancelIfUnwanted(world, order);
}

/** A list that is newer than what made us doubt shows it: it rests. */
function isShownLive(order: OwnOrder, askedAtMs: UnixMs): boolean {
  if (order.state !== 'cancelUnresolved') return false;
  const uncertainAtMs = order.cancelAnsweredAtMs ?? order.failedAtMs;
  return uncertainAtMs !== undefined && uncertainAtMs < askedAtMs;
}

/** The next list says whether it is gone. */
function onMissing({ world, reads }: Parts, order: OwnOrder): void {
  order.missingLists += 1;
  // A list for each that misses it, and then at the pace of what is past the deadline.
  if (order.missingLists < MISSING_LISTS_MAX) reads.hasten('orders', world.nowMs);
}

function onAbsent(parts: Parts, order: OwnOrder, askedAtMs: UnixMs): void {
  const { world } = parts;
  // An order that we did not cancel and that is gone may have been filled without a report, and so may one
  // whose cancel is unresolved, or whose placement was never answered: what is left of it is uncertain.
  const isByDate = world.expiry.isEndOf(order, askedAtMs);
  // It gives its slot back, and may arrive yet: lists look for one like it until it cannot any more.
  const mayArrive = order.state === 'unknown';
  if (mayArrive) keepGivenUp(world, order);
  world.ledger.signal(order, isByDate ? 'confirmedExpired' : 'confirmedAbsent', world.nowMs);
  doubtEnd(world, order, mayArrive ? 'may_arrive' : 'order_end');
  if (mayArrive && areCopiesLikely(world)) doubtCopy(world, order);
  parts.reads.hasten('balances', world.nowMs);
}

/** A start or a stop has learnt which orders the venue refuses to cancel; they are known one by one. */
function noteRefused({ world, session }: Parts, reports: readonly OrderReport[]): void {
  for (const { orderHash } of reports) {
    const order = session.isRefused(orderHash) ? world.ledger.byHash(orderHash) : undefined;
    if (order !== undefined) noteUncancellable(world, order);
  }
}
