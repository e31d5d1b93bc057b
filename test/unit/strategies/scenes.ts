// Scenes that the worked examples of several strategies share.

import { formatShares } from '../../../src/domain/shares.ts';
import type { TargetQuotes } from '../../../src/strategy/index.ts';
import { NO_RUNGS, type Rungs } from '../../support/strategy-context.ts';

/** A touch of a hundred shares on each side, in ticks. */
export function touch(bid: number, ask: number, size = 100): Rungs {
  return { bids: [[bid, size]], asks: [[ask, size]] };
}

export const EMPTY = NO_RUNGS;

export function prices(targetQuotes: TargetQuotes, side: 'bid' | 'ask'): readonly number[] {
  return targetQuotes.quotes.filter((quote) => quote.side === side).map((quote) => quote.price);
}

/** `price x shares` of each quote of a side. */
export function amounts(targetQuotes: TargetQuotes, side: 'bid' | 'ask'): readonly string[] {
  return targetQuotes.quotes
    .filter((quote) => quote.side === side)
    .map((quote) => `${quote.price} x ${formatShares(quote.quantity)}`);
}

export function codes(targetQuotes: TargetQuotes): readonly string[] {
  return targetQuotes.reasons.map((reason) => `${reason.side} ${reason.code}`);
}
