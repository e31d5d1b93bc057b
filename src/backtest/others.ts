// The book of everybody else on the YES axis: what a market thinks without us.

import type { BookSide } from '../domain/message.ts';
import type { Account } from '../paper/exchange/account.ts';
import type { AxisLevel, MarketBook } from '../paper/exchange/market-book.ts';

export type Touch = { readonly bid: number | undefined; readonly ask: number | undefined };

/** Best axis ticks at which somebody else's shares rest, of either token. */
export function touchOfOthers(book: MarketBook, account: Account): Touch {
  return { bid: bestOf(book, 'bid', account), ask: bestOf(book, 'ask', account) };
}

/** The middle in half ticks; `undefined` where a side is empty. */
export function middleOf({ bid, ask }: Touch): number | undefined {
  return bid === undefined || ask === undefined ? undefined : bid + ask;
}

/** A middle of before, where one side has emptied and the other may have gone past it: nobody pays it any more. */
export function withinTouch(
  middle: number | undefined,
  { bid = 0, ask = Number.POSITIVE_INFINITY }: Touch,
  perTick: number,
): number | undefined {
  return middle === undefined
    ? undefined
    : Math.min(Math.max(middle, bid * perTick), ask * perTick);
}

function bestOf(book: MarketBook, side: BookSide, account: Account): number | undefined {
  return book.bestWhere(side, (level) => sizeOfOthers(level, account) > 0);
}

function sizeOfOthers(level: AxisLevel, account: Account): number {
  let sizeMicro = level.sizeMicro(0) + level.sizeMicro(1);
  for (const order of level.orders) {
    if (order.terms.account === account) sizeMicro -= order.restingMicro();
  }
  return sizeMicro;
}
