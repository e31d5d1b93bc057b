// What the account holds. @spec Resources and their fields › Balances

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import type { TokenId } from '../domain/ids.ts';
import type { Balances, Position } from '../domain/message.ts';
import { clampShares } from '../domain/shares.ts';
import { WIRE_CHOICES, type WireChoices } from './choices.ts';
import { POSITIONS_MAX } from './limits.ts';
import { list, market, maybe, parseWith, sumOfShares, token, usdc } from './parse.ts';

const balances = z.object({
  cashBalance: usdc,
  availableBalance: usdc,
  usdcOnHold: usdc,
  positions: list(
    z.object({
      tokenId: token,
      // Anybody may send shares of whatever market, and positions are matched by token.
      marketId: maybe(market).catch(undefined),
      shareAmount: sumOfShares,
      onHoldShareAmount: sumOfShares,
    }),
    POSITIONS_MAX,
  ),
});

/**
 * Reads `GET /portfolio/balances`.
 * @throws {WireError} `wire.field` when any one position is unreadable, since a part is not an answer, and when two
 *   are of one token and differ: nobody knows which of them holds, or whether both do.
 * @spec Endpoints › Portfolio (all Auth)
 */
export function parseBalances(
  data: unknown,
  { sharesIncludeHold }: Pick<WireChoices, 'sharesIncludeHold'> = WIRE_CHOICES,
): Balances {
  const read = parseWith(balances, data, 'balances');
  const seen = new Map<TokenId, (typeof read.positions)[number]>();
  for (const [index, position] of read.positions.entries()) {
    const before = seen.get(position.tokenId) ?? position;
    const isSame =
      before.shareAmount === position.shareAmount &&
      before.onHoldShareAmount === position.onHoldShareAmount;
    if (!isSame) throw new WireError('wire.field', `balances.positions[${index}]: token twice`);
    seen.set(position.tokenId, position);
  }
  return sharesIncludeHold ? read : { ...read, positions: read.positions.map(withHold) };
}

function withHold(position: Position): Position {
  const { shareAmount, onHoldShareAmount } = position;
  return { ...position, shareAmount: clampShares(shareAmount + onHoldShareAmount) };
}
