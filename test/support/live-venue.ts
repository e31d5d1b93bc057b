// A venue in another process as a test sees it: started, steered, looked into, and asked for its open
// orders.

import { type ListedMarket, type VenueInfo, type VenueRules, venueHost } from './venue-host.ts';

export type OpenOrder = {
  readonly orderHash: string;
  readonly tokenId: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
  readonly filledQuantity: string;
};

/** The name of the ready-made account, and of the one that makes the market in tests. */
const ACCOUNT = 'maker';
const OTHERS = 'others';

export class LiveVenue {
  readonly info: VenueInfo;
  readonly #id: number;

  private constructor(id: number, info: VenueInfo) {
    this.#id = id;
    this.info = info;
  }

  static async start(rules: VenueRules = {}): Promise<LiveVenue> {
    const { id, info } = await venueHost().start(rules);
    const venue = new LiveVenue(id, info);
    await venue.control('fund', { trader: OTHERS, cash: 1_000_000 });
    return venue;
  }

  market(slug: string, index = 0): ListedMarket {
    const market = this.info.events.find((event) => event.slug === slug)?.markets[index];
    if (!market) throw new Error(`no market ${index} of ${slug}`);
    return market;
  }

  /** Asks for something through the control route. */
  async control(verb: string, body: object): Promise<unknown> {
    const address = new URL(`/__control/${verb}`, this.info.baseUrl);
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${verb}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Others quote YES of a market at these prices, and nowhere else. */
  async quoteBook(market: ListedMarket, book: { bid: number; ask: number; decimals?: number }) {
    const onGrid = (price: number) => Number(price.toFixed(book.decimals ?? 2));
    const orders = [
      { tokenId: market.yes, price: onGrid(book.bid) },
      // A bid for NO is an offer of YES, and needs no shares.
      { tokenId: market.no, price: onGrid(1 - book.ask) },
    ];
    for (const order of orders) {
      await this.place({ ...order, side: 'BUY', shares: 500 });
    }
  }

  async place(order: {
    tokenId: string;
    side: 'BUY' | 'SELL';
    price: number;
    shares: number;
    timeInForce?: 'GTC' | 'FAK';
  }): Promise<void> {
    await this.control('place', { trader: OTHERS, ...order });
  }

  /** A bid in the daemon's own account that no daemon knows of. */
  async placeForDaemon(tokenId: string, price: number): Promise<void> {
    const order = { trader: ACCOUNT, tokenId, side: 'BUY', price, shares: 50 };
    await this.control('place', order);
  }

  /** Everything that others quote is taken back. */
  async clearBook(): Promise<void> {
    await this.control('cancelAll', { trader: OTHERS });
  }

  /** The daemon's open orders, as the venue itself knows them. */
  async openOrders(): Promise<readonly OpenOrder[]> {
    const answer = await this.control('openOrders', { account: ACCOUNT });
    if (!isAnswer(answer)) throw new Error(`no list of orders: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** Where it is, as a configuration says it. */
  address(): { readonly baseUrl: string; readonly wsUrl: string } {
    const { baseUrl, wsUrl } = this.info;
    return { baseUrl, wsUrl };
  }

  /** What a daemon needs to trade here. */
  credentials(): Readonly<Record<string, string>> {
    const { apiKey, apiSecret, apiPassphrase } = this.info.account;
    return {
      VENUE_API_KEY: apiKey,
      VENUE_API_SECRET: apiSecret,
      VENUE_API_PASSPHRASE: apiPassphrase,
    };
  }

  async stop(): Promise<void> {
    await venueHost().stop(this.#id);
  }
}

function isAnswer(answer: unknown): answer is { readonly data: readonly OpenOrder[] } {
  return (
    typeof answer === 'object' && answer !== null && 'data' in answer && Array.isArray(answer.data)
  );
}
