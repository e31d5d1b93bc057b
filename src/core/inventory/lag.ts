// What a position read over REST may show of a token while its index lags behind the chain.
// @spec Architecture decision 8

import { clampShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { Ahead } from './ahead.ts';
import { isAlike, type PendingFill, signed, type Taken } from './pending.ts';
import type { CashEvidence } from './settled-among.ts';
import { ShownFills } from './shown.ts';
import { Takings } from './takings.ts';

/** What is known of one token's shares. */
export type TokenState = {
  settled: MicroShares;
  /** Matched and not settled, oldest first. */
  pending: PendingFill[];
  readonly ahead: Ahead;
  /** Whose match each settlement of late was taken for. */
  readonly takings: Takings;
  changedAtMs: UnixMs | undefined;
  /** What was settled before, and until when: a lagging index shows one of these. */
  past: Past[];
  /** Until when an earlier life knew what was settled: a lagging index may show what this one does not know. */
  unknownUntilMs: UnixMs | undefined;
  /** Matches that were settled because the venue showed them, and whose frames may still come. */
  readonly shown: ShownFills;
  /** When it was last taken from what balances showed: settlements of before may be in it untold. */
  shownAtMs: UnixMs | undefined;
  /** What the venue last showed that differs from ours. */
  dissent: { readonly amount: MicroShares; readonly sinceMs: UnixMs } | undefined;
  /** Since when no lag explains what the venue shows, nor what it never settled. */
  unexplainedSinceMs: UnixMs | undefined;
  /** Known to be wrong, and by what is not: only the venue's number after quiet puts it right. */
  isDoubted: boolean;
};

/** A token of which nothing is known yet. */
export function freshToken(): TokenState {
  return {
    settled: NO_SHARES,
    pending: [],
    ahead: new Ahead(),
    takings: new Takings(),
    changedAtMs: undefined,
    past: [],
    unknownUntilMs: undefined,
    shown: new ShownFills(),
    shownAtMs: undefined,
    dissent: undefined,
    unexplainedSinceMs: undefined,
    isDoubted: false,
  };
}

/** Settled and matched together. */
export function positionOf({ settled, pending }: TokenState): MicroShares {
  let total: number = settled;
  for (const fill of pending) total += signed(fill.side, fill.quantity);
  return clampShares(total);
}

/** Settled shares that no matched sell has taken yet. */
export function sellableOf({ settled, pending }: TokenState): MicroShares {
  let free: number = settled;
  for (const fill of pending) if (fill.side === 'SELL') free -= fill.quantity;
  return clampShares(Math.max(0, free));
}

/** Shares came or went by no trade; an index that lags behind trades shows them and older trades together. */
export function adjustBy(token: TokenState, change: number, nowMs: UnixMs): void {
  token.settled = clampShares(token.settled + change);
  token.past = token.past.map((past) => ({
    ...past,
    settled: clampShares(past.settled + change),
  }));
  token.changedAtMs = nowMs;
  token.shownAtMs = nowMs;
  token.dissent = undefined;
}

/**
 * What changed since a moment, and what was settled until after it, did so now.
 * @returns Whether it had changed since then.
 */
export function restartLag(token: TokenState, sinceMs: UnixMs, nowMs: UnixMs): boolean {
  const { changedAtMs, unknownUntilMs } = token;
  const hasChanged = changedAtMs !== undefined && changedAtMs >= sinceMs;
  if (hasChanged) token.changedAtMs = nowMs;
  if (unknownUntilMs !== undefined && unknownUntilMs >= sinceMs) token.unknownUntilMs = nowMs;
  token.past = token.past.map((past) =>
    past.untilMs >= sinceMs ? { ...past, untilMs: nowMs } : past,
  );
  token.dissent = undefined;
  return hasChanged;
}

type Past = { readonly settled: MicroShares; readonly untilMs: UnixMs };

/** When balances were asked for, and by how much what they show may lag behind. */
export type Asked = { readonly askedAtMs: UnixMs; readonly positionLagMs: number };

/** A read of balances, and what it may lag behind. */
export type ReadAt = Asked & {
  /** Cash moved by just the settlements that we were told of. */
  readonly isCashExplained: boolean;
  /** What else cash says of matches that nobody told of any more; nothing where it is not known. */
  readonly cash?: CashEvidence | undefined;
};

/** A match of this age is settled if it ever was (15 to 20 s); only its frame may be missing. */
export const SETTLED_BY_MS = 60_000;

/** A number that no lag explains may be a frame that is still on its way: it must last. */
const UNEXPLAINED_MS = 30_000;

/** Sums of settlements that are tried: ten of different sizes within one lag, more of like ones. */
const SUMS_MAX = 1_024;

/** Something that no lag explains has been shown for so long that no frame will explain it. */
export function isLongUnexplained({ unexplainedSinceMs }: TokenState, atMs: UnixMs): boolean {
  return unexplainedSinceMs !== undefined && atMs - unexplainedSinceMs >= UNEXPLAINED_MS;
}

/** A match that even a lagging index should have shown as settled by now. */
export function isOverdue(token: TokenState, { askedAtMs, positionLagMs }: ReadAt): boolean {
  const [oldest] = token.pending;
  return oldest !== undefined && askedAtMs - oldest.atMs > positionLagMs + SETTLED_BY_MS;
}

/** A match that has settled if it ever will, by the interface's own times. */
export function hasOldPending({ pending }: TokenState, atMs: UnixMs): boolean {
  const [oldest] = pending;
  return oldest !== undefined && atMs - oldest.atMs >= SETTLED_BY_MS;
}

/**
 * Whether a trade that a match is settled by may be of one that nobody told of: the match may have settled
 * unheard, in another life or by its age, and the trade is not just what it was. @spec Settlement outcome
 */
export function isGuess(
  fill: PendingFill,
  taken: MicroShares,
  of: { readonly trade: Taken; readonly atMs: UnixMs },
): boolean {
  const mayHaveSettled = fill.isRestored === true || of.atMs - fill.atMs >= SETTLED_BY_MS;
  return mayHaveSettled && !(taken === fill.original && isAlike(fill, of.trade));
}

/** Nothing has happened to it for as long as an index lags: what that shows is what there is. */
export function isQuiet({ changedAtMs }: TokenState, { askedAtMs, positionLagMs }: Asked): boolean {
  return changedAtMs === undefined || askedAtMs - changedAtMs > positionLagMs;
}

/** Amounts from before this life may still show, and it knows none of them. */
export function isPastUnknown({ unknownUntilMs }: TokenState, at: ReadAt): boolean {
  return unknownUntilMs !== undefined && at.askedAtMs - unknownUntilMs <= at.positionLagMs;
}

/** It is what is settled, or was within the lag. */
export function wasEver({ settled, past }: TokenState, amount: number): boolean {
  return amount === settled || past.some((each) => each.settled === amount);
}

/** What is settled, and what was since a moment. */
export function settledSince({ settled, past }: TokenState, sinceMs: number): readonly number[] {
  const lately = past.filter(({ untilMs }) => untilMs >= sinceMs);
  return [settled, ...lately.map((each) => each.settled)];
}

/**
 * Whether some of the settlements within the lag, in whatever order, make the amount. They may hide
 * one that we were never told of, so this counts only while cash is explained.
 */
export function isWithinLag({ past, settled }: TokenState, amount: MicroShares): boolean {
  const amounts: readonly number[] = [...past.map((each) => each.settled), settled];
  // What the index does not show yet is a sum of some of the changes.
  const missing = settled - amount;
  const sums = new Set([0]);
  for (const [index, before] of amounts.entries()) {
    const change = (amounts[index + 1] ?? before) - before;
    if (change === 0) continue;
    for (const sum of [...sums]) sums.add(sum + change);
    if (sums.has(missing)) return true;
    // So many of them make nearly any amount.
    if (sums.size > SUMS_MAX) return isBetween(amounts, amount);
  }
  return sums.has(missing);
}

/** An amount that changes of these amounts could make, if each could be shown in part. */
function isBetween(amounts: readonly number[], amount: number): boolean {
  let least = amounts[0] ?? amount;
  let most = least;
  amounts.slice(1).forEach((after, index) => {
    const change = after - (amounts[index] ?? after);
    if (change < 0) least += change;
    else most += change;
  });
  return amount >= least && amount <= most;
}

/** The venue is ahead of us: just the oldest matches have settled, and nobody has told us yet. */
export function showsOldestSettled(token: TokenState, amount: MicroShares): boolean {
  let sum: number = token.settled;
  return token.pending.some((fill) => {
    sum += signed(fill.side, fill.quantity);
    return sum === amount;
  });
}

/**
 * How many of the oldest matches are settled, as the venue shows just them beside what we know of.
 * What a lagging index may show of before says nothing of now.
 */
export function countShown(token: TokenState, amount: MicroShares, at: ReadAt): number {
  if (isPastUnknown(token, at) || wasEver(token, amount)) return 0;
  let change = 0;
  for (const [index, fill] of token.pending.entries()) {
    if (at.askedAtMs - fill.atMs < SETTLED_BY_MS) return 0;
    change += signed(fill.side, fill.quantity);
    const without = amount - change;
    if (without === token.settled) return index + 1;
    // These beside an amount of before explain it, so that it says nothing of later ones.
    if (wasEver(token, without)) return 0;
  }
  return 0;
}
