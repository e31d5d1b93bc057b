// Cancel everything and prove it: the gate is closed before it starts, and "proven" is said only
// when the venue showed no open order for longer than a placement could still arrive.
// @spec Architecture decision 10

import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';

/** First pause after a failed or unhelpful answer; it doubles up to the longest. */
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2_000;
/** Pause between two reads while the venue stays empty. */
const POLL_MS = 150;
/** Hashes named when it could not be proven; the count says how many there are. */
const SURVIVORS_MAX = 50;

export type BarrierTiming = { readonly proofQuietMs: number; readonly proofDeadlineMs: number };

/** What the engine does next for the barrier. */
export type BarrierStep = 'cancelAll' | 'readOpenOrders' | 'wait';

export type BarrierResult =
  | { readonly kind: 'running' }
  | { readonly kind: 'proven'; readonly cancelled: number; readonly tookMs: number };

export class CancelBarrier {
  readonly startedAtMs: UnixMs;
  readonly #timing: BarrierTiming;
  #phase: 'cancel' | 'cancelSent' | 'read' | 'readSent' = 'cancel';
  #requestId: RequestId | undefined;
  #notBeforeMs: UnixMs;
  #retryMs = RETRY_MS_MIN;
  #emptySinceMs: UnixMs | undefined;
  #cancelled = 0;
  #survivors: readonly OrderHash[] = [];
  #stillOpen: number | undefined;
  #lastFailure: string | undefined;
  #saidUnproven = false;

  /** @param sinceMs - When the proof was first asked for; asking again puts no deadline off. */
  constructor(nowMs: UnixMs, timing: BarrierTiming, sinceMs: UnixMs = nowMs) {
    this.startedAtMs = sinceMs;
    this.#notBeforeMs = nowMs;
    this.#timing = timing;
  }

  /** What to send now; the engine answers with `onSent`. */
  next(nowMs: UnixMs): BarrierStep {
    if (nowMs < this.#notBeforeMs) return 'wait';
    if (this.#phase === 'cancel') return 'cancelAll';
    if (this.#phase === 'read') return 'readOpenOrders';
    return 'wait';
  }

  onSent(requestId: RequestId): void {
    this.#requestId = requestId;
    this.#phase = this.#phase === 'cancel' ? 'cancelSent' : 'readSent';
  }

  /** @returns Whether the answer was for the barrier. */
  onCancelled(requestId: RequestId, outcome: CancelOutcome, nowMs: UnixMs): boolean {
    if (this.#phase !== 'cancelSent' || requestId !== this.#requestId) return false;
    if (outcome.kind === 'accepted') {
      this.#cancelled += outcome.cancelled;
      this.#phase = 'read';
      this.#notBeforeMs = nowMs;
      return true;
    }
    this.#retry('cancel', failureText(outcome), nowMs);
    return true;
  }

  /**
   * @param mayStillArriveUntilMs - End of the time in which an unanswered or unknown placement may
   *   still be accepted, `undefined` when there is none.
   */
  onOpenOrders(
    requestId: RequestId,
    outcome: ReadOutcome<readonly OrderReport[]>,
    at: {
      readonly nowMs: UnixMs;
      readonly askedAtMs: UnixMs;
      readonly mayStillArriveUntilMs: number | undefined;
    },
  ): BarrierResult | undefined {
    if (this.#phase !== 'readSent' || requestId !== this.#requestId) return undefined;
    if (outcome.kind !== 'ok') {
      this.#retry('read', failureText(outcome), at.nowMs);
      return { kind: 'running' };
    }
    // What is matched in full waits for settlement only: it is committed, not open.
    const open = outcome.value.filter((report) => report.executed < report.quantity);
    this.#stillOpen = open.length;
    this.#survivors = open.slice(0, SURVIVORS_MAX).map((report) => report.orderHash);
    if (open.length > 0) {
      this.#emptySinceMs = undefined;
      this.#retry('cancel', `${open.length} orders still open`, at.nowMs);
      return { kind: 'running' };
    }
    this.#lastFailure = undefined;
    this.#retryMs = RETRY_MS_MIN;
    this.#emptySinceMs ??= at.askedAtMs;
    if (this.#isProven(at)) {
      const tookMs = at.nowMs - this.startedAtMs;
      return { kind: 'proven', cancelled: this.#cancelled, tookMs };
    }
    this.#phase = 'read';
    this.#notBeforeMs = addMs(at.nowMs, POLL_MS);
    return { kind: 'running' };
  }

  /** The deadline has passed and was told of. */
  get hasFailed(): boolean {
    return this.#saidUnproven;
  }

  /** True once, when the deadline has passed without a proof. */
  isOverdue(nowMs: UnixMs): boolean {
    if (this.#saidUnproven) return false;
    if (nowMs - this.startedAtMs < this.#timing.proofDeadlineMs) return false;
    this.#saidUnproven = true;
    return true;
  }

  get survivors(): readonly OrderHash[] {
    return this.#survivors;
  }

  /** Orders the venue showed last, `undefined` while no list could be read. */
  get stillOpen(): number | undefined {
    return this.#stillOpen;
  }

  get detail(): string {
    if (this.#lastFailure !== undefined) return this.#lastFailure;
    if (this.#stillOpen === undefined) return 'the venue has not answered yet';
    return 'waiting out the time in which a placement may still arrive';
  }

  /** Late arrivals are looked for after the quiet time, and cancelled once more before the proof. */
  #isProven(at: {
    readonly askedAtMs: UnixMs;
    readonly mayStillArriveUntilMs: number | undefined;
  }): boolean {
    const emptySinceMs = this.#emptySinceMs;
    if (emptySinceMs === undefined) return false;
    const horizonMs = at.mayStillArriveUntilMs ?? 0;
    return at.askedAtMs - emptySinceMs >= this.#timing.proofQuietMs && at.askedAtMs > horizonMs;
  }

  #retry(phase: 'cancel' | 'read', detail: string, nowMs: UnixMs): void {
    this.#phase = phase;
    this.#lastFailure = detail;
    this.#notBeforeMs = addMs(nowMs, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }
}

export function failureText(
  outcome: Exclude<CancelOutcome | ReadOutcome<unknown>, { kind: 'accepted' } | { kind: 'ok' }>,
): string {
  switch (outcome.kind) {
    case 'refused':
      return `refused: ${outcome.refusal.code ?? 'no code'} ${outcome.refusal.message}`;
    case 'unknown':
      return `unknown: ${outcome.cause} ${outcome.detail}`;
    case 'notSent':
      return `not sent: ${outcome.detail}`;
  }
}
