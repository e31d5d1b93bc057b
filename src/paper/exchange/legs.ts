// Builds the two legs of a match from where each stands on the axis.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import type { Account } from './account.ts';
import { costOf, feeOf, feePartAt, NO_FEE, priceText, type TakerFee } from './amounts.ts';
import { mirrored, sideOn } from './axis.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { ListedMarket } from './listed-market.ts';
import type { TradeLeg } from './trade.ts';

/** Who is on one end of a match: an order, or recorded size of one token. */
export type Party = {
  readonly account: Account;
  readonly order: ExchangeOrder | undefined;
  readonly index: OutcomeIndex;
  readonly fee: TakerFee;
};

export type MatchPoint = {
  readonly market: ListedMarket;
  /** The axis side of the one who takes. */
  readonly takerSide: BookSide;
  readonly tick: number;
  readonly quantityMicro: number;
};

/** An incoming order as a party to a match; it pays the fee of a taker. */
export function takerOf(order: ExchangeOrder): Party {
  return {
    account: order.terms.account,
    order,
    index: order.index,
    fee: order.terms.fee,
  };
}

/** Makers pay no fee. @spec What the service does */
export function makerOf(order: ExchangeOrder): Party {
  return { account: order.terms.account, order, index: order.index, fee: NO_FEE };
}

/** One end of a match, as its account sees it. */
export function legOf(party: Party, axisSide: BookSide, point: MatchPoint): TradeLeg {
  const { market, tick, quantityMicro } = point;
  const priceTicks = mirrored(market.grid, party.index, tick);
  const costNano = costOf(market.grid, priceTicks, quantityMicro);
  return {
    account: party.account,
    order: party.order,
    market,
    index: party.index,
    side: sideOn(axisSide, party.index),
    priceTicks,
    priceText: priceText(market.grid, priceTicks),
    quantityMicro,
    costNano,
    feeNano: feeOf(costNano, feePartAt(market.grid, priceTicks, party.fee)),
  };
}
