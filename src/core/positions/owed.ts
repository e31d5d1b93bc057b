// What was reported to have traded, and a number of the balances took back: limits count it until something says what
// became of it.
// @spec Architecture decision 8

import { type MicroShares, microShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { cashOf, type Fill, type Settled } from './fill.ts';
import {
  addUncertain,
  isAtPrice,
  narrow,
  type TokenPosition,
  type UncertainItem,
} from './token-position.ts';

/** No chain is trusted to be later with a fill, and no index with a settlement. */
export const LATE_MS_MAX = 3_600_000;

/** Fills that an adopted number took back, and that were reported. */
const isLate = ({ cause, isOwed }: UncertainItem) => isOwed === true && cause === 'unsettled';

/**
 * A late chain may have settled the oldest of what it owes at that price instead: then it owes this fill, and has come
 * up to that. What it owes at another price grows older.
 */
export function settledUpTo(
  token: TokenPosition,
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
  const all = owed.reduce((sum, { quantity }) => sum + quantity, 0);
  const instead = microShares(Math.min(part, all));
  narrow(token, isOf, instead);
  owe(token, fill, instead);
  return oldest.sinceMs;
}

/** Nobody has reported that it failed, and the chain may be late by more than any read waits: limits count it on. */
export function owe(token: TokenPosition, fill: Fill, quantity = fill.quantity): void {
  const { side, atMs: sinceMs } = fill;
  const cashNano = cashOf(fill, quantity);
  addUncertain(token, { cause: 'unsettled', isOwed: true, side, quantity, cashNano, sinceMs });
}
