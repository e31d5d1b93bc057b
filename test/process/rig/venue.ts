// The embedded venue in the rig's own process: it moves the markets, and its records are the judge.

import { Decimal } from 'decimal.js';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';

const ACCOUNT = 'maker';
const OTHERS = 'others';
/** Half of the spread that others leave. */
const HALF_SPREAD_TICKS = 10;
const MOVE_MS = 300;

export type Sample = { readonly atMs: number; readonly open: number };

export class RigVenue {
  readonly venue: PaperVenue;
  readonly eventSlug = 'rig';
  readonly #middles: number[];
  readonly #mover: NodeJS.Timeout;
  #move = 0;

  private constructor(venue: PaperVenue, markets: number) {
    this.venue = venue;
    this.#middles = Array.from({ length: markets }, () => 50);
    venue.desk.fund(OTHERS, new Decimal(10_000_000));
    for (let market = 0; market < markets; market += 1) this.#quote(market);
    this.#mover = setInterval(() => this.#moveOne(), MOVE_MS);
  }

  static async start(markets: number): Promise<RigVenue> {
    const venue = await startPaperVenue({
      startingCash: 1_000_000,
      timeScale: 0.02,
      events: [
        {
          slug: 'rig',
          title: 'The rig',
          category: 'tests',
          tickSize: '0.01',
          markets: Array.from({ length: markets }, (_, index) => ({
            slug: `m${index}`,
            title: `Market ${index}`,
          })),
        },
      ],
    });
    return new RigVenue(venue, markets);
  }

  /** In the order of their numbers. */
  get marketIds(): readonly string[] {
    const [event] = this.venue.desk.events();
    return event?.markets.map(({ id }) => id) ?? [];
  }

  /** Orders of the daemon's account that could still trade and be cancelled. */
  openCount(): number {
    const { exchange } = this.venue;
    return exchange.openOrders(exchange.accounts.named(ACCOUNT)).length;
  }

  /** Two live orders of one token, side and price: one of them was never meant. */
  doubledCount(): number {
    const { exchange } = this.venue;
    const keys = exchange
      .openOrders(exchange.accounts.named(ACCOUNT))
      .map(({ terms }) => `${terms.outcome.tokenId} ${terms.side} ${terms.price}`);
    return keys.length - new Set(keys).size;
  }

  async stop(): Promise<void> {
    clearInterval(this.#mover);
    await this.venue.stop();
  }

  /** One market after the other goes a tick up and down again, so that something is always placed. */
  #moveOne(): void {
    const market = this.#move % this.#middles.length;
    const round = Math.floor(this.#move / this.#middles.length);
    this.#move += 1;
    this.#middles[market] = 50 + (round % 2);
    this.#quote(market);
  }

  #quote(index: number): void {
    const { desk } = this.venue;
    const [event] = desk.events();
    const market = event?.markets[index];
    const middle = this.#middles[index];
    if (event === undefined || market === undefined || middle === undefined) return;
    const name = `${OTHERS}-${index}`;
    desk.fund(name, new Decimal(1_000));
    desk.cancelAll(name);
    const sides = [
      { tokenId: market.yes.tokenId, price: middle - HALF_SPREAD_TICKS },
      // A bid for NO is an offer of YES, and needs no shares.
      { tokenId: market.no.tokenId, price: 100 - middle - HALF_SPREAD_TICKS },
    ];
    for (const { tokenId, price } of sides) {
      const quantity = shares(100);
      const terms = { side: 'BUY', quantity, timeInForce: 'GTC' } as const;
      desk.place(name, { ...terms, tokenId, price: ticks(event.grid, price) });
    }
  }
}
