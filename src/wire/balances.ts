// What the account holds. @spec Resources and their fields › Balances

import { z } from 'zod';
import type { Balances } from '../domain/message.ts';
import { ITEMS_MAX } from './limits.ts';
import { list, market, parseWith, shares, token, usdc } from './parse.ts';

const balances = z.object({
  cashBalance: usdc,
  availableBalance: usdc,
  usdcOnHold: usdc,
  positions: list(
    z.object({
      tokenId: token,
      marketId: market,
      shareAmount: shares,
      onHoldShareAmount: shares,
    }),
    ITEMS_MAX,
  ),
});

/**
 * Reads `GET /portfolio/balances`.
 * @throws {WireError} `wire.field` when any one position is unreadable: a part is not an answer.
 * @spec Endpoints › Portfolio (all Auth)
 */
export function parseBalances(data: unknown): Balances {
  return parseWith(balances, data, 'balances');
}
