// Books, matching by price and time on the YES axis, cancels, and settlement on a timer.
// Written from the interface document; it shares no line with the embedded venue.

import { randomBytes } from 'node:crypto';
import { Account, addTo } from './accounts.ts';
import type { DoubleOptions, Switches } from './options.ts';
import {
  type AxisSide,
  type Fill,
  isLive,
  type Market,
  MICRO,
  type Order,
  resting,
  type Side,
} from './terms.ts';

export type PlaceTerms = {
  readonly tokenId: string;
  readonly side: Side;
  readonly priceTicks: number;
  readonly quantity: number;
  readonly expiresAtMs?: number | undefined;
  /** Ends at once with what did not match. */
  readonly isFak?: boolean;
};

export type Placed =
  | { readonly kind: 'accepted'; readonly order: Order }
  | { readonly kind: 'refused'; readonly code: string };

/** What the sockets tell. */
export interface ExchangeListener {
  onOrder(order: Order): void;
  onMatch(market: Market, axisTicks: number, quantity: number, taker: Order): void;
  onSettled(fill: Fill): void;
  onFailed(fill: Fill): void;
  onBook(market: Market): void;
}

export const BOT = 'maker';
/** The way from an acknowledgement to the engine. */
const MATCH_DELAY_MS = 3;
const MICRO_DECIMALS = 6;

export class Exchange {
  readonly markets: readonly Market[];
  readonly switches: Switches;
  readonly settledTrades: Fill[] = [];
  readonly #options: DoubleOptions;
  readonly #listener: ExchangeListener;
  readonly #accounts = new Map<string, Account>();
  readonly #books = new Map<Market, Order[]>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #lastId = 0;

  constructor(options: DoubleOptions, switches: Switches, listener: ExchangeListener) {
    this.#options = options;
    this.switches = switches;
    this.#listener = listener;
    this.markets = Array.from({ length: options.markets }, (_, index) => market(index));
    for (const each of this.markets) this.#books.set(each, []);
    this.#open(options);
  }

  account(name: string): Account {
    const found = this.#accounts.get(name) ?? new Account(name, name === BOT);
    this.#accounts.set(name, found);
    return found;
  }

  marketOf(tokenId: string): Market | undefined {
    return this.markets.find(({ tokens }) => tokens.includes(tokenId));
  }

  place(owner: string, terms: PlaceTerms): Placed {
    const account = this.account(owner);
    const found = this.marketOf(terms.tokenId);
    if (found === undefined) return { kind: 'refused', code: 'token_not_found' };
    const code = account.isBounded ? this.#refusal(account, terms) : undefined;
    if (code !== undefined) return { kind: 'refused', code };
    const order = this.#newOrder(owner, found, terms);
    account.add(order);
    if (!account.isBounded) this.#enter(order, terms.isFak === true);
    else this.#after(MATCH_DELAY_MS, () => this.#enter(order, terms.isFak === true));
    return { kind: 'accepted', order };
  }

  /** By the venue's own clock. */
  nowMs(): number {
    return Date.now() + this.switches.clockOffsetMs;
  }

  /** @returns Whether nothing of it can trade from now on. @spec States and transitions, rule 1 */
  cancel(order: Order): boolean {
    const isPartial = order.held + order.filled > 0;
    if (!isLive(order) || resting(order) === 0) return false;
    if (isPartial && order.owner === BOT && !this.switches.partialsCancellable) return false;
    this.#end(order, 'CANCELLED');
    return true;
  }

  cancelAll(owner: string): { readonly cancelled: number; readonly failed: number } {
    let cancelled = 0;
    let failed = 0;
    for (const order of this.account(owner).live()) {
      if (this.cancel(order)) cancelled += 1;
      else failed += 1;
    }
    return { cancelled, failed };
  }

