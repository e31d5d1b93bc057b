// Own orders for tests of the pure parts of the core.

import { type OwnOrder, orderOf } from '../../src/core/orders/own-order.ts';
import { intentId, marketId, orderHash, tokenId } from '../../src/domain/ids.ts';
import { shares } from '../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';

export const GRID = tickGrid('0.01');

type Change = Partial<Omit<OwnOrder, 'price' | 'quantity' | 'executed'>> & {
  readonly price?: number;
  readonly size?: number;
  readonly executed?: number;
};

let count = 0;

/** An open YES bid of 50 at 0.40, changed as told. */
export function ownOrder(change: Change = {}): OwnOrder {
  count += 1;
  const leg = change.leg ?? 'yes';
  const side = change.side ?? 'BUY';
  const price = ticks(GRID, change.price ?? 40);
  return orderOf(GRID, {
    intentId: intentId(`i-${count}`),
    marketId: marketId('m-1'),
    tokenId: tokenId(leg === 'yes' ? '0x01' : '0x02'),
    sentAtMs: unixMs(count),
    settingsVersion: 'abc',
    isExternal: false,
    datedByMs: undefined,
    expiresAtMs: undefined,
    orderHash: orderHash(`0xaa${count.toString(16)}`),
    state: 'resting',
    stateSinceMs: unixMs(0),
    confirmedAtMs: unixMs(1),
    ...change,
    leg,
    side,
    price,
    quantity: shares(change.size ?? 50),
    executed: shares(change.executed ?? 0),
  });
}
