// What cannot be told from what the venue said: markets and tokens that wait until balances prove them.
// So does what a life without a memory begins with, where somebody traded until just now and nobody
// tells what: balances may lack the last of it, until they have been quiet for as long as positions lag.

import type { TokenId } from '../../domain/ids.ts';
import { NO_SHARES } from '../../domain/shares.ts';
import type { MarketState } from '../market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';

/** Marks a market whose orders may have been filled without our knowing. */
export function unproven(world: World, market: MarketState | undefined): void {
  if (market === undefined) return;
  market.unprovenSinceMs = world.nowMs;
  market.isDirty = true;
  // It is kept in the step in which the order ended that may have been filled: a next life has only that.
  world.touched.flows.add(market.market.id);
}

/**
 * An order ended, and nobody has said how much of it had traded: its market waits for the proof that it was no
 * more than is known, and limits of the account count the rest of it until then.
 */
export function unprovenEnd(world: World, order: OwnOrder): void {
  const market = world.markets.get(order.marketId);
  if (market === undefined) return;
  world.ledger.ends.onUnproven(order);
  unproven(world, market);
  world.agenda.onTouched(market);
}

/** A market has its proof: what ended in it has traded no more than is known. */
export function prove(world: World, market: MarketState): void {
  market.unprovenSinceMs = undefined;
  market.isDirty = true;
  world.ledger.ends.onProven(market.market.id);
  world.agenda.onTouched(market);
}

/** Something happened to a token that cannot be attributed: only its number after quiet tells. */
export function doubt(world: World, tokenId: TokenId): void {
  world.inventory.doubt(tokenId, world.nowMs);
  world.touched.tokens.add(tokenId);
  unproven(world, world.marketOf(tokenId));
}

/** An order that nobody here knows rests, or rested, on a token. */
export function doubtBaseline(world: World, tokenId: TokenId): void {
  const market = world.marketOf(tokenId);
  const tokenIds = market ? [market.tokenOf('yes'), market.tokenOf('no')] : [tokenId];
  for (const each of tokenIds) {
    const { inventory } = world;
    if (inventory.isRestored(each) || inventory.isUnexplained(each)) continue;
    inventory.doubt(each, world.nowMs);
    unproven(world, market);
  }
}

/**
 * A market begins with shares that no earlier life of ours knew: whoever brought them may have traded
 * until just now, and the number may lag behind that.
 */
export function doubtFound(world: World, market: MarketState): void {
  const { yes, no } = market.holdings(world.inventory);
  if (yes !== NO_SHARES || no !== NO_SHARES) doubtBaseline(world, market.tokenOf('yes'));
}

/** Orders were cancelled that nobody here knows and no list ever showed: they may have been anywhere. */
export function doubtBaselines(world: World): void {
  for (const market of world.markets.values()) doubtBaseline(world, market.tokenOf('yes'));
}
