// What the venue's answers and user events do to the own orders.

import { isAboutOrders, isNotCancellable } from '../../domain/cancel-batches.ts';
import type { OrderHash, TokenId } from '../../domain/ids.ts';
import type { CancelOutcome, MessageOf, PlaceOutcome, Refusal } from '../../domain/message.ts';
import { isOnBook, type OrderReport } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { forgetShownLess, onShownTraded } from '../account/busts.ts';
import {
  isEndedHash,
  noteUnclaimed,
  onBatchOrderIds,
  settleEarlyUpdates,
} from '../account/early-updates.ts';
import { isStillLocked, noteElsewhere } from '../account/exact.ts';
import { onMarketGrids } from '../account/list-grid.ts';
import { onOtherHash } from '../account/named-order.ts';
import {
  givenUp,
  keepDuplicateOf,
  keepGivenUp,
  onFound,
  tellPossiblyOwn,
} from '../account/own-scope.ts';
import { noteAnswer, reportFailedRead } from '../account/reads.ts';
import { onNamed, onOtherTerms, onRestatedAnswer } from '../account/restated.ts';
import { endLate } from '../account/restore.ts';
import type { AccountStores } from '../account/stores.ts';
import { touchMarket } from '../kernel/market.ts';
import { mayArriveUntilMs, slotUntilMs } from '../orders/deadlines.ts';
import type { Sent } from '../orders/in-flight-tracker.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { MISSING_LISTS_MAX, reconcile, type Verdict } from '../orders/reconcile.ts';
import type { OrderStores } from '../orders/stores.ts';
import { noteCancelAnswer, noteUncancellable, onCancelRefused } from '../orders/uncancellable.ts';
import { doubtEnd } from '../positions/doubt.ts';
import { onAcceptedStatus } from '../quoting/status.ts';
import { onAccepted } from '../risk/breakers.ts';
import type { RiskStores } from '../risk/stores.ts';
import {
  areCopiesLikely,
  countCopy,
  doubtCopy,
  noteCopy,
  settleCopies,
} from '../risk/uncertain.ts';
import type { MarketState } from '../sending/market.ts';
import { onRefusal } from '../sending/refusals.ts';
import { isProse, settleRefusals } from '../sending/rejected-without-code.ts';
import { onAskedAnswered, onBuyAccepted } from '../sending/restriction.ts';
import { halveCancel } from '../sending/writer.ts';
import { onCancelAnswered } from './cancel-escalation.ts';
import type { EngineStores } from './engine-stores.ts';
import { cancelIfUnwanted, onExternal, onExternalOrder } from './external-orders.ts';
import type { SessionStores } from './stores.ts';

/** An order as a list shows it. */
type Seen = { readonly report: OrderReport; readonly askedAtMs: UnixMs };

export function onPlaced(stores: EngineStores, message: MessageOf<'placed'>): void {
  stores.budget.onAnswered(message.requestId);
  onAskedAnswered(stores, message.requestId);
  const tokens = new Set<TokenId>();
  for (const { intentId, outcome } of message.outcomes) {
    const order = stores.ledger.byIntent(intentId);
    if (order === undefined) continue;
    tokens.add(order.tokenId);
    applyPlacement(stores, order, { outcome, isOfBatch: message.outcomes.length > 1 });
    touchMarket(stores, order.marketId);
  }
  // What was reported of other hashes of their tokens meanwhile is of none of these.
  for (const { orderHash, updates } of stores.ledger.early.all()) {
    const [first] = updates;
    const isOfThem = first !== undefined && tokens.has(first.tokenId);
    if (isOfThem && noteUnclaimed(stores, orderHash)) stores.reads.hasten('orders', stores.nowMs);
  }
}

type Answer = { readonly outcome: PlaceOutcome; readonly isOfBatch: boolean };

