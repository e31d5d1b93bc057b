// Cancelling until nothing is left, round by round: one cancel where one is needed, one look at the
// list. Who sweeps decides when it is enough.

import { CancelBatches, isAboutOrders, isNotCancellable } from '../domain/cancel-batches.ts';
import type { OrderHash } from '../domain/ids.ts';
import { inTime } from '../domain/in-time.ts';
import type { CancelOutcome, CancelScope, Failure, ReadOutcome } from '../domain/message.ts';
import type { OrderReport } from '../domain/order.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import type { OwnOrders } from './own-book.ts';
import { Refusals } from './refusals.ts';

/** The calls of the venue that a kill needs. */
export type KillDoor = {
  cancelAll(scope: CancelScope): Promise<CancelOutcome>;
  /** By hash, 1 to 100; the tool for own orders, and the second one for what a cancel of all left. */
  cancelOrders?(orderHashes: readonly OrderHash[]): Promise<CancelOutcome>;
  /** Every open order of the scope; a failed or partial read is a failure. */
  readOpenOrders(scope: CancelScope): Promise<ReadOutcome<readonly OrderReport[]>>;
};

/** What happened on the way, for people who wait. */
export type KillStep = { readonly doing: 'cancel' | 'list' | 'wait'; readonly detail: string };

export type SweepOptions = {
  readonly door: KillDoor;
  readonly scope: CancelScope;
  /** Given where only these are meant; orders of others are counted and left alone. */
  readonly own?: OwnOrders | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Time that is left; no call is waited for longer. */
  readonly remainingMs: () => number;
  readonly onProgress?: ((step: KillStep) => void) | undefined;
};

/** Right after a death the list is looked at this often, since placements under way land then. */
const LOOK_MS_FIRST = 50;
/** Five looks a second are far below any read budget. */
const LOOK_MS = 200;
const FIRST_MS = 1_000;
/** After a failure, doubled each time up to the maximum: quick at first, kind to a sick venue. */
const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 2_000;
/**
 * A call without an answer by then is left to itself and made anew on another connection: a cancel
 * does no harm twice, and a connection that hangs must not hold all the others up.
 */
const CALL_MS = 1_500;
/** Twelve seconds at the most, which no request outlives. */
const CALL_DOUBLINGS_MAX = 3;
/** The pace at which a venue is asked that refuses all that is left. */
const REFUSED_MS = 2_000;
/** Hashes of one cancel. @spec Limits */
const HASHES_MAX = 100;
/** From a full batch to one order alone; what is still refused then is looked for on the list. */
const HALVINGS_MAX = 8;

export class Sweep {
  readonly #options: SweepOptions;
  readonly startedAtMs: UnixMs;
  readonly #batches = new CancelBatches(HASHES_MAX);
  #cancelled = 0;
  #mustCancel = true;
  #wasCancelAccepted = false;
  /** The last list was read, behind a cancel that was accepted: it says what is left of what is known. */
  #isTold = false;
  /** Own orders whose batch was cancelled whole: no other is done with while no list says so. */
  readonly #gone = new Set<OrderHash>();
  #emptySinceMs: UnixMs | undefined;
  #lookedAtMs: UnixMs | undefined;
  #leftOrders: readonly OrderReport[] | undefined;
  #settling = 0;
  #leftAlone = 0;
  readonly #refusals = new Refusals();
  #isNaming = false;
  #isRefreshing = false;
  #answers = '';
  #failuresInRow = 0;
  #trouble = 'the deadline came first';

  constructor(options: SweepOptions) {
    this.#options = options;
    this.startedAtMs = options.clock.nowMs();
  }

  get cancelled(): number {
    return this.#cancelled;
  }

  /** Orders of the last list that could be read; `undefined` when none could. */
  get left(): readonly OrderHash[] | undefined {
    return this.#leftOrders?.map(({ orderHash }) => orderHash);
  }

  get leftOrders(): readonly OrderReport[] | undefined {
    return this.#leftOrders;
  }

