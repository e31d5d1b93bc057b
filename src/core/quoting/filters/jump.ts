// A jump of the price or a sweep through the book says that somebody knows what we do not: everything
// is pulled at once, which is free, and comes back in steps.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type { AxisBook, PublicTrade, Quote } from '../../../strategy/index.ts';
import { logit } from '../../../strategy/toolkit/log-odds.ts';
import { type Guarded, onlyReducing, pulled, type Situation, untouched } from './guard.ts';

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

export type JumpState = {
  readonly middles: readonly { readonly atMs: UnixMs; readonly price: number }[];
  readonly usualSpread: { readonly price: number; readonly atMs: UnixMs } | undefined;
  readonly jumpedAtMs: UnixMs | undefined;
  readonly detail: string;
  /** When the pause was over; reduce-only counts from there. */
  readonly settledAtMs: UnixMs | undefined;
};

export const NO_JUMP: JumpState = {
  middles: [],
  usualSpread: undefined,
  jumpedAtMs: undefined,
  detail: '',
  settledAtMs: undefined,
};

type Touch = { readonly middle: number; readonly spread: number };

export function guardJump(
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings['jump'],
  before: JumpState,
): Guarded & { readonly state: JumpState } {
  const touch = touchOf(situation.book, situation.grid.ticksPerUnit);
  const seen = noted(before, touch, { nowMs: situation.nowMs, windowMs: settings.windowMs });
  const cause = jumpOf(seen, situation, { settings, touch });
  const state =
    cause === undefined
      ? settledAfter(seen, situation.nowMs, { settings, touch })
      : { ...seen, jumpedAtMs: situation.nowMs, detail: cause, settledAtMs: undefined };
  return { ...verdict(quotes, situation, { settings, state }), state };
}

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
