// A match between two legs, and the on-chain transaction that settles one or more of them.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Account } from './account.ts';
import type { NanoUsdc } from './amounts.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { ListedMarket } from './listed-market.ts';

/** One side of a trade, as its account sees it. */
export type TradeLeg = {
  readonly account: Account;
  /** None for recorded size, which nobody ordered. */
  readonly order: ExchangeOrder | undefined;
  readonly market: ListedMarket;
  readonly index: OutcomeIndex;
  readonly side: Side;
  readonly priceTicks: number;
  readonly priceText: string;
  readonly quantityMicro: number;
  readonly costNano: NanoUsdc;
  readonly feeNano: NanoUsdc;
};

export type Trade = {
  readonly tradeId: string;
  readonly taker: TradeLeg;
  readonly maker: TradeLeg;
  readonly matchedAtMs: UnixMs;
};

/** All fills of one incoming order settle, or fail, together. */
export type Transaction = { readonly txHash: string; readonly trades: readonly Trade[] };
