// The resync of a doubtful book, by itself: re-subscribe, then REST beside it, then a new
// connection, each step after the one before it had its time. Coming back too often costs patience.

import { unixMs } from '../../domain/time.ts';
import type { TrustSignal, TrustState } from '../../domain/trust.ts';
import type { MarketState, Place } from '../market.ts';
import type { World } from '../world.ts';
import type { SnapshotFrame } from './mirror.ts';
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
export function doubt(world: World, place: Place, signal: TrustSignal, detail: string): void {
  const trust = trustOf(place);
  world.outbox.report({ event: 'book.doubt', tokenId: tokenOf(place), signal, detail });
  if (trust.state !== 'trusted') {
    // The very first snapshot of a book did not come: its first illness begins here.
    trust.uncertainAtMs ??= world.nowMs;
    return;
  }
  if (signal !== 'socket' && signal !== 'snapshot') {
    place.market.book[place.leg].mirror.suspect(signal, detail, world.nowMs);
  }
  trust.uncertainAtMs = world.nowMs;
  const isRelapse = world.nowMs - trust.resyncedAtMs < RELAPSE_MS;
  trust.relapses = isRelapse ? trust.relapses + 1 : 0;
  if (!isRelapse) trust.reconnects = 0;
  trust.renewals = 0;
  trust.wasReconnected = false;
  moveTo(world, place, { state: 'suspect', signal, detail });
}

/** One step of resync, if its time has come; called on every tick for books that are not trusted. */
export function resync(world: World, place: Place): void {
  const trust = trustOf(place);
  if (!world.isSocketOpen || place.market.isRegridding || trust.state === 'trusted') return;
  if (applyRest(world, place)) return;
  const isRestDue = trust.isRestDue(world.nowMs, world.trustLimits.auditAgeMs);
  if (isRestDue && world.trust.turn.readsLeft > 0) askOverRest(world, place, trust);
  const sinceMs = trust.state === 'suspect' ? trust.sinceMs : trust.subscribedAtMs;
  if (world.nowMs - sinceMs < waitMs(world, trust)) return;
  const isConnectionDue = mayReconnect(world, place, trust);
  if (!isConnectionDue && world.trust.turn.renewalsLeft === 0) return;
  if (trust.state !== 'suspect') sayMissing(world, place, trust);
  if (isConnectionDue) reconnect(world, place, trust);
  else renew(world, place, trust);
}

/**
 * A market trades from now on that did not before: its books may never have come, and what was asked for in vain
 * until then says nothing of the connection.
 */
export function askAnew(world: World, market: MarketState): void {
  for (const leg of ['yes', 'no'] as const) {
    const trust = market.trust[leg];
    if (trust.state === 'trusted') continue;
    trust.renewals = 0;
    trust.relapses = 0;
    // Due with the next tick, in the turn of all books that ail.
    trust.subscribedAtMs = unixMs(world.nowMs - snapshotWaitMs(world));
  }
}

/** Everything is subscribed anew: each book waits for its first snapshot from now on. */
export function awaitSnapshot(world: World, place: Place, why: string): void {
  const trust = trustOf(place);
  noteSubscribed(world, trust);
  trust.renewals = 0;
  trust.dropRest();
  moveTo(world, place, { state: 'resyncing', signal: trust.signal, detail: why });
}

/** The connection is gone, and every book with it. */
export function onConnectionLost(world: World, place: Place): void {
  const trust = trustOf(place);
  const lost = { signal: 'socket', detail: 'the connection is lost' } as const;
  if (trust.state === 'trusted') {
    world.outbox.report({ event: 'book.doubt', tokenId: tokenOf(place), ...lost });
    trust.uncertainAtMs = world.nowMs;
    trust.wasReconnected = false;
  }
  trust.dropRest();
  moveTo(world, place, { state: 'dead', ...lost });
}

/**
 * A baseline was applied and the mirror trusts it.
 * @param wasRight - The mirror had said the same before: the doubt was a false alarm.
 */
export function onBaseline(world: World, place: Place, by: 'snapshot' | 'rest', wasRight: boolean) {
  const trust = trustOf(place);
  trust.dropRest();
  trust.refillAskedAtMs = undefined;
  trust.activityBaseline.restart(world.nowMs, world.trust.frames);
  // What an audit found in the book before says nothing of this one.
  trust.dissents = 0;
  if (trust.state === 'trusted') return;
  // A healthy book keeps its time: a venue may send baselines more often than a contradiction takes.
  place.market.parity.restart();
  const { signal } = trust;
  const isForgiven = wasRight && forgive(world, place, signal);
  if (!isForgiven && signal !== 'socket') trust.resyncedAtMs = world.nowMs;
  if (!wasRight) trust.activityBaseline.confirm();
  trust.renewals = 0;
  sayResynced(
    world,
    place,
    trust.wasReconnected || signal === 'socket' ? 'connection' : by,
    wasRight,
  );
  moveTo(world, place, { state: 'trusted', signal, detail: '' });
}

