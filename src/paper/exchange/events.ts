// What happens on the exchange, told to whoever listens, at the moment it happens.

import type { OutcomeIndex, TradingStatus } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Account } from './account.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { ListedEvent, ListedMarket } from './listed-market.ts';
import type { Trade, TradeLeg } from './trade.ts';

/** One token of one market. */
export type TokenRef = { readonly market: ListedMarket; readonly index: OutcomeIndex };

export type ExchangeEvent =
  | { readonly kind: 'listed'; readonly listed: ListedEvent }
  | {
      readonly kind: 'levelChanged';
      readonly token: TokenRef;
      readonly side: BookSide;
      readonly priceTicks: number;
    }
  /** So much changed at once that a fresh baseline says it better. */
  | { readonly kind: 'bookReset'; readonly market: ListedMarket }
  /** Two parties met, before the book shows it; each leg settles or fails later. */
  | { readonly kind: 'matched'; readonly trade: Trade }
  | {
      readonly kind: 'tradeExecuted';
      readonly token: TokenRef;
      readonly priceTicks: number;
      readonly sizeMicro: number;
      readonly takerSide: Side;
      readonly atMs: UnixMs;
    }
  | {
      readonly kind: 'priceSettled';
      readonly token: TokenRef;
      /** As text: the tick grid may have changed since the match. */
      readonly price: string;
      readonly sizeMicro: number;
      readonly atMs: UnixMs;
    }
  | {
      readonly kind: 'statusChanged';
      readonly market: ListedMarket;
      readonly status: TradingStatus;
    }
  /** The order may be read only now: it moves on. `settled` is progress without a new state. */
  | {
      readonly kind: 'orderUpdated';
      readonly order: ExchangeOrder;
      readonly cause: 'state' | 'settled';
    }
  | {
      readonly kind: 'tradeSettled';
      readonly leg: TradeLeg;
      readonly tradeId: string;
      readonly txHash: string;
    }
  | { readonly kind: 'tradeFailed'; readonly leg: TradeLeg; readonly reason: string }
  | {
      readonly kind: 'positionMoved';
      readonly account: Account;
      readonly token: TokenRef;
      readonly deltaMicro: number;
      readonly averagePrice: string;
    }
  | { readonly kind: 'accountChanged'; readonly account: Account }
  | { readonly kind: 'keyRevoked'; readonly account: Account; readonly apiKey: string };

export type ExchangeListener = (event: ExchangeEvent) => void;
