// What is known about the trustworthiness of one token's book, and how far its resync is.

import type { RequestId } from '../../domain/ids.ts';
import type { BookSide } from '../../domain/message.ts';
import { isOnBook } from '../../domain/order.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { TrustSettings, TrustSignal, TrustState } from '../../domain/trust.ts';
import { dropOldest } from '../kernel/bounds.ts';
import { bookSideOf, isExposed, type OwnOrder, remaining } from '../orders/own-order.ts';
import type { MarketBook } from './axis.ts';
import { NO_RANK, rankOf } from './ladder.ts';
import type { BookMirror, DeltaFrame, SnapshotFrame } from './mirror.ts';
import { STALE_OWN_MS } from './own.ts';

/** Deltas kept to be applied on top of a baseline read over REST: a minute of a busy token. */
const BUFFER_MAX = 20_000;

/** A doubt this soon after the last resync says that the resync did not help. */
export const RELAPSE_MS = 30_000;

export class TokenTrust {
  // What every frame and every look asks for comes first, so that it lies together.
  state: TrustState = 'dead';
  readonly activityBaseline = new ActivityBaseline();
  /** The absence of own orders sent by then is no signal any more: a fresh book did not show one of them either. */
  ownForgivenAtMs: UnixMs = unixMs(0);
  /** Deltas since a while before a baseline was asked for over REST: what REST tells may be older than the question. */
  buffer: DeltaFrame[] | undefined;
  /** The signal behind the state; the socket until there was one. */
  signal: TrustSignal = 'socket';
  detail = 'not connected yet';
  sinceMs: UnixMs = unixMs(0);
  /** When the first doubt of the last illness came; none while there never was one. */
  uncertainAtMs: UnixMs | undefined;
  resyncedAtMs: UnixMs = unixMs(Number.NEGATIVE_INFINITY);
  subscribedAtMs: UnixMs = unixMs(0);
  /** Frames reported for all tokens by then. */
  subscribedAtFrame = 0;
  /** Renewals of the subscription since the book was last trusted. */
  renewals = 0;
  /** Illnesses that came back soon after they were resynced. */
  relapses = 0;
  /** Connections that were replaced for it in vain so far: it never was well for long since. */
  reconnects = 0;
  /** The connection was replaced for this illness. */
  wasReconnected = false;
  ownMissingSinceMs = Number.NaN;
  auditPauseUntilMs = 0;
  auditPauses = 0;
  /** Consecutive audits that found the same level different. */
  dissents = 0;
  /** When a fuller window was asked for that has not come. */
  refillAskedAtMs: UnixMs | undefined;
  /** No other one is asked for before. */
  refillFromMs = 0;
  restRequestId: RequestId | undefined;
  restBaseline: SnapshotFrame | undefined;
  bufferSinceMs: UnixMs = unixMs(0);
  isBufferFull = false;
  /** The last snapshot is stamped too early: REST may say that the market was only quiet. */
  isStampUnconfirmed = false;

  /** Keeps a delta for a baseline that is in flight. */
  keep(delta: DeltaFrame): void {
    if (this.buffer === undefined) return;
    if (this.buffer.length >= BUFFER_MAX) this.isBufferFull = true;
    else this.buffer.push(delta);
  }

  /** From now on deltas are kept, so that a baseline may be asked for when it is time. */
  beginRest(nowMs: UnixMs): void {
    this.dropRest();
    this.buffer = [];
    this.bufferSinceMs = nowMs;
  }

  /** Whether nothing is asked for yet, and deltas of this long are kept, or a stamp is unconfirmed. */
  isRestDue(nowMs: UnixMs, ageMs: number): boolean {
    if (this.restRequestId !== undefined || this.restBaseline !== undefined) return false;
    if (this.buffer === undefined) return this.isStampUnconfirmed;
    return nowMs - this.bufferSinceMs >= ageMs;
  }

  dropRest(): void {
    this.restRequestId = undefined;
    this.restBaseline = undefined;
    this.buffer = undefined;
    this.isBufferFull = false;
    this.isStampUnconfirmed = false;
  }
}

// How often data of one token comes, and when its silence is more than its own baseline.
//
// A pause is measured twice: in time, and in frames that other tokens got meanwhile. Only a pause that
// is long by both is a signal: when everything is quiet the market is, not the feed.

/** Pauses that must have been seen before any is judged. */
const PAUSES_MIN = 30;
/** The longest usual pause fades by this much with each new one, so that a baseline can change. */
const FADE = 0.99;
/** Fewer frames of others than this confirm nothing. */
const OTHERS_MIN = 40;
/** A token whose silences were all harmless is not asked for more than this many times its baseline. */
const SLACK_MAX = 1_024;

class ActivityBaseline {
  #heardAtMs = Number.NaN;
  #heardAtFrame = 0;
  #pauses = 0;
  #pauseMsMax = 0;
  #pauseFramesMax = 0;
  #slack = 1;

