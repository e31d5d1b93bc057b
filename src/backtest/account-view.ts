// What the venue says of one account, as messages: lists, balances, and the user channel.
// It follows the embedded venue's usual answers where the interface is silent (`src/paper/README.md`).

import type { Balances, Position, SettledTrade, VenueMessage } from '../domain/message.ts';
import type { OrderReport } from '../domain/order.ts';
import { microShares } from '../domain/shares.ts';
import { usdc } from '../domain/usdc.ts';
import type { Account } from '../paper/exchange/account.ts';
import { usdcOf } from '../paper/exchange/amounts.ts';
import type { ExchangeEvent } from '../paper/exchange/events.ts';
import type { Exchange } from '../paper/exchange/exchange.ts';
import type { ExchangeOrder } from '../paper/exchange/exchange-order.ts';

/** Settled trades of one read. */
const TRADES_MAX = 100;

export function reportOf(order: ExchangeOrder): OrderReport {
  const { terms } = order;
  return {
    orderHash: terms.orderHash,
    tokenId: terms.outcome.tokenId,
    side: terms.side,
    price: terms.price,
    ticksPerUnit: terms.grid.ticksPerUnit,
    quantity: microShares(terms.quantityMicro),
    executed: microShares(order.filledMicro + order.holdMicro),
    status: order.restStatus(),
    createdAtMs: terms.createdAtMs,
  };
}

export function balancesOf(account: Account, exchange: Exchange): Balances {
  const positions: Position[] = [];
  for (const [tokenId, holding] of account.holdings) {
    const token = exchange.catalogue.findToken(tokenId);
    // What the index has not seen yet shows nowhere.
    if (!token || (holding.indexedMicro === 0 && holding.heldMicro === 0)) continue;
    positions.push({
      tokenId,
      marketId: token.market.market.id,
      shareAmount: microShares(Math.max(0, holding.indexedMicro)),
      onHoldShareAmount: microShares(holding.heldMicro),
    });
  }
  return {
    cashBalance: usdcOf(account.cashNano).toDecimalPlaces(6, 1),
    availableBalance: usdcOf(account.availableNano()).toDecimalPlaces(6, 1),
    usdcOnHold: usdcOf(account.cashHeldNano).toDecimalPlaces(6, 1),
    positions,
  };
}

/** The newest first. */
export function tradesOf(account: Account, exchange: Exchange): readonly SettledTrade[] {
  return account.trades.newest(TRADES_MAX).map((trade) => ({
    tradeId: trade.tradeId,
    side: trade.side,
    tokenId: trade.tokenId,
    marketId: exchange.catalogue.findToken(trade.tokenId)?.market.market.id,
    price: usdc(trade.price),
    quantity: microShares(trade.quantityMicro),
  }));
}

/** What the user channel of an account says of an event; nothing where it is not about this account. */
export function userMessage(event: ExchangeEvent, account: Account): VenueMessage | undefined {
  switch (event.kind) {
    case 'orderUpdated': {
      const isOurs = event.order.terms.account === account;
      // Progress of a settlement moves nothing that `filledQuantity` counts here.
      return isOurs && event.cause === 'state' ? orderUpdate(event.order) : undefined;
    }
    case 'tradeSettled': {
      const { leg, tradeId } = event;
      if (leg.account !== account) return undefined;
      return {
        kind: 'tradeSettled',
        tradeId,
        side: leg.side,
        tokenId: leg.market.outcome(leg.index).tokenId,
        marketId: leg.market.market.id,
        price: usdc(leg.priceText),
        quantity: microShares(leg.quantityMicro),
      };
    }
    case 'tradeFailed': {
      const { leg, reason } = event;
      if (leg.account !== account) return undefined;
      const quantity = microShares(leg.quantityMicro);
      const marketId = leg.market.market.id;
      return { kind: 'tradeFailed', reason, marketId, side: leg.side, quantity };
    }
    default:
      return undefined;
  }
}

function orderUpdate(order: ExchangeOrder): VenueMessage {
  const { terms } = order;
  const hasEnded = order.end === 'cancelled' || order.end === 'expired';
  return {
    kind: 'orderUpdate',
    update: {
      orderHash: terms.orderHash,
      tokenId: terms.outcome.tokenId,
      marketId: terms.market.market.id,
      side: terms.side,
      price: terms.price,
      ticksPerUnit: terms.grid.ticksPerUnit,
      status: order.socketStatus(),
      filledQuantity: microShares(order.filledMicro + order.holdMicro),
      remaining: microShares(hasEnded ? order.unmatchedMicro() : order.restingMicro()),
    },
  };
}
