// Frames of the user channel. @spec Events › User channel (Auth)

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { excerpt } from '../domain/excerpt.ts';
import type { VenueMessage } from '../domain/message.ts';
import {
  decimal,
  hash,
  market,
  maybe,
  outcome,
  parseWith,
  side,
  signedShares,
  sumOfShares,
  token,
  usdc,
  word,
} from './parse.ts';
import { orderPrice } from './prices.ts';
import type { TokenLookup } from './tokens.ts';
import { settledTrade } from './trades.ts';

export type UserFrameType =
  | 'order.update'
  | 'trade.settled'
  | 'trade.failed'
  | 'position.update'
  | 'portfolio.summary_update';

const orderUpdate = z.object({
  orderHash: hash,
  tokenId: token,
  marketId: maybe(market).catch(undefined),
  side,
  price: decimal,
  status: word('OPEN', 'MATCHED', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'EXPIRED'),
  filledQuantity: sumOfShares,
  remaining: maybe(sumOfShares),
});
const tradeFailed = z.object({
  reason: maybe(z.string()).catch(undefined),
  marketId: maybe(market).catch(undefined),
  side,
  quantity: sumOfShares,
});
const positionUpdate = z.object({
  marketId: market,
  outcomeId: outcome,
  sharesDelta: signedShares,
});
const summary = z.object({ availableBalance: maybe(usdc) });
const nested = z.looseObject({ data: z.looseObject({}) });

/**
 * Reads one frame of the user channel. Fields stand in `data` or, where the interface shows them
 * so, beside `type`; either place is read for every type.
 * @throws {WireError} `wire.field`
 */
export function readUserFrame(
  type: UserFrameType,
  frame: unknown,
  tokens: TokenLookup,
): VenueMessage {
  const inner = nested.safeParse(frame);
  const data = inner.success ? inner.data.data : frame;
  switch (type) {
    case 'order.update':
      return readOrderUpdate(data, tokens);
    case 'trade.settled':
      return { kind: 'tradeSettled', ...parseWith(settledTrade, data, type) };
    case 'trade.failed':
      return readTradeFailed(data);
    case 'position.update':
      return { kind: 'positionUpdate', ...parseWith(positionUpdate, data, type) };
    case 'portfolio.summary_update':
      return { kind: 'summaryUpdate', ...parseWith(summary, data, type) };
  }
}

function readOrderUpdate(data: unknown, tokens: TokenLookup): VenueMessage {
  const shape = parseWith(orderUpdate, data, 'order.update');
  const grid = tokens.gridOf(shape.tokenId);
  if (!grid) throw new WireError('wire.field', `order.update.tokenId: unknown ${shape.tokenId}`);
  return { kind: 'orderUpdate', update: { ...shape, ...orderPrice(grid, shape.price) } };
}

function readTradeFailed(data: unknown): VenueMessage {
  const shape = parseWith(tradeFailed, data, 'trade.failed');
  return { ...shape, kind: 'tradeFailed', reason: excerpt(shape.reason ?? '', 300) };
}