  /**
   * Orders are left, and the venue has answered again and again that it cancels none of them: further
   * cancels change nothing, and only a trade ends them.
   */
  get hasOnlyRefused(): boolean {
    const left = this.left ?? [];
    if (this.#failuresInRow > 0 || left.length === 0) return false;
    return left.every((hash) => this.#refusals.has(hash));
  }

  get settling(): number {
    return this.#settling;
  }

  /** Orders of the last list that are somebody else's. */
  get leftAlone(): number {
    return this.#leftAlone;
  }

  /** Whether none of what the last list shows can be one of ours that we were not reported. */
  get isCertain(): boolean {
    const { own } = this.#options;
    return own === undefined || own.isWhole || this.#leftAlone === 0;
  }

  get trouble(): string {
    return this.#trouble;
  }

  /**
   * Since when every list was empty, asked for after an accepted cancel; `undefined` while the last
   * round failed or showed an order.
   */
  get emptySinceMs(): UnixMs | undefined {
    return this.#failuresInRow === 0 ? this.#emptySinceMs : undefined;
  }

  /** When the last good list was asked for. */
  get lookedAtMs(): UnixMs | undefined {
    return this.#lookedAtMs;
  }

  /** One cancel where needed and one look; returns how long to wait before the next. */
  async round(): Promise<number> {
    const failedCancel = this.#mustCancel ? await this.#whole('cancel') : undefined;
    const failedLook = await this.#whole('list');
    const failure = failedCancel ?? failedLook;
    this.#failuresInRow = failure ? this.#failuresInRow + 1 : 0;
    if (failure) return this.#backoffMs(failure);
    if (this.hasOnlyRefused) return REFUSED_MS;
    const isFirst = this.#options.clock.nowMs() - this.startedAtMs < FIRST_MS;
    return isFirst ? LOOK_MS_FIRST : LOOK_MS;
  }

  /** A fault of our own is one failure more, and the next round comes: nobody else would cancel. */
  async #whole(doing: 'cancel' | 'list'): Promise<Failure | undefined> {
    try {
      return doing === 'cancel' ? await this.#cancel() : await this.#look();
    } catch (error) {
      this.#mustCancel = true;
      return this.#failed(doing, thrown(error));
    }
  }

  async #cancel(): Promise<Failure | undefined> {
    const { own } = this.#options;
    const failure = own === undefined ? await this.#cancelAll() : await this.#cancelOwn(own);
    if (failure !== undefined) return this.#failed('cancel', failure);
    this.#wasCancelAccepted = true;
    this.#mustCancel = false;
    return undefined;
  }