  /** Levels of a token's book, best first. */
  levels(tokenId: string, side: AxisSide): readonly (readonly [number, number])[] {
    const found = this.marketOf(tokenId);
    const wanted = side === 'bid' ? 'BUY' : 'SELL';
    const sizes = new Map<number, number>();
    for (const order of (found && this.#books.get(found)) ?? []) {
      const isOwn = order.tokenId === tokenId;
      if (isOwn ? order.side !== wanted : this.switches.books === 'separate') continue;
      if (!isOwn && order.side === wanted) continue;
      const ticks = isOwn ? order.priceTicks : this.#options.grid.ticksPerUnit - order.priceTicks;
      sizes.set(ticks, (sizes.get(ticks) ?? 0) + resting(order));
    }
    const sign = side === 'bid' ? -1 : 1;
    return [...sizes].filter(([, size]) => size > 0).sort((a, b) => sign * (a[0] - b[0]));
  }

  expire(nowMs: number): void {
    for (const order of this.account(BOT).live()) {
      const { expiresAtMs } = order;
      if (expiresAtMs !== undefined && expiresAtMs <= nowMs) this.#end(order, 'EXPIRED');
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #open({ startingCashUsdc, openingShares }: DoubleOptions): void {
    const bot = this.account(BOT);
    bot.cashNano = startingCashUsdc * MICRO * this.#options.grid.ticksPerUnit;
    for (const { tokens } of this.markets) {
      for (const [index, count] of [openingShares.no, openingShares.yes].entries()) {
        const token = tokens[index === 1 ? 1 : 0];
        if (count === 0) continue;
        addTo(bot.settled, token, count * MICRO);
        addTo(bot.indexed, token, count * MICRO);
      }
    }
  }

  #refusal(account: Account, terms: PlaceTerms): string | undefined {
    const { ticksPerUnit } = this.#options.grid;
    const { side, priceTicks, quantity } = terms;
    const { isPaused, hasNoBook, restriction, quantityDecimalsMax } = this.switches;
    if (isPaused) return 'market_paused';
    if (hasNoBook) return 'market_closed';
    if (restriction !== undefined && side === 'BUY') return restriction;
    if (priceTicks < 1 || priceTicks >= ticksPerUnit) return 'price_out_of_range';
    if (!Number.isSafeInteger(priceTicks)) return 'tick_size_violation';
    if (!Number.isSafeInteger(quantity) || quantity <= 0) return 'invalid_quantity';
    if (quantity % 10 ** (MICRO_DECIMALS - quantityDecimalsMax) !== 0) return 'invalid_quantity';
    if (priceTicks * quantity < ticksPerUnit * MICRO) return 'below_min_notional';
    if (account.live().filter((order) => resting(order) > 0).length >= this.switches.openOrdersMax)
      return 'max_open_orders';
    const freeNano = account.cashNano - account.heldCashNano();
    if (side === 'BUY' && priceTicks * quantity > freeNano) return 'insufficient_balance';
    if (side === 'SELL' && quantity > account.freeShares(terms.tokenId))
      return 'insufficient_shares';
    return undefined;
  }

  #newOrder(owner: string, found: Market, terms: PlaceTerms): Order {
    const { tokenId, side, priceTicks, quantity } = terms;
    const isYes = tokenId === found.tokens[1];
    this.#lastId += 1;
    return {
      id: `o${this.#lastId}`,
      orderHash: `0x${randomBytes(32).toString('hex')}`,
      ...{ owner, market: found, tokenId, side, priceTicks, quantity },
      axisSide: (side === 'BUY') === isYes ? 'bid' : 'ask',
      axisTicks: isYes ? priceTicks : this.#options.grid.ticksPerUnit - priceTicks,
      placedAtMs: Date.now(),
      createdAtMs: this.nowMs(),
      expiresAtMs: terms.expiresAtMs,
      ...{ held: 0, filled: 0, status: 'OPEN', turn: this.#lastId, isInBook: false },
      isRestored: false,
    };
  }

  #enter(order: Order, isFak: boolean): void {
    // A cancel may have come before the engine.
    if (!isLive(order)) return;
    this.#match(order);
    if (resting(order) > 0 && isFak) this.#end(order, 'CANCELLED');
    else if (resting(order) > 0) this.#rest(order);
    else this.#listener.onBook(order.market);
  }

