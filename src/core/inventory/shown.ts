// Matches that were taken for settled because the venue's index showed their shares. The frame of such a
// settlement may still come, and tells nothing new then.

import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { allows, cashOf, feeAt, isAlike, type PendingFill, type Taken } from './pending.ts';

/** A match is a minute old before it is taken for settled so: a frame that comes later than this is lost. */
const KEPT_MS = 60_000;
/** They are few: matches whose settlement was not told for a minute. */
const SHOWN_MAX = 200;

type Shown = { readonly fill: PendingFill; readonly atMs: UnixMs; left: MicroShares };

/** Shares of a settlement that were counted before, what they were counted with, and their fee by now, in nano-USDC. */
export type Counted = {
  readonly shares: MicroShares;
  readonly cashNano: number;
  readonly feeNano: number;
  /** It is not just one of them, and may be of a match that nobody told of. */
  readonly isGuess: boolean;
};

const NOTHING: Counted = { shares: clampShares(0), cashNano: 0, feeNano: 0, isGuess: false };

export class ShownFills {
  #shown: Shown[] = [];

  /** Whether the frame of one may still come. */
  get hasAny(): boolean {
    return this.#shown.length > 0;
  }

  add(fill: PendingFill, atMs: UnixMs): void {
    this.#shown.push({ fill, atMs, left: fill.quantity });
    if (this.#shown.length > SHOWN_MAX) this.#shown.shift();
  }

  /** Forgets those whose frames come no more. @returns Whether there were such. */
  expire(nowMs: UnixMs): boolean {
    const kept = this.#shown.filter(({ atMs }) => nowMs - atMs < KEPT_MS);
    const isLess = kept.length < this.#shown.length;
    this.#shown = kept;
    return isLess;
  }

  /**
   * A settlement that is just one of them, unless a match waits for one like it: frames that come so late are rare,
   * and one that never comes would leave that match waiting. Where this was the late one, the other's comes next.
   */
  takeWhole(trade: Taken, pending: readonly PendingFill[]): Counted {
    const found = this.#shown.find(
      (each) => each.left === trade.quantity && isOfFill(each.fill, trade, isAlike),
    );
    if (found === undefined) return NOTHING;
    const isAwaited = pending.some(
      (fill) => fill.quantity === trade.quantity && isOfFill(fill, trade, isAlike),
    );
    return isAwaited
      ? NOTHING
      : this.#take(found, { trade, shares: trade.quantity, isGuess: false });
  }

  /** What no match waited for: it was counted when the venue showed it. */
  takeLeft(trade: Taken, left: MicroShares): Counted {
    const found = this.#shown.find(
      (each) => each.left >= left && isOfFill(each.fill, trade, allows),
    );
    if (found === undefined || left === 0) return NOTHING;
    const isGuess = left < found.fill.quantity || !isAlike(found.fill, trade);
    return this.#take(found, { trade, shares: left, isGuess });
  }

  clear(): void {
    this.#shown = [];
  }

  #take(
    found: Shown,
    of: { readonly trade: Taken; readonly shares: MicroShares; readonly isGuess: boolean },
  ): Counted {
    const { trade, shares, isGuess } = of;
    const { fill } = found;
    found.left = clampShares(found.left - shares);
    if (found.left === 0) this.#shown = this.#shown.filter((each) => each !== found);
    const feeNano = feeAt(fill, trade, shares);
    return { shares, cashNano: cashOf(fill, shares), feeNano, isGuess };
  }
}

function isOfFill(
  fill: PendingFill,
  trade: Taken,
  isAtPrice: (fill: PendingFill, trade: Taken) => boolean,
): boolean {
  return fill.side === trade.side && isAtPrice(fill, trade);
}
