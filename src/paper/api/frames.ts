// Frames of the user channel. @spec Events › User channel (Auth)

import type { Account } from '../exchange/account.ts';
import { priceText, sharesText, usdcText } from '../exchange/amounts.ts';
import type { ExchangeEvent } from '../exchange/events.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ExchangeOrder } from '../exchange/exchange-order.ts';
import type { TradeLeg } from '../exchange/trade.ts';
import type { Dialect } from './dialect.ts';
import { totalsOf } from './encode-portfolio.ts';

export type Frame = Readonly<Record<string, unknown>>;

/** `order.update` */
export function orderFrame(order: ExchangeOrder, dialect: Dialect): Frame {
  const { terms } = order;
  const isMatchedCounted = dialect.socketFilled === 'matched';
  const filled = order.filledMicro + (isMatchedCounted ? order.holdMicro : 0);
  return {
    type: 'order.update',
    data: {
      id: terms.id,
      orderHash: terms.orderHash,
      tokenId: terms.outcome.tokenId,
      status: order.socketStatus(),
      filledQuantity: sharesText(filled),
      remaining: sharesText(remainingOf(order, dialect)),
      price: priceText(terms.grid, terms.price),
      side: terms.side,
      marketId: terms.market.market.id,
    },
  };
}

/** What rests, or for an order that ended what never traded. */
function remainingOf(order: ExchangeOrder, dialect: Dialect): number {
  const hasEnded = order.end === 'cancelled' || order.end === 'expired';
  if (!hasEnded) return order.restingMicro();
  return dialect.cancelledRemaining === 'unfilled' ? order.unmatchedMicro() : 0;
}

/** `trade.settled`, in either generation. */
export function settledFrame(
  leg: TradeLeg,
  settlement: { readonly tradeId: string; readonly txHash: string },
  dialect: Dialect,
): Frame {
  const { tradeId, txHash } = settlement;
  const numbers = { price: leg.priceText, quantity: sharesText(leg.quantityMicro), txHash };
  if (dialect.settledFrame === 'short') {
    return { type: 'trade.settled', tradeId, side: leg.side, ...numbers };
  }
  const outcome = leg.market.outcome(leg.index);
  return {
    type: 'trade.settled',
    tradeId,
    side: leg.side,
    outcomeName: outcome.name,
    tokenId: outcome.tokenId,
    marketId: leg.market.market.id,
    marketTitle: leg.market.market.title,
    ...numbers,
  };
}

/** `trade.failed` */
export function failedFrame(leg: TradeLeg, reason: string): Frame {
  return {
    type: 'trade.failed',
    reason,
    marketId: leg.market.market.id,
    side: leg.side,
    quantity: sharesText(leg.quantityMicro),
  };
}

/** `position.update`, ahead of the index. */
export function positionFrame(event: ExchangeEvent & { readonly kind: 'positionMoved' }): Frame {
  const { market, index } = event.token;
  return {
    type: 'position.update',
    data: {
      marketId: market.market.id,
      outcomeId: market.outcome(index).id,
      sharesDelta: sharesText(event.deltaMicro),
      averagePrice: event.averagePrice,
    },
  };
}

/** `portfolio.summary_update`, in either shape. */
export function summaryFrame(account: Account, exchange: Exchange, dialect: Dialect): Frame {
  const totals = totalsOf(account, exchange);
  const { totalValueNano, positionCount } = totals;
  const data =
    dialect.summaryFrame === 'current'
      ? {
          totalValue: usdcText(totalValueNano),
          availableBalance: usdcText(account.availableNano()),
          totalPnl: usdcText(totals.totalPnlNano),
          positionCount,
        }
      : {
          cashBalance: usdcText(account.cashNano),
          positionsValue: usdcText(totals.positionsValueNano),
          totalBalance: usdcText(totalValueNano),
        };
  return { type: 'portfolio.summary_update', data };
}
