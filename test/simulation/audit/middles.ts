// The middle of a market by the venue's books, without the daemon's own orders. Who on the account sent an
// order is not always known to the daemon: one placed by hand counts for the market until it is noticed,
// and in the own scope for good. So there is a middle with such orders, and one without.

import type { Account } from '../../../src/paper/exchange/account.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { OrderFacts } from './facts.ts';
import type { Range } from './told.ts';

export type Books = {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly facts: OrderFacts;
};

type Shown = (order: ExchangeOrder) => boolean;

/** Between the best that somebody offers, on the YES axis; `undefined` where a side is empty. */
export function middlesOf(books: Books, market: ListedMarket): Range | undefined {
  return around(touchesOf(books, market).map(({ low, high }) => [(low + high) / 2]));
}

/** A fair value may differ from the middle by this much, and lie anywhere between the best that others offer. */
const TOLERANCE = 0.03;

/** Where a fair value may lie; `undefined` where a side is empty. */
export function fairValuesOf(books: Books, market: ListedMarket): Range | undefined {
  return around(
    touchesOf(books, market).map(({ low, high }) => {
      const middle = (low + high) / 2;
      return [Math.min(low, middle - TOLERANCE), Math.max(high, middle + TOLERANCE)];
    }),
  );
}

function around(prices: readonly (readonly number[])[]): Range | undefined {
  const all = prices.flat();
  return all.length === 0 ? undefined : { low: Math.min(...all), high: Math.max(...all) };
}

function touchesOf(books: Books, market: ListedMarket): readonly Range[] {
  const { account, facts } = books;
  const ofOthers: Shown = ({ terms }) => terms.account !== account;
  const ofAnybody: Shown = (order) =>
    ofOthers(order) || facts.find(order.terms.orderHash)?.owner === 'external';
  return [ofOthers, ofAnybody].flatMap((shown) => touchOf(books, market, shown) ?? []);
}

function touchOf(
  { exchange }: Pick<Books, 'exchange'>,
  market: ListedMarket,
  shown: Shown,
): Range | undefined {
  const bestOf = (side: 'bid' | 'ask') => {
    const book = exchange.context.books.of(market);
    const last = side === 'bid' ? 1 : market.grid.ticksPerUnit - 1;
    for (const tick of book.ticksTo(side, last)) {
      if (book.level(side, tick)?.orders.some(shown)) return tick;
    }
    return undefined;
  };
  const bid = bestOf('bid');
  const ask = bestOf('ask');
  if (bid === undefined || ask === undefined) return undefined;
  const { ticksPerUnit } = market.grid;
  return { low: bid / ticksPerUnit, high: ask / ticksPerUnit };
}
