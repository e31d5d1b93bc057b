// Matches that wait for their settlement, oldest first.

import type { IntentId, TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { takerFeeOfNano } from '../risk/nano.ts';

/** Matched shares of one own order that wait for settlement. */
export type PendingFill = {
  readonly tokenId: TokenId;
  /** The order that matched; what an older journal kept does not say. */
  readonly intentId?: IntentId | undefined;
  readonly side: Side;
  /** Cash of the whole fill at its price in nano-USDC, negative for a buy, without any fee; see `nano.ts`. */
  readonly cashNano: number;
  /** r of the fee that it pays, of what was sent to take; none of what rested. */
  readonly takerFeeRate?: number | undefined;
  quantity: MicroShares;
  readonly original: MicroShares;
  readonly atMs: UnixMs;
  /** When its order left, where this life can tell: what settled before then is not of it. */
  readonly sentAtMs?: UnixMs | undefined;
  /** An earlier life left it: it may have settled while nobody listened. */
  readonly isRestored?: boolean | undefined;
  /** The start found it on an order of an earlier life: the same, but what settles from now on is of it. */
  readonly isFound?: boolean | undefined;
};

/** It may have settled before anybody of this life listened. */
export function mayBeOver({ isRestored, isFound }: PendingFill): boolean {
  return isRestored === true || isFound === true;
}

/** What a fill adds to a position. */
export function signed(side: Side, quantity: MicroShares): number {
  return side === 'BUY' ? quantity : -quantity;
}

/** What of a fill says what a part of it was counted with. */
type Counted = Pick<PendingFill, 'cashNano' | 'original' | 'takerFeeRate'>;

/** What a part of a fill was counted with, in nano-USDC: at its price, less the fee there. */
export function cashOf(fill: Counted, part: MicroShares): number {
  const { cashNano, original, takerFeeRate } = fill;
  const tradedNano = Math.round((cashNano * part) / original);
  if (takerFeeRate === undefined) return tradedNano;
  const feeNano = takerFeeOfNano(takerFeeRate, Math.abs(cashNano), original);
  return tradedNano - Math.round((feeNano * part) / original);
}

/** USDC has six decimals: no fee takes less than a millionth of one. */
const FEE_STEP_NANO = 1_000;

/** The fee in nano-USDC that a part of a fill pays by what a settlement says that it traded at. */
export function feeAt(fill: Counted, trade: Taken, part: MicroShares): number {
  const { takerFeeRate } = fill;
  if (takerFeeRate === undefined) return 0;
  const cashNano = trade.cashNano ?? (fill.cashNano * trade.quantity) / fill.original;
  return cashFeeNano(takerFeeRate, (Math.abs(cashNano) * part) / trade.quantity, part);
}

/** The fee of a trade as cash moves by it, in nano-USDC. */
export function cashFeeNano(rate: number, tradedNano: number, quantity: MicroShares): number {
  const feeNano = takerFeeOfNano(rate, tradedNano, quantity);
  return Math.floor(feeNano / FEE_STEP_NANO) * FEE_STEP_NANO;
}

/** What all of some fills were counted with, in nano-USDC. */
export function cashOfAll(fills: readonly PendingFill[]): number {
  return fills.reduce((sum, fill) => sum + cashOf(fill, fill.quantity), 0);
}

/** Half a tick of the finest grid on a share: prices further apart are not the same. */
const SAME_PRICE_NANO = 500_000;

/** What became final, or failed: one match as a rule. */
export type Taken = {
  readonly side: Side;
  readonly quantity: MicroShares;
  /** Nano-USDC, negative for a buy; where it is known, it tells matches of other prices apart. */
  readonly cashNano?: number;
};

/**
 * Takes a quantity off the fill it is most likely of, oldest first; returns what found none.
 *
 * A match is the whole of a fill or a part of one, at its price or at a better one. Only where a venue
 * sums up several matches of one price is it more than one fill.
 */
export function takePending(
  pending: PendingFill[],
  trade: Taken,
  onTaken: (fill: PendingFill, taken: MicroShares) => void = () => {},
): MicroShares {
  let left: number = trade.quantity;
  for (const fill of sourcesOf(pending, trade)) {
    const taken = Math.min(left, fill.quantity);
    onTaken(fill, clampShares(taken));
    fill.quantity = clampShares(fill.quantity - taken);
    left -= taken;
    if (fill.quantity === 0) pending.splice(pending.indexOf(fill), 1);
    if (left === 0) break;
  }
  return clampShares(left);
}

/**
 * A trade at a better price than its order's may be of any order that allows it. Those of just its
 * price come first, so that it leaves theirs to the trades at theirs, then those of its size, and then the
 * nearest price.
 */
function sourcesOf(pending: readonly PendingFill[], trade: Taken): readonly PendingFill[] {
  const ofSide = pending.filter((fill) => fill.side === trade.side);
  const alike = ofSide.filter((fill) => isAlike(fill, trade));
  const single = alike.find((fill) => isWhole(fill, trade)) ?? alike.find(holds(trade));
  if (single) return [single];
  if (sumOf(alike) >= trade.quantity) return alike;
  const nearest = nearestBetter(ofSide, trade);
  if (nearest) return [nearest];
  const mixed = mixedUp(ofSide, trade);
  return sumOf(mixed) >= trade.quantity ? mixed : alike;
}

/**
 * What would have fitted a fill but not its rest says that another's match was taken off it before, as
 * two fills may have traded at one better price. Then the shares are those of both, rests first.
 */
function mixedUp(fills: readonly PendingFill[], trade: Taken): readonly PendingFill[] {
  const better = fills.filter((fill) => allows(fill, trade));
  if (!better.some((fill) => isRest(fill) && fill.original >= trade.quantity)) return [];
  return [...better.filter(isRest), ...better.filter((fill) => !isRest(fill))];
}

/** Shares of some fills together. */
export function sumOf(fills: readonly PendingFill[]): number {
  return fills.reduce((sum, { quantity }) => sum + quantity, 0);
}

/**
 * The fill that allowed the price and allowed the least beyond it. One of just the size is likelier than
 * a part of a nearer one: orders differ in size by little accident, and trades rarely in price by much.
 */
function nearestBetter(fills: readonly PendingFill[], trade: Taken): PendingFill | undefined {
  const allowed = fills.filter((fill) => holds(trade)(fill) && allows(fill, trade));
  const whole = allowed.filter((fill) => isWhole(fill, trade));
  return nearest(whole, trade) ?? nearest(allowed, trade);
}

/** The first of those that allowed the least. */
export function nearest(fills: readonly PendingFill[], trade: Taken): PendingFill | undefined {
  let best: PendingFill | undefined;
  let ahead = Number.POSITIVE_INFINITY;
  for (const fill of fills) {
    const gain = gainNano(fill, trade);
    if (gain >= ahead - SAME_PRICE_NANO) continue;
    best = fill;
    ahead = gain;
  }
  return best;
}

/** The only order whose matches a quantity can be of, if there is just one. */
export function onlyOrderOf(
  pending: readonly PendingFill[],
  { side, quantity }: Pick<Taken, 'side' | 'quantity'>,
): IntentId | undefined {
  const sums = new Map<IntentId | undefined, number>();
  for (const fill of pending) {
    if (fill.side !== side) continue;
    sums.set(fill.intentId, (sums.get(fill.intentId) ?? 0) + fill.quantity);
  }
  const found = [...sums].filter(([, matched]) => matched >= quantity);
  const [first] = found;
  return found.length === 1 ? first?.[0] : undefined;
}

export function isOf(intentId: IntentId): (fill: PendingFill) => boolean {
  return (fill) => fill.intentId === intentId;
}

/** Whether a trade is all that waits of a fill. */
export function isWhole({ quantity }: PendingFill, trade: Taken): boolean {
  return quantity === trade.quantity;
}

function holds(trade: Taken): (fill: PendingFill) => boolean {
  return ({ quantity }) => quantity >= trade.quantity;
}

/** Whether a trade was at the price of a fill, as far as that is known. */
export function isAlike(fill: PendingFill, trade: Taken): boolean {
  return Math.abs(gainNano(fill, trade)) <= SAME_PRICE_NANO;
}

/** Whether a trade was at the price of a fill or at a better one, as far as that is known. */
export function allows(fill: PendingFill, trade: Taken): boolean {
  return gainNano(fill, trade) >= -SAME_PRICE_NANO;
}

/** Whether a part of it was taken. */
export function isRest({ quantity, original }: PendingFill): boolean {
  return quantity < original;
}

/** By how much a share was cheaper, or sold dearer, than at the price of a fill. */
function gainNano(fill: PendingFill, { cashNano, quantity }: Taken): number {
  if (cashNano === undefined) return 0;
  return (cashNano / quantity - fill.cashNano / fill.original) * 1_000_000;
}
