// A small exchange for tests of the crowd: real accounts, real matching by price and time within a
// token, at once and without settlement. It keeps what was asked of it for tests to look at.

import { type MarketId, type OrderHash, orderHash, type TokenId } from '../../src/domain/ids.ts';
import type { Event, Market, TradingStatus } from '../../src/domain/market.ts';
import type { BookSide, Level } from '../../src/domain/message.ts';
import type { Side } from '../../src/domain/order.ts';
import { type MicroShares, microShares, NO_SHARES } from '../../src/domain/shares.ts';
import type { Ticks } from '../../src/domain/ticks.ts';
import type { Clock, UnixMs } from '../../src/domain/time.ts';
import { meetsMinNotional, type Usdc } from '../../src/domain/usdc.ts';
import type { Desk, DeskAnswer, DeskOrder } from '../../src/paper/exchange/desk.ts';

export type DeskTrade = {
  readonly atMs: number;
  readonly tokenId: TokenId;
  readonly price: Ticks;
  readonly quantity: number;
  readonly maker: string;
  readonly taker: string;
  readonly takerSide: Side;
};

export type DeskPrint = {
  readonly tokenId: TokenId;
  readonly price: Ticks;
  readonly size: MicroShares;
  readonly takerSide: Side;
};

type Resting = DeskOrder & { readonly hash: OrderHash; readonly trader: string; left: number };
type Account = { cash: number; readonly shares: Map<TokenId, number> };

export class DeskDouble implements Desk {
  readonly placed: (DeskOrder & { readonly trader: string })[] = [];
  readonly cancelled: OrderHash[] = [];
  readonly refused: string[] = [];
  readonly trades: DeskTrade[] = [];
  readonly prints: DeskPrint[] = [];
  readonly funded: { readonly trader: string; readonly cash: string }[] = [];
  readonly statuses: { readonly marketId: MarketId; readonly status: TradingStatus }[] = [];
  readonly resolved = new Map<MarketId, TokenId>();
  /** Levels that were laid with another size than before, cleared ones not counted. */
  recordedChanges = 0;
  readonly #clock: Clock;
  readonly #events: readonly Event[];
  readonly #resting = new Map<OrderHash, Resting>();
  readonly #accounts = new Map<string, Account>();
  readonly #recorded = new Map<string, Map<Ticks, MicroShares>>();
  readonly #trading = new Map<MarketId, TradingStatus>();
  #orders = 0;

  constructor(clock: Clock, events: readonly Event[]) {
    this.#clock = clock;
    this.#events = events;
  }

  nowMs(): UnixMs {
    return this.#clock.nowMs();
  }

  events(): readonly Event[] {
    return this.#events;
  }

  fund(trader: string, cash: Usdc): void {
    this.funded.push({ trader, cash: cash.toString() });
    this.#account(trader).cash += cash.times(1_000_000).toNumber();
  }

  mintSets(trader: string, marketId: MarketId, quantity: MicroShares): DeskAnswer | undefined {
    const market = this.#marketOf((each) => each.id === marketId);
    const account = this.#account(trader);
    if (account.cash < quantity) return this.#refuse('insufficient_balance');
    account.cash -= quantity;
    this.#give(account, market.yes.tokenId, quantity);
    this.#give(account, market.no.tokenId, quantity);
    return undefined;
  }

  place(trader: string, order: DeskOrder): DeskAnswer {
    this.placed.push({ ...order, trader });
    const refusal = this.#refusalOf(trader, order);
    if (refusal !== undefined) return this.#refuse(refusal);
    this.#hold(this.#account(trader), order, -order.quantity);
    this.#orders += 1;
    const hash = orderHash(`0x${this.#orders.toString(16)}`);
    const live: Resting = { ...order, hash, trader, left: order.quantity };
    this.#match(live);
    if (live.left > 0 && order.timeInForce === 'GTC') this.#resting.set(hash, live);
    else this.#hold(this.#account(trader), order, live.left);
    return { kind: 'accepted', orderHash: hash };
  }

  cancel(trader: string, hash: OrderHash): boolean {
    const order = this.#resting.get(hash);
    if (!order || order.trader !== trader) return false;
    this.cancelled.push(hash);
    this.#resting.delete(hash);
    this.#hold(this.#account(trader), order, order.left);
    return true;
  }

  cancelAll(trader: string): number {
    const own = this.restingOf(trader);
    for (const order of own) this.cancel(trader, order.hash);
    return own.length;
  }

  regrid(): void {
    this.#resting.clear();
    this.#recorded.clear();
  }

