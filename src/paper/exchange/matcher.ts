// The matching engine: price, then time, at the maker's price.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import { affordableMicro, costOf, feeOf, feePartAt, type NanoUsdc } from './amounts.ts';
import { mirrored, opposite } from './axis.ts';
import type { ExchangeContext } from './context.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { Fills } from './fills.ts';
import { freeOfFee } from './ledger.ts';
import { makerOf, type Party, takerOf } from './legs.ts';
import type { AxisLevel } from './market-book.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import type { Settlement } from './settlement.ts';
import type { Trade } from './trade.ts';

export type MatcherParts = {
  readonly context: ExchangeContext;
  readonly lifecycle: OrderLifecycle;
  readonly fills: Fills;
  readonly settlement: Settlement;
  /** Whoever stands behind recorded size. */
  readonly recordedParty: (index: OutcomeIndex) => Party;
};

/** One sweep in progress. */
type Sweep = {
  readonly taker: ExchangeOrder;
  readonly restingSide: BookSide;
  readonly indexes: readonly OutcomeIndex[];
  readonly trades: Trade[];
};

export class Matcher {
  readonly #parts: MatcherParts;
  /** Acknowledged and in flight to the book; bounded by the open orders of all accounts. */
  readonly #underWay = new Set<ExchangeOrder>();

  constructor(parts: MatcherParts) {
    this.#parts = parts;
  }

  /** Lets an acknowledged order arrive after the delay of the engine, in order of acceptance. */
  enqueue(order: ExchangeOrder): void {
    const { timers, timing } = this.#parts.context;
    this.#underWay.add(order);
    timers.after(timing.matchDelayMs, () => this.arrive(order));
  }

  /** Orders that no book holds yet. */
  underWay(): readonly ExchangeOrder[] {
    return [...this.#underWay];
  }

  /** Matches an order now and rests what is left of it. */
  arrive(order: ExchangeOrder): void {
    this.#underWay.delete(order);
    if (order.end !== undefined) return;
    const { timeInForce, market } = order.terms;
    const mayTrade = market.trading === 'open' && !this.#mustKill(order);
    if (!mayTrade) {
      this.#parts.lifecycle.end(order, 'cancelled');
      return;
    }
    const trades = this.#sweep(order);
    if (trades.length > 0) this.#parts.settlement.submit(trades);
    if (order.end !== undefined) return;
    if (trades.length > 0) this.#parts.lifecycle.announce(order);
    if (order.restingMicro() === 0) return;
    if (timeInForce === 'FOK' || timeInForce === 'FAK')
      this.#parts.lifecycle.end(order, 'cancelled');
    else this.rest(order);
  }

  /** Puts an order at the end of its queue. */
  rest(order: ExchangeOrder): void {
    const { rules, books } = this.#parts.context;
    if (rules.restingFeeHold === 'free') freeOfFee(order);
    books.of(order.terms.market).rest(order, rules.accountPlace);
    this.#parts.lifecycle.levelChanged(order);
  }

  /** The tokens whose orders may meet an order of `index`. */
  scopeOf(index: OutcomeIndex, scope: 'market' | 'token'): readonly OutcomeIndex[] {
    const { books, complementMatching } = this.#parts.context.rules;
    const isWide = scope === 'market' && (complementMatching || books === 'unified');
    return isWide ? [index, index === 1 ? 0 : 1] : [index];
  }

  /** A fill-or-kill order that cannot be filled whole. */
  #mustKill(order: ExchangeOrder): boolean {
    if (order.terms.timeInForce !== 'FOK') return false;
    return this.#fillableMicro(order) < order.terms.quantityMicro;
  }

  #fillableMicro(order: ExchangeOrder): number {
    const { market, account } = order.terms;
    const book = this.#parts.context.books.of(market);
    const side = opposite(order.axis.side);
    const indexes = this.scopeOf(order.index, order.terms.scope);
    let foundMicro = 0;
    let budget = order.terms.spendMaxNano;
    for (const tick of book.ticksTo(side, order.axis.tick)) {
      const level = book.ensureLevel(side, tick);
      if (this.#endsAt(level, order)) break;
      const there = availableMicro(level, indexes, (maker) => this.#mayMeet(account, maker));
      const taken = Math.min(there, affordable(order, tick, budget));
      foundMicro += taken;
      if (budget !== undefined) budget -= spend(order, tick, taken);
    }
    return foundMicro;
  }

  /** Under `cancelIncoming` a sweep ends where it would meet an order of its own account. */
  #endsAt(level: AxisLevel, order: ExchangeOrder): boolean {
    if (this.#parts.context.rules.selfTrade !== 'cancelIncoming') return false;
    return level.orders.some((maker) => maker.terms.account === order.terms.account);
  }

  #mayMeet(account: ExchangeOrder['terms']['account'], maker: ExchangeOrder): boolean {
    return this.#parts.context.rules.selfTrade === 'allow' || maker.terms.account !== account;
  }

