// The desk: how the crowd trades on the exchange and plays recordings onto it, in process.

import type { Decimal } from 'decimal.js';
import type { EventId, MarketId, OrderHash, TokenId } from '../../domain/ids.ts';
import type { Event, TradingStatus } from '../../domain/market.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import { MICRO_SHARES_MAX, type MicroShares, microShares } from '../../domain/shares.ts';
import { type TickGrid, type Ticks, ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Account } from './account.ts';
import { nanoOf } from './amounts.ts';
import type { Desk, DeskAnswer, DeskOrder, TraderName } from './desk.ts';
import type { Exchange } from './exchange.ts';
import { VenueRefusal } from './refusal.ts';

export class ExchangeDesk implements Desk {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  nowMs(): UnixMs {
    return this.#exchange.context.clock.nowMs();
  }

  /** Every listed event as it is now, statuses and tick grid included. */
  events(): readonly Event[] {
    return this.#exchange.catalogue.events().map((listed) => ({
      ...listed.event,
      grid: listed.grid,
      status: listed.status(),
      markets: listed.markets.map((market) => ({
        ...market.market,
        status: market.restStatus(),
      })),
    }));
  }

  fund(trader: TraderName, cash: Decimal): void {
    const { accounts } = this.#exchange;
    const account = accounts.find(trader) ?? accounts.open(trader, 'crowd');
    accounts.deposit(account, nanoOf(cash));
  }

  mintSets(trader: TraderName, marketId: MarketId, quantity: MicroShares): DeskAnswer | undefined {
    return refusalOf(() => {
      const market = this.#exchange.catalogue.market(marketId);
      this.#exchange.chain.split(this.#trader(trader), market, quantity);
      return undefined;
    });
  }

  place(trader: TraderName, order: DeskOrder): DeskAnswer {
    return refusalOf((): DeskAnswer => {
      const placed = this.#exchange.placeAtDesk(this.#trader(trader), {
        token: this.#exchange.catalogue.token(order.tokenId),
        side: order.side,
        price: order.price,
        quantityMicro: order.quantity,
        timeInForce: order.timeInForce,
        expiresAtMs: undefined,
        clientOrderId: undefined,
      });
      return { kind: 'accepted', orderHash: placed.terms.orderHash };
    });
  }

  cancel(trader: TraderName, orderHash: OrderHash): boolean {
    const account = this.#exchange.accounts.find(trader);
    if (!account) return false;
    return this.#exchange.cancelMany(account, [orderHash]).cancelled === 1;
  }

  cancelAll(trader: TraderName, marketId?: MarketId): number {
    const { accounts, catalogue } = this.#exchange;
    const account = accounts.find(trader);
    if (!account) return 0;
    const market = marketId === undefined ? undefined : catalogue.market(marketId);
    return this.#exchange.cancelAll(account, { token: undefined, market }).cancelled;
  }

  levels(tokenId: TokenId, side: BookSide): readonly Level[] {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    return this.#exchange.context.books
      .of(market)
      .levels(index, side)
      .map((level) => ({
        price: ticks(market.grid, level.priceTicks),
        size: shownSize(level.sizeMicro),
      }));
  }

  best(tokenId: TokenId, side: BookSide): Ticks | undefined {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    const [level] = this.#exchange.context.books.of(market).levels(index, side, 1);
    return level && ticks(market.grid, level.priceTicks);
  }

  sizeAt(tokenId: TokenId, side: BookSide, price: Ticks): MicroShares {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    const book = this.#exchange.context.books.of(market);
    return shownSize(book.sizeAt(market.grid, { index, side, price }));
  }

  setRecordedLevel(tokenId: TokenId, side: BookSide, price: Ticks, size: MicroShares): void {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    this.#exchange.recorded.setLevel(market, { index, side, price, sizeMicro: size });
  }

  clearRecorded(tokenId: TokenId): void {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    this.#exchange.recorded.clear(market, index);
  }

  printRecordedTrade(tokenId: TokenId, price: Ticks, size: MicroShares, takerSide: Side): void {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    this.#exchange.recorded.print(market, { index, price, sizeMicro: size, takerSide });
  }

  setTradingStatus(marketId: MarketId, status: TradingStatus): void {
    this.#exchange.setTradingStatus(this.#exchange.catalogue.market(marketId), status);
  }

  regrid(eventId: EventId, grid: TickGrid): void {
    this.#exchange.regrid(this.#exchange.catalogue.event(eventId), grid);
  }

  resolve(marketId: MarketId, winner: TokenId): void {
    const { market, index } = this.#exchange.catalogue.token(winner);
    if (market.market.id !== marketId) {
      throw new VenueRefusal('token_not_found', 'the winner is not a token of this market');
    }
    this.#exchange.resolve(market, index);
  }

  #trader(name: TraderName): Account {
    const account = this.#exchange.accounts.find(name);
    if (account) return account;
    throw new VenueRefusal('insufficient_balance', `${name} was never funded`);
  }
}

/** Many orders may rest at one price: a level shows no more than one quantity can be. */
function shownSize(sizeMicro: number): MicroShares {
  return microShares(Math.min(sizeMicro, MICRO_SHARES_MAX));
}

function refusalOf<Answer>(act: () => Answer): Answer | DeskAnswer {
  try {
    return act();
  } catch (error) {
    if (error instanceof VenueRefusal) return { kind: 'refused', code: error.code };
    throw error;
  }
}
