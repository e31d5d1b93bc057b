// The venue double as a floor.

import { BOT } from '../venue-double/exchange.ts';
import type { DoubleOptions, Switches } from '../venue-double/options.ts';
import { type Market, MICRO, type Order, resting } from '../venue-double/terms.ts';
import { VenueDouble } from '../venue-double/venue.ts';
import {
  type AxisSide,
  type BotMarket,
  type Floor,
  OTHERS_SHARES,
  type OthersBook,
} from './floor.ts';

const OTHERS = 'others';
const TAKERS = 'takers';

export class DoubleFloor implements Floor {
  readonly venue: VenueDouble;
  readonly eventSlug = 'uptime';

  /** Orders that another trader on the account has placed. */
  readonly #ofAnother: Order[] = [];

  private constructor(venue: VenueDouble) {
    this.venue = venue;
  }

  static async start(
    options: Partial<DoubleOptions> = {},
    switches: Partial<Switches> = {},
  ): Promise<DoubleFloor> {
    return new DoubleFloor(await VenueDouble.start(options, switches));
  }

  get baseUrl() {
    return this.venue.baseUrl;
  }

  get wsUrl() {
    return this.venue.wsUrl;
  }

  get credentials() {
    return this.venue.credentials;
  }

  get ticksPerUnit() {
    return this.venue.options.grid.ticksPerUnit;
  }

  get marketCount() {
    return this.venue.exchange.markets.length;
  }

  bot(index: number): BotMarket {
    const { exchange } = this.venue;
    const market = exchange.markets[index];
    const account = exchange.account(BOT);
    const [no = 0, yes = 0] = (market?.tokens ?? []).map(
      (token) => account.settled.get(token) ?? 0,
    );
    let net = yes - no;
    const rests = [];
    for (const order of account.orders.values()) {
      if (order.market !== market || this.#ofAnother.includes(order)) continue;
      net += order.axisSide === 'bid' ? order.held : -order.held;
      if (resting(order) > 0) rests.push(restingOf(order));
    }
    return { resting: rests, net: net / MICRO };
  }

  openCount(): number {
    return this.venue.exchange
      .account(BOT)
      .live()
      .filter((order) => resting(order) > 0).length;
  }

  layBook(index: number, book: OthersBook): void {
    const { exchange } = this.venue;
    const market = exchange.markets[index];
    if (market === undefined) return;
    for (const order of exchange.account(OTHERS).live()) {
      if (order.market === market) exchange.cancel(order);
    }
    for (let level = 0; level < book.levels; level += 1) {
      this.#quote(market, book.bid - level, book.ask + level);
    }
  }

  #quote({ tokens: [no, yes] }: Market, bid: number, ask: number): void {
    const { exchange } = this.venue;
    const quantity = OTHERS_SHARES * MICRO;
    for (const [tokenId, bidTicks, askTicks] of [
      [yes, bid, ask],
      [no, this.ticksPerUnit - ask, this.ticksPerUnit - bid],
    ] as const) {
      exchange.place(OTHERS, { tokenId, side: 'BUY', priceTicks: bidTicks, quantity });
      exchange.place(OTHERS, { tokenId, side: 'SELL', priceTicks: askTicks, quantity });
    }
  }

  hit(index: number, side: AxisSide, shares: number): void {
    const { exchange } = this.venue;
    const market = exchange.markets[index];
    const sign = side === 'bid' ? -1 : 1;
    const [best] = exchange
      .account(BOT)
      .live()
      .filter((order) => order.market === market && order.axisSide === side && order.isInBook)
      .sort((a, b) => sign * (a.axisTicks - b.axisTicks));
    if (best === undefined) return;
    const { tokenId, priceTicks } = best;
    const quantity = Math.round(shares * MICRO);
    const taking = best.side === 'BUY' ? 'SELL' : 'BUY';
    exchange.place(TAKERS, { tokenId, side: taking, priceTicks, quantity, isFak: true });
  }

  /** Orders of an earlier process: they rest before the bot starts, and it never reported for them. */
  leaveOrders(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const market = this.venue.exchange.markets[index % this.marketCount];
      const tokenId = market?.tokens[index % 2];
      const priceTicks = Math.round(this.ticksPerUnit * 0.4) - index;
      if (tokenId === undefined) continue;
      this.venue.exchange.place(BOT, { tokenId, side: 'BUY', priceTicks, quantity: 20 * MICRO });
    }
  }

  /** Another trader on the account rests an order far from the market, a price of its own each time. */
  placeByAnother(): void {
    const market = this.venue.exchange.markets[this.#ofAnother.length % this.marketCount];
    const tokenId = market?.tokens[1];
    if (tokenId === undefined) return;
    const priceTicks = Math.round(this.ticksPerUnit * 0.05) + (this.#ofAnother.length % 10);
    const terms = { tokenId, side: 'BUY', priceTicks, quantity: 37 * MICRO } as const;
    const placed = this.venue.exchange.place(BOT, terms);
    if (placed.kind === 'accepted') this.#ofAnother.push(placed.order);
  }

  /** Orders of the other trader that somebody cancelled. */
  lostByAnother(): number {
    return this.#ofAnother.filter(({ status }) => status === 'CANCELLED').length;
  }

  async stop(): Promise<void> {
    await this.venue.stop();
  }
}

function restingOf(order: Order) {
  return {
    orderHash: order.orderHash,
    axisSide: order.axisSide,
    ticks: order.axisTicks,
    shares: resting(order) / MICRO,
    placedAtMs: order.placedAtMs,
    isRestored: order.isRestored,
  };
}
