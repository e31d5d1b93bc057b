// Books that are no ground to quote on: one-sided, too wide, too thin, far from the fair value, or with
// a fair value that has moved too far.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import { MICRO_PER_SHARE } from '../../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../../domain/ticks.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type { AxisBook, Quote } from '../../../strategy/index.ts';
import { type Guarded, pulled, type Situation } from './guard.ts';

/** The decayed mean of the fair value, the last one known. */
export type ShapeState = { readonly mean: number; readonly atMs: UnixMs } | undefined;

type Complaint = { readonly code: string; readonly detail: string; readonly clears: string };

export function guardShape(
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings['shape'],
  before: ShapeState,
): Guarded & { readonly state: ShapeState } {
  const state = followed(situation, settings, before);
  const complaint = complaintOf(situation, settings) ?? driftOf(situation, settings, state);
  if (complaint === undefined) return { quotes, reasons: [], state };
  return { ...pulled({ guard: 'shape', ...complaint }), state };
}

/** The mean begins at the first fair value and follows each later one by the time in between. */
function followed(
  { fair, nowMs }: Situation,
  { driftHalfLifeMs }: OverlaySettings['shape'],
  before: ShapeState,
): ShapeState {
  if (fair === undefined) return before;
  if (before === undefined) return { mean: fair.price, atMs: nowMs };
  const kept = 0.5 ** ((nowMs - before.atMs) / driftHalfLifeMs);
  return { mean: kept * before.mean + (1 - kept) * fair.price, atMs: nowMs };
}

function driftOf(
  { fair }: Situation,
  { driftMax }: OverlaySettings['shape'],
  state: ShapeState,
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
