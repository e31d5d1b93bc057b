// Which token and market a trade on the chain is of, where its frame leaves that out.
// @spec Events › User channel (Auth)

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { SettledTrade } from '../../domain/message.ts';
import { tradeNano } from '../kernel/nano.ts';
import { isAtPrice, type Settled } from '../positions/unsettled.ts';
import type { AccountStores } from './stores.ts';

/**
 * The older frame names no token: it is the only one that waits for so much, and for some of it at just this price.
 * What traded at a better price than its own is of nobody until balances tell: it may be another market's trade.
 */
export function tokenOf(stores: AccountStores, trade: SettledTrade): TokenId | undefined {
  const settled = settledOf(trade);
  const tokens = [...stores.byToken.keys()].filter(
    (tokenId) =>
      isNamed(stores, tokenId, trade) &&
      stores.positions.settleableOf(tokenId, trade.side) >= trade.quantity &&
      stores.positions.hasOneAtPrice(tokenId, settled),
  );
  return tokens.length === 1 ? tokens[0] : undefined;
}

function settledOf(trade: SettledTrade): Settled {
  return { side: trade.side, quantity: trade.quantity, cashNano: tradeNano(trade) };
}

/** Whether a fill at just its price waits for a trade. */
export function hasAlike(stores: AccountStores, trade: SettledTrade): boolean {
  const { side, quantity, tokenId = tokenOf(stores, trade) } = trade;
  if (tokenId === undefined) return false;
  const settled = settledOf(trade);
  return stores.positions
    .pending(tokenId)
    .some((fill) => fill.side === side && fill.quantity >= quantity && isAtPrice(fill, settled));
}

/** Tokens with so many pending shares of a side, in a market that may not be named. */
export function tokensWithPending(
  stores: AccountStores,
  trade: Pick<SettledTrade, 'side' | 'quantity'> & { readonly marketId: string | undefined },
): readonly TokenId[] {
  return [...stores.byToken.keys()].filter(
    (tokenId) =>
      isNamed(stores, tokenId, trade) &&
      stores.positions.pendingOf(tokenId, trade.side) >= trade.quantity,
  );
}

/** Whether a frame may be of a token. Whether its `marketId` names the market or the token is not stated. */
export function isNamed(
  stores: AccountStores,
  tokenId: TokenId,
  { marketId }: { readonly marketId: string | undefined },
): boolean {
  const names = [stores.byToken.get(tokenId)?.market.market.id, tokenId];
  return marketId === undefined || names.some((name) => name === marketId);
}

/** The chain has the last word on what shares cost: what was counted at another price is put right. */
export function addFlow(
  stores: AccountStores,
  tokenId: TokenId,
  nano: number,
  named?: SettledTrade['marketId'],
): void {
  const id = stores.byToken.get(tokenId)?.market.market.id ?? traderOf(stores, tokenId, named);
  const flows = id === undefined ? undefined : stores.flows.get(id);
  if (id === undefined || flows === undefined || nano === 0) return;
  flows.cashNano += nano;
  stores.touched.flows.add(id);
}

/** A market that is not quoted now, and was: by this run, a previous one, or the frame itself. */
function traderOf(
  stores: AccountStores,
  tokenId: TokenId,
  named: SettledTrade['marketId'],
): MarketId | undefined {
  const id = stores.leftTokens.get(tokenId) ?? stores.restored.marketOf(tokenId) ?? named;
  return id !== undefined && stores.flows.get(id)?.start !== undefined ? id : undefined;
}
