// Cancel everything and confirm it: the gate is closed before it starts, and "confirmed" is said only
// when the venue showed no open order for longer than a placement could still arrive.
// @spec Architecture decision 10

import { CancelBatches, isAboutOrders, leavesSome } from '../../domain/cancel-batches.ts';
import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { BATCH_CANCEL_MAX } from '../kernel/bounds.ts';
import { failureText } from '../kernel/stores.ts';
import type { Resting } from '../orders/ledger.ts';
import { LISTED_BY_MS } from '../orders/reconcile.ts';
import { isAnswered, isRefusal } from '../orders/uncancellable.ts';

/** First pause after a failed or unhelpful answer; it doubles up to the longest. */
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2_000;
/**
 * A request without an answer by then is left to itself and made anew, on another connection: a cancel
 * does no harm twice, and one that hangs must not hold a stop up until it is given up. A slow venue gets
 * more time, doubled each time, up to more than any request takes.
 */
const ANSWER_MS_MIN = 1_500;
const ANSWER_MS_MAX = 12_000;
/**
 * While no list can be read nobody sees what a cancel has left: it is made again, no sooner than this
 * after the last one. It costs nothing of what placements may use.
 */
const CANCEL_AGAIN_MS = 1_000;
/** Pause between two reads while the venue stays empty. */
const POLL_MS = 150;
/** Rounds in which the venue refuses to cancel an order that the next list shows, until it is trusted. */
const REFUSED_ROUNDS = 3;

const NOTHING_RESTS: Resting = Object.freeze({ count: 0, sinceMs: 0 });

/** In how many rounds an order was refused, and how much of it had traded then. */
type Refused = { readonly rounds: number; readonly executed: number };

/** Around a list of open orders. */
type Look = {
  readonly nowMs: UnixMs;
  readonly askedAtMs: UnixMs;
  /** Until then an unanswered or unknown placement may still be accepted, `undefined` when there is none. */
  readonly mayStillArriveUntilMs: number | undefined;
  /** Whether what the venue refuses to cancel may stay: at a start, and never for a stop. */
  readonly mayStay?: boolean;
  /** Whether an order on the list is to be cancelled; all are, where absent. */
  readonly isMeant?: (report: OrderReport) => boolean;
};

type Timing = { readonly proofQuietMs: number; readonly proofDeadlineMs: number };
type Options = { readonly sinceMs?: UnixMs; readonly batches?: CancelBatches };

