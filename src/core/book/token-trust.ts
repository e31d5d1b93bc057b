// What is known about the trustworthiness of one token's book, and how far its resync is.

import type { RequestId } from '../../domain/ids.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { TrustSettings, TrustSignal, TrustState } from '../../domain/trust.ts';
import type { MarketBook } from './axis.ts';
import { NO_RANK } from './ladder.ts';
import type { DeltaFrame, SnapshotFrame } from './mirror.ts';

/** Deltas kept to be applied on top of a baseline read over REST: a minute of a busy token. */
const BUFFER_MAX = 20_000;

/** A doubt this soon after the last resync says that the resync did not help. */
export const RELAPSE_MS = 30_000;

export class TokenTrust {
  // What every frame and every look asks for comes first, so that it lies together.
  state: TrustState = 'dead';
  readonly activityBaseline = new ActivityBaseline();
  /** Own orders have to show again before their absence is a signal once more. */
  isOwnAuditMuted = false;
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
