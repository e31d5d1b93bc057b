// The independent kill path: no core, no strategy, no journal, no socket. Cancel, prove, tell.

import type { OrderHash } from '../domain/ids.ts';
import type { CancelOutcome, CancelScope, Failure, ReadOutcome } from '../domain/message.ts';
import type { OrderReport } from '../domain/order.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';

/** The two calls of the venue that a kill needs. */
export type KillDoor = {
  cancelAll(scope: CancelScope): Promise<CancelOutcome>;
  /** Every open order of the scope; a failed or partial read is a failure. */
  readOpenOrders(scope: CancelScope): Promise<ReadOutcome<readonly OrderReport[]>>;
};

type KillCounts = {
  readonly cancelled: number;
  readonly tookMs: number;
  /** Orders matched in full that wait for settlement: committed, and no longer on the book. */
  readonly settling?: number;
};

export type KillResult =
  | ({ readonly kind: 'proven' } & KillCounts)
  | ({
      readonly kind: 'unproven';
      /** Orders of the last list that could be read; `undefined` when none could. */
      readonly left: readonly OrderHash[] | undefined;
      readonly detail: string;
    } & KillCounts);

export type KillOptions = {
  readonly door: KillDoor;
  readonly scope: CancelScope;
  readonly clock: Clock;
  readonly timers: Timers;
  /** The list must stay empty this long: longer than the slowest placement seen. */
  readonly quietMs: number;
  readonly deadlineMs: number;
  readonly onProgress?: (step: KillStep) => void;
};

/** What happened on the way, for people who wait. */
export type KillStep = { readonly doing: 'cancel' | 'list'; readonly detail: string };

/** Between two looks at the list: five reads a second are far below any read budget. */
const LOOK_MS = 200;
/** After a failure, doubled each time up to the maximum: quick at first, kind to a sick venue. */
const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 2_000;

/**
 * Cancels every open order of the scope and proves that none is left.
 *
 * Cancels again whenever something shows up, since an order under way may land after a cancel. A
 * failed read is not an empty list, and orders that cannot be cancelled are named, not forgotten.
 * It never throws and ends by the deadline.
 * @spec Endpoints › Cancelling
 */
export async function killOrders(options: KillOptions): Promise<KillResult> {
  return await new Kill(options).run();
}

class Kill {
  readonly #options: KillOptions;
  readonly #startedAtMs: UnixMs;
  #cancelled = 0;
  #mustCancel = true;
  #wasCancelAccepted = false;
  #emptySinceMs: UnixMs | undefined;
  #left: readonly OrderHash[] | undefined;
  #settling = 0;
  #failuresInRow = 0;
  #trouble = 'the deadline came first';

  constructor(options: KillOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
  }

  async run(): Promise<KillResult> {
    while (this.#tookMs() < this.#options.deadlineMs) {
      const pauseMs = await this.#round();
      if (this.#isProven()) {
        return { kind: 'proven', ...this.#counts() };
      }
      await this.#pause(Math.min(pauseMs, this.#remainingMs()));
    }
    return { kind: 'unproven', ...this.#counts(), left: this.#left, detail: this.#trouble };
  }

  #counts(): KillCounts {
    return { cancelled: this.#cancelled, tookMs: this.#tookMs(), settling: this.#settling };
  }

  /** One cancel where needed and one look; returns how long to wait before the next. */
  async #round(): Promise<number> {
    const failedCancel = this.#mustCancel ? await this.#cancel() : undefined;
    const failedLook = await this.#look();
    const failure = failedCancel ?? failedLook;
    this.#failuresInRow = failure ? this.#failuresInRow + 1 : 0;
    return failure ? this.#backoffMs(failure) : LOOK_MS;
  }

  async #cancel(): Promise<Failure | undefined> {
    const outcome = await this.#bounded(this.#options.door.cancelAll(this.#options.scope));
    if (outcome.kind !== 'accepted') return this.#failed('cancel', outcome);
    this.#mustCancel = false;
    this.#wasCancelAccepted = true;
    this.#cancelled += outcome.cancelled;
    this.#tell('cancel', `cancelled ${outcome.cancelled}, failed ${outcome.failed}`);
    return undefined;
  }

  async #look(): Promise<Failure | undefined> {
    const askedAtMs = this.#options.clock.nowMs();
    const outcome = await this.#bounded(this.#options.door.readOpenOrders(this.#options.scope));
    if (outcome.kind !== 'ok') return this.#failed('list', outcome);
    const onBook = outcome.value.filter(canStillTrade);
    this.#settling = outcome.value.length - onBook.length;
    this.#left = onBook.map((order) => order.orderHash);
    if (this.#left.length === 0) {
      this.#emptySinceMs ??= askedAtMs;
      return undefined;
    }
    this.#emptySinceMs = undefined;
    this.#mustCancel = true;
    this.#trouble = `${this.#left.length} orders are still listed`;
    this.#tell('list', this.#trouble);
    return undefined;
  }

  /** The last look must itself have been a good one, the quiet time after the first empty one. */
  #isProven(): boolean {
    if (!this.#wasCancelAccepted || this.#failuresInRow > 0) return false;
    if (this.#emptySinceMs === undefined) return false;
    return this.#options.clock.nowMs() - this.#emptySinceMs >= this.#options.quietMs;
  }

  #failed(doing: KillStep['doing'], failure: Failure): Failure {
    const call = doing === 'cancel' ? 'DELETE /orders' : 'GET /orders';
    this.#trouble = `${call}: ${describeFailure(failure)}`;
    this.#tell(doing, this.#trouble);
    return failure;
  }

  #backoffMs(failure: Failure): number {
    const doublings = Math.min(this.#failuresInRow - 1, 10);
    const backoffMs = Math.min(BACKOFF_MIN_MS * 2 ** doublings, BACKOFF_MAX_MS);
    const askedForMs = failure.kind === 'refused' ? (failure.refusal.retryAfterMs ?? 0) : 0;
    // A wait that the venue asks for is kept, but never spends all the time that is left.
    return Math.max(backoffMs, Math.min(askedForMs, this.#remainingMs() / 2));
  }

  /** A call that neither answers nor fails must not hold the kill beyond its deadline. */
  async #bounded<Outcome>(call: Promise<Outcome>): Promise<Outcome | Failure> {
    const overdue: Failure = { kind: 'unknown', cause: 'timeout', detail: 'no answer in time' };
    let callOff = () => {};
    const deadline = new Promise<Failure>((resolve) => {
      callOff = this.#options.timers.after(this.#remainingMs(), () => resolve(overdue));
    });
    const answer = call.catch(
      (error: unknown): Failure => ({
        kind: 'unknown',
        cause: 'connection',
        detail: String(error),
      }),
    );
    return await Promise.race([answer, deadline]).finally(() => callOff());
  }

  async #pause(durationMs: number): Promise<void> {
    await new Promise<void>((resolve) => this.#options.timers.after(durationMs, resolve));
  }

  #tell(doing: KillStep['doing'], detail: string): void {
    try {
      this.#options.onProgress?.({ doing, detail });
    } catch {
      // Whoever listens may fail; the kill goes on.
    }
  }

  #tookMs(): number {
    return this.#options.clock.nowMs() - this.#startedAtMs;
  }

  #remainingMs(): number {
    return Math.max(0, this.#options.deadlineMs - this.#tookMs());
  }
}

/**
 * Over REST a matched order stays listed as open until it settles; its resting size tells.
 * @spec Resources and their fields › Order (returned by order placement)
 */
function canStillTrade(order: OrderReport): boolean {
  return order.executed < order.quantity;
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