/** A first baseline is no resync: nobody had trusted the book before, nor put it in doubt. */
function sayResynced(
  world: World,
  place: Place,
  by: 'snapshot' | 'rest' | 'connection',
  wasRight: boolean,
): void {
  const { signal, uncertainAtMs } = trustOf(place);
  if (uncertainAtMs === undefined) return;
  const tookMs = world.nowMs - uncertainAtMs;
  const tokenId = tokenOf(place);
  world.outbox.report({ event: 'book.resynced', tokenId, signal, by, tookMs, wasRight });
}

/** The answer to a baseline asked for over REST. @returns Whether it was one. */
export function onRestBaseline(
  world: World,
  place: Place,
  requestId: number,
  baseline: SnapshotFrame | undefined,
): boolean {
  const trust = trustOf(place);
  if (trust.restRequestId !== requestId) return false;
  trust.restRequestId = undefined;
  trust.restBaseline = baseline;
  // Prices are read on the grid of the catalogue, which is not that of a book that is about to leave.
  if (baseline === undefined || place.market.isRegridding) trust.dropRest();
  applyRest(world, place);
  return true;
}

/**
 * A book read over REST is a baseline only for a token whose deltas flow, or that a snapshot says as well: otherwise
 * it would be right now and silently wrong a moment later. Deltas since a while before the question are applied on top.
 * @returns Whether the book is trusted now.
 */
function applyRest(world: World, place: Place): boolean {
  const trust = trustOf(place);
  const { restBaseline, buffer } = trust;
  if (restBaseline === undefined) return false;
  const { mirror } = place;
  const wasRight = mirror.state.kind === 'suspect' && mirror.isSameAs(restBaseline);
  const isConfirmed = trust.isStampUnconfirmed && wasRight;
  if (!isConfirmed && buffer?.length === 0) return false;
  if (trust.isBufferFull || (!isConfirmed && buffer === undefined)) {
    trust.dropRest();
    return false;
  }
  mirror.onSnapshot(restBaseline, world.nowMs);
  for (const delta of buffer ?? []) mirror.onDelta(delta, world.nowMs);
  trust.dropRest();
  place.market.isDirty = true;
  if (mirror.state.kind !== 'live') return false;
  onBaseline(world, place, 'rest', wasRight);
  return true;
}

/** The first renewals do not wait; one of a book that keeps falling ill does, ever longer. */
function waitMs(world: World, trust: TokenTrust): number {
  const snapshotMs = snapshotWaitMs(world);
  const tries = trust.state === 'suspect' ? trust.relapses - FREE_RELAPSES : trust.renewals;
  if (tries < 0) return 0;
  return Math.min(snapshotMs * 2 ** tries, WAIT_MS_MAX);
}

/** Where thousands of books wait for theirs, asking again would only double what is in flight. */
function snapshotWaitMs({ trust, trustLimits }: World): number {
  return trustLimits.snapshotMs * Math.max(1, trust.unwell.size / SNAPSHOTS_AT_ONCE);
}

/** All other books are lost with the connection: none is worth that while nobody may quote from it. */
function mayReconnect(world: World, { market }: Place, trust: TokenTrust): boolean {
  if (market.status !== 'open' || market.isLeaving) return false;
  const isDue =
    trust.renewals >= RENEWALS_BEFORE_CONNECTION ||
    trust.relapses >= RELAPSES_BEFORE_CONNECTION ||
    isChannelSilent(world, trust);
  const sinceMs = world.nowMs - world.trust.reconnectedAtMs;
  if (!isDue || sinceMs < world.trustLimits.reconnectMs) return false;
  return sinceMs >= reconnectWaitMs(world, trust) || !isAnyQuotable(world);
}

/**
 * REST has shown that a book moved, and a venue answers a subscription with a snapshot. Where neither that has come
 * nor any other frame since, the connection brings nothing, however well it answers pings: every book of it that is
 * still trusted is as old.
 */
function isChannelSilent({ trust: { frames } }: World, trust: TokenTrust): boolean {
  const { state, signal, subscribedAtFrame } = trust;
  return signal === 'audit' && state !== 'suspect' && frames === subscribedAtFrame;
}

