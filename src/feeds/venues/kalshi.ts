// Kalshi: best prices of its markets, asked over REST; public, so that no key is needed.
//
// The shapes are those of docs.kalshi.com, "Get Markets": GET /markets?tickers=A,B answers
// {markets: [{ticker, status, yes_bid_dollars, yes_ask_dollars}]}, dollars as texts; a side without an order
// is 0 or 1. Its socket needs a signed request and is not used.

import type { VenueMids } from '../../domain/feed.ts';
import { valueAt } from '../pointer.ts';
import { numberOf, shown } from '../statement.ts';
import { itemsOf, type Quote, type QuotesRead } from './quotes.ts';

/** `active` is said of a market, `open` is how it is asked for; both are traded. */
const TRADED = ['active', 'open'];

export function kalshiQuery({ outcomes }: VenueMids): string {
  const tickers = outcomes.map(encodeURIComponent).join(',');
  return `?limit=${outcomes.length}&tickers=${tickers}`;
}

export function kalshiQuotes(document: unknown): QuotesRead {
  const quotes = new Map<string, Quote>();
  for (const market of itemsOf(valueAt(document, '/markets'))) {
    const ticker = valueAt(market, '/ticker');
    if (typeof ticker === 'string') quotes.set(ticker, quoteOf(market));
  }
  return { kind: 'quotes', isWhole: true, quotes };
}

function quoteOf(market: unknown): Quote {
  const status = valueAt(market, '/status');
  if (typeof status !== 'string' || !TRADED.includes(status)) {
    return { fault: `of status ${shown(status)}` };
  }
  const bid = numberOf(valueAt(market, '/yes_bid_dollars'));
  const ask = numberOf(valueAt(market, '/yes_ask_dollars'));
  return {
    bid: bid !== undefined && bid > 0 ? bid : undefined,
    ask: ask !== undefined && ask > 0 && ask < 1 ? ask : undefined,
  };
}
