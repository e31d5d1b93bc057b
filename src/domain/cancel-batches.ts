// Cancels by name, put into requests. A venue may refuse a whole batch because of one order in it, and
// then that order would keep all the others alive: such a batch goes again in halves, down to the one.
// @spec Endpoints › Cancelling

import { type Consequence, consequenceOf } from './codes.ts';
import type { OrderHash } from './ids.ts';
import type { CancelOutcome } from './message.ts';
import type { UnixMs } from './time.ts';

/** What was learnt of an order: how many may go together, and when that was last refused. */
type Learnt = { readonly most: number; readonly atMs: UnixMs };

/**
 * Requests at once: twice what all open orders of an account take in full batches, so that one
 * stuck order in each of them delays nothing.
 */
const REQUESTS_MAX = 40;
/** Twice the open orders of an account; the oldest go first, and are learnt again. */
const LEARNT_MAX = 4_000;
/**
 * A venue that refused every cancel for a while is asked in full batches again. Longer than the longest
 * pause between two cancels of an order that is refused by its name: that one stays alone.
 */
const LEARNT_MS = 120_000;

export class CancelBatches {
  readonly #largest: number;
  readonly #learnt = new Map<OrderHash, Learnt>();
  #learntAtMs = 0;

  /** @param largest - Hashes that one request may name. */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /**
   * Puts orders into batches, the largest first, each of orders that may go with as many. What does
   * not fit into the requests of one moment is left out, those last whose refusal is the newest.
   */
  group(hashes: readonly OrderHash[], nowMs: UnixMs): readonly (readonly OrderHash[])[] {
    if (nowMs - this.#learntAtMs >= LEARNT_MS) this.#learnt.clear();
    if (this.#learnt.size === 0) return chunks(hashes, this.#largest).slice(0, REQUESTS_MAX);
    const bySize = new Map<number, OrderHash[]>();
    for (const hash of this.#oldestFirst(hashes)) {
      const most = this.#mostOf(hash, nowMs);
      const alike = bySize.get(most);
      if (alike === undefined) bySize.set(most, [hash]);
      else alike.push(hash);
    }
    const sizes = [...bySize].sort(([one], [other]) => other - one);
    return sizes.flatMap(([most, alike]) => chunks(alike, most)).slice(0, REQUESTS_MAX);
  }

  /** One answer has refused all of them together: next time half of them go together at the most. */
  onRefused(hashes: readonly OrderHash[], nowMs: UnixMs): void {
    const most = Math.max(1, Math.ceil(hashes.length / 2));
    this.#learntAtMs = nowMs;
    for (const hash of hashes) {
      // Set anew, so that the oldest stands first.
      this.#learnt.delete(hash);
      this.#learnt.set(hash, { most, atMs: nowMs });
    }
    for (const hash of this.#learnt.keys()) {
      if (this.#learnt.size <= LEARNT_MAX) break;
      this.#learnt.delete(hash);
    }
  }

  #mostOf(hash: OrderHash, nowMs: UnixMs): number {
    const learnt = this.#learnt.get(hash);
    if (learnt === undefined) return this.#largest;
    if (nowMs - learnt.atMs < LEARNT_MS) return learnt.most;
    this.#learnt.delete(hash);
    return this.#largest;
  }

  #oldestFirst(hashes: readonly OrderHash[]): readonly OrderHash[] {
    const atMs = (hash: OrderHash) => this.#learnt.get(hash)?.atMs ?? 0;
    return [...hashes].sort((one, other) => atMs(one) - atMs(other));
  }
}

function chunks(hashes: readonly OrderHash[], size: number): readonly (readonly OrderHash[])[] {
  const result: OrderHash[][] = [];
  for (let start = 0; start < hashes.length; start += size) {
    result.push(hashes.slice(start, start + size));
  }
  return result;
}

const ABOUT_ORDERS: ReadonlySet<Consequence> = new Set(['stopSide', 'stopMarket', 'reconcile']);

/**
 * Whether a cancel was refused for what it names. What is about the account, its credentials, its
 * budget or the venue's health says nothing of the orders: the same request may work later.
 */
export function isAboutOrders(outcome: CancelOutcome): boolean {
  if (outcome.kind !== 'refused') return false;
  const { code, httpStatus = 0, retryAfterMs } = outcome.refusal;
  const isLater = LATER_STATUSES.has(httpStatus) || httpStatus >= 500 || retryAfterMs !== undefined;
  return !isLater && ABOUT_ORDERS.has(consequenceOf(code));
}

const LATER_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** What cannot be cancelled any more, or was never there. @spec Errors */
const NOT_CANCELLABLE: ReadonlySet<string> = new Set(['order_not_found', 'order_not_cancellable']);
const NOT_CANCELLABLE_STATUSES: ReadonlySet<number> = new Set([404, 409]);

/**
 * Whether a refusal is the venue's word that what the request names is not to be cancelled; the list
 * of open orders tells whether it rests. The older reference names no codes, and its status has to do.
 */
export function isNotCancellable(outcome: CancelOutcome): boolean {
  if (outcome.kind !== 'refused' || !isAboutOrders(outcome)) return false;
  const { code, httpStatus = 0 } = outcome.refusal;
  return code === undefined ? NOT_CANCELLABLE_STATUSES.has(httpStatus) : NOT_CANCELLABLE.has(code);
}

/** Whether not all that a request meant was cancelled, by its answer: what is left has ended, or rests. */
export function leavesSome(outcome: CancelOutcome, named: number): boolean {
  if (outcome.kind !== 'accepted') return isNotCancellable(outcome);
  return outcome.failed > 0 || outcome.cancelled < named;
}
