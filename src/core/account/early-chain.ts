// What the chain says before the catalogue is known: a run that took over orders and matches hears of
// them at once, and only their market says what shares cost and what was held before them.

import type { ChainMessage, World } from '../world.ts';

/** All matches that the full write budget brings in half a minute without a catalogue. */
const KEPT_MAX = 10_000;

/** @returns Whether it waits for the catalogue; the oldest beyond the bound show in positions. */
export function waitsForMarkets(world: World, message: ChainMessage): boolean {
  if (world.catalogue !== undefined) return false;
  // When it was told is now, whenever it is counted.
  if (message.kind === 'tradeSettled') world.history.onTold(message, world.nowMs);
  world.earlyChain.push(message);
  if (world.earlyChain.length > KEPT_MAX) world.earlyChain.shift();
  return true;
}

/** Takes what waited, oldest first; the markets are known now, or never will be. */
export function takeEarlyChain(world: World): readonly ChainMessage[] {
  return world.earlyChain.splice(0);
}
