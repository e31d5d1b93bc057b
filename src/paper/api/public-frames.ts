// Public frames about trades, prices and market status. @spec Events

import type { TradingStatus } from '../../domain/market.ts';
import type { UnixMs } from '../../domain/time.ts';
import { priceJson, sharesJson } from '../exchange/amounts.ts';
import type { ExchangeEvent, TokenRef } from '../exchange/events.ts';
import type { Dialect } from './dialect.ts';
import type { Frame } from './frames.ts';

/** @spec Events › Trades channel (Public) */
export function tradeFrame(event: ExchangeEvent & { readonly kind: 'tradeExecuted' }): Frame {
  const { market, index } = event.token;
  return {
    type: 'trade.executed',
    tokenId: market.outcome(index).tokenId,
    price: priceJson(market.grid, event.priceTicks),
    size: sharesJson(event.sizeMicro),
    side: event.takerSide,
    ts: event.atMs,
  };
}

/** Fired on every settlement. @spec Events › Order book channel (Public) */
export function priceFrame(event: ExchangeEvent & { readonly kind: 'priceSettled' }): Frame {
  const { market, index } = event.token;
  return {
    type: 'last_trade_price',
    marketId: market.outcome(index).tokenId,
    price: Number(event.price),
    size: sharesJson(event.sizeMicro),
    ts: event.atMs,
  };
}

/** `PAUSE` is a seen value; the words for the other statuses are ours. */
export function statusFrame(
  token: TokenRef,
  status: TradingStatus,
  say: { readonly nowMs: UnixMs; readonly dialect: Dialect },
): Frame {
  const isPause = status === 'paused' || status === 'unknown';
  return {
    type: 'market.status_update',
    marketId:
      say.dialect.statusFrameId === 'market'
        ? token.market.market.id
        : token.market.outcome(token.index).tokenId,
    status: isPause ? say.dialect.pauseWord : status.toUpperCase(),
    ts: say.nowMs,
  };
}
