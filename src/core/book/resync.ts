// The resync of a doubtful book, by itself: re-subscribe, then REST beside it, then a new
// connection, each step after the one before it had its time. Coming back too often costs patience.

import { LEGS } from '../../domain/market.ts';
import { unixMs } from '../../domain/time.ts';
import type { TrustSignal } from '../../domain/trust.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { missingOwnOrder } from './audit.ts';
import type { MirroredMarket, Place } from './market.ts';
import type { SnapshotFrame } from './mirror.ts';
import type { BookStores } from './stores.ts';
import { RELAPSE_MS, type TokenTrust } from './token-trust.ts';

/** The wait for a snapshot doubles with each renewal up to this. */
const WAIT_MS_MAX = 60_000;
/** So many snapshots come in the time that is allowed for one; more take as much longer. */
const SNAPSHOTS_AT_ONCE = 1_000;
/** From this renewal on a baseline is asked for over REST too, some time after it. */
const RENEWALS_BEFORE_REST = 2;
/** After so many renewals, or relapses, the connection itself is to blame. */
const RENEWALS_BEFORE_CONNECTION = 3;
const RELAPSES_BEFORE_CONNECTION = 3;
/** The longest that a book which stays ill waits for one more connection. */
const RECONNECT_MS_MAX = 3_600_000;
const DOUBLINGS_MAX = 10;
/** Illnesses in a row that are resynced without waiting. */
const FREE_RELAPSES = 2;

/** Withdraws trust: from now on nothing is priced from this book. */
export function doubt(stores: BookStores, place: Place, signal: TrustSignal, detail: string): void {
  const { trust, mirror } = place;
  stores.outbox.report({ event: 'book.doubt', tokenId: tokenOf(place), signal, detail });
  if (trust.state !== 'trusted') {
    // The very first snapshot of a book did not come: its first illness begins here.
    trust.uncertainAtMs ??= stores.nowMs;
    return;
  }
  if (signal !== 'socket' && signal !== 'snapshot') mirror.suspect(signal, detail);
  trust.uncertainAtMs = stores.nowMs;
  const isRelapse = stores.nowMs - trust.resyncedAtMs < RELAPSE_MS;
  trust.relapses = isRelapse ? trust.relapses + 1 : 0;
  if (!isRelapse) trust.reconnects = 0;
  trust.renewals = 0;
  trust.wasReconnected = false;
  moveTo(stores, place, { state: 'suspect', signal, detail });
}

/** One step of resync, if its time has come; called on every tick for books that are not trusted. */
export function resync(stores: BookStores, place: Place): void {
  const { trust } = place;
  if (!stores.connection.isSocketOpen || place.market.isOffGrid || trust.state === 'trusted')
    return;
  if (applyRest(stores, place)) return;
  const isRestDue = trust.isRestDue(stores.nowMs, stores.trustLimits.auditAgeMs);
  if (isRestDue && stores.trust.turn.readsLeft > 0) askOverRest(stores, place, trust);
  const sinceMs = trust.state === 'suspect' ? trust.sinceMs : trust.subscribedAtMs;
  if (stores.nowMs - sinceMs < waitMs(stores, trust)) return;
  const isConnectionDue = mayReconnect(stores, place, trust);
  if (!isConnectionDue && stores.trust.turn.renewalsLeft === 0) return;
  if (trust.state !== 'suspect') sayMissing(stores, place, trust);
  if (isConnectionDue) reconnect(stores, place, trust);
  else renew(stores, place, trust);
}

/**
 * A market trades from now on that did not before: its books may never have come, and what was asked for in vain
 * until then says nothing of the connection.
 */
export function askAnew(stores: BookStores, market: MirroredMarket): void {
  for (const leg of LEGS) {
    const trust = market.trust[leg];
    if (trust.state === 'trusted') continue;
    trust.renewals = 0;
    trust.relapses = 0;
    // Due with the next tick, in the turn of all books that ail.
    trust.subscribedAtMs = unixMs(stores.nowMs - snapshotWaitMs(stores));
  }
}