  restingOf(trader: string): readonly Resting[] {
    return [...this.#resting.values()].filter((order) => order.trader === trader);
  }

  get restingCount(): number {
    return this.#resting.size;
  }

  levels(tokenId: TokenId, side: BookSide): readonly Level[] {
    const sizes = new Map<Ticks, number>(this.#recorded.get(`${tokenId}/${side}`) ?? []);
    for (const order of this.#resting.values()) {
      if (order.tokenId !== tokenId || bookSideOf(order.side) !== side) continue;
      sizes.set(order.price, (sizes.get(order.price) ?? 0) + order.left);
    }
    const sign = side === 'bid' ? -1 : 1;
    return [...sizes]
      .sort(([a], [b]) => sign * (a - b))
      .map(([price, size]) => ({ price, size: microShares(size) }));
  }

  best(tokenId: TokenId, side: BookSide): Ticks | undefined {
    return this.levels(tokenId, side)[0]?.price;
  }

  sizeAt(tokenId: TokenId, side: BookSide, price: Ticks): MicroShares {
    return this.levels(tokenId, side).find((level) => level.price === price)?.size ?? NO_SHARES;
  }

  setRecordedLevel(tokenId: TokenId, side: BookSide, price: Ticks, size: MicroShares): void {
    const key = `${tokenId}/${side}`;
    const levels = this.#recorded.get(key) ?? new Map<Ticks, MicroShares>();
    this.#recorded.set(key, levels);
    if (size === 0) levels.delete(price);
    else levels.set(price, size);
    this.recordedChanges += 1;
  }

  clearRecorded(tokenId: TokenId): void {
    this.#recorded.delete(`${tokenId}/bid`);
    this.#recorded.delete(`${tokenId}/ask`);
  }

  printRecordedTrade(tokenId: TokenId, price: Ticks, size: MicroShares, takerSide: Side): void {
    this.prints.push({ tokenId, price, size, takerSide });
  }

  setTradingStatus(marketId: MarketId, status: TradingStatus): void {
    this.statuses.push({ marketId, status });
    this.#trading.set(marketId, status);
  }

  resolve(marketId: MarketId, winner: TokenId): void {
    this.#trading.set(marketId, 'resolved');
    this.resolved.set(marketId, winner);
  }

  #refusalOf(trader: string, order: DeskOrder): string | undefined {
    const market = this.#marketOf((each) => isIn(each, order.tokenId));
    const status = this.#trading.get(market.id) ?? 'open';
    if (status !== 'open') return `market_${status}`;
    const grid = this.#gridOf(order.tokenId);
    if (!meetsMinNotional(grid, order.price, order.quantity)) return 'below_min_notional';
    const account = this.#account(trader);
    const lacks = (have: number, need: number): boolean => have < need;
    if (order.side === 'SELL') {
      const have = account.shares.get(order.tokenId) ?? 0;
      return lacks(have, order.quantity) ? 'insufficient_shares' : undefined;
    }
    const cost = (order.price * order.quantity) / grid.ticksPerUnit;
    return lacks(account.cash, cost) ? 'insufficient_balance' : undefined;
  }

  #match(taker: Resting): void {
    const against = [...this.#resting.values()]
      .filter((order) => order.tokenId === taker.tokenId && order.side !== taker.side)
      .filter((order) => crosses(taker, order.price))
      .sort((a, b) => (taker.side === 'BUY' ? a.price - b.price : b.price - a.price));
    for (const maker of against) {
      const quantity = Math.min(taker.left, maker.left);
      if (quantity > 0) this.#trade(maker, taker, quantity);
    }
  }

  #trade(maker: Resting, taker: Resting, quantity: number): void {
    const grid = this.#gridOf(taker.tokenId);
    const paid = (maker.price * quantity) / grid.ticksPerUnit;
    const held = (taker.price * quantity) / grid.ticksPerUnit;
    const [buyer, seller] = taker.side === 'BUY' ? [taker, maker] : [maker, taker];
    this.#give(this.#account(buyer.trader), taker.tokenId, quantity);
    this.#account(seller.trader).cash += paid;
    if (taker.side === 'BUY') this.#account(taker.trader).cash += held - paid;
    maker.left -= quantity;
    taker.left -= quantity;
    if (maker.left === 0) this.#resting.delete(maker.hash);
    const { tokenId, side: takerSide } = taker;
    const names = { maker: maker.trader, taker: taker.trader };
    const trade = { atMs: this.nowMs(), tokenId, price: maker.price, quantity, ...names };
    this.trades.push({ ...trade, takerSide });
  }

  /** Gives back what an order holds for so many shares; takes it where negative. */
  #hold(account: Account, order: DeskOrder, quantity: number): void {
    if (order.side === 'SELL') this.#give(account, order.tokenId, quantity);
    else account.cash += (order.price * quantity) / this.#gridOf(order.tokenId).ticksPerUnit;
  }

  #give(account: Account, tokenId: TokenId, quantity: number): void {
    account.shares.set(tokenId, (account.shares.get(tokenId) ?? 0) + quantity);
  }

  #account(trader: string): Account {
    const account = this.#accounts.get(trader) ?? { cash: 0, shares: new Map() };
    this.#accounts.set(trader, account);
    return account;
  }

  #marketOf(isIt: (market: Market) => boolean): Market {
    const market = this.#events.flatMap((event) => event.markets).find(isIt);
    if (!market) throw new Error('the double does not list this market');
    return market;
  }

  #gridOf(tokenId: TokenId) {
    const event = this.#events.find((each) => each.markets.some((market) => isIn(market, tokenId)));
    if (!event) throw new Error('the double does not list this token');
    return event.grid;
  }

  #refuse(code: string): DeskAnswer {
    this.refused.push(code);
    return { kind: 'refused', code };
  }
}

function crosses(taker: DeskOrder, price: Ticks): boolean {
  return taker.side === 'BUY' ? price <= taker.price : price >= taker.price;
}

function bookSideOf(side: Side): BookSide {
  return side === 'BUY' ? 'bid' : 'ask';
}

function isIn(market: Market, tokenId: TokenId): boolean {
  return market.yes.tokenId === tokenId || market.no.tokenId === tokenId;
}