  /** Data came. @param frames - Frames reported for all tokens so far, this one included. */
  onData(nowMs: number, frames: number): void {
    const pauseMs = nowMs - this.#heardAtMs;
    // Frames of one flush are one sign of activity.
    if (pauseMs > 0) {
      this.#pauses += 1;
      this.#pauseMsMax = Math.max(pauseMs, this.#pauseMsMax * FADE);
      const others = frames - this.#heardAtFrame - 1;
      this.#pauseFramesMax = Math.max(others, this.#pauseFramesMax * FADE);
    }
    this.#heardAtMs = nowMs;
    this.#heardAtFrame = frames;
  }

  /** A new connection or baseline: the pause before it was not the token's. */
  restart(nowMs: number, frames: number): void {
    this.#heardAtMs = nowMs;
    this.#heardAtFrame = frames;
  }

  /** How long it has been silent, if that is a signal, and 0 if it is not. */
  silentMs(nowMs: number, frames: number, limits: TrustSettings): number {
    if (limits.silenceFactor === 0 || this.#pauses < PAUSES_MIN) return 0;
    const factor = limits.silenceFactor * this.#slack;
    const silentMs = nowMs - this.#heardAtMs;
    const isLong = silentMs > Math.max(limits.silenceMsMin, factor * this.#pauseMsMax);
    const others = frames - this.#heardAtFrame;
    const isPassedOver = others > Math.max(OTHERS_MIN, factor * this.#pauseFramesMax);
    return isLong && isPassedOver ? silentMs : 0;
  }

  /** The silence was harmless: this token may be silent for longer. */
  forgive(): void {
    this.#slack = Math.min(this.#slack * 2, SLACK_MAX);
  }

  /** The silence was a fault: the baseline stands. */
  confirm(): void {
    this.#slack = 1;
  }
}

// YES and NO are two sides of one thing: buying both, or selling both, must not be free money for
// longer than somebody needs to take it.

export class ParityWatch {
  #sinceMs = Number.NaN;
  /** A contradiction that fresh baselines of both books showed too: it is real. */
  #acceptedTicks = 0;

  /** The contradiction in ticks that has lasted too long, 0 for none. */
  breach(book: MarketBook, limits: TrustSettings, nowMs: number): number {
    if (limits.parityEdge === 0) return 0;
    const ticks = contradiction(book);
    this.#acceptedTicks = Math.min(this.#acceptedTicks, Math.max(ticks, 0) * 2);
    const allowed = limits.parityEdge * book.yes.mirror.grid.ticksPerUnit;
    if (ticks <= Math.max(allowed, this.#acceptedTicks)) {
      this.#sinceMs = Number.NaN;
      return 0;
    }
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = nowMs;
    return nowMs - this.#sinceMs >= limits.parityMs ? ticks : 0;
  }

  /** One of the books was in doubt and is trusted again: what was seen before was another book. */
  restart(): void {
    this.#sinceMs = Number.NaN;
  }

  /** Fresh baselines say so too: up to twice as much is trusted from now on. */
  accept(book: MarketBook): void {
    this.#acceptedTicks = Math.max(0, contradiction(book)) * 2;
    this.#sinceMs = Number.NaN;
  }
}

/** Ticks by which both bids together exceed 1, or both asks together fall short of it. */
function contradiction(book: MarketBook): number {
  const { yes, no } = book;
  const end = yes.mirror.grid.ticksPerUnit;
  const bids = pair(yes.mirror.levels('bid').best, no.mirror.levels('bid').best);
  // The rank of an ask is its distance from 1, so the same sum serves both.
  const asks = pair(yes.mirror.levels('ask').best, no.mirror.levels('ask').best);
  return Math.max(bids, asks) - end;
}

function pair(yes: number, no: number): number {
  return yes === NO_RANK || no === NO_RANK ? Number.NEGATIVE_INFINITY : yes + no;
}

// Venues that show one book twice: an order to buy YES at p shows as an ask of NO at 1 - p as well. There the book of
// YES is the market's, every own order shows in it, and the book of NO adds nothing.

/** Orders in a row that show otherwise than assumed before that changes: a bid and an ask are enough. */
const ORDERS_OF_CHANGE = 2;
/** Orders watched at once; the oldest makes room. */
const WATCHED_MAX = 16;
/** An order that has not told by then never will: its level moves all the time, or its own book is late. */
const WATCHED_MS_MAX = 10_000;

/**
 * Finds out by own orders whether the venue shows one book twice: such a venue shows each of them, whole, in the
 * book of the other outcome too. Levels that are alike there are no sign of it, since a maker may quote both.
 */
export class UnifiedBooks {
  /** What own orders have shown; absent until they agree. */
  known: { readonly isUnified: boolean; readonly sinceMs: UnixMs } | undefined;
  /** What the other book showed at its price before it left. */
  readonly #watched = new Map<OwnOrder, number>();
  #last: { readonly isThere: boolean; readonly times: number } | undefined;

  get isSeen(): boolean {
    return this.known?.isUnified === true;
  }

  /** An order is about to leave. */
  watch(book: MarketBook, order: OwnOrder, orders: Iterable<OwnOrder>): void {
    if (order.isTake === true || hasCompany(order, orders)) return;
    this.#watched.set(order, shownBeside(book, order));
    dropOldest(this.#watched, WATCHED_MAX);
  }

  /** @returns Whether what is assumed of the venue has changed. */
  look(book: MarketBook, orders: Iterable<OwnOrder>, nowMs: UnixMs): boolean {
    if (this.#watched.size === 0) return false;
    let hasChanged = false;
    for (const order of orders) {
      const before = this.#watched.get(order);
      if (before === undefined || !isTelling(book, order, nowMs)) continue;
      const after = shownBeside(book, order);
      const isThere = after - before === remaining(order);
      // Somebody may offer just as much there; a venue that shows one book twice shows all of it.
      if (isThere && !areAlike(book)) continue;
      this.#watched.delete(order);
      if (!hasCompany(order, orders) && (isThere || after < remaining(order))) {
        hasChanged = this.#note(isThere, nowMs) || hasChanged;
      }
    }
    this.#forget(nowMs);
    return hasChanged;
  }

  #note(isThere: boolean, nowMs: UnixMs): boolean {
    const times = this.#last?.isThere === isThere ? this.#last.times + 1 : 1;
    this.#last = { isThere, times };
    if (times < ORDERS_OF_CHANGE || this.known?.isUnified === isThere) return false;
    const hasChanged = this.isSeen !== isThere;
    this.known = { isUnified: isThere, sinceMs: nowMs };
    return hasChanged;
  }

  #forget(nowMs: UnixMs): void {
    for (const order of this.#watched.keys()) {
      const isOver = !isExposed(order) || order.executed > 0;
      if (isOver || nowMs - order.sentAtMs > WATCHED_MS_MAX) this.#watched.delete(order);
    }
  }
}

/** It rests whole, and the frame that shows it in its own book would have shown it in the other one. */
function isTelling(book: MarketBook, order: OwnOrder, nowMs: UnixMs): boolean {
  const { confirmedAtMs, state, executed } = order;
  if (!isOnBook(state) || executed > 0 || confirmedAtMs === undefined) return false;
  if (nowMs - confirmedAtMs < STALE_OWN_MS) return false;
  const { mirror } = book[order.leg];
  const own = mirror.sizeAt(bookSideOf(order), order.price);
  return own >= remaining(order) && isKnownBeside(book, order);
}

/** Another own order at its price on the axis, of either outcome: what shows there may be of that one. */
function hasCompany(one: OwnOrder, orders: Iterable<OwnOrder>): boolean {
  for (const order of orders) {
    const isThere = order.axisSide === one.axisSide && order.axisPrice === one.axisPrice;
    if (isThere && order !== one && isExposed(order)) return true;
  }
  return false;
}

function shownBeside(book: MarketBook, order: OwnOrder): number {
  const { mirror, side, rank } = besideOf(book, order);
  return mirror.levels(side).at(rank);
}

/** A level beyond the known window is unknown, not absent. */
function isKnownBeside(book: MarketBook, order: OwnOrder): boolean {
  const { mirror, side, rank } = besideOf(book, order);
  const edge = mirror.edge(side);
  return mirror.isPriceable && (edge === undefined || rank >= rankOf(mirror.grid, side, edge));
}

/** Each book is the mirror of the other one, as far as both are known: equal ranks are equal prices on the axis. */
function areAlike({ yes, no }: MarketBook): boolean {
  for (const [side, other] of [
    ['bid', 'ask'],
    ['ask', 'bid'],
  ] as const) {
    const [one, two] = [yes.mirror, no.mirror];
    const edges = [rankAt(one, side), rankAt(two, other)];
    for (let rank = one.grid.ticksPerUnit - 1; rank >= Math.max(...edges); rank -= 1) {
      if (one.levels(side).at(rank) !== two.levels(other).at(rank)) return false;
    }
  }
  return true;
}

/** The worst rank that is known. */
function rankAt(mirror: BookMirror, side: BookSide): number {
  const edge = mirror.edge(side);
  return edge === undefined ? 1 : rankOf(mirror.grid, side, edge);
}

/** Its level in the book of the other outcome: the other side, at the same rank. */
function besideOf(book: MarketBook, order: OwnOrder) {
  const { mirror } = book[order.leg === 'yes' ? 'no' : 'yes'];
  const ownSide = bookSideOf(order);
  const side: BookSide = ownSide === 'bid' ? 'ask' : 'bid';
  return { mirror, side, rank: rankOf(mirror.grid, ownSide, order.price) };
}
