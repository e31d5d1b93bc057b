// What an order must satisfy before it is acknowledged, and its acknowledgement.

import { orderHash } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type Ticks, ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Account } from './account.ts';
import { costOf, MICRO, type NanoUsdc, nanoOfMicro, type TakerFee } from './amounts.ts';
import { axisPoint } from './axis.ts';
import type { ExchangeContext } from './context.ts';
import type { TokenRef } from './events.ts';
import { ExchangeOrder, type OrderTerms, type TimeInForce } from './exchange-order.ts';
import { holdForOrder } from './ledger.ts';
import type { ListedMarket } from './listed-market.ts';
import { type MarketRequest, planSweep, type SweepPlan } from './market-plan.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import { VenueRefusal } from './refusal.ts';
import { takerFeeOf } from './rules.ts';

export type LimitRequest = {
  readonly token: TokenRef;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantityMicro: number;
  readonly timeInForce: TimeInForce;
  readonly expiresAtMs: UnixMs | undefined;
  readonly clientOrderId: string | undefined;
};

export type Planned = { readonly order: ExchangeOrder; readonly plan: SweepPlan };

/** The smallest order value in USDC. @spec Limits */
const NOTIONAL_MIN = 1;
const NOTIONAL_MIN_NANO = nanoOfMicro(NOTIONAL_MIN * MICRO);

export class Placement {
  readonly #context: ExchangeContext;
  readonly #lifecycle: OrderLifecycle;

  constructor(context: ExchangeContext, lifecycle: OrderLifecycle) {
    this.#context = context;
    this.#lifecycle = lifecycle;
  }

  /**
   * Acknowledges a limit order; matching comes after. @throws {VenueRefusal}
   * @spec Endpoints › Orders (all Auth) › POST /orders (limit order)
   */
  limit(account: Account, request: LimitRequest): ExchangeOrder {
    const { token, side, price, quantityMicro, timeInForce, expiresAtMs } = request;
    this.#checkAccount(account, side);
    checkStatus(token.market);
    this.#checkQuantity(quantityMicro);
    checkValue(costOf(token.market.grid, price, quantityMicro));
    this.#checkClientId(account, request.clientOrderId);
    const terms = { token, side, price, quantityMicro, timeInForce, expiresAtMs };
    const order = this.#make(account, terms, { scope: 'market', spendMaxNano: undefined });
    holdForOrder(order);
    if (request.clientOrderId !== undefined) account.rememberClientId(request.clientOrderId);
    this.#lifecycle.register(order);
    return order;
  }

  /**
   * Acknowledges a market order with its plan. @throws {VenueRefusal}
   * @spec Endpoints › Orders (all Auth) › POST /orders/market (market order)
   */
  market(account: Account, request: MarketRequest): Planned {
    const { token, size, timeInForce } = request;
    this.#checkAccount(account, size.side);
    checkStatus(token.market);
    if (size.side === 'BUY') checkValue(size.spendMaxNano);
    const plan = planSweep(
      request,
      this.#context.books.of(token.market),
      this.#takerFee(token.market),
    );
    if (size.side === 'SELL') this.#checkSale(token.market, plan);
    this.#checkQuantity(plan.submittedMicro);
    const price = ticks(token.market.grid, plan.limitTicks);
    const quantityMicro = plan.submittedMicro;
    const { side } = size;
    const terms = { token, side, price, quantityMicro, timeInForce, expiresAtMs: undefined };
    const spendMaxNano = size.side === 'BUY' ? size.spendMaxNano : undefined;
    const order = this.#make(account, terms, { scope: 'token', spendMaxNano });
    holdForOrder(order);
    this.#lifecycle.register(order);
    return { order, plan };
  }

  #checkAccount(account: Account, side: Side): void {
    if (account.isRestricted) {
      throw new VenueRefusal('account_restricted', 'this account may not trade');
    }
    if (account.isGeoRestricted && side === 'BUY') {
      throw new VenueRefusal('geo_restricted', 'opening positions is not available here');
    }
    const { openOrdersMax, deskOpenOrdersMax } = this.#context.rules;
    const countMax = account.kind === 'api' ? openOrdersMax : deskOpenOrdersMax;
    if (this.#context.open.count(account) < countMax) return;
    throw new VenueRefusal('max_open_orders', `${countMax} orders are open`);
  }

  #checkQuantity(quantityMicro: number): void {
    const { orderSharesMax } = this.#context.rules;
    if (quantityMicro <= 0 || quantityMicro > orderSharesMax * MICRO) {
      throw new VenueRefusal('invalid_quantity', `above zero, at most ${orderSharesMax} shares`);
    }
  }

  #checkClientId(account: Account, clientOrderId: string | undefined): void {
    if (clientOrderId === undefined || !account.hasUsed(clientOrderId)) return;
    throw new VenueRefusal('duplicate_client_order_id', `${clientOrderId} was used`);
  }

  /** The computed price of a sale is its average; a coarse grid often cannot express it. */
  #checkSale(market: ListedMarket, plan: SweepPlan): void {
    checkValue(plan.quoteNano);
    const isOffTick = !plan.averagePrice.times(market.grid.ticksPerUnit).isInteger();
    const isRefused = this.#context.rules.offTickMarketSell === 'refuse';
    if (market.grid.ticksPerUnit === 100 && isOffTick && isRefused) {
      throw new VenueRefusal('tick_size_violation', 'the computed price is off the tick grid');
    }
  }

  #takerFee(market: ListedMarket): TakerFee {
    return takerFeeOf(this.#context.rules, market.listed.event.category);
  }

  #make(
    account: Account,
    from: Omit<LimitRequest, 'clientOrderId'>,
    reach: { readonly scope: 'market' | 'token'; readonly spendMaxNano: NanoUsdc | undefined },
  ): ExchangeOrder {
    const { side, price, quantityMicro, timeInForce, expiresAtMs } = from;
    const { market, index } = from.token;
    const hash = orderHash(this.#context.hashes.next());
    const { grid } = market;
    // Written out: thousands of these are made in a minute, and a spread costs more than an order.
    const terms: OrderTerms = {
      id: `ord_${hash.slice(2, 22)}`,
      orderHash: hash,
      account,
      market,
      outcome: market.outcome(index),
      grid,
      side,
      price,
      quantityMicro,
      timeInForce,
      expiresAtMs,
      createdAtMs: this.#context.clock.nowMs(),
      scope: reach.scope,
      spendMaxNano: reach.spendMaxNano,
      fee: this.#takerFee(market),
    };
    return new ExchangeOrder(terms, axisPoint(grid, { index, side, price }));
  }
}

function checkValue(value: NanoUsdc): void {
  if (value >= NOTIONAL_MIN_NANO) return;
  throw new VenueRefusal('below_min_notional', 'price x quantity is under 1.00 USD');
}

/** @throws {VenueRefusal} unless orders are accepted. @spec Event and market status */
export function checkStatus(market: ListedMarket): void {
  if (!market.hasOrderBook) {
    throw new VenueRefusal('market_closed', 'the market has no order book');
  }
  switch (market.trading) {
    case 'open':
      return;
    case 'closed':
      throw new VenueRefusal('market_closed', 'the market is closed');
    case 'resolved':
      throw new VenueRefusal('market_resolved', 'the market is resolved');
    case 'paused':
    case 'unknown':
      throw new VenueRefusal('market_paused', 'the market is paused');
  }
}
