// What is armed, how armed cancels turned out, and what a market learnt from it.

import type { Arm, FiredCancel, MarketArms } from '../../domain/arms.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';

/** Half ticks that a middle may move beyond the tolerance where targets turned out not to follow it. */
const CAUTION_MAX = 4;
/** Cancels in a row that were right, after which a market is armed half a tick nearer. */
const RIGHT_IN_A_ROW = 8;
/** Placements in a row that no decision wanted, after which a market arms none for a while. */
const WRONG_IN_A_ROW = 3;
/** A market whose cancels are wrong at the greatest caution is not armed for so long. */
const PAUSE_MS = 300_000;

/** What is armed over all markets, and what became of it. */
export class Arms<Market> {
  readonly standing = new Map<MarketId, MarketArms>();
  /** Markets whose plan or orders have changed since they were armed. */
  readonly touched = new Set<Market>();
  #version = 0;
  /** Orders whose cancel a frame has set off, and of them those that a decision has looked at since. */
  fired = 0;
  right = 0;
  wrong = 0;
  /** The same of orders that have left before their decision. */
  placed = 0;
  unwanted = 0;

  /** The other side stays armed. */
  onFired({ marketId, requestId }: Pick<FiredCancel, 'marketId' | 'requestId'>): void {
    const before = this.standing.get(marketId);
    if (before === undefined) return;
    const left = (arm: Arm | undefined) => (arm?.requestId === requestId ? undefined : arm);
    this.standing.set(marketId, { ...before, bids: left(before.bids), asks: left(before.asks) });
  }

  nextVersion(): number {
    this.#version += 1;
    return this.#version;
  }
}

/** What one market has learnt of its armed cancels. */
export class Aim {
  /** Orders whose cancel has fired, until a decision says whether they should have gone. */
  fired: readonly OwnOrder[] = [];
  caution = 0;
  pausedUntilMs = 0;
  /** Orders that have left ahead, until a decision says whether it wants them. */
  placed: readonly OwnOrder[] = [];
  placementsPausedUntilMs = 0;
  /** When the touch of others was seen to move last, or the market was armed first. */
  movedAtMs = 0;
  #placedWrong = 0;
  #rightInARow = 0;

  onRight(): void {
    this.#rightInARow += 1;
    if (this.#rightInARow < RIGHT_IN_A_ROW) return;
    this.#rightInARow = 0;
    this.caution = Math.max(0, this.caution - 1);
  }

  /** Each one that is not wanted has cost a write: what was wrong so often in a row is not armed for a while. */
  onPlaced(isWanted: boolean, nowMs: UnixMs): void {
    this.#placedWrong = isWanted ? 0 : this.#placedWrong + 1;
    if (this.#placedWrong < WRONG_IN_A_ROW) return;
    this.#placedWrong = 0;
    this.placementsPausedUntilMs = nowMs + PAUSE_MS;
  }

  onWrong(nowMs: UnixMs): void {
    this.#rightInARow = 0;
    if (this.caution === CAUTION_MAX) this.pausedUntilMs = nowMs + PAUSE_MS;
    else this.caution += 1;
  }
}
