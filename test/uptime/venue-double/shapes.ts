// Payloads as the interface document shows them.

import type { Account } from './accounts.ts';
import type { Exchange } from './exchange.ts';
import { decimal, type Fill, type Grid, type Market, MICRO, type Order, resting } from './terms.ts';

const NEVER = '2099-01-01T00:00:00.000Z';
export const EVENT_ID = 'event-1';
export const EVENT_SLUG = 'uptime';

export function eventShape(exchange: Exchange, { tickSize }: Grid): object {
  return {
    id: EVENT_ID,
    slug: EVENT_SLUG,
    title: 'An event of the double',
    category: 'tests',
    marketType: 'CTF',
    status: 'open',
    tickSize,
    expiryTime: NEVER,
    markets: exchange.markets.map((each) => marketShape(each, !exchange.switches.hasNoBook)),
  };
}

function marketShape({ id, title, tokens }: Market, enableOrderBook: boolean): object {
  return {
    ...{ id, title },
    status: 'open',
    enableOrderBook,
    volume: '0',
    outcomes: tokens.map((tokenId, outcomeIndex) => ({
      id: `${id}-${outcomeIndex}`,
      name: outcomeIndex === 1 ? 'Yes' : 'No',
      ...{ tokenId, outcomeIndex },
      lastPrice: '0.5',
    })),
  };
}

/** @spec Resources and their fields › Order (returned by order placement) */
export function orderShape(order: Order, grid: Grid): object {
  const { id, orderHash, tokenId, side, market } = order;
  return {
    ...{ id, orderHash, tokenId, side, marketId: market.id },
    price: decimal(order.priceTicks, grid.ticksPerUnit),
    quantity: decimal(order.quantity, MICRO),
    filledQuantity: decimal(order.filled, MICRO),
    holdQuantity: decimal(order.held, MICRO),
    status: order.status,
    timeInForce: order.expiresAtMs === undefined ? 'GTC' : 'GTD',
    expiredAt: order.expiresAtMs === undefined ? null : new Date(order.expiresAtMs).toISOString(),
    createdAt: new Date(order.createdAtMs).toISOString(),
  };
}

/** The acknowledgement of a placement is no fill report. */
export function acknowledgement(order: Order, grid: Grid): object {
  const plain = { filledQuantity: '0', holdQuantity: '0', status: 'OPEN' };
  return { ...orderShape(order, grid), ...plain };
}

export function updateFrame(order: Order, grid: Grid): object {
  const matched = order.held + order.filled;
  const isMatched = matched === order.quantity && order.held > 0;
  const { id, orderHash, tokenId, side, market } = order;
  return {
    type: 'order.update',
    data: {
      ...{ id, orderHash, tokenId, side, marketId: market.id },
      status: isMatched ? 'MATCHED' : order.status,
      filledQuantity: decimal(matched, MICRO),
      remaining: decimal(resting(order), MICRO),
      price: decimal(order.priceTicks, grid.ticksPerUnit),
    },
  };
}

export function settledShape(fill: Fill, grid: Grid): object {
  const { tradeId, order, quantity, priceTicks } = fill;
  const { side, tokenId, market } = order;
  return {
    ...{ tradeId, side, tokenId },
    outcomeName: tokenId === market.tokens[1] ? 'Yes' : 'No',
    marketId: market.id,
    marketTitle: market.title,
    price: decimal(priceTicks, grid.ticksPerUnit),
    quantity: decimal(quantity, MICRO),
    txHash: `0x${tradeId}`,
  };
}

export function balancesShape(account: Account, exchange: Exchange, grid: Grid): object {
  const unit = grid.ticksPerUnit * MICRO;
  const usdc = (nano: number) => decimal(Math.floor(nano / grid.ticksPerUnit), MICRO);
  const heldNano = account.heldCashNano();
  return {
    cashBalance: usdc(account.cashNano),
    availableBalance: usdc(account.cashNano - heldNano),
    usdcOnHold: decimal(Math.ceil((heldNano / unit) * MICRO), MICRO),
    positions: positionShapes(account, exchange),
  };
}

export function positionShapes(account: Account, exchange: Exchange): readonly object[] {
  return exchange.markets.flatMap(({ id, tokens }) =>
    tokens
      .map((tokenId, index) => ({
        ...{ tokenId, marketId: id, outcomeId: `${id}-${index}` },
        shareAmount: decimal(account.indexed.get(tokenId) ?? 0, MICRO),
        onHoldShareAmount: decimal(account.heldShares(tokenId), MICRO),
      }))
      .filter(
        ({ shareAmount, onHoldShareAmount }) => shareAmount !== '0' || onHoldShareAmount !== '0',
      ),
  );
}
