// Whose match a settlement is of, where its frame does not name the token.

import type { TokenId } from '../../domain/ids.ts';
import type { SettledTrade } from '../../domain/message.ts';
import { type MicroShares, minShares } from '../../domain/shares.ts';
import { isGuess } from '../inventory/lag.ts';
import {
  allows,
  isAlike,
  isRest,
  type PendingFill,
  sumOf,
  type Taken,
} from '../inventory/pending.ts';
import { unheardFills } from '../orders/unseen-ends.ts';
import { tradeNano } from '../risk/nano.ts';
import type { World } from '../world.ts';

/**
 * The older settlement frame names no token: found when only one has a match that it can be of, or only
 * one has such shares at just its price.
 */
export function tokenOfPending(world: World, trade: SettledTrade): TokenId | undefined {
  const taken = takenOf(trade);
  const tokens = tokensWithPending(world, trade).filter((tokenId) =>
    isPossible(world.inventory.pendingFills(tokenId), taken),
  );
  if (tokens.length <= 1) return tokens[0];
  const alike = tokens.filter((tokenId) => hasAlike(world.inventory.pendingFills(tokenId), taken));
  return alike.length === 1 ? alike[0] : undefined;
}

/** Whether a match waits that is just what settled. */
export function isAwaited(world: World, trade: SettledTrade): boolean {
  const tokenId = trade.tokenId ?? tokenOfPending(world, trade);
  return tokenId !== undefined && hasAlike(world.inventory.pendingFills(tokenId), takenOf(trade));
}

/**
 * A settlement without a name is of the only token that may be meant, at another price than its matches
 * have: it may as well be of a match that nobody told of, in any other token.
 */
export function isGuessed(world: World, given: TokenId, trade: SettledTrade): boolean {
  return (
    trade.tokenId === undefined && !hasAlike(world.inventory.pendingFills(given), takenOf(trade))
  );
}

/**
 * Tokens that a settlement without a name may be of instead of the one that it was given to: all that it
 * may mean, where that one's matches may have settled unheard and are not just what it is.
 */
export function tokensInstead(
  world: World,
  given: TokenId,
  trade: SettledTrade,
): readonly TokenId[] {
  if (trade.tokenId !== undefined) return [];
  const taken = takenOf(trade);
  const of = { trade: taken, atMs: world.nowMs };
  const sure = world.inventory
    .pendingFills(given)
    .filter((fill) => fill.side === trade.side && (allows(fill, taken) || isRest(fill)))
    .filter((fill) => !isGuess(fill, minShares(fill.quantity, trade.quantity), of));
  if (sumOf(sure) >= trade.quantity) return [];
  return [...world.byToken.keys()].filter((each) => each !== given && isNamed(world, each, trade));
}

/**
 * Tokens of orders that ended unheard, and that a guess may be of instead: what they had traded was told by
 * nobody, and cash that goes to another match would say that it was nothing.
 */
export function tokensUnheard(
  world: World,
  given: TokenId,
  trade: SettledTrade,
): readonly TokenId[] {
  const taken = takenOf(trade);
  const found = unheardFills(world).filter(
    ({ tokenId, side, quantity }) =>
      tokenId !== given &&
      side === trade.side &&
      quantity >= trade.quantity &&
      isNamed(world, tokenId, trade),
  );
  const mayBe = found.filter((fill) => allows(fill, taken));
  return [...new Set(mayBe.map(({ tokenId }) => tokenId))];
}

/**
 * One match is the whole of a fill that allows its price or a part of it, or of several of just its
 * price. What is left of a fill may have lost the rest to another price's settlement, and so is of any
 * price, alone or with others.
 */
function isPossible(fills: readonly PendingFill[], trade: Taken): boolean {
  const found = fills.filter(
    (fill) => fill.side === trade.side && (allows(fill, trade) || isRest(fill)),
  );
  if (found.some(({ quantity }) => quantity >= trade.quantity)) return true;
  return hasAlike(fills, trade) || (found.some(isRest) && sumOf(found) >= trade.quantity);
}

function hasAlike(fills: readonly PendingFill[], trade: Taken): boolean {
  const alike = fills.filter((fill) => fill.side === trade.side && isAlike(fill, trade));
  return sumOf(alike) >= trade.quantity;
}

/** Tokens with so many matched shares of a side, of a market that may not be named. */
export function tokensWithPending(
  world: World,
  trade: {
    readonly side: 'BUY' | 'SELL';
    readonly quantity: MicroShares;
    readonly marketId: string | undefined;
  },
): readonly TokenId[] {
  const found: TokenId[] = [];
  for (const tokenId of world.byToken.keys()) {
    if (!isNamed(world, tokenId, trade)) continue;
    let pending = 0;
    for (const fill of world.inventory.pendingFills(tokenId)) {
      if (fill.side === trade.side) pending += fill.quantity;
    }
    if (pending >= trade.quantity) found.push(tokenId);
  }
  return found;
}

/** Whether a frame may be of a token: one that names no market may be of any. */
export function isNamed(
  world: World,
  tokenId: TokenId,
  { marketId }: { readonly marketId: string | undefined },
): boolean {
  // Whether `marketId` names the market or the token in this frame is not stated.
  const names = [world.marketOf(tokenId)?.market.id, tokenId];
  return marketId === undefined || names.some((name) => name === marketId);
}

function takenOf(trade: SettledTrade): Taken {
  return { side: trade.side, quantity: trade.quantity, cashNano: tradeNano(trade) };
}
