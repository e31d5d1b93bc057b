// Orders on the venue that we cannot name: counted, reported once, and cancelled unless they may stay.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import type { MessageOf } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { addMs } from '../../domain/time.ts';
import { countedAt } from '../account/named-order.ts';
import { externalOrders, isMeant, keepDuplicate, setConflict } from '../account/own-scope.ts';
import type { AccountStores } from '../account/stores.ts';
import { dropOldest } from '../kernel/bounds.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isCancellable, type OwnOrder, orderOf } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { doubtTraded } from '../positions/doubt.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { ownLike } from '../risk/divergence.ts';
import { ease, trip } from '../risk/trip.ts';
import type { MarketState } from '../sending/market.ts';
import { sendCancels } from '../sending/writer.ts';
import type { EngineStores } from './session.ts';
import type { SessionStores } from './stores.ts';

/** Matching takes moments: what was sent to take and is listed so long after it was confirmed has stayed. */
const TAKE_MATCHED_BY_MS = 5_000;

/** An order on the venue that we cannot name counts as exposure until it is gone. */
export function onExternalOrder(stores: EngineStores, report: OrderReport, isCopy = false): void {
  const { session } = stores;
  // It is ours, and comes back with its market; a list may be faster than the catalogue.
  if (isWaiting(stores, report)) {
    noteWaiting(stores, report);
    return;
  }
  doubtShown(stores, report, isCopy);
  // The list was asked for before it ended: it shows what was, and nobody has to name that.
  if (stores.ledger.hasEndedSince(report.orderHash, stores.listAskedAtMs)) return;
  const isOfOthers = !isMeant(stores, report);
  // Like a placement that nobody answered: it stays ours when that can arrive no more.
  if (!isOfOthers && cancelScopeOf(stores) === 'own') stores.ledger.hashes.addOwn(report.orderHash);
  // A mass cancel cancels what is meant by itself; what is somebody else's counts from the first list on.
  const market = stores.byToken.get(report.tokenId)?.market;
  if (session.isMassCancelling && !isOfOthers && !session.isRefused(report.orderHash)) {
    if (market) stores.controls.marketStops.onListed(market.market.id, stores.listAskedAtMs);
    return;
  }
  if (isOfOthers && market === undefined) {
    noteExternal(stores, report);
    return;
  }
  if (market === undefined) {
    noteUnquoted(stores, report);
    return;
  }
  // A list may have reported it before the catalogue did.
  if (!stores.externals.before.has(report.orderHash)) reportExternal(stores, report);
  const order = { ...externalOf(stores, market, report), isOfOthers };
  stores.ledger.add(order);
  // What was reported for its hash is about this order, and not about an unknown one that is like it.
  stores.ledger.applyEarly(order, stores.nowMs);
  cancelIfUnwanted(stores, order);
  market.isDirty = true;
}

function isWaiting(stores: AccountStores, report: OrderReport): boolean {
  return stores.restored.onListed(report, {
    isKnownHash: stores.ledger.isKnownHash(report.orderHash),
    clockOffsetMs: stores.clock.lowestOffsetMs,
    onFound: (order) => keepDuplicate(stores, order),
  });
}

/**
 * A start clears it, once it has a socket, a ledger and all else that it waits for: without one of these
 * what a previous run left on a market that is quoted no more would rest for as long.
 */
function noteWaiting(stores: AccountStores, report: OrderReport): void {
  if (isMeant(stores, report))
    stores.externalCancels.onListed(report.orderHash, stores.listAskedAtMs);
}

/**
 * One that ended shows more traded than is known, or a copy of ours shows what it traded before anybody saw it: nobody
 * says how much of it is counted. Balances show a trade when it has settled.
 */
function doubtShown(stores: SessionStores, report: OrderReport, isCopy: boolean): void {
  const { orderHash, executed, tokenId } = report;
  const { ledger } = stores;
  if (ledger.byHash(orderHash) !== undefined) return;
  if (!isCopy && !ledger.isKnownHash(orderHash)) return;
  const isQuoted = stores.byToken.get(tokenId) !== undefined;
  if (isQuoted && ledger.hashes.isNewlyTraded(orderHash, executed))
    doubtTraded(stores, report, executed);
}

function reportExternal(stores: KernelStores, { orderHash, tokenId }: OrderReport): void {
  stores.outbox.report({ event: 'order.external', orderHash, tokenId });
}

/** Somebody else's order on a market that we do not quote: counted while it is listed, reported once. */
function noteExternal(stores: OrderStores, report: OrderReport): void {
  const { now, before } = stores.externals;
  now.add(report.orderHash);
  if (!before.has(report.orderHash)) reportExternal(stores, report);
}

/**
 * Unless the settings let it stay where a target quote wants it; it is asked again as long as it is seen. Where its
 * market has left nobody wants anything, and an order that rests again there is in no plan; nor is one that
 * was meant to take, once the venue has had the time to match it.
 */
export function cancelIfUnwanted(stores: SessionStores, order: OwnOrder): void {
  const { externalOrders, scope } = stores.settings?.orders ?? {};
  const isStray = order.isExternal && (externalOrders !== 'adopt' || scope === 'own');
  const hasLeft = order.isOfOthers !== true && !stores.markets.has(order.marketId);
  const isUnplanned = isStray || hasLeft || hasStayed(stores, order);
  if (isUnplanned && isCancellable(order)) sendCancels(stores, [order]);
}

/** The venue's answer to a placement tells nothing of its matching: a list in between shows it open. */
function hasStayed({ listAskedAtMs }: OrderStores, order: OwnOrder): boolean {
  const { isTake, confirmedAtMs, sentAtMs } = order;
  return isTake === true && listAskedAtMs - (confirmedAtMs ?? sentAtMs) >= TAKE_MATCHED_BY_MS;
}

