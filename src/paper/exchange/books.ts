// The book of each listed market.

import type { ListedMarket } from './listed-market.ts';
import { MarketBook } from './market-book.ts';
import type { ExchangeRules } from './rules.ts';

export class Books {
  /** One per listed market. */
  readonly #byMarket = new Map<ListedMarket, MarketBook>();
  readonly #shows: ExchangeRules['books'];

  constructor(shows: ExchangeRules['books']) {
    this.#shows = shows;
  }

  of(market: ListedMarket): MarketBook {
    return this.#byMarket.get(market) ?? this.renew(market);
  }

  /** Starts an empty book on the market's present grid. */
  renew(market: ListedMarket): MarketBook {
    const book = new MarketBook(market.grid, this.#shows);
    this.#byMarket.set(market, book);
    return book;
  }
}