/** A clock was set: stamps of before say nothing of those to come, and what was in doubt for its own is asked for. */
export function onClockMoved(stores: BookStores): void {
  for (const { book } of stores.markets.values()) {
    book.yes.mirror.forgetStamp();
    book.no.mirror.forgetStamp();
  }
  for (const trust of stores.trust.unwell.keys()) {
    if (trust.signal !== 'age' && trust.signal !== 'clock') continue;
    trust.renewals = 0;
    trust.subscribedAtMs = unixMs(stores.nowMs - snapshotWaitMs(stores));
  }
}

/** Everything is subscribed anew: each book waits for its first snapshot from now on. */
export function awaitSnapshot(stores: BookStores, place: Place, why: string): void {
  const { trust } = place;
  noteSubscribed(stores, trust);
  trust.renewals = 0;
  trust.dropRest();
  moveTo(stores, place, { state: 'resyncing', signal: trust.signal, detail: why });
}

/** The connection is gone, and every book with it. */
export function onConnectionLost(stores: BookStores, place: Place): void {
  const { trust } = place;
  const lost = { signal: 'socket', detail: 'the connection is lost' } as const;
  if (trust.state === 'trusted') {
    stores.outbox.report({ event: 'book.doubt', tokenId: tokenOf(place), ...lost });
    trust.uncertainAtMs = stores.nowMs;
    trust.wasReconnected = false;
  }
  trust.dropRest();
  moveTo(stores, place, { state: 'dead', ...lost });
}

/**
 * A baseline was applied and the mirror trusts it.
 * @param wasRight - The mirror had said the same before: the doubt was a false alarm.
 */
export function onBaseline(
  stores: BookStores,
  place: Place,
  by: 'snapshot' | 'rest',
  wasRight: boolean,
) {
  const { trust } = place;
  trust.dropRest();
  trust.refillAskedAtMs = undefined;
  trust.activityBaseline.restart(stores.nowMs, stores.trust.frames);
  // What an audit found in the book before says nothing of this one.
  trust.dissents = 0;
  if (trust.state === 'trusted') return;
  // A healthy book keeps its time: a venue may send baselines more often than a contradiction takes.
  place.market.parity.restart();
  const { signal } = trust;
  const isAlarm = wasRight || (signal === 'ownOrder' && missingOwn(stores, place) !== undefined);
  const isForgiven = isAlarm && forgive(stores, place, signal);
  if (!isForgiven && signal !== 'socket') trust.resyncedAtMs = stores.nowMs;
  if (!wasRight) trust.activityBaseline.confirm();
  trust.renewals = 0;
  const isByConnection = trust.wasReconnected || signal === 'socket';
  sayResynced(stores, place, isByConnection ? 'connection' : by, wasRight);
  moveTo(stores, place, { state: 'trusted', signal, detail: '' });
}

/** A first baseline is no resync: nobody had trusted the book before, nor put it in doubt. */
function sayResynced(
  stores: KernelStores,
  place: Place,
  by: 'snapshot' | 'rest' | 'connection',
  wasRight: boolean,
): void {
  const { signal, uncertainAtMs } = place.trust;
  if (uncertainAtMs === undefined) return;
  const tookMs = stores.nowMs - uncertainAtMs;
  const tokenId = tokenOf(place);
  stores.outbox.report({ event: 'book.resynced', tokenId, signal, by, tookMs, wasRight });
}

/** The answer to a baseline asked for over REST, where it is one. */
export function onRestBaseline(
  stores: BookStores,
  place: Place,
  requestId: number,
  baseline: SnapshotFrame | undefined,
): void {
  const { trust } = place;
  if (trust.restRequestId !== requestId) return;
  trust.restRequestId = undefined;
  trust.restBaseline = baseline;
  // Prices are read on the grid of the catalogue, which is not that of a book that is about to leave.
  if (baseline === undefined || place.market.isOffGrid) trust.dropRest();
  applyRest(stores, place);
}

/**
 * A book read over REST is a baseline only for a token whose deltas flow, or that a snapshot says as well: otherwise
 * it would be right now and silently wrong a moment later. Deltas since a while before the question are applied on top.
 * @returns Whether the book is trusted now.
 */