/** On a market that we do not quote there is no ledger to keep it in; reported once, and asked for again while it is listed. */
function noteUnquoted(stores: AccountStores, report: OrderReport): void {
  const isNew = stores.externalCancels.onListed(report.orderHash, stores.listAskedAtMs);
  if (isNew && !stores.externals.before.has(report.orderHash)) reportExternal(stores, report);
}

/** Sends what the newest list shows on markets that we do not quote. A mass cancel that is up cancels by itself. */
export function cancelUnquoted(stores: EngineStores): void {
  const { externalCancels, nowMs, listAskedAtMs, outbox } = stores;
  const mayCancel = (orderHash: OrderHash) =>
    !stores.session.isMassCancelling || stores.session.isRefused(orderHash);
  for (const orderHashes of externalCancels.due({ nowMs, listAskedAtMs }, mayCancel)) {
    const requestId = outbox.nextRequestId();
    externalCancels.onSent(requestId, orderHashes, nowMs);
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
  }
}

/** @returns Whether the answer is to a cancel of these. */
export function onUnquotedAnswer(stores: EngineStores, message: MessageOf<'cancelled'>): boolean {
  const { requestId, outcome } = message;
  if (!stores.externalCancels.onAnswer(requestId, outcome, stores.nowMs)) return false;
  stores.session.onCancelledByName(outcome);
  return true;
}

function externalOf(stores: OrderStores, market: MarketState, report: OrderReport): OwnOrder {
  const leg = market.legOf(report.tokenId);
  const { side, quantity, orderHash, tokenId } = report;
  const price = countedAt(market.grid, report);
  return orderOf(market.grid, {
    intentId: intentId(`external order-${stores.intentIds.next(stores.nowMs)}`),
    marketId: market.market.id,
    tokenId,
    leg,
    side,
    price,
    quantity,
    sentAtMs: stores.nowMs,
    isExternal: true,
    orderHash,
    state: report.executed > 0 ? 'partiallyFilled' : 'resting',
    stateSinceMs: stores.nowMs,
    // What it traded before we saw it is in the balances already, or will be.
    executed: report.executed,
    settled: report.executed,
    confirmedAtMs: stores.nowMs,
    seenAtMs: stores.nowMs,
  });
}

// Another trader on the account: orders that were never sent from here keep coming, however often they are
// cancelled. Whoever cancelled on would be in a war of cancels: from here on only own orders are cancelled.

/** Lists that show new ones count within this. */
const WITHIN_MS = 120_000;
const SIGNS_MIN = 12;
/** A copy of ours may also be a request that was delivered twice: many of them are no accident. */
const SIGN_LIKE_OURS = 1;
const SIGN_OTHER = 3;
/** Kept apart of those that were counted, the latest. */
const COUNTED_MAX = 1_000;
/** Who yields waits so long after the last order of the other one. */
const YIELD_MS = 300_000;

/** A list shows an order that was not sent from here. */
export function onExternal(stores: EngineStores, report: OrderReport): void {
  const { controls, settings, ledger, nowMs, listAskedAtMs } = stores;
  const { conflict } = controls;
  const rule = settings?.account?.conflict;
  const isWanted = settings?.orders.externalOrders === 'adopt' || cancelScopeOf(stores) === 'own';
  if (rule === undefined || isWanted || stores.session.isStarting) return;
  if (ledger.isKnownHash(report.orderHash) || conflict.counted.has(report.orderHash)) return;
  // A placement of ours without an answer, whose slot was given to another one meanwhile.
  if (stores.restored.isLike(report, stores.clock.lowestOffsetMs)) return;
  conflict.counted.add(report.orderHash);
  dropOldest(conflict.counted, COUNTED_MAX);
  // A person who places several by hand shows them in one list.
  const weight = ownLike(stores, report) ? SIGN_LIKE_OURS : SIGN_OTHER;
  const before = conflict.signs.filter(({ atMs }) => atMs > addMs(nowMs, -WITHIN_MS));
  const isOfList = before.some((sign) => sign.listAskedAtMs === listAskedAtMs);
  conflict.signs = isOfList ? before : [...before, { atMs: nowMs, listAskedAtMs, weight }];
  const signs = conflict.signs.reduce((sum, sign) => sum + sign.weight, 0);
  if (signs >= SIGNS_MIN) recognise(stores, rule);
}

function recognise(stores: EngineStores, rule: 'yield' | 'own-scope' | 'halt'): void {
  const { controls, nowMs, outbox } = stores;
  const lists = controls.conflict.signs.length;
  const detail = `${lists} lists in ${WITHIN_MS / 1_000} s showed new orders that were never sent from here`;
  controls.conflict.signs = [];
  controls.conflict.seenAtMs = nowMs;
  setConflict(stores, true);
  outbox.report({ event: 'account.conflict', rule, detail });
  if (rule === 'halt') stores.session.halt('account_conflict', detail);
  if (rule !== 'yield') return;
  trip(stores, {
    control: 'account_conflict',
    level: 'reduce-only',
    detail: () => detail,
    resumes: { kind: 'condition', text: 'no order of others for five minutes' },
  });
}

/** Once a second: who yields comes back when the other one is gone. */
export function watchConflict(stores: AccountStores): void {
  const { conflict, latches } = stores.controls;
  const hasYielded = latches.get('account_conflict', undefined) !== undefined;
  if (!conflict.isKnown || !hasYielded) return;
  if (externalOrders(stores) > 0) conflict.seenAtMs = stores.nowMs;
  if (stores.nowMs - (conflict.seenAtMs ?? 0) < YIELD_MS) return;
  ease(stores, 'account_conflict');
  setConflict(stores, false);
}