  #sweep(taker: ExchangeOrder): Trade[] {
    const { market, scope } = taker.terms;
    const book = this.#parts.context.books.of(market);
    const restingSide = opposite(taker.axis.side);
    const indexes = this.scopeOf(taker.index, scope);
    const sweep: Sweep = { taker, restingSide, indexes, trades: [] };
    for (const tick of book.ticksTo(restingSide, taker.axis.tick)) {
      if (wantedMicro(taker, tick) === 0) break;
      this.#takeLevel(sweep, book.ensureLevel(restingSide, tick), tick);
      book.tidy({ side: restingSide, tick });
    }
    return sweep.trades;
  }

  #takeLevel(sweep: Sweep, level: AxisLevel, tick: number): void {
    // A queue may be long and a taker small, so it is walked where it stands: a maker that has nothing left
    // leaves it, and the next has its place.
    let place = 0;
    for (let maker = level.orders[place]; maker !== undefined; maker = level.orders[place]) {
      if (sweep.indexes.includes(maker.index) && !this.#takeMaker(sweep, level, { maker, tick }))
        return;
      if (level.orders[place] === maker) place += 1;
    }
    for (const index of sweep.indexes) {
      this.#takeRecorded(sweep, level, { index, tick, countMicroMax: level.recordedMicro(index) });
    }
  }

  /** Takes what stands before a maker, then the maker. @returns Whether the taker may want more. */
  #takeMaker(
    sweep: Sweep,
    level: AxisLevel,
    { maker, tick }: { readonly maker: ExchangeOrder; readonly tick: number },
  ): boolean {
    for (const index of sweep.indexes) {
      this.#takeRecorded(sweep, level, { index, tick, countMicroMax: maker.aheadMicro[index] });
    }
    const quantityMicro = Math.min(wantedMicro(sweep.taker, tick), maker.restingMicro());
    if (quantityMicro === 0) return false;
    if (this.#mayMeet(sweep.taker.terms.account, maker)) {
      this.#match(sweep, makerOf(maker), { tick, quantityMicro });
    } else {
      this.#avoidSelfTrade(sweep.taker, maker);
    }
    return true;
  }

  #takeRecorded(
    sweep: Sweep,
    level: AxisLevel,
    what: { readonly index: OutcomeIndex; readonly tick: number; readonly countMicroMax: number },
  ): void {
    const quantityMicro = Math.min(wantedMicro(sweep.taker, what.tick), what.countMicroMax);
    if (quantityMicro === 0) return;
    level.takeRecorded(what.index, quantityMicro);
    const maker = this.#parts.recordedParty(what.index);
    const trade = this.#match(sweep, maker, { tick: what.tick, quantityMicro });
    this.#parts.context.emit({
      kind: 'levelChanged',
      token: { market: trade.maker.market, index: what.index },
      side: trade.maker.side === 'BUY' ? 'bid' : 'ask',
      priceTicks: trade.maker.priceTicks,
    });
  }

  #match(
    sweep: Sweep,
    maker: Party,
    at: { readonly tick: number; readonly quantityMicro: number },
  ): Trade {
    const { taker } = sweep;
    const point = { market: taker.terms.market, takerSide: taker.axis.side, ...at };
    const trade = this.#parts.fills.match(takerOf(taker), maker, point);
    sweep.trades.push(trade);
    return trade;
  }

  #avoidSelfTrade(taker: ExchangeOrder, maker: ExchangeOrder): void {
    const gives = this.#parts.context.rules.selfTrade === 'cancelIncoming' ? taker : maker;
    this.#parts.lifecycle.end(gives, 'cancelled');
  }
}

/** Shares that an order still wants at an axis tick, within what it may spend. */
function wantedMicro(order: ExchangeOrder, tick: number): number {
  const { spendMaxNano } = order.terms;
  const left = spendMaxNano === undefined ? undefined : spendMaxNano - order.spentNano;
  return Math.min(order.restingMicro(), affordable(order, tick, left));
}

function affordable(order: ExchangeOrder, tick: number, cash: NanoUsdc | undefined): number {
  if (cash === undefined) return Number.POSITIVE_INFINITY;
  const { grid, fee } = order.terms;
  const priceTicks = mirrored(grid, order.index, tick);
  return affordableMicro(grid, priceTicks, { cash, feePart: feePartAt(grid, priceTicks, fee) });
}

function spend(order: ExchangeOrder, tick: number, countMicro: number): NanoUsdc {
  const { grid, fee } = order.terms;
  const priceTicks = mirrored(grid, order.index, tick);
  const cost = costOf(grid, priceTicks, countMicro);
  return cost + feeOf(cost, feePartAt(grid, priceTicks, fee));
}

function availableMicro(
  level: AxisLevel,
  indexes: readonly OutcomeIndex[],
  mayMeet: (maker: ExchangeOrder) => boolean,
): number {
  let found = 0;
  for (const index of indexes) found += level.recordedMicro(index);
  for (const maker of level.orders) {
    if (indexes.includes(maker.index) && mayMeet(maker)) found += maker.restingMicro();
  }
  return found;
}