function applyRest(stores: BookStores, place: Place): boolean {
  const { trust, mirror } = place;
  const { restBaseline, buffer } = trust;
  if (restBaseline === undefined) return false;
  const wasRight = mirror.state.kind === 'suspect' && mirror.isSameAs(restBaseline);
  const isConfirmed = trust.isStampUnconfirmed && wasRight;
  if (!isConfirmed && buffer?.length === 0) return false;
  if (trust.isBufferFull || (!isConfirmed && buffer === undefined)) {
    trust.dropRest();
    return false;
  }
  mirror.onSnapshot(restBaseline, stores.nowMs);
  for (const delta of buffer ?? []) mirror.onDelta(delta, stores.nowMs);
  trust.dropRest();
  place.market.isDirty = true;
  if (mirror.state.kind !== 'live') return false;
  onBaseline(stores, place, 'rest', wasRight);
  return true;
}

/** The first renewals do not wait; one of a book that keeps falling ill does, ever longer. */
function waitMs(stores: BookStores, trust: TokenTrust): number {
  const snapshotMs = snapshotWaitMs(stores);
  const tries = trust.state === 'suspect' ? trust.relapses - FREE_RELAPSES : trust.renewals;
  if (tries < 0) return 0;
  return Math.min(snapshotMs * 2 ** tries, WAIT_MS_MAX);
}

/** Where thousands of books wait for theirs, asking again would only double what is in flight. */
function snapshotWaitMs({ trust, trustLimits }: BookStores): number {
  return trustLimits.snapshotMs * Math.max(1, trust.unwell.size / SNAPSHOTS_AT_ONCE);
}

/** All other books are lost with the connection: none is worth that while nobody may quote from it. */
function mayReconnect(stores: BookStores, { market }: Place, trust: TokenTrust): boolean {
  if (market.status !== 'open' || market.isLeaving) return false;
  const isDue =
    isForConnection(trust) ||
    trust.relapses >= RELAPSES_BEFORE_CONNECTION ||
    isChannelSilent(stores, trust);
  const sinceMs = stores.nowMs - stores.trust.reconnectedAtMs;
  if (!isDue || sinceMs < stores.trustLimits.reconnectMs) return false;
  return sinceMs >= reconnectWaitMs(stores, trust) || !isAnyQuotable(stores);
}

function isForConnection({ renewals }: TokenTrust): boolean {
  return renewals >= RENEWALS_BEFORE_CONNECTION;
}

/**
 * REST has shown that a book moved, and a venue answers a subscription with a snapshot. Where neither that has come
 * nor any other frame since, the connection brings nothing, however well it answers pings: every book of it that is
 * still trusted is as old.
 */
function isChannelSilent({ trust: { frames } }: BookStores, trust: TokenTrust): boolean {
  const { state, signal, subscribedAtFrame } = trust;
  return signal === 'audit' && state !== 'suspect' && frames === subscribedAtFrame;
}

/** A book that new connections do not cure, as one that its venue keeps crossed, asks for them ever less often. */
function reconnectWaitMs({ trustLimits }: BookStores, { reconnects }: TokenTrust): number {
  const { reconnectMs } = trustLimits;
  const doubled = reconnectMs * 2 ** Math.min(Math.max(0, reconnects - 1), DOUBLINGS_MAX);
  return Math.max(reconnectMs, Math.min(doubled, RECONNECT_MS_MAX));
}

/** Where no market has its books, as on a connection that brings none at all, another one costs nothing. */
function isAnyQuotable({ markets }: BookStores): boolean {
  for (const market of markets.values()) {
    if (market.areBooksTrusted && market.status === 'open' && !market.isLeaving) return true;
  }
  return false;
}

function reconnect(stores: BookStores, place: Place, trust: TokenTrust): void {
  stores.trust.reconnectedAtMs = stores.nowMs;
  trust.wasReconnected = true;
  // Both books of a market mostly ail of the same, and it is the new connection of all that ail as long.
  const { yes, no } = place.market.trust;
  const ailing = [...stores.trust.unwell.keys()].filter(isForConnection);
  for (const each of new Set([yes, no, ...ailing])) each.reconnects += 1;
  trust.relapses = 0;
  trust.subscribedAtMs = stores.nowMs;
  const reason = `book of ${tokenOf(place)}: ${trust.signal}`;
  stores.outbox.send({ kind: 'reconnect', reason });
}