function applyPlacement(
  stores: EngineStores,
  order: OwnOrder,
  { outcome, isOfBatch }: Answer,
): void {
  const market = stores.markets.get(order.marketId);
  switch (outcome.kind) {
    case 'accepted':
      learnTook(stores, order, stores.nowMs - order.sentAtMs);
      if (onOtherHash(stores, order, outcome.orderHash))
        stores.reads.hasten('orders', stores.nowMs);
      else stores.ledger.onAccepted(order, outcome.orderHash, stores.nowMs);
      if (market) onTaken(stores, market, order);
      return;
    case 'refused':
      stores.ledger.signal(order, 'refusal', stores.nowMs);
      if (isProse(outcome.refusal)) onProse(stores, order);
      hasten(stores, onRefusal(stores, market, order, { ...outcome, isOfBatch }));
      return;
    case 'notSent':
      // It never left this process: as certain as a refusal.
      stores.ledger.signal(order, 'refusal', stores.nowMs);
      onRefusal(stores, market, order, { refusal: notSent(outcome.detail), isOfBatch: false });
      return;
    case 'unknown':
      stores.ledger.signal(order, 'noAnswer', stores.nowMs);
      countCopy(stores, order);
      stores.outbox.report({
        event: 'order.unknown',
        tokenId: order.tokenId,
        cause: `${outcome.cause}: ${outcome.detail}`,
      });
      if (outcome.namedHash !== undefined) onRestatedAnswer(stores, order, outcome.namedHash);
      if (outcome.batchOrderIds !== undefined)
        onBatchOrderIds(stores, order, outcome.batchOrderIds);
      stores.reads.hasten('orders', stores.nowMs);
      return;
  }
}

function onTaken(stores: RiskStores, market: MarketState, order: OwnOrder): void {
  onAccepted(market, order.axisSide);
  onAcceptedStatus(stores, market, order);
  onBuyAccepted(stores, order);
}

function notSent(message: string): Refusal {
  return { code: 'not_sent', message, httpStatus: undefined, retryAfterMs: undefined };
}

/**
 * An item of a batch was refused, and nobody reported by which code: prose is no proof, in whatever scope. Until a
 * list that was asked for after it lacks one like it, that counts, and would be ours.
 */
function onProse(stores: EngineStores, order: OwnOrder): void {
  // News of it may have come first, and then it counts by itself.
  if (order.state === 'refused') stores.refusals.add(order);
  keepDuplicateOf(stores, order, stores.nowMs);
  stores.reads.hasten('orders', stores.nowMs);
}

function hasten({ reads, nowMs }: EngineStores, asked: ReturnType<typeof onRefusal>): void {
  if (asked !== 'nothing') reads.hasten(asked, nowMs);
}

export function onCancelled(stores: EngineStores, message: MessageOf<'cancelled'>): void {
  const { session, reads } = stores;
  if (session.onCancelled(message.requestId, message.outcome)) return;
  const orders = stores.pendingCancels.get(message.requestId);
  if (orders === undefined) return;
  stores.pendingCancels.delete(message.requestId);
  const isBulk = stores.bulkCancels.delete(message.requestId);
  session.onCancelledByName(message.outcome);
  const isConfirmed = isWholeChunk(message.outcome, orders.length);
  const isRefused = !isConfirmed && mayRefuse(message.outcome, orders.length);
  for (const order of orders) {
    noteCancelAnswer(order, message.outcome, stores.nowMs);
    order.wasCancelRefused = isRefused;
    touchMarket(stores, order.marketId);
    // News of its end may have come over the socket before this answer.
    if (order.state !== 'cancelling') continue;
    const signal = isConfirmed ? 'cancelled' : failedSignal(message.outcome);
    stores.ledger.signal(order, signal, stores.nowMs);
    // How much of it had traded an order report says, moments from now or before.
    if (isConfirmed) doubtEnd(stores, order);
  }
  // The counts do not say which ones failed: the list of open orders does.
  if (!isConfirmed) reads.hasten('orders', stores.nowMs);
  if (isAboutOrders(message.outcome)) onRefusedTogether(stores, orders);
  onCancelAnswered(stores, { outcome: message.outcome, isBulk });
}

