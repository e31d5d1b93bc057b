// Which of the listed orders the venue refuses to cancel: it has answered so again and again, and listed them all the same.

import { isNotCancellable } from '../domain/cancel-batches.ts';
import type { OrderHash } from '../domain/ids.ts';
import type { CancelOutcome, Failure } from '../domain/message.ts';

/** Rounds of refusals after which the venue is trusted. */
const REFUSED_ROUNDS = 3;

export class Refusals {
  /** Rounds in which an order was refused, by its name, and the next list showed it. */
  #rounds: ReadonlyMap<OrderHash, number> = new Map();
  #now = new Set<OrderHash>();

  /**
   * Neither counts nor the refusal of a whole batch say which of several it was: only an answer that
   * cancels none refuses each, also where it counts them nowhere, and the refusal of one that is named alone.
   */
  note(hashes: readonly OrderHash[], outcome: CancelOutcome | Failure): void {
    const isNone =
      outcome.kind === 'accepted'
        ? outcome.cancelled === 0
        : hashes.length === 1 && isNotCancellable(outcome);
    if (isNone) for (const hash of hashes) this.#now.add(hash);
  }

  /** Those of before a list is asked for: only they are refuted or confirmed by it. */
  take(): ReadonlySet<OrderHash> {
    const taken = this.#now;
    this.#now = new Set();
    return taken;
  }

  /** What that list shows. */
  onListed(hashes: readonly OrderHash[], taken: ReadonlySet<OrderHash>): void {
    const before = (hash: OrderHash) => this.#rounds.get(hash) ?? 0;
    this.#rounds = new Map(hashes.map((hash) => [hash, before(hash) + (taken.has(hash) ? 1 : 0)]));
  }

  has(hash: OrderHash): boolean {
    return (this.#rounds.get(hash) ?? 0) >= REFUSED_ROUNDS;
  }
}
