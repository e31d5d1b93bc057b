// The signals that nobody sends: silence, parity, own-order audits, old stamps and REST audits. Every
// market is looked at in rotation, so that a tick costs the same however many there are.

import { LEGS } from '../../domain/market.ts';
import type { MessageOf } from '../../domain/message.ts';
import type { TrustSettings } from '../../domain/trust.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { MirroredMarket, Place } from './market.ts';
import type { DeltaFrame, SnapshotFrame } from './mirror.ts';
import { doubt, missingOwn, onRestBaseline, resync } from './resync.ts';
import type { BookStores } from './stores.ts';

/** Every market is looked at this often: half of what a doubt may take to pull quotes. */
const LOOK_MS = 250;

/**
 * Subscriptions renewed in one turn, two or three frames each: what frames a venue takes from a client
 * is not known, and thousands at once would look like one that no longer reads.
 */
const RENEWALS_OF_TURN_MAX = 20;
/** ... and baselines read over REST: a part of the reads that other questions need, too. */
const BASELINES_OF_TURN_MAX = 10;

/** Lets time pass over all books. @param mayRead - Whether reads may be sent now. */
export function watchBooks(stores: BookStores, mayRead: boolean): void {
  const { trust } = stores;
  trust.turn.renewalsLeft = RENEWALS_OF_TURN_MAX;
  trust.turn.readsLeft = BASELINES_OF_TURN_MAX;
  for (const place of unwellInTurn(stores)) resync(stores, place);
  const limits = stores.trustLimits;
  if (trust.orderVersion !== stores.marketsVersion) {
    trust.order = [...stores.markets.values()];
    trust.orderVersion = stores.marketsVersion;
  }
  for (let left = dueLooks(stores); left > 0; left -= 1) {
    trust.lookNext = (trust.lookNext + 1) % trust.order.length;
    const market = trust.order[trust.lookNext];
    if (market) look(stores, market, limits);
  }
  if (mayRead) audit(stores, limits);
}

/** Where not all of them can be asked for in this turn, those of markets that were quoted go first. */
function unwellInTurn({ trust: { unwell } }: BookStores): Iterable<Place> {
  if (unwell.size <= RENEWALS_OF_TURN_MAX) return unwell.values();
  const quoted: Place[] = [];
  const others: Place[] = [];
  for (const place of unwell.values()) (place.market.wasQuoted ? quoted : others).push(place);
  return [...quoted, ...others];
}

/** A delta was applied: its stamp, and what it says about the delay of the feed. */
export function onDelta(
  stores: BookStores,
  place: Place,
  delta: Pick<DeltaFrame, 'venueTs'>,
): void {
  place.trust.activityBaseline.onData(stores.nowMs, stores.trust.frames);
  learnDelay(stores, delta);
  const ageMs = staleMs(stores, delta);
  if (ageMs > 0 && place.trust.state === 'trusted') {
    doubt(stores, place, 'age', `a delta is ${ageMs} ms old`);
  }
}

/**
 * A snapshot of a book that was not known so was applied. Its stamp may also be the last change of a quiet market, so
 * REST is asked whether it still stands. @spec Events › Order book channel (Public)
 */
export function onSnapshot(
  stores: BookStores,
  { mirror, trust }: Place,
  snapshot: Pick<SnapshotFrame, 'venueTs'>,
): void {
  const ageMs = staleMs(stores, snapshot);
  if (ageMs > 0) mirror.suspect('age', `a snapshot is ${ageMs} ms old`);
  const { state } = mirror;
  trust.isStampUnconfirmed =
    state.kind === 'suspect' && (state.cause === 'age' || state.cause === 'clock');
}

/** How old a frame is by the venue's clock, where that is too old; 0 where it is not, or nobody knows. */
function staleMs(
  { clock: { offsetMs: clockOffsetMs }, nowMs, trustLimits: { frameAgeMs } }: BookStores,
  { venueTs }: Pick<SnapshotFrame, 'venueTs'>,
): number {
  if (frameAgeMs === 0 || clockOffsetMs === undefined || venueTs === undefined) return 0;
  const ageMs = Math.round(nowMs + clockOffsetMs - venueTs);
  return ageMs > frameAgeMs ? ageMs : 0;
}