/** A book that new connections do not cure, as one that its venue keeps crossed, asks for them ever less often. */
function reconnectWaitMs({ trustLimits }: World, { reconnects }: TokenTrust): number {
  const { reconnectMs } = trustLimits;
  const doubled = reconnectMs * 2 ** Math.min(Math.max(0, reconnects - 1), DOUBLINGS_MAX);
  return Math.max(reconnectMs, Math.min(doubled, RECONNECT_MS_MAX));
}

/** Where no market has its books, as on a connection that brings none at all, another one costs nothing. */
function isAnyQuotable({ markets }: World): boolean {
  for (const { status, isLeaving, trust } of markets.values()) {
    const hasBooks = trust.yes.state === 'trusted' && trust.no.state === 'trusted';
    if (hasBooks && status === 'open' && !isLeaving) return true;
  }
  return false;
}

function reconnect(world: World, place: Place, trust: TokenTrust): void {
  world.trust.reconnectedAtMs = world.nowMs;
  trust.wasReconnected = true;
  // Both books of a market mostly ail of the same.
  const { yes, no } = place.market.trust;
  yes.reconnects += 1;
  no.reconnects += 1;
  trust.relapses = 0;
  trust.subscribedAtMs = world.nowMs;
  const reason = `book of ${tokenOf(place)}: ${trust.signal}`;
  world.outbox.send({ kind: 'reconnect', reason });
}

function renew(world: World, place: Place, trust: TokenTrust): void {
  const tokenId = tokenOf(place);
  world.trust.turn.renewalsLeft -= 1;
  noteSubscribed(world, trust);
  trust.renewals += 1;
  world.outbox.send({ kind: 'resubscribe', tokenId });
  // Between the old subscription and the new one a delta may be lost, so those of before do not count.
  if (trust.renewals >= RENEWALS_BEFORE_REST) trust.beginRest(world.nowMs);
  const state = trust.renewals > RENEWALS_BEFORE_CONNECTION ? 'dead' : 'resyncing';
  const detail = trust.detail === '' ? 'a fresh snapshot is asked for' : trust.detail;
  moveTo(world, place, { state, signal: trust.signal, detail });
}

/** Not before deltas have been kept for as long as the answer may be older than the question. */
function askOverRest(world: World, place: Place, trust: TokenTrust): void {
  const requestId = world.outbox.nextRequestId();
  world.trust.turn.readsLeft -= 1;
  trust.restRequestId = requestId;
  world.outbox.send({ kind: 'readBook', requestId, tokenId: tokenOf(place) });
}

function noteSubscribed(world: World, trust: TokenTrust): void {
  trust.subscribedAtMs = world.nowMs;
  trust.subscribedAtFrame = world.trust.frames;
}

function sayMissing(world: World, place: Place, trust: TokenTrust): void {
  const waitedMs = world.nowMs - trust.subscribedAtMs;
  const detail = `no snapshot ${waitedMs} ms after the subscription`;
  doubt(world, place, 'snapshot', detail);
}

/**
 * The book had been right: the signal that put it in doubt learns from that.
 * @returns Whether it can learn; then it was no illness, and cannot come back as one.
 */
function forgive(world: World, place: Place, signal: TrustSignal): boolean {
  const trust = trustOf(place);
  switch (signal) {
    case 'silence':
      trust.activityBaseline.forgive();
      break;
    case 'parity':
      place.market.parity.accept(place.market.book);
      break;
    case 'ownOrder':
      trust.isOwnAuditMuted = true;
      break;
    case 'refusals':
      // The book explains none of them: they have pauses of their own, and no connection cures them.
      break;
    case 'audit':
      trust.auditPauses += 1;
      trust.auditPauseUntilMs =
        world.nowMs + Math.min(AUDIT_PAUSE_MS * 2 ** (trust.auditPauses - 1), AUDIT_PAUSE_MS_MAX);
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

type Move = {
  readonly state: TrustState;
  readonly signal: TrustSignal;
  readonly detail: string;
};

function moveTo(world: World, place: Place, to: Move): void {
  const trust = trustOf(place);
  trust.signal = to.signal;
  trust.detail = to.detail;
  if (to.state === 'trusted') world.trust.unwell.delete(trust);
  else world.trust.unwell.set(trust, place);
  if (trust.state === to.state) return;
  trust.state = to.state;
  trust.sinceMs = world.nowMs;
  place.market.isDirty = true;
  const reason = to.detail === '' ? '' : `${to.signal}: ${to.detail}`;
  const tokenId = tokenOf(place);
  world.outbox.report({ event: 'book.state', tokenId, state: to.state, reason });
}

function trustOf({ market, leg }: Place): TokenTrust {
  return market.trust[leg];
}

function tokenOf({ market, leg }: Place) {
  return market.tokenOf(leg);
}
