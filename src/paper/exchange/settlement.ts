// From match to chain: a transaction settles or fails some seconds later, and REST shows it later still.

import type { Account } from './account.ts';
import type { ExchangeContext } from './context.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import { positionMove } from './fills.ts';
import type { History } from './history.ts';
import { holdAgain, releaseFailed, settleLeg } from './ledger.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import { between } from './random.ts';
import type { Trade, TradeLeg, Transaction } from './trade.ts';

export type SettlementParts = {
  readonly context: ExchangeContext;
  readonly lifecycle: OrderLifecycle;
  readonly history: History;
  /** Takes the fees, so that no cent leaves the venue. */
  readonly treasury: Account;
  /** Sends an order to the matching engine once more. */
  readonly rejoin: (order: ExchangeOrder) => void;
};

type Plan<Detail> = { left: number; detail: Detail };

export class Settlement {
  readonly #parts: SettlementParts;
  #failing: Plan<string> = { left: 0, detail: '' };
  #delayed: Plan<number> = { left: 0, detail: 0 };
  #pending = 0;

  constructor(parts: SettlementParts) {
    this.#parts = parts;
  }

  /** Transactions that await the chain. */
  get pending(): number {
    return this.#pending;
  }

  /** The next `count` transactions fail on-chain, with this reason. */
  failNext(count: number, reason = 'execution reverted'): void {
    this.#failing = { left: count, detail: reason };
  }

  /** The next `count` transactions take `delayMs` instead of the usual time. */
  delayNext(count: number, delayMs: number): void {
    this.#delayed = { left: count, detail: delayMs };
  }

  /** Sends the fills of one order to the chain. */
  submit(trades: readonly Trade[]): void {
    const { context } = this.#parts;
    const transaction: Transaction = { txHash: context.hashes.next(), trades };
    this.#pending += 1;
    context.timers.after(this.#delayMs(), () => this.#confirm(transaction));
  }

  /** Lets REST show a change of settled shares after the lag of the index. */
  index(account: Account, leg: Pick<TradeLeg, 'market' | 'index'>, deltaMicro: number): void {
    const holding = account.holding(leg.market.outcome(leg.index).tokenId);
    const show = (): void => {
      holding.indexedMicro += deltaMicro;
    };
    const { context } = this.#parts;
    if (account.kind !== 'api') show();
    else {
      const { indexLagMsMin, indexLagMsMax } = context.timing;
      context.timers.after(between(context.dice, indexLagMsMin, indexLagMsMax), show);
    }
  }

  #delayMs(): number {
    const { dice, timing } = this.#parts.context;
    const usualMs = between(dice, timing.settleMsMin, timing.settleMsMax);
    return take(this.#delayed) ?? usualMs;
  }

  #confirm(transaction: Transaction): void {
    const { dice, rules } = this.#parts.context;
    this.#pending -= 1;
    const byChance = dice.next() < rules.settlementFailureRate ? 'execution reverted' : undefined;
    const reason = take(this.#failing) ?? byChance;
    for (const trade of transaction.trades) {
      if (reason === undefined) this.#settle(trade, transaction.txHash);
      else this.#fail(trade, reason);
    }
  }

  #settle(trade: Trade, txHash: string): void {
    const { context, history, treasury } = this.#parts;
    for (const leg of [trade.maker, trade.taker]) {
      const realizedPnlNano = settleLeg(leg);
      treasury.cashNano += leg.feeNano;
      const direction = leg.side === 'BUY' ? 1 : -1;
      this.index(leg.account, leg, direction * leg.quantityMicro);
      history.settled(leg, { tradeId: trade.tradeId, txHash, realizedPnlNano });
      if (leg.order) this.#progress(leg.order);
      context.emit({ kind: 'tradeSettled', leg, tradeId: trade.tradeId, txHash });
      context.emit({ kind: 'accountChanged', account: leg.account });
    }
    history.traded(trade, txHash);
    this.#tellPrices(trade);
  }

  #progress(order: ExchangeOrder): void {
    const isWhole = order.filledMicro === order.terms.quantityMicro;
    if (isWhole && order.end === undefined) this.#parts.lifecycle.end(order, 'filled');
    else this.#parts.context.emit({ kind: 'orderUpdated', order, cause: 'settled' });
  }

  #tellPrices(trade: Trade): void {
    const { taker, maker } = trade;
    const legs = taker.index === maker.index ? [taker] : [taker, maker];
    for (const leg of legs) {
      leg.market.lastPrices[leg.index] = leg.priceText;
      this.#parts.context.emit({
        kind: 'priceSettled',
        token: { market: leg.market, index: leg.index },
        price: leg.priceText,
        sizeMicro: leg.quantityMicro,
        atMs: this.#parts.context.clock.nowMs(),
      });
    }
  }

  #fail(trade: Trade, reason: string): void {
    const { context } = this.#parts;
    for (const leg of [trade.maker, trade.taker]) {
      releaseFailed(leg);
      if (!leg.order) continue;
      context.emit({ kind: 'tradeFailed', leg, reason });
      context.emit(positionMove(leg, -1));
      this.#giveUp(leg.order, leg.quantityMicro);
      context.emit({ kind: 'accountChanged', account: leg.account });
    }
  }

  /** The order whose match failed ends, or its shares rest again where the rules say so. */
  #giveUp(order: ExchangeOrder, quantityMicro: number): void {
    if (order.end === undefined && this.#mayRestAgain(order) && holdAgain(order, quantityMicro)) {
      // An order has one place in its queue: what still rests goes to the end with the rest.
      this.#parts.context.books
        .of(order.terms.market)
        .reduce(order, order.restingMicro() - quantityMicro, true);
      this.#parts.lifecycle.announce(order);
      this.#parts.rejoin(order);
      return;
    }
    order.failedMicro += quantityMicro;
    this.#parts.lifecycle.end(order, 'cancelled');
  }

  #mayRestAgain(order: ExchangeOrder): boolean {
    const { market, timeInForce, grid, expiresAtMs } = order.terms;
    const { rules, clock } = this.#parts.context;
    const isLate = expiresAtMs !== undefined && expiresAtMs <= clock.nowMs();
    return (
      rules.failedTrade === 'reinstate' &&
      (timeInForce === 'GTC' || timeInForce === 'GTD') &&
      !isLate &&
      market.trading === 'open' &&
      market.grid === grid
    );
  }
}

function take<Detail>(plan: Plan<Detail>): Detail | undefined {
  if (plan.left === 0) return undefined;
  plan.left -= 1;
  return plan.detail;
}