/** Of a batch that is refused as a whole nobody knows whose refusal it is; one alone is asked for later. */
function onRefusedTogether(stores: EngineStores, orders: readonly OwnOrder[]): void {
  const hashes = orders.flatMap(({ orderHash }) => orderHash ?? []);
  stores.cancelBatches.onRefused(hashes, stores.nowMs);
  // A mass cancel that is up cancels all of them itself.
  if (orders.length > 1 && !stores.session.isMassCancelling) halveCancel(stores, orders);
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

export function onOpenOrders(stores: EngineStores, message: MessageOf<'openOrders'>): void {
  const { session, reads } = stores;
  const { outcome, requestId, askedAtMs } = message;
  const isOurs = reads.onAnswer('orders', requestId, outcome.kind === 'ok', stores.nowMs);
  if (isOurs) noteAnswer(stores, outcome);
  // A list that was asked for before one that we know of tells of an older state.
  const isOld = askedAtMs < stores.listAskedAtMs;
  const reports = outcome.kind === 'ok' ? onMarketGrids(stores, outcome.value) : undefined;
  if (reports !== undefined && !isOld) applyList(stores, reports, askedAtMs);
  if (isOurs && outcome.kind !== 'ok') reportFailedRead(stores, 'open orders', outcome);
  session.onOpenOrders(requestId, outcome, askedAtMs);
}

function applyList(stores: EngineStores, reports: readonly OrderReport[], askedAtMs: UnixMs): void {
  stores.listAskedAtMs = askedAtMs;
  settleEarlyUpdates(stores, reports);
  noteUnnamed(stores, reports, askedAtMs);
  const known = {
    notEnded: stores.ledger.notEnded(),
    byHash: stores.ledger.byHash.bind(stores.ledger),
    isKnownHash: (hash: OrderHash) => isEndedHash(stores, hash),
  };
  const evidence = {
    reports,
    askedAtMs,
    clockOffsetMs: stores.clock.lowestOffsetMs,
    isNamed: stores.batchOrderIds.has.bind(stores.batchOrderIds),
    shownSinceMs: (hash: OrderHash) => stores.unnamed.get(hash),
    mayArriveUntilMs: (sent: Sent) => mayArriveUntilMs(stores, sent),
    slotUntilMs: (sent: Sent) => slotUntilMs(stores, sent),
  };
  stores.externals = { now: new Set(), before: stores.externals.now };
  const verdicts = reconcile(known, evidence);
  // External orders last: one may be just like an order that this list has found.
  const isExternal = ({ kind }: Verdict) => kind === 'external' || kind === 'zombie';
  const lost = givenUp(stores, verdicts);
  for (const each of verdicts) if (!isExternal(each)) applyVerdict(stores, each, askedAtMs);
  for (const each of verdicts) if (isExternal(each)) applyVerdict(stores, each, askedAtMs);
  stores.batchOrderIds.onListed(askedAtMs);
  tellPossiblyOwn(stores, lost, reports);
  forgetShownLess(stores, reports);
  noteRefused(stores, reports);
  noteElsewhere(stores, reports);
  settleRefusals(stores, { reports, askedAtMs });
  settleCopies(stores, askedAtMs);
  endLate(stores, { reports, askedAtMs });
}

/** Keeps of each hash on the list that nobody can name since when lists have shown it. */
function noteUnnamed(
  stores: SessionStores,
  reports: readonly OrderReport[],
  askedAtMs: UnixMs,
): void {
  const before = stores.unnamed;
  const unnamed = reports.filter(({ orderHash }) => stores.ledger.byHash(orderHash) === undefined);
  stores.unnamed = new Map(
    unnamed.map(({ orderHash }) => [orderHash, before.get(orderHash) ?? askedAtMs]),
  );
}

function applyVerdict(stores: EngineStores, verdict: Verdict, askedAtMs: UnixMs): void {
  switch (verdict.kind) {
    case 'seen':
      onSeen(stores, verdict.order, { report: verdict.report, askedAtMs });
      return;
    case 'found':
      learnArrival(stores, verdict.order, verdict.report);
      onFound(stores, verdict.order, verdict.report.orderHash);
      stores.ledger.execute(verdict.order, verdict.report.executed, stores.nowMs);
      return;
    case 'named':
      onNamedListed(stores, verdict.order, verdict.report);
      return;
    case 'missing':
      onMissing(stores, verdict.order);
      return;
    case 'absent':
      if (isStillLocked(stores, verdict.order)) onMissing(stores, verdict.order);
      else onAbsent(stores, verdict.order, askedAtMs);
      return;
    case 'zombie':
      learnArrival(stores, verdict.order, verdict.report);
      // It traded as what it was: what comes in its stead begins with that.
      onShownTraded(stores, verdict.order, { report: verdict.report, askedAtMs });
      onExternalOrder(stores, verdict.report);
      return;
    case 'external': {
      const isCopy = noteCopy(stores, verdict.report) !== undefined;
      onExternal(stores, verdict.report);
      onExternalOrder(stores, verdict.report, isCopy);
      return;
    }
  }
}

function onNamedListed(stores: AccountStores, order: OwnOrder, report: OrderReport): void {
  // A list may show it twice, as one that was read in pages while it changed.
  if (order.answeredHash !== report.orderHash) return;
  learnArrival(stores, order, report);
  const named = onNamed(stores, order, report);
  stores.ledger.execute(named, report.executed, stores.nowMs);
}

/** How late the venue accepted what had no answer, where it says when that was. */
function learnArrival(stores: OrderStores, order: OwnOrder, { createdAtMs }: OrderReport): void {
  // Once it was confirmed its age says nothing about its arrival.
  if (createdAtMs === undefined || order.confirmedAtMs !== undefined) return;
  const acceptedAtMs = createdAtMs - (stores.clock.offsetMs ?? 0);
  learnTook(stores, order, acceptedAtMs - order.sentAtMs);
}

/** So late that what a previous run sent may come as late: kept, so that no restart forgets it. */
function learnTook(stores: OrderStores, { sentAtMs }: OwnOrder, tookMs: number): void {
  const { jumpedAtMs } = stores.inFlightTracker;
  // By a clock that was set meanwhile it may seem to have taken minutes.
  if (jumpedAtMs !== undefined && jumpedAtMs >= sentAtMs) return;
  if (!stores.inFlightTracker.onAccepted(tookMs)) return;
  stores.outbox.record({ kind: 'slowest', slowest: { tookMs, atMs: stores.nowMs } });
}

function onSeen(stores: EngineStores, known: OwnOrder, seen: Seen): void {
  const order = asListed(stores, known, seen.report);
  order.missingLists = 0;
  order.seenAtMs = stores.nowMs;
  onShownTraded(stores, order, seen);
  if (isShownLive(order, seen.askedAtMs)) onShownLive(stores, order);
  // A mass cancel cancels by itself what rests.
  else if (!stores.session.isMassCancelling) cancelIfUnwanted(stores, order);
}

/** Where its answer showed neither, a list is the first to tell of another quantity or price than was sent. */
function asListed(stores: AccountStores, known: OwnOrder, report: OrderReport): OwnOrder {
  const { orderHash, tokenId, side } = report;
  // A list that shows it twice has put another in its place by the second time.
  const order = stores.ledger.byHash(orderHash) ?? known;
  const isSame = tokenId === order.tokenId && side === order.side;
  if (!isSame || !isOnBook(order.state)) return order;
  // What rests of one that has traded may be shown as its quantity; its price is its price.
  const { quantity } = order.executed > 0 ? order : report;
  onOtherTerms(stores, order, { ...report, quantity });
  return stores.ledger.byHash(orderHash) ?? order;
}

function onShownLive(stores: SessionStores, order: OwnOrder): void {
  if (order.wasCancelRefused) onCancelRefused(stores, order);
  stores.ledger.signal(order, 'open', stores.nowMs);
  touchMarket(stores, order.marketId);
  cancelIfUnwanted(stores, order);
}

/** A list that is newer than what made us doubt shows it: it rests. */
function isShownLive(order: OwnOrder, askedAtMs: UnixMs): boolean {
  if (order.state !== 'cancelUnresolved') return false;
  return (order.cancelAnsweredAtMs ?? order.failedAtMs ?? order.stateSinceMs) < askedAtMs;
}

/** The next list says whether it is gone. One that lists knew may miss for a moment, as of a venue that changes over. */
function onMissing(stores: EngineStores, order: OwnOrder): void {
  const { reads, nowMs } = stores;
  order.missingLists += 1;
  // A list for each that misses it, and then at the pace of what is past the deadline.
  if (order.missingLists >= MISSING_LISTS_MAX) return;
  if (order.state === 'unknown') reads.hasten('orders', nowMs);
  else {
    reads.hastenAtPace('orders', nowMs);
    reads.hasten('balances', nowMs);
  }
}

function onAbsent(stores: EngineStores, order: OwnOrder, askedAtMs: UnixMs): void {
  // An order that we did not cancel and that is gone may have been filled without a report, and so may one
  // whose cancel is unresolved, or whose placement was never answered: what is left of it is uncertain.
  const isByDate = stores.expiry.isEndOf(order, askedAtMs);
  // It gives its slot back, and may arrive yet: lists look for one like it until it cannot any more.
  const mayArrive = order.state === 'unknown';
  if (mayArrive) keepGivenUp(stores, order);
  stores.ledger.signal(order, isByDate ? 'confirmedExpired' : 'confirmedAbsent', stores.nowMs);
  doubtEnd(stores, order, mayArrive ? 'may_arrive' : 'order_end');
  if (mayArrive && areCopiesLikely(stores)) doubtCopy(stores, order);
  stores.reads.hasten('balances', stores.nowMs);
}

/** A start or a stop has learnt which orders the venue refuses to cancel; they are known one by one. */
function noteRefused(stores: EngineStores, reports: readonly OrderReport[]): void {
  for (const { orderHash } of reports) {
    const order = stores.session.isRefused(orderHash) ? stores.ledger.byHash(orderHash) : undefined;
    if (order !== undefined) noteUncancellable(stores, order);
  }
}
