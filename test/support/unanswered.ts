// A placement that a previous run left without an answer.

import type { StoredOrder } from '../../src/domain/record.ts';
import { shares } from '../../src/domain/shares.ts';
import { unixMs } from '../../src/domain/time.ts';
import { MARKET, YES } from './engine-driver.ts';

/** 50 shares of YES at 48 cents, of which nobody reported what became of them. */
export function unanswered(sentAtMs: number): StoredOrder {
  return {
    intentId: 'old-1' as never,
    marketId: MARKET,
    tokenId: YES,
    leg: 'yes',
    side: 'BUY',
    price: 48 as never,
    ticksPerUnit: 100,
    quantity: shares(50),
    sentAtMs: unixMs(sentAtMs),
    isExternal: false,
    orderHash: undefined,
    state: 'unknown',
    stateSinceMs: unixMs(sentAtMs),
    executed: shares(0),
    confirmedAtMs: undefined,
    settingsVersion: undefined,
  };
}
