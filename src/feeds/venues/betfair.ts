// Betfair: best odds of the selections of a market, asked over REST with an application key and a session.
//
// The shapes are those of the Exchange API (docs.developer.betfair.com, listMarketBook over JSON REST): POST
// {marketIds, priceProjection} answers [{marketId, isMarketDataDelayed, status, runners: [{selectionId, status,
// ex: {availableToBack: [{price, size}], availableToLay}}]}]. A session ends some hours after the last keepAlive.

import type { VenueMids } from '../../domain/feed.ts';
import { valueAt } from '../pointer.ts';
import { numberOf, refusal, shown } from '../statement.ts';
import { itemsOf, type Quote, type QuotesRead } from './quotes.ts';

export const BETFAIR_PATH = '/listMarketBook/';

export function betfairBody({ market }: VenueMids): string {
  const priceProjection = { priceData: ['EX_BEST_OFFERS'], virtualise: true };
  return JSON.stringify({ marketIds: [market], priceProjection });
}

export function betfairQuotes(document: unknown, { market }: VenueMids): QuotesRead {
  const book = itemsOf(document).find((each) => valueAt(each, '/marketId') === market);
  if (book === undefined) return refusal(`market ${market}`, 'not in the answer', 'a book of it');
  if (valueAt(book, '/isMarketDataDelayed') === true) {
    const right = 'live data: an application key that is not the delayed one';
    return refusal(`market ${market}`, 'delayed', right);
  }
  const status = valueAt(book, '/status');
  if (status !== 'OPEN') return refusal(`market ${market}`, `of status ${shown(status)}`, 'OPEN');
  const quotes = new Map<string, Quote>();
  for (const runner of itemsOf(valueAt(book, '/runners'))) {
    quotes.set(String(valueAt(runner, '/selectionId')), quoteOf(runner));
  }
  return { kind: 'quotes', isWhole: true, quotes };
}

/** Who backs at odds of 2.5 buys at 0.4; who lays sells. */
function quoteOf(runner: unknown): Quote {
  const status = valueAt(runner, '/status');
  if (status !== 'ACTIVE') return { fault: `of status ${shown(status)}` };
  const backs = oddsOf(valueAt(runner, '/ex/availableToBack'));
  const lays = oddsOf(valueAt(runner, '/ex/availableToLay'));
  return {
    bid: lays.length === 0 ? undefined : 1 / Math.min(...lays),
    ask: backs.length === 0 ? undefined : 1 / Math.max(...backs),
  };
}

/** As many as a ladder of best offers has. */
const OFFERS_MAX = 10;

function oddsOf(offers: unknown): readonly number[] {
  return itemsOf(offers)
    .slice(0, OFFERS_MAX)
    .flatMap((offer) => {
      const odds = numberOf(valueAt(offer, '/price'));
      const size = numberOf(valueAt(offer, '/size'));
      return odds !== undefined && odds > 1 && (size ?? 0) > 0 ? [odds] : [];
    });
}
