// Who won, and what is left to claim. The interface names both questions and shows no field of either answer, so
// each is read for the few words that can mean nothing else; anything else says nothing.
// @spec Endpoints › Markets (all Public), Conditional tokens (all Auth)

import { z } from 'zod';
import type { MarketId, TokenId } from '../domain/ids.ts';
import { ITEMS_MAX } from './limits.ts';
import { list, market, token } from './parse.ts';

const claim = z.object({ marketId: market });
const claims = z.union([
  list(claim, ITEMS_MAX),
  z.object({ items: list(claim, ITEMS_MAX) }).transform(({ items }) => items),
]);
const resolved = z.object({ marketId: market, winningTokenId: token });
const resolution = z.union([
  resolved.transform((one) => [one]),
  z
    .object({ markets: list(z.unknown(), ITEMS_MAX) })
    .transform(({ markets }) => markets.flatMap((each) => resolved.safeParse(each).data ?? [])),
]);

/** The token that won a market, where the answer of `GET /events/:id/resolution` names both. */
export function winnerOf(data: unknown, marketId: MarketId): TokenId | undefined {
  const read = resolution.safeParse(data);
  return read.data?.find((each) => each.marketId === marketId)?.winningTokenId;
}

/** Whether `GET /positions/claimable` lists a market; `undefined` where an item of it names none. */
export function isClaimableIn(data: unknown, marketId: MarketId): boolean | undefined {
  const read = claims.safeParse(data);
  return read.data?.some((each) => each.marketId === marketId);
}
