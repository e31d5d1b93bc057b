// What the book tells of whether there is any ground to quote on: jumps of the price and sweeps through it, and its shape.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import { MICRO_PER_SHARE } from '../../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../../domain/ticks.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type { AxisBook, PublicTrade, Quote } from '../../../strategy/index.ts';
import { logit } from '../../../strategy/toolkit/log-odds.ts';
import {
  type Guard,
  type Guarded,
  type JumpState,
  type OverlayState,
  onlyReducing,
  pulled,
  type Situation,
  untouched,
} from './guard.ts';

/** Middles of the window; spaced so that they fit, whatever the window is. */
const SAMPLES_MAX = 32;
/** Trades of one burst come within a flush of the feed and its travel. */
const BURST_MS = 200;
/** A book this much wider than usual has not settled. */
const SPREAD_FACTOR = 2;
/** The spread that counts as usual forgets with this half-life. */
const SPREAD_HALF_LIFE_MS = 300_000;
/** An unsettled book prolongs the pause by at most this many cool-offs: wide may be the new usual. */
const PROLONGED_MAX = 3;

type Touch = { readonly middle: number; readonly spread: number };

export const guardJump: Guard<'jump'> = (quotes, situation, settings, before) => {
  const touch = touchOf(situation.book, situation.grid.ticksPerUnit);
  const seen = noted(before.jump, touch, { nowMs: situation.nowMs, windowMs: settings.windowMs });
  const cause = jumpOf(seen, situation, { settings, touch });
  const state =
    cause === undefined
      ? settledAfter(seen, situation.nowMs, { settings, touch })
      : { ...seen, jumpedAtMs: situation.nowMs, detail: cause, settledAtMs: undefined };
  return { ...verdict(quotes, situation, { settings, state }), state: { jump: state } };
};

function verdict(
  quotes: readonly Quote[],
  { nowMs, grid, net }: Situation,
  of: { readonly settings: OverlaySettings['jump']; readonly state: JumpState },
): Guarded {
  const { settings, state } = of;
  if (state.jumpedAtMs === undefined) return untouched(quotes);
  const { detail } = state;
  if (state.settledAtMs === undefined) {
    const clears = `${settings.coolOffMs / 1_000} s without another, and a settled spread`;
    return pulled({ guard: 'jump', code: 'price_jump', detail, clears });
  }
  const leftMs = state.settledAtMs + settings.reduceOnlyMs - nowMs;
  if (leftMs <= 0) return untouched(quotes);
  const clears = `reducing only for ${Math.ceil(leftMs / 1_000)} s`;
  return onlyReducing({ grid, net }, quotes, { guard: 'jump', code: 'after_jump', detail, clears });
}

function noted(
  before: JumpState,
  touch: Touch | undefined,
  at: { readonly nowMs: UnixMs; readonly windowMs: number },
): JumpState {
  const middles = before.middles.filter((each) => at.nowMs - each.atMs <= at.windowMs);
  if (touch === undefined) return { ...before, middles };
  const last = middles.at(-1);
  const isDue = last === undefined || at.nowMs - last.atMs >= at.windowMs / SAMPLES_MAX;
  const kept = isDue ? [...middles, { atMs: at.nowMs, price: touch.middle }] : middles;
  // A book in a jump is not what is usual.
  const isCalm = before.jumpedAtMs === undefined || before.settledAtMs !== undefined;
  const usualSpread = isCalm
    ? smoothed(before.usualSpread, touch.spread, at.nowMs)
    : before.usualSpread;
  return { ...before, middles: kept.slice(-SAMPLES_MAX), usualSpread };
}

function smoothed(
  before: JumpState['usualSpread'],
  price: number,
  atMs: UnixMs,
): NonNullable<JumpState['usualSpread']> {
  if (before === undefined) return { price, atMs };
  const kept = 2 ** (-Math.max(0, atMs - before.atMs) / SPREAD_HALF_LIFE_MS);
  return { price: kept * before.price + (1 - kept) * price, atMs };
}

function jumpOf(
  state: JumpState,
  situation: Situation,
  now: { readonly settings: OverlaySettings['jump']; readonly touch: Touch | undefined },
): string | undefined {
  const { settings, touch } = now;
  if (touch !== undefined) {
    for (const { price, atMs } of state.middles) {
      const move = touch.middle - price;
      if (Math.abs(move) < settings.movePrice) continue;
      const elapsedSec = Math.max(1, (situation.nowMs - atMs) / 1_000);
      if (!isSurprising(situation, { from: price, to: touch.middle, elapsedSec }, settings))
        continue;
      return `the middle moved by ${move.toFixed(3)}`;
    }
  }
  return sweepOf(situation, settings);
}

function isSurprising(
  { fair }: Situation,
  move: { readonly from: number; readonly to: number; readonly elapsedSec: number },
  settings: OverlaySettings['jump'],
): boolean {
  const varPerSec = fair?.logOddsVarPerSec;
  if (varPerSec === undefined || varPerSec === 0) return true;
  const deviations =
    Math.abs(logit(move.to) - logit(move.from)) / Math.sqrt(varPerSec * move.elapsedSec);
  return deviations >= settings.sigmas;
}

function sweepOf(
  { trades, nowMs, grid }: Situation,
  settings: OverlaySettings['jump'],
): string | undefined {
  for (const taker of ['buys', 'sells'] as const) {
    const burst = trades.recent.filter(
      (trade) => trade.taker === taker && nowMs - trade.atMs <= BURST_MS,
    );
    const width = widthOf(burst) / grid.ticksPerUnit;
    if (width >= settings.sweepPrice)
      return `a taker who ${taker} went through ${width.toFixed(3)}`;
  }
  return undefined;
}

