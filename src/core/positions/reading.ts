// What one read of the balances says of a token: it agrees, or it lags, or it shows shares that nobody
// reported. The index lags a settlement by 30 s to 2 min, so a number is judged by what was true of late.
// @spec Resources and their fields › Balances

import type { Side } from '../../domain/order.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { confirmOldest, expectedOf, pruneToken, type TokenPosition } from './token-position.ts';
import {
  addUncertain,
  cashOf,
  type Fill,
  isBeyondPending,
  narrow,
  owe,
  pendingOf,
  signed,
  type UncertainItem,
  uncertainOf,
} from './unsettled.ts';

export type ReadAt = {
  readonly askedAtMs: UnixMs;
  readonly nowMs: UnixMs;
  readonly positionLagMs: number;
  /** The last known price of one share, for shares that nobody reported. */
  readonly nanoPerShare: number;
  /** Whether cash has moved by about so much since a moment, and nothing says what for. */
  readonly isPaid?: (nano: number, sinceMs: UnixMs) => boolean;
  /** Whether fills may have settled unreported, as far as cash says: it lags by nothing. */
  readonly mayHaveSettled?: (fills: readonly Fill[]) => boolean;
};

export type Reading =
  /** As known; `settled` are fills that balances showed before their settlement was reported. */
  | { readonly kind: 'agrees'; readonly settled: readonly Fill[] }
  /** Inside the interval, or different for the first time: the next read tells more. */
  | { readonly kind: 'open' }
  /** Outside the interval twice in a row: the difference is an uncertain item now. */
  | { readonly kind: 'differs'; readonly amount: MicroShares }
  /** The token was quiet for the whole lag: the venue's number is ours. */
  | ({ readonly kind: 'adopted' } & Adopted);

export type Adopted = {
  readonly ours: MicroShares;
  readonly venues: MicroShares;
  /** Shares that nobody reported, negative where they went. */
  readonly inferred: number;
  /** Their cash: at the price of the order that they may be of, else at the last known price. */
  readonly inferredNano: number;
  /** Their price is that of the order that they may be of, and no guess. */
  readonly isPriced: boolean;
  /** Cash that fills were counted with which never settled. */
  readonly reversedNano: number;
};

/** Matches settle in 15 to 20 s; three times that is late. @spec States and transitions */
const UNSETTLED_MS = 60_000;
/** Reads in a row that must show a number before it is an item, or adopted. */
const READS_MIN = 2;
/** And for at least so long, before it is adopted. */
const ADOPT_MS = 10_000;
/** An index that is made anew lists nothing for a while: shares that nothing else takes are gone once it lasts. */
const GONE_MS = 60_000;
/** Different amounts in a row that must agree before an open difference is closed. */
const AGREED_MIN = 3;

export function readToken(token: TokenPosition, amount: MicroShares, at: ReadAt): Reading {
  noteBehind(token, amount);
  pruneToken(token, at.nowMs, at.positionLagMs);
  noteUnsettled(token, at.nowMs);
  const isPast = token.past.some((past) => past.amount === amount);
  // A value of before the last settlements says nothing of what is pending.
  const settled = isPast ? undefined : settledBy(token, amount, at);
  if (settled !== undefined && settled > 0) {
    onAgrees(token, amount);
    return { kind: 'agrees', settled: confirmOldest(token, settled, at.nowMs) };
  }
  const agrees = settled === 0 || isPast;
  if (!agrees) token.agreed = [];
  if (isQuiet(token, at)) return readQuiet(token, amount, at);
  if (agrees) {
    onAgrees(token, amount);
    return { kind: 'agrees', settled: [] };
  }
  return readDifferent(token, amount, at);
}

/** Before values are forgotten: a run that starts late is to know of what the last one left. */
function noteBehind(token: TokenPosition, amount: MicroShares): void {
  if (amount === token.confirmed) token.behindAt = undefined;
  else if (token.past.some((past) => past.amount === amount)) token.behindAt = amount;
}

/** A fill that did not settle in time may have failed: an item undoes it until somebody says, where none does yet. */
function noteUnsettled(token: TokenPosition, nowMs: UnixMs): void {
  const late = token.pending.filter(({ atMs }) => nowMs - atMs >= UNSETTLED_MS);
  const isNote = ({ cause, isOwed }: UncertainItem) => cause === 'unsettled' && isOwed !== true;
  if (late.length === 0 && !token.uncertain.some(isNote)) return;
  token.uncertain = token.uncertain.filter((item) => !isNote(item));
  const undone = {
    BUY: uncertainOf(undoing(token), 'SELL'),
    SELL: uncertainOf(undoing(token), 'BUY'),
  };
  for (const fill of late) {
    const part = Math.min(fill.quantity, undone[fill.side]);
    undone[fill.side] -= part;
    const quantity = clampShares(fill.quantity - part);
    if (quantity === 0) continue;
    token.uncertain.push({
      cause: 'unsettled',
      intentId: fill.intentId,
      side: fill.side === 'BUY' ? 'SELL' : 'BUY',
      quantity,
      cashNano: -cashOf(fill, quantity),
      sinceMs: fill.atMs,
    });
  }
}

