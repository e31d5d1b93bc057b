// What a list of open orders does to the own orders, one verdict after the other.

import type { OrderHash } from '../../domain/ids.ts';
import type { MessageOf } from '../../domain/message.ts';
import { isOnBook, type OrderReport } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { forgetShownLess, onShownTraded } from '../account/busts.ts';
import { isEndedHash, settleEarlyUpdates } from '../account/early-updates.ts';
import { isStillLocked, noteElsewhere } from '../account/exact.ts';
import { onMarketGrids, onNamed, onOtherTerms } from '../account/named-order.ts';
import { givenUp, keepGivenUp, onFound, tellPossiblyOwn } from '../account/own-scope.ts';
import { reportFailedRead } from '../account/reads.ts';
import { endLate } from '../account/restore.ts';
import type { AccountStores } from '../account/stores.ts';
import { touchMarket } from '../kernel/market.ts';
import { mayArriveUntilMs, type Sent, slotUntilMs } from '../orders/deadlines.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { MISSING_LISTS_MAX, reconcile, type Verdict } from '../orders/reconcile.ts';
import type { OrderStores } from '../orders/stores.ts';
import { noteUncancellable, onCancelRefused } from '../orders/uncancellable.ts';
import { doubtEnd } from '../positions/doubt.ts';
import { areCopiesLikely, doubtCopy, noteCopy, settleCopies } from '../risk/divergence.ts';
import { settleRefusals } from '../sending/refusals.ts';
import { learnTook, onReadAnswered } from './answers.ts';
import { cancelIfUnwanted, onExternal, onExternalOrder } from './external-orders.ts';
import type { EngineStores } from './session.ts';
import type { SessionStores } from './stores.ts';

/** An order as a list shows it. */
type Seen = { readonly report: OrderReport; readonly askedAtMs: UnixMs };

export function onOpenOrders(stores: EngineStores, message: MessageOf<'openOrders'>): void {
  const { session, reads } = stores;
  const { outcome, requestId, askedAtMs } = message;
  const isOurs = reads.onAnswer('orders', requestId, outcome.kind === 'ok', stores.nowMs);
  if (isOurs) onReadAnswered(stores, outcome, askedAtMs);
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
