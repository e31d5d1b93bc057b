// Cancel everything and confirm it: the gate is closed before it starts, and "confirmed" is said only
// when the venue showed no open order for longer than a placement could still arrive.
// @spec Architecture decision 10

import { CancelBatches, isAboutOrders, leavesSome } from '../../domain/cancel-batches.ts';
import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { BATCH_CANCEL_MAX } from '../kernel/bounds.ts';
import { failureText } from '../kernel/connection.ts';
import type { Resting } from '../orders/ledger.ts';
import { LISTED_BY_MS } from '../orders/reconcile.ts';
import { isAnswered, isRefusal } from '../orders/uncancellable.ts';
import { CancelRefusals } from './cancel-refusals.ts';

/** First pause after a failed or unhelpful answer; it doubles up to the longest. */
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2_000;
/**
 * A request without an answer by then is left to itself and made anew, on another connection: a cancel
 * does no harm twice, and one that hangs must not hold a stop up until it is given up. A slow venue gets
 * more time, doubled each time.
 */
const ANSWER_MS = 1_500;
/** Twelve seconds at the most, which no request outlives. */
const ANSWER_DOUBLINGS_MAX = 3;
/**
 * While no list can be read nobody sees what a cancel has left: it is made again, no sooner than this
 * after the last one. It costs nothing of what placements may use.
 */
const CANCEL_AGAIN_MS = 1_000;
/** Pause between two reads while the venue stays empty. */
const POLL_MS = 150;
/** From a full batch to one order alone; then the list is read, and what it shows is named again. */
const HALVINGS_MAX = 8;
/** Hashes named when it could not be confirmed; the count says how many there are. */
export const SURVIVORS_MAX = 50;

const NOTHING_RESTS: Resting = Object.freeze({ count: 0, sinceMs: 0 });

export type MassCancelTiming = { readonly proofQuietMs: number; readonly proofDeadlineMs: number };

export type MassCancelOptions = {
  readonly sinceMs?: UnixMs;
  readonly batches?: CancelBatches;
};

/** A request of the mass cancel, and the orders that it named; none when it meant all or only looked. */
export type MassCancelRequest = {
  readonly requestId: RequestId;
  readonly orderHashes?: readonly OrderHash[];
};

/** What the engine does next for the mass cancel. */
export type MassCancelStep = 'cancel' | 'readOpenOrders' | 'wait';

export type MassCancelResult =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'confirmed';
      readonly cancelled: number;
      readonly tookMs: number;
      readonly leftAlone: number;
      /** Orders on the last list that the venue refuses to cancel; of a stop there are none. */
      readonly refused: readonly OrderHash[];
    };

export class MassCancel {
  readonly startedAtMs: UnixMs;
  readonly #timing: MassCancelTiming;
  readonly #batches: CancelBatches;
  #phase: 'cancel' | 'cancelSent' | 'read' | 'readSent' = 'cancel';
  /** Requests of the step under way that are not answered. */
  readonly #requests = new Map<RequestId, readonly OrderHash[]>();
  /** Cancels that were made anew: each is answered or given up in the end, and what it did counts. */
  readonly #pastDeadline = new Map<RequestId, readonly OrderHash[]>();
  #askedAtMs: UnixMs;
  #doublings = 0;
  #cancelAskedAtMs: UnixMs;
  /** When one left that means everything: what goes again in halves means no more than it names. */
  #allAskedAtMs: UnixMs;
  /** Looks since the last cancel that nobody answered in time; a second one counts as failed. */
  #hungLooks = 0;
  /** The last look failed: what the last cancel has left is not known. */
  #isBlind = false;
  /** A cancel of everything was answered before, and this one is made only since nobody can look. */
  #isRepeat = false;
  /** The last cancel failed, or hung time and again: it is made again, whatever a look at whom to name shows. */
  #unserved: string | undefined;
  readonly #refusals = new CancelRefusals();
  /** Orders of batches that were refused as a whole in this round: they go again in halves, at once. */
  #halved: OrderHash[] = [];
  #halvings = 0;
  #failure: string | undefined;
  /** The cancel of everything was refused: an empty list confirms nothing until one is accepted. */
  #refusedAll: string | undefined;
  #notBeforeMs: UnixMs;
  #retryMs = RETRY_MS_MIN;
  #emptySinceMs: UnixMs | undefined;
  #cancelled = 0;
  #stillOpen: number | undefined;
  #lastFailure: string | undefined;
  #saidUnconfirmed = false;
  #leftAlone = 0;
  /** The last cancel has left an order that it meant, by its answers: that one has ended, or rests. */
  #hasLeft = false;
  /** By what was known when the step under way began. */
  #resting = NOTHING_RESTS;
  #clearedAtMs = 0;

