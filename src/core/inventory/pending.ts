// Matches that wait for their settlement, oldest first.

import type { IntentId, TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';

/** Matched shares of one own order that wait for settlement. */
export type PendingFill = {
  readonly tokenId: TokenId;
  /** The order that matched; what an older journal kept does not say. */
  readonly intentId?: IntentId | undefined;
  readonly side: Side;
  /** Cash of the whole fill in nano-USDC, negative for a buy; see `nano.ts`. */
  readonly cashNano: number;
  quantity: MicroShares;
  readonly original: MicroShares;
  readonly atMs: UnixMs;
};

/** What a fill adds to a position. */
export function signed(side: Side, quantity: MicroShares): number {
  return side === 'BUY' ? quantity : -quantity;
}

/** Takes a quantity off the oldest fills of one side; returns what found none. */
export function takePending(
  pending: PendingFill[],
  side: Side,
  quantity: MicroShares,
  onTaken: (fill: PendingFill, taken: MicroShares) => void = () => {},
): MicroShares {
  let left: number = quantity;
  // A settlement is of one match: one of its size is the likelier, and the rest stays as old as it is.
  const exact = pending.findIndex((fill) => fill.side === side && fill.quantity === quantity);
  for (let at = Math.max(0, exact); at < pending.length && left > 0; ) {
    const fill = pending[at];
    if (fill === undefined || fill.side !== side) {
      at += 1;
      continue;
    }
    const taken = Math.min(left, fill.quantity);
    onTaken(fill, clampShares(taken));
    fill.quantity = clampShares(fill.quantity - taken);
    left -= taken;
    if (fill.quantity === 0) pending.splice(at, 1);
    else at += 1;
  }
  return clampShares(left);
}