  #rest(order: Order): void {
    order.isInBook = true;
    this.#books.get(order.market)?.push(order);
    if (order.held + order.filled === 0) this.#listener.onOrder(order);
    this.#listener.onBook(order.market);
  }

  #match(taker: Order): void {
    for (let maker = this.#bestAgainst(taker); maker && resting(taker) > 0; ) {
      // Nobody trades with himself: his older order goes.
      if (maker.owner === taker.owner) this.#end(maker, 'CANCELLED');
      else this.#fill(taker, maker);
      maker = this.#bestAgainst(taker);
    }
  }

  #bestAgainst(taker: Order): Order | undefined {
    const sign = taker.axisSide === 'bid' ? 1 : -1;
    const crossing = (this.#books.get(taker.market) ?? []).filter(
      (each) =>
        each.axisSide !== taker.axisSide &&
        resting(each) > 0 &&
        sign * (taker.axisTicks - each.axisTicks) >= 0,
    );
    crossing.sort((a, b) => sign * (a.axisTicks - b.axisTicks) || a.turn - b.turn);
    return crossing[0];
  }

  #fill(taker: Order, maker: Order): void {
    const quantity = Math.min(resting(taker), resting(maker));
    this.#lastId += 1;
    const tradeId = `t${this.#lastId}`;
    const atMs = this.nowMs();
    const fills = [taker, maker].map(
      (order): Fill => ({
        ...{ tradeId, order, quantity, atMs },
        priceTicks: this.#ownTicks(order, maker.axisTicks),
      }),
    );
    for (const fill of fills) this.#hold(fill);
    this.#listener.onMatch(taker.market, maker.axisTicks, quantity, taker);
    this.#after(between(this.#options.settleMs), () => this.#settle(fills));
  }

  #ownTicks(order: Order, axisTicks: number): number {
    const isYes = order.tokenId === order.market.tokens[1];
    return isYes ? axisTicks : this.#options.grid.ticksPerUnit - axisTicks;
  }

  #hold({ order, quantity }: Fill): void {
    order.held += quantity;
    if (resting(order) === 0) this.#leaveBook(order);
    order.status = order.held + order.filled < order.quantity ? 'PARTIALLY_FILLED' : 'OPEN';
    this.#listener.onOrder(order);
    this.#listener.onBook(order.market);
  }

  #settle(fills: readonly Fill[]): void {
    const isOfBot = fills.some(({ order }) => order.owner === BOT);
    const isBust = isOfBot && this.switches.failNextTrades > 0;
    if (isBust) this.switches.failNextTrades -= 1;
    for (const fill of fills) {
      if (isBust) this.#fail(fill);
      else this.#settleOne(fill);
    }
  }

  #settleOne(fill: Fill): void {
    const { order, quantity, priceTicks } = fill;
    const account = this.account(order.owner);
    const sign = order.side === 'BUY' ? 1 : -1;
    order.held -= quantity;
    order.filled += quantity;
    account.cashNano -= sign * quantity * priceTicks;
    addTo(account.settled, order.tokenId, sign * quantity);
    this.#after(between(this.#options.indexLagMs), () => {
      addTo(account.indexed, order.tokenId, sign * quantity);
    });
    if (order.owner !== BOT) return;
    this.settledTrades.push(fill);
    if (order.filled === order.quantity) {
      order.status = 'FILLED';
      this.#listener.onOrder(order);
    }
    this.#listener.onSettled(fill);
  }

  /** @spec Settlement outcome */
  #fail(fill: Fill): void {
    const { order, quantity } = fill;
    order.held -= quantity;
    if (order.owner !== BOT) return;
    this.#listener.onFailed(fill);
    if (!isLive(order)) return;
    if (this.switches.failedTrade === 'cancel') {
      this.#end(order, 'CANCELLED');
      return;
    }
    order.status = order.held + order.filled > 0 ? 'PARTIALLY_FILLED' : 'OPEN';
    this.#lastId += 1;
    order.turn = this.#lastId;
    order.isRestored = true;
    this.#listener.onOrder(order);
    if (order.isInBook) this.#listener.onBook(order.market);
    else this.#enter(order, false);
  }

  #end(order: Order, status: 'CANCELLED' | 'EXPIRED'): void {
    order.status = status;
    this.#leaveBook(order);
    this.#listener.onOrder(order);
    this.#listener.onBook(order.market);
  }

  #leaveBook(order: Order): void {
    order.isInBook = false;
    const book = this.#books.get(order.market);
    const at = book?.indexOf(order) ?? -1;
    if (at >= 0) book?.splice(at, 1);
  }

  #after(delayMs: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, delayMs);
    this.#timers.add(timer);
  }
}

function between([min, max]: readonly [number, number]): number {
  return min + Math.random() * (max - min);
}

function market(index: number): Market {
  const hex = (index + 1).toString(16).padStart(4, '0');
  return {
    id: `m-${index + 1}`,
    title: `Market ${index + 1}`,
    tokens: [`0x${hex}${'0'.repeat(59)}0`, `0x${hex}${'0'.repeat(59)}1`],
  };
}