function renew(stores: BookStores, place: Place, trust: TokenTrust): void {
  const tokenId = tokenOf(place);
  stores.trust.turn.renewalsLeft -= 1;
  noteSubscribed(stores, trust);
  trust.renewals += 1;
  stores.outbox.send({ kind: 'resubscribe', tokenId });
  // Between the old subscription and the new one a delta may be lost, so those of before do not count.
  if (trust.renewals >= RENEWALS_BEFORE_REST) trust.beginRest(stores.nowMs);
  const state = trust.renewals > RENEWALS_BEFORE_CONNECTION ? 'dead' : 'resyncing';
  const detail = trust.detail === '' ? 'a fresh snapshot is asked for' : trust.detail;
  moveTo(stores, place, { state, signal: trust.signal, detail });
}

/** Not before deltas have been kept for as long as the answer may be older than the question. */
function askOverRest(stores: BookStores, place: Place, trust: TokenTrust): void {
  const requestId = stores.outbox.nextRequestId();
  stores.trust.turn.readsLeft -= 1;
  trust.restRequestId = requestId;
  stores.outbox.send({ kind: 'readBook', requestId, tokenId: tokenOf(place) });
}

function noteSubscribed(stores: BookStores, trust: TokenTrust): void {
  trust.subscribedAtMs = stores.nowMs;
  trust.subscribedAtFrame = stores.trust.frames;
}

function sayMissing(stores: BookStores, place: Place, trust: TokenTrust): void {
  const waitedMs = stores.nowMs - trust.subscribedAtMs;
  const detail = `no snapshot ${waitedMs} ms after the subscription`;
  doubt(stores, place, 'snapshot', detail);
}

/** An own order that its book must show by now, and does not. */
export function missingOwn(stores: BookStores, place: Place): OwnOrder | undefined {
  const { market, leg, mirror, trust } = place;
  const { nowMs, trustLimits } = stores;
  const orders = stores.ledger.ofMarket(market.market.id);
  const of = { settledMs: trustLimits.ownOrderAuditMs, afterMs: trust.ownForgivenAtMs };
  return missingOwnOrder(mirror, orders, { leg, nowMs, ...of });
}

/**
 * The book had been right, as it was too where a fresh one lacks the same own order: the signal that put it in doubt learns from that.
 * @returns Whether it can learn; then it was no illness, and cannot come back as one.
 */
function forgive(stores: KernelStores, place: Place, signal: TrustSignal): boolean {
  const { trust } = place;
  switch (signal) {
    case 'silence':
      trust.activityBaseline.forgive();
      break;
    case 'parity':
      place.market.parity.accept(place.market.book);
      break;
    case 'ownOrder':
      trust.ownForgivenAtMs = stores.nowMs;
      break;
    case 'audit':
      trust.auditPauses += 1;
      trust.auditPauseUntilMs =
        stores.nowMs + Math.min(AUDIT_PAUSE_MS * 2 ** (trust.auditPauses - 1), AUDIT_PAUSE_MS_MAX);
      break;
    default:
      return false;
  }
  trust.relapses = 0;
  return true;
}

/** A witness who was wrong is not heard for a while; the while doubles. */
const AUDIT_PAUSE_MS = 60_000;
const AUDIT_PAUSE_MS_MAX = 3_600_000;

type Move = Pick<TokenTrust, 'state' | 'signal' | 'detail'>;

function moveTo(stores: BookStores, place: Place, to: Move): void {
  const { trust } = place;
  trust.signal = to.signal;
  trust.detail = to.detail;
  if (to.state === 'trusted') stores.trust.unwell.delete(trust);
  else stores.trust.unwell.set(trust, place);
  if (trust.state === to.state) return;
  trust.state = to.state;
  trust.sinceMs = stores.nowMs;
  place.market.isDirty = true;
  const reason = to.detail === '' ? '' : `${to.signal}: ${to.detail}`;
  const tokenId = tokenOf(place);
  stores.outbox.report({ event: 'book.state', tokenId, state: to.state, reason });
}

function tokenOf({ market, leg }: Place) {
  return market.tokenOf(leg);
}