  /**
   * @param batches - Learns which orders make the venue refuse a batch; whoever names orders asks it.
   * @param sinceMs - When the proof was first asked for; asking again puts no deadline off.
   */
  constructor(
    nowMs: UnixMs,
    timing: MassCancelTiming,
    { sinceMs = nowMs, batches = new CancelBatches(BATCH_CANCEL_MAX) }: MassCancelOptions = {},
  ) {
    this.startedAtMs = sinceMs;
    this.#batches = batches;
    this.#notBeforeMs = nowMs;
    this.#askedAtMs = nowMs;
    this.#cancelAskedAtMs = nowMs;
    this.#allAskedAtMs = nowMs;
    this.#timing = timing;
  }

  /**
   * What to send now; the engine answers with `onSent`.
   * @param resting - By what is known: a cancel that left before the newest came to rest meant none of it, whatever
   *   lists show.
   */
  next(nowMs: UnixMs, resting = NOTHING_RESTS): MassCancelStep {
    if (this.#isAwaiting() && nowMs - this.#askedAtMs >= this.#patienceMs) this.#askAnew();
    if (nowMs < this.#notBeforeMs || this.#isAwaiting()) return 'wait';
    this.#askedAtMs = nowMs;
    this.#resting = resting;
    const isDueAgain = this.#isBlind && nowMs - this.#cancelAskedAtMs >= CANCEL_AGAIN_MS;
    if (this.#phase === 'read' && isDueAgain) {
      this.#phase = 'cancel';
      this.#isRepeat = true;
    }
    if (this.#phase === 'read' && resting.sinceMs >= this.#allAskedAtMs) {
      this.#phase = 'cancel';
      this.#isRepeat = false;
      this.#emptySinceMs = undefined;
    }
    if (this.#phase !== 'cancel') return 'readOpenOrders';
    this.#cancelAskedAtMs = nowMs;
    if (this.#halved.length === 0) [this.#allAskedAtMs, this.#hasLeft] = [nowMs, false];
    this.#isBlind = false;
    this.#hungLooks = 0;
    return 'cancel';
  }

  /** @param requests - None, when there was nothing to cancel: then it is read at once. */
  onSent(...requests: readonly MassCancelRequest[]): void {
    this.#requests.clear();
    this.#failure = undefined;
    if (this.#phase === 'cancel') {
      this.#refusals.onRound();
      this.#halved = [];
    }
    for (const { requestId, orderHashes = [] } of requests) {
      this.#requests.set(requestId, orderHashes);
    }
    // What failed to be cancelled by its name has ended by itself: there is nothing to make again.
    if (requests.length === 0) [this.#phase, this.#unserved] = ['read', undefined];
    else this.#phase = this.#phase === 'cancel' ? 'cancelSent' : 'readSent';
  }

  /** @returns Whether the answer was for the mass cancel. */
  onCancelled(requestId: RequestId, outcome: CancelOutcome, nowMs: UnixMs): boolean {
    const late = this.#pastDeadline.get(requestId);
    if (late !== undefined) {
      this.#pastDeadline.delete(requestId);
      if (outcome.kind !== 'accepted') return true;
      this.#hasLeft ||= leavesSome(outcome, 0);
      this.#cancelled += outcome.cancelled;
      if (late.length === 0) this.#onServedLate(nowMs);
      return true;
    }
    const named = this.#requests.get(requestId);
    if (this.#phase !== 'cancelSent' || named === undefined) return false;
    this.#requests.delete(requestId);
    this.#learnPatience(nowMs);
    if (outcome.kind === 'accepted') this.#cancelled += outcome.cancelled;
    this.#judge(named, outcome, nowMs);
    if (this.#requests.size === 0) this.#goOn(nowMs);
    return true;
  }

  /** A cancel of everything is served, if late: the one that was made anew since says no more. */
  #onServedLate(nowMs: UnixMs): void {
    this.#unserved = undefined;
    this.#refusedAll = undefined;
    if (this.#phase !== 'cancelSent') return;
    for (const [id, named] of this.#requests)
      if (named.length === 0 && this.#requests.delete(id)) this.#pastDeadline.set(id, named);
    if (this.#requests.size === 0) this.#goOn(nowMs);
  }

  /** Every request of a cancel is answered. */
  #goOn(nowMs: UnixMs): void {
    // Where it failed a look says whom the next one has to name.
    if (!this.#isRepeat) this.#unserved = this.#failure;
    this.#lastFailure = this.#failure ?? this.#lastFailure;
    const mayHalve =
      this.#failure === undefined && this.#halved.length > 0 && this.#halvings < HALVINGS_MAX;
    this.#halvings = mayHalve ? this.#halvings + 1 : 0;
    if (!mayHalve) this.#halved = [];
    this.#phase = mayHalve ? 'cancel' : 'read';
    const isCleared = (this.#failure ?? this.#refusedAll) === undefined && !this.#hasLeft;
    if (isCleared) this.#clearedAtMs = this.#allAskedAtMs;
    this.#notBeforeMs = nowMs;
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
      /** Whether what the venue refuses to cancel may stay: at a start, and never for a stop. */
      readonly mayStay?: boolean;
      /** Whether an order on the list is to be cancelled; all are, where absent. */
      readonly isMeant?: (report: OrderReport) => boolean;
    },
  ): MassCancelResult | undefined {
    if (this.#phase !== 'readSent' || !this.#requests.delete(requestId)) return undefined;
    this.#learnPatience(at.nowMs);
    this.#isBlind = outcome.kind !== 'ok';
    if (outcome.kind !== 'ok') {
      this.#retry(this.#unserved === undefined ? 'read' : 'cancel', failureText(outcome), at.nowMs);
      return { kind: 'running' };
    }
    this.#isRepeat = false;
    this.#hungLooks = 0;
    // What is matched in full waits for settlement only: it is committed, not open.
    const isMeant = at.isMeant ?? (() => true);
    const all = outcome.value.filter((report) => report.executed < report.quantity);
    const open = all.filter(isMeant);
    this.#leftAlone = all.length - open.length;
    this.#refusals.onListed(open);
    this.#stillOpen = open.length;
    const mayStay = at.mayStay === true && this.hasOnlyRefused;
    // A start trusts lists alone, after a while: what a venue does not serve keeps no quote away.
    const refused = at.mayStay === true ? undefined : (this.#refusedAll ?? this.#unserved);
    const why = open.length > 0 && !mayStay ? this.#refusals.text : refused;
    if (why !== undefined) {
      this.#emptySinceMs = undefined;
      this.#retry('cancel', why, at.nowMs);
      return { kind: 'running' };
    }
    this.#lastFailure = undefined;
    this.#retryMs = RETRY_MS_MIN;
    this.#emptySinceMs ??= at.askedAtMs;
    if (this.#isConfirmed(at)) {
      const tookMs = at.nowMs - this.startedAtMs;
      const { cancelled, leftAlone } = { cancelled: this.#cancelled, leftAlone: this.#leftAlone };
      return { kind: 'confirmed', cancelled, tookMs, leftAlone, refused: this.listed };
    }
    this.#phase = 'read';
    this.#notBeforeMs = addMs(at.nowMs, POLL_MS);
    return { kind: 'running' };
  }

  /** The deadline has passed and was reported. */
  get hasFailed(): boolean {
    return this.#saidUnconfirmed;
  }

  /** True once, when the deadline has passed without a proof. */
  isPastDeadline(nowMs: UnixMs): boolean {
    if (this.#saidUnconfirmed) return false;
    if (nowMs - this.startedAtMs < this.#timing.proofDeadlineMs) return false;
    this.#saidUnconfirmed = true;
    return true;
  }

  /** Orders to cancel that the last list showed. */
  get listed(): readonly OrderHash[] {
    return this.#refusals.listed;
  }

  /** Of them, those to be named one by one: a refusal that names them is about them and no others. */
  get undecided(): readonly OrderHash[] {
    return this.listed.filter((orderHash) => !this.isRefused(orderHash));
  }

  /** Whether the venue has refused, again and again, to cancel an order that it goes on listing. */
  isRefused(orderHash: OrderHash): boolean {
    return this.#refusals.isRefused(orderHash);
  }

  /** Orders are left, and every one of them is refused: a further cancel changes nothing. */
  get hasOnlyRefused(): boolean {
    return this.#refusals.hasOnlyRefused;
  }

  /** Each has traded in part besides: of such orders the document lets a venue refuse it. */
  get hasOnlyParts(): boolean {
    return this.#refusals.hasOnlyParts;
  }

  /** When the last cancel left that was answered to have left nothing: a later one cancels none of what rested by then. */
  get clearedAtMs(): number {
    return this.#clearedAtMs;
  }

  /** Orders to be named again at once, in smaller batches; while there are any, no others are. */
  get halved(): readonly OrderHash[] {
    return this.#halved;
  }

  get survivors(): readonly OrderHash[] {
    return this.listed.slice(0, SURVIVORS_MAX);
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
  #isConfirmed(at: {
    readonly askedAtMs: UnixMs;
    readonly mayStillArriveUntilMs: number | undefined;
    readonly mayStay?: boolean;
  }): boolean {
    const emptySinceMs = this.#emptySinceMs;
    if (emptySinceMs === undefined) return false;
    // What a stop's cancel has left may rest, and lists need not show yet what came to rest a moment ago.
    const isNew = this.#hasLeft && at.mayStay !== true;
    const listedMs = isNew ? this.#resting.sinceMs + LISTED_BY_MS : 0;
    const horizonMs = Math.max(at.mayStillArriveUntilMs ?? 0, listedMs);
    const isServed = (this.#refusedAll ?? this.#unserved) === undefined;
    const quietMs = Math.max(this.#timing.proofQuietMs, isServed ? 0 : LISTED_BY_MS);
    return at.askedAtMs - emptySinceMs >= quietMs && at.askedAtMs > horizonMs;
  }

  /** What an answer says of the orders that its request named; none are named where all are meant. */
  #judge(named: readonly OrderHash[], outcome: CancelOutcome, nowMs: UnixMs): void {
    const isAbout = isAboutOrders(outcome);
    // What was acknowledged a moment ago may be neither open nor listed yet: a cancel of all counts it nowhere then.
    this.#hasLeft ||= leavesSome(outcome, named.length || this.#resting.count);
    if (isAbout && named.length > 0) this.#batches.onRefused(named, nowMs);
    if (isAbout && named.length > 1) this.#halved.push(...named);
    if (isRefusal(outcome, named.length)) this.#refusals.onRefused(named);
    // What an accepted cancel of everything has done is not undone by a later one that fails.
    if (named.length === 0 && (isAnswered(outcome) || !this.#isRepeat))
      this.#refusedAll = isAnswered(outcome) ? undefined : answerText(outcome);
    if (isAnswered(outcome) || isAbout) this.#refusals.onAnswer(answerText(outcome));
    else this.#failure = answerText(outcome);
  }

  #isAwaiting(): boolean {
    return this.#phase === 'cancelSent' || this.#phase === 'readSent';
  }

  get #patienceMs(): number {
    return ANSWER_MS * 2 ** this.#doublings;
  }

  /** Twice what this answer took: a venue that is slow now is slow the next time. */
  #learnPatience(nowMs: UnixMs): void {
    const tookMs = nowMs - this.#askedAtMs;
    this.#doublings = 0;
    while (this.#doublings < ANSWER_DOUBLINGS_MAX && this.#patienceMs < 2 * tookMs) {
      this.#doublings += 1;
    }
  }

  #askAnew(): void {
    this.#doublings = Math.min(this.#doublings + 1, ANSWER_DOUBLINGS_MAX);
    const isCancel = this.#phase === 'cancelSent';
    if (!isCancel) this.#hungLooks += 1;
    else for (const [id, named] of this.#requests) this.#pastDeadline.set(id, named);
    this.#isBlind ||= this.#hungLooks > 1;
    this.#requests.clear();
    // One that is only made again, or hangs time and again, holds up no look.
    const isPatient = isCancel && !this.#isRepeat && this.#doublings < ANSWER_DOUBLINGS_MAX;
    if (isCancel && !this.#isRepeat && !isPatient) this.#unserved = 'no cancel is answered in time';
    this.#phase = isPatient || (!isCancel && this.#unserved !== undefined) ? 'cancel' : 'read';
  }

  #retry(phase: 'cancel' | 'read', detail: string, nowMs: UnixMs): void {
    this.#halved = [];
    this.#halvings = 0;
    this.#phase = phase;
    this.#lastFailure = detail;
    this.#notBeforeMs = addMs(nowMs, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }
}

function answerText(outcome: CancelOutcome): string {
  if (outcome.kind === 'accepted') {
    return `cancelled ${outcome.cancelled}, failed ${outcome.failed}`;
  }
  return failureText(outcome);
}
