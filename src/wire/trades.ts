// Settled trades of the account. The interface shows their fields in the frame of the user channel alone;
// the history is read by the same words, and what does not have them is not understood.

import { z } from 'zod';
import type { SettledTrade } from '../domain/message.ts';
import { ITEMS_MAX } from './limits.ts';
import { list, market, maybe, parseWith, side, sumOfShares, token, unitPrice } from './parse.ts';

const TRADE_ID_LENGTH_MAX = 200;

/** @spec Events › User channel (Auth) */
export const settledTrade = z.object({
  tradeId: z.union([z.string().min(1).max(TRADE_ID_LENGTH_MAX), z.int().transform(String)]),
  side,
  tokenId: maybe(token),
  marketId: maybe(market).catch(undefined),
  price: unitPrice,
  quantity: sumOfShares,
});

const trades = z.union([
  list(settledTrade, ITEMS_MAX),
  z.object({ items: list(settledTrade, ITEMS_MAX) }),
]);

/**
 * Reads `GET /portfolio/trades`: a bare array, or a page like those of other lists.
 * @throws {WireError} `wire.field` when any one record is unreadable: what is missing is not known then.
 * @spec Endpoints › Portfolio (all Auth)
 */
export function parseTrades(data: unknown): readonly SettledTrade[] {
  const read = parseWith(trades, data, 'trades');
  return 'items' in read ? read.items : read;
}
