// What is known of one token's shares: an interval around what fills, settlements and balances say.
// Pure changes of one record; `positions.ts` keeps the records of all tokens.
// @spec Architecture decision 8

import type { IntentId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { StoredEarly, StoredPast } from '../../domain/record.ts';
import { clampShares, type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import {
  cashOf,
  EACH_MAX,
  type Fill,
  feeAtSettlement,
  isAtPrice,
  isBeyondPending,
  isNotWorse,
  narrow,
  type ReportedFill,
  type Settled,
  signed,
  type UncertainItem,
  type Unsettled,
} from './unsettled.ts';

/** A settlement that comes before the report of its fill waits so long for it; then it is the fill. */
const UNREPORTED_MS = 60_000;
/** The history of trades may tell of a settlement so long after balances showed it. */
const SHOWN_MS = 600_000;
/** Settlements of so long behind what balances showed are told in any order, and so at any price. */
const ANY_PRICE_MS = 120_000;
/** Past values kept: more than two a second for as long as an index may lag. */
const PAST_MAX = 400;

/** A settlement that came before the report of its fill, or shares that balances showed before it. */
type Early = StoredEarly;

export type TokenPosition = Unsettled & {
  /** What balances last confirmed, plus own settlements since. */
  confirmed: MicroShares;
  /** Settled, and no fill has been reported that it can be of. */
  unreported: Early[];
  /** Confirmed by balances, and the settlement has not been reported. */
  shown: Early[];
  past: StoredPast[];
  /** The last own event: a fill, a settlement, a bust, a set. */
  changedAtMs: UnixMs | undefined;
  /** What balances showed that nothing known explains, and in how many reads in a row. */
  mismatch: { readonly amount: MicroShares; readonly sinceMs: UnixMs; reads: number } | undefined;
  /** Different amounts in a row that balances showed and that agree, while a difference is open. */
  agreed: readonly MicroShares[];
  /** The past value that balances showed last, until they show the present one. */
  behindAt: MicroShares | undefined;
};

export function emptyPosition(): TokenPosition {
  return {
    confirmed: NO_SHARES,
    pending: [],
    uncertain: [],
    unreported: [],
    shown: [],
    past: [],
    changedAtMs: undefined,
    mismatch: undefined,
    agreed: [],
    behindAt: undefined,
    movedAtMs: {},
  };
}

/** Confirmed and pending: what strategies, profit and status see. */
export function expectedOf({ confirmed, pending }: TokenPosition): MicroShares {
  let total: number = confirmed;
  for (const fill of pending) total += signed(fill.side, fill.quantity);
  return clampShares(total);
}

/** What may be sold: the low end of what is confirmed, less matched sells. Own resting sells come off elsewhere. */
export function sellableOf(token: TokenPosition): MicroShares {
  let total: number = token.confirmed;
  for (const item of token.uncertain)
    if (item.side === 'SELL' && isBeyondPending(item)) total -= item.quantity;
  for (const { side, quantity } of token.pending) if (side === 'SELL') total -= quantity;
  return microShares(Math.max(0, clampShares(total)));
}

/** What a report of a fill adds to the books. */
export type FillCounted = {
  /** Cash to count now: what settled before its report was counted then, but for its fee. */
  readonly cashNano: number;
  readonly feeNano: number;
  readonly settled: MicroShares;
};

/** An own order traded. What settled ahead of the report is taken off it first. */
export function addFill(
  token: TokenPosition,
  { sentAtMs, ...fill }: ReportedFill,
  nowMs: UnixMs,
): FillCounted {
  let left: number = fill.quantity;
  let feeNano = 0;
  // What may have traded at just its price is likelier to be its order than one that would have paid more.
  const isOfOther = (early: Early) =>
    token.uncertain.some(
      ({ side, intentId, quantity, cashNano }) =>
        side === early.side &&
        intentId !== fill.intentId &&
        isAtPrice({ cashNano, original: quantity }, early),
    );
  const fits = (early: Early) =>
    early.atMs >= sentAtMs &&
    (isAtPrice(fill, early) || (isNotWorse(fill, early) && !isOfOther(early)));
  token.unreported = takeEarly(token.unreported, { ...fill, fits }, (part, early) => {
    left -= part;
    const settled = { side: fill.side, quantity: early.quantity, cashNano: early.cashNano };
    feeNano += feeAtSettlement(fill, settled, part);
  });
  const settled = microShares(fill.quantity - left);
  const rest = microShares(left);
  if (fill.intentId !== undefined) narrow(token, (item) => item.intentId === fill.intentId, rest);
  if (rest > 0) token.pending.push({ ...fill, quantity: rest });
  token.changedAtMs = nowMs;
  return { cashNano: rest > 0 ? cashOf(fill, rest) - feeNano : -feeNano, feeNano, settled };
}

/** What a settlement was counted with before, and what it pays. */
export type SettlementCounted = {
  readonly countedNano: number;
  readonly feeNano: number;
  /** Of what was counted: cash that was booked when balances showed the shares. */
  readonly bookedNano: number;
};

/**
 * The chain settled shares: pending fills of that side, whichever orders they are of; then what balances
 * had shown; and what nobody reported came all the same, and waits for the report of its fill.
 */
export function settle(
  token: TokenPosition,
  trade: Settled,
  nowMs: UnixMs,
  onSettled: (intentId: IntentId | undefined, part: MicroShares, fill: Fill) => void,
): SettlementCounted {
  let left: number = trade.quantity;
  let countedNano = 0;
  let feeNano = 0;
  let bookedNano = 0;
  let settled = 0;
  const { side } = trade;
  const priced = (early: Early) => ({ ...early, original: early.quantity });
  const isLike = (early: Early) => isAtPrice(priced(early), trade);
  // What costs more than one that has waited long is of a fill that nobody has reported.
  const fitsAny = (early: Early) =>
    nowMs - early.atMs < ANY_PRICE_MS || early.isGuess === true || isNotWorse(priced(early), trade);
  // What waits at its price goes first, pending or shown: a history tells of trades that are older than a fill.
  for (const isFirst of [true, false]) {
    const ofSide = token.pending.filter((fill) => fill.side === side);
    // At the price of one it is of no other that would have paid more; an average of several prices is of any.
    const isAverage = !isFirst && left === trade.quantity;
    const isFor = isFirst ? isAtPrice : isNotWorse;
    for (const fill of ofSide.filter((each) => isAverage || isFor(each, trade))) {
      if (left === 0) break;
      const part = microShares(Math.min(left, fill.quantity));
      countedNano += cashOf(fill, part);
      feeNano += feeAtSettlement(fill, trade, part);
      onSettled(fill.intentId, part, fill);
      takeOff(token, fill, part);
      settled += part;
      left -= part;
    }
    const wanted = { side, quantity: left, fits: isFirst ? isLike : fitsAny };
    token.shown = takeEarly(token.shown, wanted, (part, early) => {
      bookedNano += Math.round((early.cashNano * part) / early.quantity);
      left -= part;
    });
  }
  confirm(token, signed(side, settled), nowMs);
  countedNano += bookedNano;
  if (left > 0) settleUnreported(token, trade, microShares(left), nowMs);
  token.changedAtMs = nowMs;
  return { countedNano, feeNano, bookedNano };
}

/** Whether anything that waits for a settlement had just the price of this one. */
export function hasOneAtPrice({ pending, shown }: TokenPosition, trade: Settled): boolean {
  const isAlike = (each: Early | Fill) =>
    each.side === trade.side &&
    isAtPrice({ ...each, original: 'original' in each ? each.original : each.quantity }, trade);
  return pending.some(isAlike) || shown.some(isAlike);
}

function settleUnreported(
  token: TokenPosition,
  { side, quantity, cashNano }: Settled,
  left: MicroShares,
  nowMs: UnixMs,
): void {
  confirm(token, signed(side, left), nowMs);
  const nano = Math.round((cashNano * left) / quantity);
  const { unreported } = token;
  const at =
    unreported.length < EACH_MAX ? -1 : unreported.findLastIndex((each) => each.side === side);
  const like = unreported[at];
  if (like === undefined) unreported.push({ side, quantity: left, cashNano: nano, atMs: nowMs });
  else {
    const sum = clampShares(like.quantity + left);
    unreported[at] = { side, quantity: sum, cashNano: like.cashNano + nano, atMs: nowMs };
  }
}

/** What a bust took back: the cash that it was counted with, and its order where it can be of one only. */
export type Reversed = { readonly cashNano: number; readonly intentId: IntentId | undefined };

/** Pending shares of a side did not settle. A fill of just that size goes before older ones. */
export function bust(
  token: TokenPosition,
  side: Side,
  quantity: MicroShares,
  nowMs: UnixMs,
): Reversed {
  const fills = token.pending.filter((fill) => fill.side === side);
  const orders = new Set(fills.map(({ intentId }) => intentId));
  const whole = fills.find((fill) => fill.quantity === quantity);
  let left: number = quantity;
  let cashNano = 0;
  for (const fill of whole ? [whole] : fills) {
    const part = microShares(Math.min(left, fill.quantity));
    cashNano += cashOf(fill, part);
    takeOff(token, fill, part);
    left -= part;
    if (left === 0) break;
  }
  token.changedAtMs = nowMs;
  const [only] = orders;
  return { cashNano, intentId: orders.size === 1 ? only : undefined };
}

/** `confirmed` moves; what it was is what a lagging index may still show. */
export function confirm(token: TokenPosition, change: number, nowMs: UnixMs): void {
  if (change === 0) return;
  token.past.push({ amount: token.confirmed, untilMs: nowMs });
  if (token.past.length > PAST_MAX) token.past = token.past.slice(-PAST_MAX);
  token.confirmed = clampShares(token.confirmed + change);
  token.movedAtMs = { ...token.movedAtMs, [change > 0 ? 'BUY' : 'SELL']: nowMs };
}

/** The oldest pending fills turn out to have settled: balances showed their shares. */
export function confirmOldest(token: TokenPosition, count: number, nowMs: UnixMs): readonly Fill[] {
  const fills = token.pending.slice(0, count);
  token.pending = token.pending.slice(count);
  for (const fill of fills) {
    const { side, quantity } = fill;
    confirm(token, signed(side, quantity), nowMs);
    token.shown.push({ side, quantity, cashNano: cashOf(fill, quantity), atMs: nowMs });
  }
  return fills;
}

/** Forgets values that no lag reaches back to, and settlements that wait in vain for their other half. */
export function pruneToken(token: TokenPosition, nowMs: UnixMs, lagMs: number): void {
  const isYounger = (forMs: number) => (early: Early) => nowMs - early.atMs < forMs;
  const isWaiting = isYounger(UNREPORTED_MS);
  if (token.past.length > 0)
    token.past = token.past.filter(({ untilMs }) => nowMs - untilMs <= lagMs);
  for (const early of token.unreported) if (!isWaiting(early)) narrowUnreported(token, early);
  if (token.unreported.length > 0) token.unreported = token.unreported.filter(isWaiting);
  if (token.shown.length > 0) token.shown = token.shown.filter(isYounger(SHOWN_MS));
}

/** Nothing more than what has settled is of an item: settlements since its order was sent wait for no other fill. */
export function claimUnreported(
  token: TokenPosition,
  { side, quantity, sentAtMs = unixMs(0) }: UncertainItem,
): void {
  const fits = ({ atMs }: Early) => atMs >= sentAtMs;
  token.unreported = takeEarly(token.unreported, { side, quantity, fits }, () => {});
}

/** No report claimed a settlement in time: it was of what is uncertain. */
function narrowUnreported(token: TokenPosition, { side, quantity }: Early): void {
  narrow(token, (item) => item.side === side && isBeyondPending(item), quantity);
}

function takeOff(token: TokenPosition, fill: Fill, part: MicroShares): void {
  fill.quantity = microShares(fill.quantity - part);
  if (fill.quantity === 0) token.pending.splice(token.pending.indexOf(fill), 1);
}

export type Wanted = {
  readonly side: Side;
  readonly quantity: number;
  readonly fits?: (early: Early) => boolean;
};

/** Takes so many shares off what waits for its other half, oldest first. */
export function takeEarly(
  all: readonly Early[],
  { side, quantity, fits = () => true }: Wanted,
  onTaken: (part: MicroShares, early: Early) => void,
): Early[] {
  let left = quantity;
  return all.flatMap((early) => {
    if (left === 0 || early.side !== side || !fits(early)) return [early];
    const part = microShares(Math.min(left, early.quantity));
    left -= part;
    onTaken(part, early);
    const rest = microShares(early.quantity - part);
    if (rest === 0) return [];
    return [
      {
        ...early,
        quantity: rest,
        cashNano: Math.round((early.cashNano * rest) / early.quantity),
      },
    ];
  });
}
