// Settlements that came before we knew of their match. What is told of it later has settled already.

import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { isAlike, type PendingFill, type Taken } from './pending.ts';

type Waiting = { readonly trade: Taken; readonly atMs: UnixMs; left: MicroShares };

/** A settlement whose match is not known after this long was somebody else's trade. */
const KEPT_MS = 60_000;
/** Matches nobody told us of within that time: a lost user channel at the full write budget. */
const WAITING_MAX = 2_000;

export class Ahead {
  #waiting: Waiting[] = [];

  add(trade: Taken, left: MicroShares, atMs: UnixMs): void {
    this.#waiting.push({ trade, atMs, left });
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
  }

  /** Takes what has settled of a fill that we hear of now, by its side and price. */
  take(fill: PendingFill): MicroShares {
    this.#waiting = this.#waiting.filter(({ atMs }) => fill.atMs - atMs <= KEPT_MS);
    let taken = 0;
    for (const each of this.#waiting) {
      if (each.trade.side !== fill.side || !isAlike(fill, each.trade)) continue;
      const part = Math.min(each.left, fill.quantity - taken);
      each.left = clampShares(each.left - part);
      taken += part;
    }
    this.#waiting = this.#waiting.filter(({ left }) => left > 0);
    return clampShares(taken);
  }

  clear(): void {
    this.#waiting = [];
  }
}