/** What failures that were reported may undo of pending fills: one fill fails once. */
function undoing(token: TokenPosition): TokenPosition {
  return { ...token, uncertain: token.uncertain.filter((item) => !isBeyondPending(item)) };
}

/** How many of the oldest pending fills have settled if the amount is right; none of all, where it is not. */
function settledBy(
  { confirmed, pending }: TokenPosition,
  amount: MicroShares,
  { mayHaveSettled = () => true }: ReadAt,
): number | undefined {
  let sum: number = confirmed;
  if (sum === amount) return 0;
  for (const [index, fill] of pending.entries()) {
    sum += signed(fill.side, fill.quantity);
    // A late index may show the sum by chance.
    if (sum === amount && mayHaveSettled(pending.slice(0, index + 1))) return index + 1;
  }
  return undefined;
}

function isQuiet({ changedAtMs }: TokenPosition, { askedAtMs, positionLagMs }: ReadAt): boolean {
  return changedAtMs === undefined || askedAtMs - changedAtMs > positionLagMs;
}

/** Nothing happened for as long as an index may lag: the number is the truth once it is repeated. */
function readQuiet(token: TokenPosition, amount: MicroShares, at: ReadAt): Reading {
  const isKnown = amount === token.confirmed;
  if (isKnown && token.pending.length === 0 && token.uncertain.every(isYoung(at))) {
    token.mismatch = undefined;
    return { kind: 'agrees', settled: [] };
  }
  const mismatch = noteMismatch(token, amount, at);
  const isLost = amount === 0 && excessOf(token, amount) < 0;
  const lastedMs = at.askedAtMs - mismatch.sinceMs;
  const isRepeated = mismatch.reads >= READS_MIN && lastedMs >= (isLost ? GONE_MS : ADOPT_MS);
  if (isRepeated) return { kind: 'adopted', ...adopt(token, amount, at) };
  return isKnown ? { kind: 'open' } : difference(token, amount, at);
}

/** What traded the moment before an order vanished shows after the lag only: no amount closes its item sooner. */
function isYoung({ askedAtMs, positionLagMs }: ReadAt): (item: UncertainItem) => boolean {
  return (item) =>
    item.isOwed === true ||
    (isBeyondPending(item) && item.cause !== DIFFER && askedAtMs - item.sinceMs <= positionLagMs);
}

function readDifferent(token: TokenPosition, amount: MicroShares, at: ReadAt): Reading {
  if (excessOf(token, amount) === 0) {
    token.mismatch = undefined;
    return { kind: 'open' };
  }
  noteMismatch(token, amount, at);
  return difference(token, amount, at);
}

/** What an amount is beyond all that is pending or uncertain may explain; an open difference explains nothing. */
function excessOf(token: TokenPosition, amount: MicroShares): number {
  const known = [token.confirmed, ...token.past.map((past) => past.amount)];
  const { low, high } = openRange(token);
  const least = Math.min(...known) - low;
  const most = Math.max(...known) + high;
  if (amount > most) return amount - most;
  return amount < least ? amount - least : 0;
}

function openRange(token: TokenPosition): { readonly low: number; readonly high: number } {
  const isOther = (item: UncertainItem) => item.cause !== DIFFER && isBeyondPending(item);
  const others = { ...token, uncertain: token.uncertain.filter(isOther) };
  return {
    low: pendingOf(token, 'SELL') + uncertainOf(others, 'SELL'),
    high: pendingOf(token, 'BUY') + uncertainOf(others, 'BUY'),
  };
}

const DIFFER = 'balances_differ';

const isDifference = ({ cause, isOwed }: UncertainItem) => cause === DIFFER && isOwed !== true;

/** The second read in a row that nothing explains makes the difference an uncertain item. */
function difference(token: TokenPosition, amount: MicroShares, at: ReadAt): Reading {
  const excess = excessOf(token, amount);
  if (excess === 0 || (token.mismatch?.reads ?? 0) < READS_MIN) return { kind: 'open' };
  const side: Side = excess > 0 ? 'BUY' : 'SELL';
  const quantity = clampShares(Math.abs(excess));
  const known = token.uncertain.find((item) => isDifference(item) && item.side === side);
  // A lagging index shows another number each time: the widest stands until one read agrees.
  if (known !== undefined && known.quantity >= quantity) return { kind: 'open' };
  token.uncertain = token.uncertain.filter((item) => item !== known);
  const worthNano = Math.round((at.nanoPerShare * quantity) / 1_000_000);
  token.uncertain.push({
    cause: DIFFER,
    side,
    quantity,
    cashNano: side === 'BUY' ? -worthNano : worthNano,
    sinceMs: known?.sinceMs ?? at.nowMs,
  });
  return { kind: 'differs', amount };
}