  /**
   * All that are known while no list can be read, then what the list goes on showing. The two go
   * apart: what is only known may have ended, which on some venues would have its whole batch refused.
   */
  async #cancelOwn(own: OwnOrders): Promise<Failure | undefined> {
    const left = this.left ?? [];
    const shown = new Set(left);
    const known = this.#isTold ? [] : own.live(this.#options.scope);
    const only = known.filter((hash) => !shown.has(hash) && !this.#gone.has(hash));
    const outcomes = await Promise.all([this.#cancelNamed(left), this.#cancelNamed(only)]);
    return outcomes.find((outcome) => outcome !== undefined);
  }

  /**
   * In as few requests as the venue takes: one that it refuses as a whole, perhaps because of one order
   * in it, goes again in halves. @returns What none of them was an answer to.
   */
  async #cancelNamed(hashes: readonly OrderHash[]): Promise<Failure | undefined> {
    let rest = hashes;
    let failed: Failure | undefined;
    for (let halvings = 0; rest.length > 0 && halvings < HALVINGS_MAX; halvings += 1) {
      const batches = this.#batches.group(rest, this.#options.clock.nowMs());
      const refused: OrderHash[] = [];
      const send = async (batch: readonly OrderHash[]) => {
        const outcome = await this.#cancelBatch(batch);
        const isTogether = batch.length > 1 && isAboutOrders(outcome);
        if (isTogether) refused.push(...batch);
        else if (!isAnswered(outcome)) failed ??= outcome;
      };
      await Promise.all(batches.map(send));
      rest = refused;
    }
    return failed;
  }

  async #cancelBatch(batch: readonly OrderHash[]): Promise<CancelOutcome | Failure> {
    const { door, clock } = this.#options;
    if (door.cancelOrders === undefined) return { kind: 'notSent', detail: 'no cancel by hash' };
    return await this.#bounded(door.cancelOrders(batch), (outcome) => {
      this.#count(outcome);
      this.#noteGone(batch, outcome);
      if (isAboutOrders(outcome)) this.#batches.onRefused(batch, clock.nowMs());
      this.#refusals.note(batch, outcome);
    });
  }

  /** Which of several it was is told by no count: one that leaves any leaves all of them in doubt. */
  #noteGone(batch: readonly OrderHash[], outcome: CancelOutcome | Failure): void {
    if (this.#options.own === undefined || outcome.kind !== 'accepted') return;
    const isWhole = outcome.failed === 0 && outcome.cancelled >= batch.length;
    if (isWhole) for (const hash of batch) this.#gone.add(hash);
  }

  async #cancelAll(): Promise<Failure | undefined> {
    const { door, scope } = this.#options;
    // What is still listed after a cancel of everything is also cancelled by its names.
    if (door.cancelOrders) this.#cancelLeft();
    const outcome = await this.#bounded(door.cancelAll(scope), (each) => this.#count(each));
    // That something cannot be cancelled is the venue's word, too: the list says what rests.
    return isAnswered(outcome) ? undefined : outcome;
  }

  /** Beside the cancel of everything, and waited for by nobody. */
  #cancelLeft(): void {
    if (this.#isNaming) return;
    this.#isNaming = true;
    void this.#cancelNamed(this.left ?? []).finally(() => {
      this.#isNaming = false;
    });
  }

  /** An answer that comes after we went on counts all the same. */
  #count(outcome: CancelOutcome | Failure): void {
    if (outcome.kind !== 'accepted') return;
    this.#wasCancelAccepted = true;
    // What was cancelled had been open, whether a list showed it or not.
    if (outcome.cancelled > 0) this.#emptySinceMs = undefined;
    this.#cancelled += outcome.cancelled;
    this.#answers = `cancelled ${outcome.cancelled}, failed ${outcome.failed}`;
    this.#tell('cancel', `cancelled ${outcome.cancelled}, failed ${outcome.failed}`);
  }

  async #look(): Promise<Failure | undefined> {
    const { own, clock, door, scope } = this.#options;
    await this.#refresh();
    const askedAtMs = clock.nowMs();
    const refused = this.#refusals.take();
    const outcome = await this.#bounded(door.readOpenOrders(scope));
    this.#isTold = this.#wasCancelAccepted && outcome.kind === 'ok';
    if (outcome.kind !== 'ok') {
      // What landed after the last cancel cannot be seen, so it is cancelled unseen.
      this.#mustCancel = true;
      return this.#failed('list', outcome);
    }
    const meant = own === undefined ? outcome.value : own.among(outcome.value);
    const onBook = meant.filter(canStillTrade);
    this.#lookedAtMs = askedAtMs;
    this.#settling = meant.length - onBook.length;
    this.#leftAlone = outcome.value.filter(canStillTrade).length - onBook.length;
    this.#leftOrders = onBook;
    this.#refusals.onListed(this.left ?? [], refused);
    if (onBook.length === 0) {
      if (this.#wasCancelAccepted) this.#emptySinceMs ??= askedAtMs;
      return undefined;
    }
    this.#emptySinceMs = undefined;
    this.#mustCancel = true;
    this.#trouble = this.#listedText(onBook);
    this.#tell('list', this.#trouble);
    return undefined;
  }

  /** A ledger on a disk that hangs holds nobody up: what is known is cancelled and looked for without it. */
  async #refresh(): Promise<void> {
    const { own, timers } = this.#options;
    if (own?.refresh === undefined || this.#isRefreshing) return;
    this.#isRefreshing = true;
    const refreshed = own.refresh().catch(() => undefined);
    const done = refreshed.finally(() => {
      this.#isRefreshing = false;
    });
    await inTime(done, undefined, { timers, ms: CALL_MS });
  }

  /** In the venue's words, where it refuses to cancel them. */
  #listedText(onBook: readonly OrderReport[]): string {
    const count = `${onBook.length} orders are still listed`;
    if (!this.hasOnlyRefused) return count;
    const statuses = [...new Set(onBook.map(({ status }) => status))].join(', ');
    const words = `it answers "${this.#answers}" and lists them as ${statuses}`;
    return `${count}, and the venue refuses to cancel them: ${words}`;
  }

  #failed(doing: 'cancel' | 'list', failure: Failure): Failure {
    const cancel = this.#options.own ? 'POST /orders/batch-cancel' : 'DELETE /orders';
    const call = doing === 'cancel' ? cancel : 'GET /orders';
    this.#trouble = `${call}: ${describeFailure(failure)}`;
    this.#tell(doing, this.#trouble);
    return failure;
  }

  #backoffMs(failure: Failure): number {
    const backoffMs = Math.min(BACKOFF_MIN_MS * 2 ** (this.#failuresInRow - 1), BACKOFF_MAX_MS);
    const askedForMs = failure.kind === 'refused' ? failure.refusal.retryAfterMs : undefined;
    if (askedForMs === undefined) return backoffMs;
    // A wait that the venue asks for is kept, but never spends all the time that is left.
    return Math.max(backoffMs, Math.min(askedForMs, this.#options.remainingMs() / 2));
  }

  /** A call that neither answers nor fails must not hold the sweep; a slow venue gets more time. */
  async #bounded<Outcome>(
    call: Promise<Outcome>,
    onAnswer: (outcome: Outcome | Failure) => void = () => {},
  ): Promise<Outcome | Failure> {
    const pastDeadline: Failure = {
      kind: 'unknown',
      cause: 'timeout',
      detail: 'no answer in time',
    };
    const callMs = CALL_MS * 2 ** Math.min(this.#failuresInRow, CALL_DOUBLINGS_MAX);
    const patienceMs = Math.min(callMs, this.#options.remainingMs());
    const answer = call.catch(thrown).then((outcome) => {
      onAnswer(outcome);
      return outcome;
    });
    return await inTime(answer, pastDeadline, { timers: this.#options.timers, ms: patienceMs });
  }

  #tell(doing: KillStep['doing'], detail: string): void {
    try {
      this.#options.onProgress?.({ doing, detail });
    } catch {
      // Whoever listens may fail; the kill goes on.
    }
  }
}

function thrown(error: unknown): Failure {
  return { kind: 'unknown', cause: 'connection', detail: String(error) };
}

/**
 * Over REST a matched order stays listed as open until it settles; its resting size tells.
 * @spec Resources and their fields › Order (returned by order placement)
 */
function canStillTrade(order: OrderReport): boolean {
  return order.executed < order.quantity;
}

/** What cannot be cancelled any more, or was never there: an answer, and the list tells the rest. */
function isAnswered(
  outcome: CancelOutcome,
): outcome is Extract<CancelOutcome, { kind: 'accepted' | 'refused' }> {
  return outcome.kind === 'accepted' || isNotCancellable(outcome);
}

/** A failure in a few words for people; it never carries more than the venue's own text. */
export function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'refused': {
      const { code, httpStatus, message } = failure.refusal;
      return `refused (${code ?? httpStatus ?? 'no code'}): ${message.slice(0, 200)}`;
    }
    case 'unknown':
      return `no usable answer (${failure.cause}): ${failure.detail.slice(0, 200)}`;
    case 'notSent':
      return `not sent: ${failure.detail.slice(0, 200)}`;
  }
}
