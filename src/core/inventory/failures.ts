// Settlements that failed and may be of one of several orders: the next list of open orders that shows
// one with less traded says which it was, and is believed for as much as failed.

import type { TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';

type Failure = {
  readonly tokenId: TokenId;
  readonly side: Side;
  readonly atMs: UnixMs;
  left: number;
};

/** Lists come every few seconds; what none of them has shown by then rests nowhere. */
const KEPT_MS = 120_000;
/** Settlements that fail within that time: a chain that takes none, at the full write budget. */
const FAILURES_MAX = 1_000;

export class FailedTrades {
  #failures: Failure[] = [];

  add(failure: Omit<Failure, 'left'>, quantity: MicroShares): void {
    this.#failures.push({ ...failure, left: quantity });
    if (this.#failures.length > FAILURES_MAX) this.#failures.shift();
  }

  /** Whether just as much failed at once, not before a moment; it is used up. */
  takeWhole(
    of: Omit<Failure, 'left' | 'atMs'> & { readonly sinceMs: UnixMs | undefined },
    quantity: number,
    nowMs: UnixMs,
  ): boolean {
    this.#forget(nowMs);
    const found = this.#failures.find(
      ({ tokenId, side, left, atMs }) =>
        tokenId === of.tokenId &&
        side === of.side &&
        left === quantity &&
        (of.sinceMs === undefined || atMs >= of.sinceMs),
    );
    this.#failures = this.#failures.filter((each) => each !== found);
    return found !== undefined;
  }

  /** Whether so much failed of a token and side; what it explains is used up. */
  take(of: Omit<Failure, 'left' | 'atMs'>, quantity: number, nowMs: UnixMs): boolean {
    this.#forget(nowMs);
    const found = this.#failures.filter(
      ({ tokenId, side }) => tokenId === of.tokenId && side === of.side,
    );
    if (found.reduce((sum, { left }) => sum + left, 0) < quantity) return false;
    let wanted = quantity;
    for (const failure of found) {
      const part = Math.min(failure.left, wanted);
      failure.left -= part;
      wanted -= part;
    }
    this.#failures = this.#failures.filter(({ left }) => left > 0);
    return true;
  }

  #forget(nowMs: UnixMs): void {
    this.#failures = this.#failures.filter(({ atMs }) => nowMs - atMs < KEPT_MS);
  }
}
