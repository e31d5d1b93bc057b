// Orders and books as REST shows them. @spec Resources and their fields › Order

import type { UnixMs } from '../../domain/time.ts';
import { priceJson, priceText, sharesJson, sharesText, usdcText } from '../exchange/amounts.ts';
import type { TokenRef } from '../exchange/events.ts';
import type { ExchangeOrder } from '../exchange/exchange-order.ts';
import type { MarketBook, PublicLevel } from '../exchange/market-book.ts';
import type { MarketRequest, SweepPlan } from '../exchange/market-plan.ts';
import type { Dialect } from './dialect.ts';
import { isoText } from './time-text.ts';

/** @spec Resources and their fields › Order (returned by order placement) */
export function orderJson(order: ExchangeOrder, dialect: Dialect): Record<string, unknown> {
  const { terms } = order;
  return {
    id: terms.id,
    orderHash: terms.orderHash,
    tokenId: terms.outcome.tokenId,
    marketId: terms.market.market.id,
    side: terms.side,
    price: priceText(terms.grid, terms.price),
    quantity: sharesText(terms.quantityMicro),
    filledQuantity: sharesText(filledMicro(order, dialect)),
    holdQuantity: sharesText(order.holdMicro),
    status: dialect.orderWords === 'published' ? order.restStatus() : 'RESTING',
    [dialect.orderTypeField]: terms.timeInForce,
    expiredAt: terms.expiresAtMs === undefined ? null : isoText(terms.expiresAtMs),
    createdAt: isoText(terms.createdAtMs),
  };
}

function filledMicro(order: ExchangeOrder, dialect: Dialect): number {
  return order.filledMicro + (dialect.restFilled === 'withHold' ? order.holdMicro : 0);
}

export type BookView = {
  readonly token: TokenRef;
  readonly book: MarketBook;
  readonly depth: number;
  readonly nowMs: UnixMs;
};

/** @spec Resources and their fields › Order book */
export function bookJson(view: BookView, dialect: Dialect): Record<string, unknown> {
  const { token, book, depth, nowMs } = view;
  const sides = {
    bids: levelsJson(token, book.levels(token.index, 'bid', depth), dialect),
    asks: levelsJson(token, book.levels(token.index, 'ask', depth), dialect),
  };
  if (!dialect.bookExtras) return sides;
  return { tokenId: token.market.outcome(token.index).tokenId, ...sides, ts: nowMs };
}

/** Levels with prices and sizes as JSON numbers. */
export function levelsJson(
  token: TokenRef,
  levels: readonly PublicLevel[],
  dialect: Dialect,
): readonly { readonly price: number; readonly size: number }[] {
  return levels.map(({ priceTicks, sizeMicro }) => ({
    price: noisy(priceJson(token.market.grid, priceTicks), dialect),
    size: noisy(sharesJson(sizeMicro), dialect),
  }));
}

/** A number of a book as a venue sends it that adds in doubles; nothing stays nothing. */
export function noisy(value: number, { bookNoise }: Dialect): number {
  return bookNoise ? value * (1 + Number.EPSILON) : value;
}

/** @spec Resources and their fields › Execution plan (returned with a market order) */
export function planJson(
  request: MarketRequest,
  plan: SweepPlan,
  nowMs: UnixMs,
): Record<string, unknown> {
  const { size, token } = request;
  return {
    requestedMaxSpend: size.side === 'BUY' ? usdcText(size.spendMaxNano) : '0',
    submittedQuantity: sharesText(plan.submittedMicro),
    limitPrice: priceText(token.market.grid, plan.limitTicks),
    estimatedAveragePrice: plan.averagePrice.toDecimalPlaces(6).toFixed(),
    estimatedQuoteAmount: usdcText(plan.quoteNano),
    bookTimestamp: isoText(nowMs),
  };
}
