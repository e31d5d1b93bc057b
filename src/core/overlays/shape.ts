// Books that are no ground to quote on: one-sided, too wide, too thin, or far from the fair value.

import type { OverlaySettings } from '../../domain/overlays.ts';
import { MICRO_PER_SHARE } from '../../domain/shares.ts';
import type { AxisBook } from '../../strategy/index.ts';
import { type Guard, pulled, type Situation, untouched } from './guard.ts';

type Complaint = { readonly code: string; readonly detail: string; readonly clears: string };

export const guardShape: Guard<'shape'> = (quotes, situation, settings) => {
  const complaint = complaintOf(situation, settings);
  return complaint === undefined ? untouched(quotes) : pulled({ guard: 'shape', ...complaint });
};

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
  const touch = thinnerTouch(book, { bid, ask, ticksPerUnit: grid.ticksPerUnit });
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
  at: { readonly bid: number; readonly ask: number; readonly ticksPerUnit: number },
): number {
  const best = { bid: book.bestBid(), ask: book.bestAsk() };
  if (best.bid === undefined || best.ask === undefined) return 0;
  const bids = (book.bidSizeAt(best.bid) / MICRO_PER_SHARE) * (at.bid / at.ticksPerUnit);
  const asks = (book.askSizeAt(best.ask) / MICRO_PER_SHARE) * (1 - at.ask / at.ticksPerUnit);
  return Math.min(bids, asks);
}
