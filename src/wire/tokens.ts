// What a payload must be read with: the tick grid of a token, and the tokens of a market.

import type { MarketId, TokenId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import type { TickGrid } from '../domain/ticks.ts';

export interface TokenLookup {
  gridOf(tokenId: TokenId): TickGrid | undefined;
  /** Both tokens of a market, or none when it is not listed. */
  tokensOf(marketId: MarketId): readonly TokenId[];
}

/** The lookup of a client that has loaded no catalogue. */
export const NO_TOKENS: TokenLookup = {
  gridOf: () => undefined,
  tokensOf: () => [],
};

/** The lookup of one catalogue; as large as the catalogue and replaced with it. */
export function tokenLookup(events: readonly Event[]): TokenLookup {
  const grids = new Map<TokenId, TickGrid>();
  const tokens = new Map<MarketId, readonly TokenId[]>();
  for (const { grid, markets } of events) {
    for (const { id, yes, no } of markets) {
      grids.set(yes.tokenId, grid).set(no.tokenId, grid);
      tokens.set(id, [yes.tokenId, no.tokenId]);
    }
  }
  return {
    gridOf: (tokenId) => grids.get(tokenId),
    tokensOf: (marketId) => tokens.get(marketId) ?? [],
  };
}
