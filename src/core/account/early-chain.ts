// What the chain says before the catalogue is known: a run that took over orders and matches hears of
// them at once, and only their market says what shares cost and what was held before them.

import type { ChainMessage } from '../../domain/message.ts';
import type { AccountStores } from './stores.ts';

/** All matches that the full write budget brings in half a minute without a catalogue. */
const KEPT_MAX = 10_000;

/** @returns Whether it waits for the catalogue; the oldest beyond the bound show in positions. */
export function waitsForMarkets(stores: AccountStores, message: ChainMessage): boolean {
  if (stores.catalogue !== undefined) return false;
  // When it was told is now, whenever it is counted.
  if (message.kind === 'tradeSettled') stores.history.onTold(message, stores.nowMs);
  stores.earlyChain.push(message);
  if (stores.earlyChain.length > KEPT_MAX) stores.earlyChain.shift();
  return true;
}

/** Takes what waited, oldest first; the markets are known now, or never will be. */
export function takeEarlyChain(stores: AccountStores): readonly ChainMessage[] {
  return stores.earlyChain.splice(0);
}
