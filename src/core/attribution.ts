// Whose match a settlement is of, where its frame does not name the token.

import type { TokenId } from '../domain/ids.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { MicroShares } from '../domain/shares.ts';
import { allows, isAlike, isRest, type PendingFill } from './inventory/pending.ts';
import { nanoOf } from './risk/nano.ts';
import type { World } from './world.ts';

type Settled = Extract<VenueMessage, { kind: 'tradeSettled' }>;

/**
 * The older settlement frame names no token: found when only one has such shares pending that allow its
 * price, or only one has them at just its price. What is left of a match may have lost the rest to
 * another price's settlement, and so is of any price.
 */
export function tokenOfPending(world: World, trade: Settled): TokenId | undefined {
  const taken = { side: trade.side, quantity: trade.quantity, cashNano: tradeNano(trade) };
  const tokens = tokensWithPending(world, trade, (fill) => allows(fill, taken) || isRest(fill));
  if (tokens.length <= 1) return tokens[0];
  const alike = tokensWithPending(world, trade, (fill) => isAlike(fill, taken));
  return alike.length === 1 ? alike[0] : undefined;
}

/** Tokens with so many matched shares of a side, of a market that may not be named. */
export function tokensWithPending(
  world: World,
  trade: {
    readonly side: 'BUY' | 'SELL';
    readonly quantity: MicroShares;
    readonly marketId: string | undefined;
  },
  mayBeOf: (fill: PendingFill) => boolean = () => true,
): readonly TokenId[] {
  const found: TokenId[] = [];
  for (const tokenId of world.byToken.keys()) {
    const market = world.marketOf(tokenId);
    // Whether `marketId` names the market or the token in this frame is not stated.
    const names = [market?.market.id, tokenId];
    if (trade.marketId !== undefined && !names.some((name) => name === trade.marketId)) continue;
    let pending = 0;
    for (const fill of world.inventory.pendingFills(tokenId)) {
      if (fill.side === trade.side && mayBeOf(fill)) pending += fill.quantity;
    }
    if (pending >= trade.quantity) found.push(tokenId);
  }
  return found;
}

/** What a trade cost or brought, negative for a buy. */
export function tradeNano({ side, price, quantity }: Settled): number {
  const nano = nanoOf(price.times(quantity).div(1_000_000));
  return side === 'BUY' ? -nano : nano;
}
