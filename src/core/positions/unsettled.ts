// What of a token's shares has not settled: own fills that were reported, with the cash that they are counted with,
// and shares that may have traded, which limits count at their worst.
// @spec Architecture decision 8

import type { IntentId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { StoredUncertain } from '../../domain/record.ts';
import { clampShares, type MicroShares, microShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { takerFeeOfNano } from '../kernel/nano.ts';

/** Shares of one own order that have matched. */
export type Fill = {
  /** The order that matched. */
  readonly intentId: IntentId | undefined;
  readonly side: Side;
  /** Cash of all of it at its order's price in nano-USDC, negative for a buy, without any fee. */
  readonly cashNano: number;
  /** r of the taker fee that it pays; absent for a maker's fill. */
  readonly takerFeeRate?: number | undefined;
  /** What of it has not settled yet. */
  quantity: MicroShares;
  readonly original: MicroShares;
  readonly atMs: UnixMs;
};

export type ReportedFill = Fill & {
  /** When its order was sent: nothing that settled before can be of it. */
  readonly sentAtMs: UnixMs;
};

/** What the chain settled: shares of one side, and their cash in nano-USDC, negative for a buy. */
export type Settled = {
  readonly side: Side;
  readonly quantity: MicroShares;
  readonly cashNano: number;
};

/** What shares of a side add to a position. */
export function signed(side: Side, quantity: number): number {
  return side === 'BUY' ? quantity : -quantity;
}

type Priced = Pick<Fill, 'cashNano' | 'original' | 'takerFeeRate'>;

/** What a part of a fill was counted with when it was reported: its order's price, less the fee there. */
export function cashOf(fill: Priced, part: MicroShares): number {
  const tradedNano = Math.round((fill.cashNano * part) / fill.original);
  return tradedNano - feeNano(fill.takerFeeRate, tradedNano, part);
}

/** The fee that a part of a fill pays at the price at which it settled. */
export function feeAtSettlement(
  { takerFeeRate }: Pick<Fill, 'takerFeeRate'>,
  settled: Settled,
  part: MicroShares,
): number {
  return feeNano(takerFeeRate, (settled.cashNano * part) / settled.quantity, part);
}

/** USDC has six decimals: no fee takes less than a millionth of one. */
const FEE_STEP_NANO = 1_000;

function feeNano(rate: number | undefined, tradedNano: number, part: MicroShares): number {
  if (rate === undefined) return 0;
  const nano = takerFeeOfNano(rate, Math.abs(tradedNano), part);
  return Math.floor(nano / FEE_STEP_NANO) * FEE_STEP_NANO;
}

/** A hundredth of a tick of the finest grid on a share: what is further off may be an average of several prices. */
const SAME_PRICE_NANO = 10_000;
/** Half a tick of it. */
const WORSE_NANO = 500_000;

type AtPrice = Pick<Fill, 'cashNano' | 'original'>;

/** Whether a trade was at the price of a fill. A maker's always is; a taker's may be better. */
export function isAtPrice(fill: AtPrice, trade: Settled): boolean {
  return Math.abs(aheadNano(fill, trade)) <= SAME_PRICE_NANO;
}

/** An order never trades worse than its price. */
export function isNotWorse(fill: AtPrice, trade: Settled): boolean {
  return aheadNano(fill, trade) >= -WORSE_NANO;
}

/** Of one share. */
function aheadNano({ cashNano, original }: AtPrice, trade: Settled): number {
  return (trade.cashNano / trade.quantity - cashNano / original) * 1_000_000;
}

/** Shares of one side that may have traded, between none and `quantity`; BUY raises the position. */
export type UncertainItem = StoredUncertain;

export type Unsettled = {
  /** Own fills that have not settled, oldest first. */
  pending: Fill[];
  uncertain: UncertainItem[];
  /** When shares last came, and when they last went, as settlements and sets say. */
  movedAtMs: { readonly [side in Side]?: UnixMs | undefined };
};

export function pendingOf({ pending }: Pick<Unsettled, 'pending'>, side: Side): number {
  let total = 0;
  for (const fill of pending) if (fill.side === side) total += fill.quantity;
  return total;
}

/** Items, and settlements that wait, of one token: each is looked at with every change, and kept with it. */
export const EACH_MAX = 500;

/** What may have traded. Of very many the last ones are one, which no report closes any more: only balances do. */
export function addUncertain(token: Unsettled, item: UncertainItem): void {
  const { uncertain } = token;
  const isLike = ({ cause, side, isOwed }: UncertainItem) =>
    cause === item.cause && side === item.side && isOwed === item.isOwed;
  const at = uncertain.length < EACH_MAX ? -1 : uncertain.findLastIndex(isLike);
  const like = uncertain[at];
  if (like === undefined) {
    uncertain.push(item);
    return;
  }
  const { cause, side, sinceMs, isOwed } = item;
  const cashNano = like.cashNano + item.cashNano;
  const quantity = clampShares(like.quantity + item.quantity);
  uncertain[at] = { cause, side, quantity, cashNano, sinceMs, isOwed };
}

/** Shares that uncertain items of a side may add or take; what is owed is on no read, and costs room only. */
export function uncertainOf(token: Unsettled, side: Side): number {
  let total = 0;
  for (const item of boundedItems(token))
    if (item.side === side && item.isOwed !== true) total += item.quantity;
  return total;
}

/**
 * Items as large as they may be together: a failed trade that may be of several tokens has an item on each, and
 * fails no more of a token than is pending there.
 */
export function boundedItems(token: Unsettled): readonly UncertainItem[] {
  const { uncertain } = token;
  if (uncertain.every(isBeyondPending)) return uncertain;
  const left = { BUY: pendingOf(token, 'SELL'), SELL: pendingOf(token, 'BUY') };
  return uncertain.flatMap((item) => {
    if (isBeyondPending(item)) return [item];
    const part = microShares(Math.min(item.quantity, left[item.side]));
    left[item.side] -= part;
    return part === 0 ? [] : [partOf(item, part)];
  });
}

function partOf(item: UncertainItem, part: MicroShares): UncertainItem {
  if (part === item.quantity) return item;
  const cashNano = Math.round((item.cashNano * part) / item.quantity);
  return { ...item, quantity: part, cashNano };
}

/** Whether an item is about shares that may have settled, and not about fills that are pending anyway. */
export function isBeyondPending({ cause, isOwed }: UncertainItem): boolean {
  return isOwed === true || (cause !== 'trade_failed' && cause !== 'unsettled');
}

/** Takes a quantity off the items that fit, oldest first; an item of nothing is closed. */
export function narrow(
  token: Unsettled,
  fits: (item: UncertainItem) => boolean,
  quantity: MicroShares,
): void {
  let left: number = quantity;
  token.uncertain = token.uncertain.flatMap((item) => {
    if (left === 0 || !fits(item)) return [item];
    const part = Math.min(left, item.quantity);
    left -= part;
    return part === item.quantity ? [] : [partOf(item, microShares(item.quantity - part))];
  });
}

// What was reported to have traded, and a number of the balances took back: limits count it until something says what
// became of it.

/** No chain is trusted to be later with a fill, and no index with a settlement. */
export const LATE_MS_MAX = 3_600_000;

/** Fills that an adopted number took back, and that were reported. */
const isLate = ({ cause, isOwed }: UncertainItem) => isOwed === true && cause === 'unsettled';

/**
 * A late chain may have settled the oldest of what it owes at that price instead: then it owes this fill, and has come
 * up to that. What it owes at another price grows older.
 */
export function settledUpTo(
  token: Unsettled,
  fill: Fill,
  { part, trade }: { readonly part: MicroShares; readonly trade: Settled },
): UnixMs {
  const isOf = (item: UncertainItem) =>
    isLate(item) &&
    item.side === fill.side &&
    isAtPrice({ ...item, original: item.quantity }, trade);
  const owed = token.uncertain.filter(isOf);
  const [oldest] = owed;
  if (oldest === undefined) return fill.atMs;
  const instead = microShares(Math.min(part, sumOf(owed)));
  narrow(token, isOf, instead);
  owe(token, fill, instead);
  return oldest.sinceMs;
}

/** Nobody has reported that it failed, and the chain may be late by more than any read waits: limits count it on. */
export function owe(token: Unsettled, fill: Fill, quantity = fill.quantity): void {
  const { side, atMs: sinceMs } = fill;
  const cashNano = cashOf(fill, quantity);
  addUncertain(token, { cause: 'unsettled', isOwed: true, side, quantity, cashNano, sinceMs });
}

/** Own shares that an index took back: they are paid, and only balances do not show them. */
export function isTakenBack({ isOwed, cause }: UncertainItem): boolean {
  return isOwed === true && cause === 'balances_differ';
}

function sumOf(items: readonly UncertainItem[]): number {
  return items.reduce((sum, { quantity }) => sum + quantity, 0);
}
