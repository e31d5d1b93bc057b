// Who won a market, from an answer whose fields the interface does not show.

import { z } from 'zod';
import type { TokenId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';

/** Names that say a winner; anything else says nothing. */
const said = z.object({
  marketId: z.string().optional(),
  winningTokenId: z.string().nullish(),
  winningOutcomeId: z.string().nullish(),
  winningOutcomeIndex: z.union([z.literal(0), z.literal(1)]).nullish(),
});
const answer = said.extend({ markets: z.array(said).max(10_000).optional() });

/** `undefined` where it does not say so of this market, beyond doubt. */
export function winnerOf(value: unknown, market: Market): TokenId | undefined {
  const read = answer.safeParse(value).data;
  if (read === undefined) return undefined;
  const { markets } = read;
  const own = markets?.find(({ marketId }) => marketId === market.id);
  // An answer about several markets says nothing of one that it does not name.
  if (markets !== undefined && own === undefined) return undefined;
  return winnerIn(own ?? read, market);
}

function winnerIn(
  { winningTokenId, winningOutcomeId, winningOutcomeIndex }: z.infer<typeof said>,
  { yes, no }: Market,
): TokenId | undefined {
  const winners = [yes, no].filter(
    (outcome) =>
      outcome.tokenId === winningTokenId?.toLowerCase() ||
      outcome.id === winningOutcomeId ||
      outcome.outcomeIndex === winningOutcomeIndex,
  );
  return winners.length === 1 ? winners[0]?.tokenId : undefined;
}
