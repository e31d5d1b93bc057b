// Scenes that the worked examples of several strategies share.

import { formatShares } from '../../../src/domain/shares.ts';
import type { QuoteWish } from '../../../src/strategy/index.ts';
import { NO_RUNGS, type Rungs } from '../../support/strategy-context.ts';

/** A touch of a hundred shares on each side, in ticks. */
export function touch(bid: number, ask: number, size = 100): Rungs {
  return { bids: [[bid, size]], asks: [[ask, size]] };
}

export const EMPTY = NO_RUNGS;

export function prices(wish: QuoteWish, side: 'bid' | 'ask'): readonly number[] {
  return wish.quotes.filter((quote) => quote.side === side).map((quote) => quote.price);
}

/** `price x shares` of each quote of a side. */
export function amounts(wish: QuoteWish, side: 'bid' | 'ask'): readonly string[] {
  return wish.quotes
    .filter((quote) => quote.side === side)
    .map((quote) => `${quote.price} x ${formatShares(quote.quantity)}`);
}

export function codes(wish: QuoteWish): readonly string[] {
  return wish.reasons.map((reason) => `${reason.side} ${reason.code}`);
}