function widthOf(burst: readonly PublicTrade[]): number {
  if (burst.length < 2) return 0;
  const prices = burst.map((trade) => trade.price);
  return Math.max(...prices) - Math.min(...prices);
}

/** The pause ends when it has lasted and the spread is back, or when it has lasted far too long. */
function settledAfter(
  state: JumpState,
  nowMs: UnixMs,
  at: { readonly settings: OverlaySettings['jump']; readonly touch: Touch | undefined },
): JumpState {
  const { coolOffMs, reduceOnlyMs } = at.settings;
  if (state.jumpedAtMs === undefined) return state;
  if (state.settledAtMs !== undefined) {
    const isOver = nowMs - state.settledAtMs >= reduceOnlyMs;
    return isOver ? { ...state, jumpedAtMs: undefined, settledAtMs: undefined, detail: '' } : state;
  }
  const pausedMs = nowMs - state.jumpedAtMs;
  if (pausedMs < coolOffMs) return state;
  const usual = state.usualSpread?.price;
  const isSettled =
    at.touch !== undefined && (usual === undefined || at.touch.spread <= SPREAD_FACTOR * usual);
  const isEnough = pausedMs >= coolOffMs * (1 + PROLONGED_MAX);
  return isSettled || isEnough ? { ...state, settledAtMs: nowMs } : state;
}

function touchOf(book: AxisBook, ticksPerUnit: number): Touch | undefined {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  if (bid === undefined || ask === undefined || bid >= ask) return undefined;
  return { middle: (bid + ask) / 2 / ticksPerUnit, spread: (ask - bid) / ticksPerUnit };
}

// Books that are no ground to quote on: one-sided, too wide, too thin, far from the fair value, or with
// a fair value that has moved too far.

type Complaint = { readonly code: string; readonly detail: string; readonly clears: string };

export const guardShape: Guard<'shape'> = (quotes, situation, settings, before) => {
  const shape = followed(situation, settings, before.shape);
  const complaint = complaintOf(situation, settings) ?? driftOf(situation, settings, shape);
  const guarded =
    complaint === undefined ? untouched(quotes) : pulled({ guard: 'shape', ...complaint });
  return { ...guarded, state: { shape } };
};

/** The mean begins at the first fair value and follows each later one by the time in between. */
function followed(
  { fair, nowMs }: Situation,
  { driftHalfLifeMs }: OverlaySettings['shape'],
  before: OverlayState['shape'],
): OverlayState['shape'] {
  if (fair === undefined) return before;
  if (before === undefined) return { mean: fair.price, atMs: nowMs };
  const kept = 0.5 ** ((nowMs - before.atMs) / driftHalfLifeMs);
  return { mean: kept * before.mean + (1 - kept) * fair.price, atMs: nowMs };
}

function driftOf(
  { fair }: Situation,
  { driftMax }: OverlaySettings['shape'],
  state: OverlayState['shape'],
): Complaint | undefined {
  if (fair === undefined || state === undefined) return undefined;
  if (Math.abs(fair.price - state.mean) <= driftMax) return undefined;
  const detail = `fair value ${fair.price.toFixed(3)}, ${state.mean.toFixed(3)} on average before`;
  return { code: 'fair_moved_far', detail, clears: 'the average has followed, or it comes back' };
}

function complaintOf(
  situation: Situation,
  settings: OverlaySettings['shape'],
): Complaint | undefined {
  const { book, grid, fair } = situation;
  const bid = book.bestBid();
  const ask = book.bestAsk();
  if (bid === undefined || ask === undefined) {
    if (!settings.needsBothSides) return undefined;
    const missing = bid === undefined ? 'bid' : 'ask';
    const clears = 'others quote both sides';
    return { code: 'book_one_sided', detail: `others show no ${missing}`, clears };
  }
  const spread = (ask - bid) / grid.ticksPerUnit;
  if (spread > settings.spreadMax) {
    const detail = `${spread.toFixed(3)} wide, ${settings.spreadMax} is the most`;
    return { code: 'book_too_wide', detail, clears: 'the spread closes' };
  }
  const touch = thinnerTouch(book, grid, { bid, ask });
  if (touch < settings.touchUsdcMin) {
    const detail = `${touch.toFixed(2)} USDC at the touch, ${settings.touchUsdcMin} is the least`;
    return { code: 'book_too_thin', detail, clears: 'others rest more' };
  }
  const middle = (bid + ask) / 2 / grid.ticksPerUnit;
  if (fair === undefined || Math.abs(fair.price - middle) <= settings.fairGapMax) return undefined;
  const detail = `fair value ${fair.price.toFixed(3)}, middle ${middle.toFixed(3)}`;
  return { code: 'fair_far_off', detail, clears: 'fair value and book come together' };
}

/** Value of the smaller best level, each at what its taker pays. */
function thinnerTouch(
  book: AxisBook,
  { ticksPerUnit }: TickGrid,
  { bid, ask }: { readonly bid: Ticks; readonly ask: Ticks },
): number {
  const bids = (book.bidSizeAt(bid) / MICRO_PER_SHARE) * (bid / ticksPerUnit);
  const asks = (book.askSizeAt(ask) / MICRO_PER_SHARE) * (1 - ask / ticksPerUnit);
  return Math.min(bids, asks);
}
