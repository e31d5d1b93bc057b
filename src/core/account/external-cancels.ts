// Cancels of orders on markets that are not quoted, where no ledger keeps them: all that the newest list shows go
// together, and while lists go on showing the same they go ever less often.
// @spec Endpoints › Cancelling

import { type CancelBatches, isAboutOrders } from '../../domain/cancel-batches.ts';
import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelOutcome } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';

/** First pause before they are asked for again; it doubles up to the last. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;
/** A stop shares the way to the venue with these: few are before it. */
const REQUESTS_MAX = 4;
/** An answer that never comes is waited for no longer. */
const ANSWER_MS_MAX = 30_000;

export class ExternalCancels {
  /** What the newest list shows, and of that what no answer was about yet. */
  #shown = new Set<OrderHash>();
  readonly #listed = new Set<OrderHash>();
  #before: ReadonlySet<OrderHash> = new Set();
  #listAskedAtMs = 0;
  readonly #pending = new Map<RequestId, readonly OrderHash[]>();
  readonly #batches: CancelBatches;
  #attempts = 0;
  /** When they were last asked for, or that was answered. */
  #atMs = 0;

  /** @param batches - What is learnt here of refused batches a stop knows, too. */
  constructor(batches: CancelBatches) {
    this.#batches = batches;
  }

  /** A list shows it. @returns Whether the one before did not. */
  onListed(orderHash: OrderHash, askedAtMs: UnixMs): boolean {
    if (askedAtMs > this.#listAskedAtMs) {
      this.#before = this.#shown;
      this.#shown = new Set();
      this.#listed.clear();
      this.#listAskedAtMs = askedAtMs;
    }
    this.#listed.add(orderHash);
    this.#shown.add(orderHash);
    const isNew = !this.#before.has(orderHash);
    // It does not wait for one that is there for long.
    if (isNew) this.#attempts = 0;
    return isNew;
  }

  /**
   * Batches that may leave now.
   * @param mayCancel - Leaves out what somebody else cancels.
   */
  due(
    { nowMs, listAskedAtMs }: { readonly nowMs: UnixMs; readonly listAskedAtMs: UnixMs },
    mayCancel: (orderHash: OrderHash) => boolean,
  ): readonly (readonly OrderHash[])[] {
    // A newer list shows none of them.
    if (listAskedAtMs > this.#listAskedAtMs) this.#listed.clear();
    if (this.#listed.size === 0 || this.#isWaiting(nowMs)) return [];
    const hashes = [...this.#listed].filter(mayCancel);
    return this.#batches.group(hashes, nowMs).slice(0, REQUESTS_MAX);
  }

  #isWaiting(nowMs: UnixMs): boolean {
    const passedMs = nowMs - this.#atMs;
    if (this.#pending.size > 0) {
      if (passedMs < ANSWER_MS_MAX) return true;
      this.#pending.clear();
    }
    if (this.#attempts === 0) return false;
    const pauseMs = Math.min(PAUSE_MS_MIN * 2 ** (this.#attempts - 1), PAUSE_MS_MAX);
    return passedMs < pauseMs;
  }

  onSent(requestId: RequestId, orderHashes: readonly OrderHash[], nowMs: UnixMs): void {
    if (this.#pending.size === 0) this.#attempts += 1;
    this.#pending.set(requestId, orderHashes);
    this.#atMs = nowMs;
  }

  /** @returns Whether the answer is to one of these. */
  onAnswer(requestId: RequestId, outcome: CancelOutcome, nowMs: UnixMs): boolean {
    const orderHashes = this.#pending.get(requestId);
    if (orderHashes === undefined) return false;
    this.#pending.delete(requestId);
    this.#atMs = nowMs;
    const isRefused = isAboutOrders(outcome);
    if (isRefused) this.#batches.onRefused(orderHashes, nowMs);
    // Nobody knows whose refusal it is: they go again in halves, at once. Of all others the next list speaks.
    if (isRefused && orderHashes.length > 1) this.#attempts = 0;
    else for (const orderHash of orderHashes) this.#listed.delete(orderHash);
    if (outcome.kind === 'accepted' && outcome.cancelled > 0) this.#attempts = 0;
    return true;
  }
}