/** A request of the mass cancel, and the orders that it named; none when it meant all or only looked. */
export type MassCancelRequest = {
  readonly requestId: RequestId;
  readonly orderHashes?: readonly OrderHash[];
};

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
  readonly #timing: Timing;
  readonly #batches: CancelBatches;
  #phase: 'cancel' | 'cancelSent' | 'read' | 'readSent' = 'cancel';
  /** Requests of the step under way that are not answered. */
  readonly #requests = new Map<RequestId, readonly OrderHash[]>();
  /** Cancels that were made anew: each is answered or given up in the end, and what it did counts. */
  readonly #pastDeadline = new Map<RequestId, readonly OrderHash[]>();
  #askedAtMs = 0;
  #patienceMs = ANSWER_MS_MIN;
  /** When one left that means everything: what goes again in halves means no more than it names. */
  #allAskedAtMs = 0;
  /** Looks since the last cancel that nobody answered in time; a second one counts as failed. */
  #hungLooks = 0;
  /** The last look failed: what the last cancel has left is not known. */
  #isBlind = false;
  /** A cancel of everything was answered before, and this one is made only since nobody can look. */
  #isRepeat = false;
  /** Orders of batches that were refused as a whole in this round: they go again in halves, at once. */
  #halved: OrderHash[] = [];
  /** What went wrong in this round, halves and all. */
  #failure: string | undefined;
  /** The last round failed or hung: it is made again whatever a list shows, and an empty one confirms nothing. */
  #unserved: string | undefined;
  #lastFailure: string | undefined;
  /** Orders that the answers of this round refused to cancel, each by its name. */
  #refusedNow = new Set<OrderHash>();
  /** Rounds in which an order was refused and listed again; as many entries as orders on the last list. */
  #rounds: ReadonlyMap<OrderHash, Refused> = new Map();
  #listed: readonly OrderReport[] | undefined;
  #answer = '';
  #notBeforeMs = 0;
  #retryMs = RETRY_MS_MIN;
  #emptySinceMs: UnixMs | undefined;
  #cancelled = 0;
  #saidUnconfirmed = false;
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
    timing: Timing,
    { sinceMs = nowMs, batches = new CancelBatches(BATCH_CANCEL_MAX) }: Options = {},
  ) {
    this.startedAtMs = sinceMs;
    this.#batches = batches;
    this.#timing = timing;
  }

  /**
   * What to send now; the engine answers with `onSent`.
   * @param resting - By what is known: a cancel that left before the newest came to rest meant none of it, whatever
   *   lists show.
   */
  next(nowMs: UnixMs, resting = NOTHING_RESTS): 'cancel' | 'readOpenOrders' | 'wait' {
    if (this.#isAwaiting() && nowMs - this.#askedAtMs >= this.#patienceMs) this.#askAnew();
    if (nowMs < this.#notBeforeMs || this.#isAwaiting()) return 'wait';
    this.#askedAtMs = nowMs;
    this.#resting = resting;
    const isDueAgain = this.#isBlind && nowMs - this.#allAskedAtMs >= CANCEL_AGAIN_MS;
    const isBehind = resting.sinceMs >= this.#allAskedAtMs;
    if (this.#phase === 'read' && (isDueAgain || isBehind)) {
      this.#phase = 'cancel';
      this.#isRepeat = !isBehind;
      if (isBehind) this.#emptySinceMs = undefined;
    }
    if (this.#phase !== 'cancel') return 'readOpenOrders';
    if (this.#halved.length === 0) {
      this.#allAskedAtMs = nowMs;
      this.#hasLeft = false;
      this.#failure = undefined;
    }
    this.#isBlind = false;
    this.#hungLooks = 0;
    return 'cancel';
  }

  /** @param requests - None, when there was nothing to cancel: then it is read at once. */
  onSent(...requests: readonly MassCancelRequest[]): void {
    this.#requests.clear();
    this.#halved = [];
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
    if (this.#phase !== 'cancelSent') return;
    for (const [id, named] of this.#requests)
      if (named.length === 0 && this.#requests.delete(id)) this.#pastDeadline.set(id, named);
    if (this.#requests.size === 0) this.#goOn(nowMs);
  }

  /** Every request of a cancel is answered. */
  #goOn(nowMs: UnixMs): void {
    this.#notBeforeMs = nowMs;
    this.#phase = this.#halved.length > 0 ? 'cancel' : 'read';
    if (this.#phase === 'cancel') return;
    const failure = this.#failure;
    // What an accepted cancel of everything has done is not undone by one that is only made again, and fails.
    if (failure === undefined || !this.#isRepeat) this.#unserved = failure;
    this.#lastFailure = failure ?? this.#lastFailure;
    if (failure === undefined && !this.#hasLeft) this.#clearedAtMs = this.#allAskedAtMs;
  }

  onOpenOrders(
    requestId: RequestId,
    outcome: ReadOutcome<readonly OrderReport[]>,
    at: Look,
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
    this.#onListed(open);
    const mayStay = at.mayStay === true && this.hasOnlyRefused;
    // A start trusts lists alone, after a while: what a venue does not serve keeps no quote away.
    const refused = at.mayStay === true ? undefined : this.#unserved;
    const why = open.length > 0 && !mayStay ? this.#openText(open) : refused;
    if (why !== undefined) {
      this.#emptySinceMs = undefined;
      this.#retry('cancel', why, at.nowMs);
      return { kind: 'running' };
    }
    this.#lastFailure = undefined;
    this.#retryMs = RETRY_MS_MIN;
    this.#emptySinceMs ??= at.askedAtMs;
    this.#phase = 'read';
    this.#notBeforeMs = at.nowMs + POLL_MS;
    if (!this.#isConfirmed(at)) return { kind: 'running' };
    return {
      kind: 'confirmed',
      cancelled: this.#cancelled,
      tookMs: at.nowMs - this.startedAtMs,
      leftAlone: all.length - open.length,
      refused: this.listed,
    };
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
    return (this.#listed ?? []).map(({ orderHash }) => orderHash);
  }

  /** How many they are, `undefined` while no list could be read. */
  get stillOpen(): number | undefined {
    return this.#listed?.length;
  }

  /** Of them, those to be named one by one: a refusal that names them is about them and no others. */
  get undecided(): readonly OrderHash[] {
    return this.listed.filter((orderHash) => !this.isRefused(orderHash));
  }

  /**
   * Whether the venue has refused, again and again, to cancel an order that it goes on listing as it was: one that
   * a failed settlement has put back, say, may be cancelled again.
   */
  isRefused(orderHash: OrderHash): boolean {
    return (this.#rounds.get(orderHash)?.rounds ?? 0) >= REFUSED_ROUNDS;
  }

  /** Orders are left, and every one of them is refused: a further cancel changes nothing. */
  get hasOnlyRefused(): boolean {
    return this.listed.length > 0 && this.undecided.length === 0;
  }

  /** Each has traded in part besides: of such orders the document lets a venue refuse it. */
  get hasOnlyParts(): boolean {
    return this.hasOnlyRefused && (this.#listed ?? []).every(({ executed }) => executed > 0);
  }

  /** When the last cancel left that was answered to have left nothing: a later one cancels none of what rested by then. */
  get clearedAtMs(): number {
    return this.#clearedAtMs;
  }

  /** Orders to be named again at once, in smaller batches; while there are any, no others are. */
  get halved(): readonly OrderHash[] {
    return this.#halved;
  }

  get detail(): string {
    if (this.#lastFailure !== undefined) return this.#lastFailure;
    if (this.#listed === undefined) return 'the venue has not answered yet';
    return 'waiting out the time in which a placement may still arrive';
  }

  /** Late arrivals are looked for after the quiet time, and cancelled once more before the proof. */
  #isConfirmed(at: Look): boolean {
    const emptySinceMs = this.#emptySinceMs;
    if (emptySinceMs === undefined) return false;
    // What a stop's cancel has left may rest, and lists need not show yet what came to rest a moment ago.
    const isNew = this.#hasLeft && at.mayStay !== true;
    const listedMs = isNew ? this.#resting.sinceMs + LISTED_BY_MS : 0;
    const horizonMs = Math.max(at.mayStillArriveUntilMs ?? 0, listedMs);
    const lateMs = this.#unserved === undefined ? 0 : LISTED_BY_MS;
    const quietMs = Math.max(this.#timing.proofQuietMs, lateMs);
    return at.askedAtMs - emptySinceMs >= quietMs && at.askedAtMs > horizonMs;
  }

  /** What an answer says of the orders that its request named; none are named where all are meant. */
  #judge(named: readonly OrderHash[], outcome: CancelOutcome, nowMs: UnixMs): void {
    const isAbout = isAboutOrders(outcome);
    // What was acknowledged a moment ago may be neither open nor listed yet: a cancel of all counts it nowhere then.
    this.#hasLeft ||= leavesSome(outcome, named.length || this.#resting.count);
    if (isAbout && named.length > 0) this.#batches.onRefused(named, nowMs);
    if (isAbout && named.length > 1) this.#halved.push(...named);
    if (isRefusal(outcome, named.length)) for (const hash of named) this.#refusedNow.add(hash);
    const isServed = isAnswered(outcome) || (isAbout && named.length > 0);
    const text =
      outcome.kind === 'accepted'
        ? `cancelled ${outcome.cancelled}, failed ${outcome.failed}`
        : failureText(outcome);
    if (isServed) this.#answer = text;
    else this.#failure = text;
  }

  #onListed(open: readonly OrderReport[]): void {
    const rounds = new Map<OrderHash, Refused>();
    for (const { orderHash, executed } of open) {
      const before = this.#rounds.get(orderHash);
      const earlier = before?.executed === executed ? before.rounds : 0;
      const now = this.#refusedNow.has(orderHash) ? 1 : 0;
      rounds.set(orderHash, { rounds: earlier + now, executed });
    }
    this.#rounds = rounds;
    this.#listed = open;
    this.#refusedNow = new Set();
  }

  /** What is still open, and what the venue says to its cancel. */
  #openText(open: readonly OrderReport[]): string {
    const count = `${open.length} orders still open`;
    const refused = open.filter(({ orderHash }) => this.isRefused(orderHash));
    if (refused.length === 0) return count;
    const statuses = [...new Set(refused.map(({ status }) => status))].join(', ');
    const words = `the venue refuses to cancel ${refused.length} of them`;
    return `${count}; ${words}: it answers "${this.#answer}" and lists them as ${statuses}`;
  }

  #isAwaiting(): boolean {
    return this.#phase === 'cancelSent' || this.#phase === 'readSent';
  }

  /** Twice what this answer took: a venue that is slow now is slow the next time. */
  #learnPatience(nowMs: UnixMs): void {
    const twiceMs = 2 * (nowMs - this.#askedAtMs);
    this.#patienceMs = Math.min(Math.max(ANSWER_MS_MIN, twiceMs), ANSWER_MS_MAX);
  }

  #askAnew(): void {
    this.#patienceMs = Math.min(2 * this.#patienceMs, ANSWER_MS_MAX);
    const isCancel = this.#phase === 'cancelSent';
    if (!isCancel) this.#hungLooks += 1;
    else for (const [id, named] of this.#requests) this.#pastDeadline.set(id, named);
    this.#isBlind ||= this.#hungLooks > 1;
    this.#requests.clear();
    // One that is only made again, or hangs time and again, holds up no look.
    const isPatient = isCancel && !this.#isRepeat && this.#patienceMs < ANSWER_MS_MAX;
    if (isCancel && !this.#isRepeat && !isPatient) this.#unserved = 'no cancel is answered in time';
    this.#phase = isPatient || (!isCancel && this.#unserved !== undefined) ? 'cancel' : 'read';
  }

  #retry(phase: 'cancel' | 'read', detail: string, nowMs: UnixMs): void {
    this.#phase = phase;
    this.#lastFailure = detail;
    this.#notBeforeMs = nowMs + this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }
}