/** Each change counts this much in the mean delay. */
const DELAY_WEIGHT = 0.1;

function learnDelay(
  { clock: { offsetMs }, nowMs, trust }: BookStores,
  { venueTs }: Pick<SnapshotFrame, 'venueTs'>,
): void {
  if (offsetMs === undefined || venueTs === undefined) return;
  const delayMs = Math.max(0, nowMs + offsetMs - venueTs);
  const { feedDelayMs: meanMs = delayMs } = trust;
  trust.feedDelayMs = meanMs + DELAY_WEIGHT * (delayMs - meanMs);
}

/** An answer of `readBook`: a baseline, or the word of a witness. */
export function onBookRead(stores: BookStores, message: MessageOf<'bookRead'>): void {
  if (stores.trust.auditor.onBookRead(message, stores.nowMs)) return;
  const place = stores.byToken.get(message.tokenId);
  if (place === undefined) return;
  const { outcome, requestId } = message;
  const baseline =
    outcome.kind === 'ok'
      ? { bids: outcome.value.bids, asks: outcome.value.asks, venueTs: undefined }
      : undefined;
  onRestBaseline(stores, place, requestId, baseline);
}

/** Looks that are due since the last tick, so that each market gets one every `LOOK_MS`. */
function dueLooks(stores: BookStores): number {
  const { trust, nowMs } = stores;
  const elapsedMs = Math.min(nowMs - (trust.lookedAtMs ?? nowMs), LOOK_MS);
  trust.lookedAtMs = nowMs;
  trust.lookCredit += (trust.order.length * elapsedMs) / LOOK_MS;
  const due = Math.floor(trust.lookCredit);
  trust.lookCredit -= due;
  return due;
}

function look(stores: BookStores, market: MirroredMarket, limits: TrustSettings): void {
  for (const leg of LEGS) {
    const place = market.places[leg];
    place.mirror.limits = limits;
    place.mirror.onTick(stores.nowMs);
    notice(stores, place);
    lookAtToken(stores, place, limits);
  }
  lookForUnified(stores, market);
  if (!market.isPriceable) return;
  const ticks = market.parity.breach(market.book, limits, stores.nowMs);
  if (ticks === 0) return;
  const detail = `YES and NO contradict each other by ${ticks} ticks`;
  for (const leg of LEGS) doubt(stores, market.places[leg], 'parity', detail);
}

/** The mirror found something by itself. */
export function notice(stores: BookStores, place: Place): void {
  const { state } = place.mirror;
  if (state.kind !== 'suspect' || place.trust.state !== 'trusted') return;
  doubt(stores, place, state.cause, state.detail);
}

function lookForUnified(stores: BookStores, market: MirroredMarket): void {
  const { unified } = stores.trust;
  const orders = stores.ledger.ofMarket(market.market.id);
  if (!unified.look(market.book, orders, stores.nowMs)) return;
  stores.outbox.report({ event: 'book.unified', isUnified: unified.isSeen });
  for (const each of stores.markets.values()) each.isDirty = true;
}

function lookAtToken(stores: BookStores, place: Place, limits: TrustSettings): void {
  const { mirror, trust } = place;
  if (trust.state !== 'trusted' || !stores.connection.isSocketOpen) return;
  const silentMs = trust.activityBaseline.silentMs(stores.nowMs, stores.trust.frames, limits);
  if (silentMs > 0) {
    doubt(stores, place, 'silence', `silent for ${silentMs} ms while others are heard`);
    return;
  }
  watchWindow(stores, place);
  if (limits.ownOrderAuditMs === 0 || !mirror.isPriceable) return;
  auditOwnOrders(stores, place, limits.ownOrderAuditMs);
}