function noteMismatch(
  token: TokenPosition,
  amount: MicroShares,
  { askedAtMs }: ReadAt,
): { readonly sinceMs: UnixMs; readonly reads: number } {
  const before = token.mismatch;
  // A token that trades on shows another number each time, and is no less different for that.
  const isQuietRepeat = before?.amount === amount;
  token.mismatch = isQuietRepeat
    ? { ...before, reads: before.reads + 1 }
    : { amount, sinceMs: askedAtMs, reads: (before?.reads ?? 0) + 1 };
  return token.mismatch;
}

/**
 * A busy token has had so many amounts of late that a wrong one often equals one of them: an open difference
 * closes when amounts that differ agree one after the other.
 */
function onAgrees(token: TokenPosition, amount: MicroShares): void {
  token.mismatch = undefined;
  const differences = token.uncertain.filter(isDifference);
  if (differences.length === 0 || differences.some(shows(token, amount))) return;
  if (!token.agreed.includes(amount)) token.agreed = [...token.agreed, amount];
  if (token.agreed.length < AGREED_MIN) return;
  token.agreed = [];
  token.uncertain = token.uncertain.filter((item) => !isDifference(item));
}

/** Whether an amount may be one of before with a difference: it says nothing against it then. */
function shows({ confirmed, past }: TokenPosition, amount: MicroShares) {
  return ({ side, quantity }: UncertainItem): boolean => {
    const without = amount - signed(side, quantity);
    return without === confirmed || past.some((each) => each.amount === without);
  };
}

/** What is pending by now never settled, what is uncertain happened as far as the number says, and no further. */
function adopt(token: TokenPosition, amount: MicroShares, at: ReadAt): Adopted {
  const ours = expectedOf(token);
  const inferred = amount - token.confirmed;
  const { nano: inferredNano, isPriced } = priceOf(token, inferred, at);
  const reversedNano = token.pending.reduce((sum, fill) => sum + cashOf(fill, fill.quantity), 0);
  const { pending, changedAtMs, behindAt } = token;
  Object.assign(token, {
    confirmed: amount,
    pending: [],
    uncertain: token.uncertain.filter(isYoung(at)),
    unreported: [],
    // The history may tell of them yet, and then at what price; of what balances had shown before, too.
    shown: [...token.shown, ...shownBy(inferred, inferredNano, at.nowMs)],
    past: [],
    mismatch: undefined,
    agreed: [],
  });
  for (const fill of pending) owe(token, fill);
  const { uncertain } = token;
  const side: Side = inferred > 0 ? 'BUY' : 'SELL';
  const isShown = (item: UncertainItem) => item.isOwed === true && item.side === side;
  const size = Math.abs(inferred);
  narrow(token, isShown, clampShares(size));
  const shown = uncertain.filter(isShown).reduce((sum, { quantity }) => sum + quantity, 0);
  const quantity = clampShares(Math.max(0, size - shown));
  // It has stood at a value of before, or nobody has paid for it: the index may be late, and what settled is to come.
  const undone: Side = inferred > 0 ? 'SELL' : 'BUY';
  const movedAtMs = token.movedAtMs[undone];
  const isUnpaid = movedAtMs !== undefined && at.isPaid?.(inferredNano, movedAtMs) === false;
  const sinceMs = amount === behindAt ? changedAtMs : isUnpaid ? movedAtMs : undefined;
  if (sinceMs !== undefined && quantity > 0) {
    const cashNano = Math.round((-inferredNano * quantity) / size);
    addUncertain(token, { cause: DIFFER, isOwed: true, side: undone, quantity, cashNano, sinceMs });
  }
  return { ours, venues: amount, inferred, inferredNano, isPriced, reversedNano };
}

function shownBy(inferred: number, cashNano: number, atMs: UnixMs): TokenPosition['shown'] {
  if (inferred === 0) return [];
  return [
    {
      side: inferred > 0 ? 'BUY' : 'SELL',
      quantity: clampShares(Math.abs(inferred)),
      cashNano,
      atMs,
      isGuess: true,
    },
  ];
}

/** At the price of what is uncertain or pending on their side. */
function priceOf(
  { uncertain, pending }: TokenPosition,
  inferred: number,
  { nanoPerShare }: ReadAt,
): { readonly nano: number; readonly isPriced: boolean } {
  if (inferred === 0) return { nano: 0, isPriced: true };
  const side: Side = inferred > 0 ? 'BUY' : 'SELL';
  const item = uncertain.find(
    (each) => each.side === side && each.cause !== DIFFER && isBeyondPending(each),
  );
  const fill = pending.find((each) => each.side === side);
  const nano = item ? item.cashNano / item.quantity : fill && fill.cashNano / fill.original;
  if (nano !== undefined) return { nano: Math.round(nano * Math.abs(inferred)), isPriced: true };
  return { nano: Math.round((-nanoPerShare * inferred) / 1_000_000), isPriced: false };
}
