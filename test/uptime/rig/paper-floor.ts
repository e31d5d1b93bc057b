// The embedded venue as a floor: it plays the dialects.

import { Decimal } from 'decimal.js';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { usdcOf } from '../../../src/paper/exchange/amounts.ts';
import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import type { PaperOptions } from '../../../src/paper/options.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import {
  type AxisSide,
  type BotMarket,
  type Floor,
  OTHERS_SHARES,
  type OthersBook,
} from './floor.ts';

const BOT = 'maker';
const TAKERS = 'takers';
const MICRO = 1_000_000;
const FUNDS = new Decimal(10_000_000);
const MINTED_SHARES = 500_000;
const MARKETS = 2;

export type BotMoney = {
  readonly cashUsdc: Decimal;
  readonly depositedUsdc: Decimal;
  readonly markets: readonly { readonly id: string; readonly yes: number; readonly no: number }[];
};

export class PaperFloor implements Floor {
  readonly venue: PaperVenue;
  readonly eventSlug = 'uptime';
  readonly ticksPerUnit = 100;
  readonly #markets: readonly Market[];
  /** Orders of the bot that could still rest or settle. */
  readonly #orders = new Set<ExchangeOrder>();
  #fills = 0;

  private constructor(venue: PaperVenue) {
    this.venue = venue;
    this.#markets = venue.desk.events()[0]?.markets ?? [];
    venue.exchange.listen((event) => {
      if (event.kind === 'tradeSettled' && event.leg.account.name === BOT) {
        this.#fills += 1;
      }
      if (event.kind === 'orderUpdated' && event.order.terms.account.name === BOT) {
        this.#orders.add(event.order);
      }
    });
    for (const [index] of this.#markets.entries()) this.#fund(othersOf(index), index);
    for (const [index] of this.#markets.entries()) this.#fund(TAKERS, index);
  }

  static async start(
    options: Partial<PaperOptions> = {},
    marketCount = MARKETS,
  ): Promise<PaperFloor> {
    const markets = Array.from({ length: marketCount }, (_, index) => ({
      slug: `m${index}`,
      title: `Market ${index}`,
    }));
    const event = {
      slug: 'uptime',
      title: 'The rig',
      category: 'tests',
      tickSize: '0.01',
      markets,
    };
    return new PaperFloor(
      await startPaperVenue({
        startingCash: 100_000,
        timeScale: 0.1,
        ...options,
        events: [{ ...event, tickSize: '0.01' }],
      }),
    );
  }

  get baseUrl() {
    return this.venue.baseUrl;
  }

  get wsUrl() {
    return this.venue.wsUrl;
  }

  get credentials() {
    return this.venue.account;
  }

  get marketCount() {
    return this.#markets.length;
  }

  bot(index: number): BotMarket {
    const market = this.#markets[index];
    if (market === undefined) return { resting: [], net: 0 };
    const account = this.venue.exchange.accounts.named(BOT);
    let netMicro = account.holding(market.yes.tokenId).settledMicro;
    netMicro -= account.holding(market.no.tokenId).settledMicro;
    for (const order of this.#orders) {
      if (order.end !== undefined && order.holdMicro === 0) this.#orders.delete(order);
      if (order.terms.market.market.id !== market.id) continue;
      netMicro += order.axis.side === 'bid' ? order.holdMicro : -order.holdMicro;
    }
    return { resting: this.#open(market.id).map(restingOf), net: netMicro / MICRO };
  }

  openCount(): number {
    return this.#open(undefined).length;
  }

  layBook(index: number, book: OthersBook): void {
    const market = this.#markets[index];
    if (market === undefined) return;
    this.venue.desk.cancelAll(othersOf(index));
    for (let level = 0; level < book.levels; level += 1) {
      this.#quote(index, market, { bid: book.bid - level, ask: book.ask + level });
    }
  }

  #quote(index: number, market: Market, at: { readonly bid: number; readonly ask: number }): void {
    const { desk } = this.venue;
    const [event] = desk.events();
    if (event === undefined) return;
    const whole = this.ticksPerUnit;
    for (const [tokenId, bidTicks, askTicks] of [
      [market.yes.tokenId, at.bid, at.ask],
      [market.no.tokenId, whole - at.ask, whole - at.bid],
    ] as const) {
      const terms = { tokenId, quantity: shares(OTHERS_SHARES), timeInForce: 'GTC' } as const;
      const name = othersOf(index);
      desk.place(name, { ...terms, side: 'BUY', price: ticks(event.grid, bidTicks) });
      desk.place(name, { ...terms, side: 'SELL', price: ticks(event.grid, askTicks) });
    }
  }

  hit(index: number, side: AxisSide, count: number): void {
    const market = this.#markets[index];
    if (market === undefined) return;
    const sign = side === 'bid' ? -1 : 1;
    const [best] = this.#open(market.id)
      .filter((order) => order.axis.side === side)
      .sort((a, b) => sign * (a.axis.tick - b.axis.tick));
    if (best === undefined) return;
    const { outcome, price } = best.terms;
    this.venue.desk.place(TAKERS, {
      tokenId: outcome.tokenId,
      side: best.terms.side === 'BUY' ? 'SELL' : 'BUY',
      price,
      quantity: shares(count),
      timeInForce: 'FAK',
    });
  }

  /** What the bot has, to the micro-share and the micro-dollar; the shares of each market that settled. */
  money(): BotMoney {
    const account = this.venue.exchange.accounts.named(BOT);
    const settled = (tokenId: TokenId) => account.holding(tokenId).settledMicro / MICRO;
    return {
      cashUsdc: usdcOf(account.cashNano),
      depositedUsdc: usdcOf(account.netDepositsNano),
      markets: this.#markets.map(({ id, yes, no }) => ({
        ...{ id, yes: settled(yes.tokenId), no: settled(no.tokenId) },
      })),
    };
  }

  /** Trades of the bot since the start. */
  fills(): number {
    return this.#fills;
  }

  async stop(): Promise<void> {
    await this.venue.stop();
  }

  #open(marketId: string | undefined): readonly ExchangeOrder[] {
    const { exchange } = this.venue;
    return exchange
      .openOrders(exchange.accounts.named(BOT))
      .filter(
        (order) =>
          order.restingMicro() > 0 &&
          (marketId === undefined || order.terms.market.market.id === marketId),
      );
  }

  #fund(name: string, index: number): void {
    const market = this.#markets[index];
    this.venue.desk.fund(name, FUNDS);
    if (market) this.venue.desk.mintSets(name, market.id, shares(MINTED_SHARES));
  }
}

function othersOf(index: number): string {
  return `others-${index}`;
}

function restingOf(order: ExchangeOrder) {
  return {
    orderHash: order.terms.orderHash,
    axisSide: order.axis.side,
    ticks: order.axis.tick,
    shares: order.restingMicro() / MICRO,
    placedAtMs: order.terms.createdAtMs,
    // No row of the dialects has a trade fail.
    isRestored: false,
  };
}