function auditOwnOrders(stores: BookStores, place: Place, settledMs: number): void {
  const { trust } = place;
  const { nowMs } = stores;
  const missing = missingOwn(stores, place);
  if (missing === undefined) {
    trust.ownMissingSinceMs = Number.NaN;
    return;
  }
  if (Number.isNaN(trust.ownMissingSinceMs)) trust.ownMissingSinceMs = nowMs;
  // A fill shows in the book before we are notified of it: the absence must last.
  if (nowMs - trust.ownMissingSinceMs < settledMs) return;
  trust.ownMissingSinceMs = Number.NaN;
  const detail = `an own ${missing.side} at ${missing.price} ticks does not show`;
  doubt(stores, place, 'ownOrder', detail);
}

function audit(stores: BookStores, limits: TrustSettings): void {
  const { auditor } = stores.trust;
  if (!stores.connection.isSocketOpen || (limits.auditsPerSec === 0 && auditor.underWay === 0))
    return;
  const verdicts = auditor.advance(limits, stores.nowMs, ({ market, leg }) => {
    const requestId = stores.outbox.nextRequestId();
    stores.outbox.send({ kind: 'readBook', requestId, tokenId: market.tokenOf(leg) });
    return requestId;
  });
  for (const { place, difference } of verdicts) onVerdict(stores, place, difference);
  const tokens = stores.trust.order.length * LEGS.length;
  const allowed = auditor.allowed(limits, tokens, stores.nowMs);
  for (let left = allowed; left > 0; left -= 1) beginNext(stores);
}

/** One difference asks for a second opinion; two in a row are a doubt. */
function onVerdict(stores: BookStores, place: Place, difference: string | undefined): void {
  const { trust } = place;
  if (difference === undefined) {
    trust.dissents = 0;
    trust.auditPauses = 0;
    return;
  }
  trust.dissents += 1;
  if (trust.dissents < 2) {
    stores.trust.again.push(place);
    return;
  }
  trust.dissents = 0;
  if (trust.state === 'trusted') doubt(stores, place, 'audit', difference);
}

function beginNext(stores: BookStores): void {
  const { trust } = stores;
  const again = trust.again.shift();
  if (again && mayAudit(stores, again)) {
    trust.auditor.begin(again, stores.nowMs);
    return;
  }
  const tokens = trust.order.length * 2;
  for (let tried = 0; tried < Math.min(tokens, TRIES_MAX); tried += 1) {
    trust.auditNext = (trust.auditNext + 1) % tokens;
    const market = trust.order[trust.auditNext >> 1];
    if (market === undefined) return;
    const place = market.places[trust.auditNext % 2 === 0 ? 'yes' : 'no'];
    if (mayAudit(stores, place) && trust.auditor.begin(place, stores.nowMs)) return;
  }
}

/** Tokens looked at for one that may be audited; the next tick goes on from there. */
const TRIES_MAX = 16;

function mayAudit({ nowMs }: KernelStores, { trust, mirror }: Place): boolean {
  return trust.state === 'trusted' && nowMs >= trust.auditPauseUntilMs && mirror.isPriceable;
}

// A window of a deep book is filled again before it is empty: once its last level is gone the best price is not
// known, and quotes wait for a snapshot.

/** A book whose levels come and go is asked for a fuller window this often at most. */
const REFILL_MS_MIN = 5_000;

/** One look at a trusted book, which stays trusted while the fuller window is in flight. */
function watchWindow(stores: BookStores, place: Place): void {
  const { mirror, trust } = place;
  const { nowMs } = stores;
  if (place.market.isOffGrid) return;
  if (trust.refillAskedAtMs !== undefined) {
    const waitedMs = nowMs - trust.refillAskedAtMs;
    if (waitedMs < stores.trustLimits.snapshotMs) return;
    trust.refillAskedAtMs = undefined;
    const detail = `no snapshot ${waitedMs} ms after a fuller window was asked for`;
    doubt(stores, place, 'snapshot', detail);
    return;
  }
  const { turn } = stores.trust;
  if (!mirror.isRunningLow || nowMs < trust.refillFromMs || turn.renewalsLeft === 0) return;
  turn.renewalsLeft -= 1;
  trust.refillAskedAtMs = nowMs;
  trust.refillFromMs = nowMs + REFILL_MS_MIN;
  stores.outbox.send({ kind: 'resubscribe', tokenId: place.market.tokenOf(place.leg) });
}
