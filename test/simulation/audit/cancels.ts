// One cancel of an order is under way at a time, and one that could not be confirmed is asked for again
// at a growing distance: no order is named in cancel after cancel.

import type { OrderHash } from '../../../src/domain/ids.ts';
import type { Flight } from '../world/network.ts';

const WINDOW_MS = 10_000;
/** Six fit into the window where each is answered at once and fails, two more while lists ask again. */
const CANCELS_MAX = 10;
/** A stop names what it cancels too, at distances that grow from a tenth of a second. */
const CANCELS_OF_STOPS = 9;
/** Hashes are forgotten when none was named for the window; looked through this often. */
const SWEEP_EVERY = 2_000;

export class CancelCount {
  readonly #times = new Map<string, number[]>();
  #sent = 0;

  /** @returns The order that is named too often, and how often, if there is one. */
  onSent(flight: Flight, nowMs: number): { hash: OrderHash; count: number } | undefined {
    const hashes = cancelledBy(flight);
    if (hashes.length === 0) return undefined;
    this.#sweep(nowMs);
    let worst: { hash: OrderHash; count: number } | undefined;
    for (const hash of hashes) {
      const times = (this.#times.get(hash) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS);
      times.push(nowMs);
      this.#times.set(hash, times);
      if (times.length > CANCELS_MAX + CANCELS_OF_STOPS) worst = { hash, count: times.length };
    }
    return worst;
  }

  onProcessStarts(): void {
    this.#times.clear();
  }

  #sweep(nowMs: number): void {
    this.#sent += 1;
    if (this.#sent % SWEEP_EVERY !== 0) return;
    for (const [hash, times] of this.#times) {
      const latest = times.at(-1) ?? 0;
      if (nowMs - latest >= WINDOW_MS) this.#times.delete(hash);
    }
  }
}

/** The orders that a request names to be cancelled. */
export function cancelledBy({ request }: Flight): readonly OrderHash[] {
  if (!request.target.endsWith('/orders/batch-cancel')) return [];
  const parsed: { readonly orderHashes: readonly OrderHash[] } = JSON.parse(request.body);
  return parsed.orderHashes;
}
