// What is known about the trustworthiness of one token's book, and how far its resync is.

import type { RequestId } from '../../domain/ids.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { TrustSignal, TrustState } from '../../domain/trust.ts';
import type { DeltaFrame, SnapshotFrame } from './mirror.ts';

/** Deltas kept to be applied on top of a baseline read over REST: a minute of a busy token. */
const BUFFER_MAX = 20_000;

/** A doubt this soon after the last resync says that the resync did not help. */
export const RELAPSE_MS = 30_000;

export class TokenTrust {
  // What every frame and every look asks for comes first, so that it lies together.
  state: TrustState = 'dead';
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
  /** Baseline asked for over REST. */
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
