// Cancels of orders on markets that are not quoted, where no ledger keeps them: all that a list shows go
// together, and one that is listed again after its cancel waits longer each time.
// @spec Endpoints › Cancelling

import { type CancelBatches, isAboutOrders } from '../../domain/cancel-batches.ts';
import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { CancelOutcome } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { dropOldest, OPEN_ORDERS_OF_ACCOUNT_MAX } from '../kernel/bounds.ts';

/** First pause before one that is still listed is asked for again; it doubles up to the last. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;
/** A stop shares the way to the venue with these: few are before it, and halves come one after the other. */
const UNDER_WAY_MAX = 4;
const GAP_MS = 250;
/** An answer that never comes frees its place by then. */
const ANSWER_MS_MAX = 60_000;
/** What no list has shown for so long is forgotten, pauses and all. */
const FORGET_MS = 120_000;
/** Twice what an account may have open; the one that was listed longest ago goes first. */
const KEPT_MAX = 2 * OPEN_ORDERS_OF_ACCOUNT_MAX;

type ExternalOrder = {
  /** When the newest list that showed it was asked for. */
  shownAtMs: UnixMs;
  attempts: number;
  /** When it was last asked for, or when that was answered; none once it may go at once. */
  atMs: UnixMs | undefined;
};

type Request = { readonly orderHashes: readonly OrderHash[]; readonly atMs: UnixMs };

export class ExternalCancels {
  readonly #externals = new Map<OrderHash, ExternalOrder>();
  readonly #pending = new Map<RequestId, Request>();
  readonly #batches: CancelBatches;
  #sentAtMs: number | undefined;

  /** @param batches - What is learnt here of refused batches a stop knows, too. */
  constructor(batches: CancelBatches) {
    this.#batches = batches;
  }

  /**
   * A list shows it.
   * @returns Whether it is new.
   */
  onListed(orderHash: OrderHash, askedAtMs: UnixMs): boolean {
    const known = this.#externals.get(orderHash);
    // Set anew, so that the one that was listed longest ago stands first.
    this.#externals.delete(orderHash);
    const external = known ?? { shownAtMs: askedAtMs, attempts: 0, atMs: undefined };
    external.shownAtMs = askedAtMs;
    this.#externals.set(orderHash, external);
    dropOldest(this.#externals, KEPT_MAX);
    return known === undefined;
  }

  /**
   * Batches that may leave now, of what the newest list shows.
   * @param mayCancel - Leaves out what somebody else cancels.
   */
  due(
    at: { readonly nowMs: UnixMs; readonly listAskedAtMs: UnixMs },
    mayCancel: (orderHash: OrderHash) => boolean,
  ): readonly (readonly OrderHash[])[] {
    if (this.#externals.size === 0) return [];
    this.#forgetUnanswered(at.nowMs);
    const room = UNDER_WAY_MAX - this.#pending.size;
    if (room <= 0 || at.nowMs - (this.#sentAtMs ?? -GAP_MS) < GAP_MS) return [];
    const hashes: OrderHash[] = [];
    for (const [orderHash, external] of this.#externals) {
      const isShown = external.shownAtMs >= at.listAskedAtMs;
      if (at.listAskedAtMs - external.shownAtMs > FORGET_MS) this.#externals.delete(orderHash);
      if (isShown && isDue(external, at.nowMs) && mayCancel(orderHash)) hashes.push(orderHash);
    }
    return this.#batches.group(hashes, at.nowMs).slice(0, room);
  }

  onSent(requestId: RequestId, orderHashes: readonly OrderHash[], nowMs: UnixMs): void {
    this.#sentAtMs = nowMs;
    this.#pending.set(requestId, { orderHashes, atMs: nowMs });
    for (const orderHash of orderHashes) {
      const external = this.#externals.get(orderHash);
      if (external === undefined) continue;
      external.attempts += 1;
      external.atMs = nowMs;
    }
  }

  /** @returns Whether the answer is to one of these. */
  onAnswer(requestId: RequestId, outcome: CancelOutcome, nowMs: UnixMs): boolean {
    const request = this.#pending.get(requestId);
    if (request === undefined) return false;
    this.#pending.delete(requestId);
    const isRefused = isAboutOrders(outcome);
    if (isRefused) this.#batches.onRefused(request.orderHashes, nowMs);
    // Nobody knows whose refusal it is: the others do not wait, and go again in halves.
    const isHalved = isRefused && request.orderHashes.length > 1;
    for (const orderHash of request.orderHashes) {
      const external = this.#externals.get(orderHash);
      if (external === undefined) continue;
      external.atMs = isHalved ? undefined : nowMs;
      if (isHalved) external.attempts = Math.max(0, external.attempts - 1);
    }
    return true;
  }

  #forgetUnanswered(nowMs: UnixMs): void {
    for (const [requestId, { atMs }] of this.#pending) {
      if (nowMs - atMs >= ANSWER_MS_MAX) this.#pending.delete(requestId);
    }
  }
}

/** After a cancel only a newer list says that it still rests. */
function isDue({ shownAtMs, attempts, atMs }: ExternalOrder, nowMs: UnixMs): boolean {
  if (atMs === undefined) return true;
  const pauseMs = Math.min(PAUSE_MS_MIN * 2 ** (attempts - 1), PAUSE_MS_MAX);
  return shownAtMs > atMs && nowMs - atMs >= pauseMs;
}
