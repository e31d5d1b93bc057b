// An order that ended and of which nobody has said how much had traded may have cost what it could: its own market
// waits for the proof, and all others are held to limits that count it until then.

import { describe, expect, it } from 'vitest';
import { prove, unprovenEnd } from '../../../../src/core/account/doubts.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { RiskPass, sumUpRisk } from '../../../../src/core/risk/risk-pass.ts';
import type { World } from '../../../../src/core/world.ts';
import { orderHash } from '../../../../src/domain/ids.ts';
import { NO_SHARES } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { buying, exclusive, GRID, marketOf, placed } from '../../../support/exclusive-event.ts';

const HASH = orderHash('0xa1');

/** Of 20 USDC that may be lost the bid of the second market may lose 15, and a list lacks it now. */
function vanished(change: (order: OwnOrder) => void = () => {}): World {
  const world = exclusive();
  placed(world, 1, buying('yes', 15), 'that it rests');
  const order = world.ledger.byHash(HASH);
  if (order === undefined) throw new Error('it rests');
  change(order);
  world.ledger.signal(order, 'provenAbsent', world.nowMs);
  unprovenEnd(world, order);
  return world;
}

const limitOf = (world: World, price: number) => {
  sumUpRisk(world);
  return new RiskPass(world).admit(marketOf(world, 0), buying('yes', price), {
    side: 'bid',
    price: ticks(GRID, price),
  });
};

describe('an order that vanished', () => {
  it('counts in the worst case of the account as it did while it rested', () => {
    const world = vanished();
    expect(limitOf(world, 4)).toBeUndefined();
    expect(limitOf(world, 6)).toBe('max_loss_usdc');
  });

  it("does not count where it was somebody else's: he may place and cancel all day", () => {
    const world = vanished((order) => {
      order.isOrphan = true;
    });
    expect(limitOf(world, 6)).toBeUndefined();
  });

  it('counts no more once its market is proven', () => {
    const world = vanished();
    prove(world, marketOf(world, 1));
    expect(limitOf(world, 6)).toBeUndefined();
  });

  it('counts no more once the channel has said what it had traded', () => {
    const world = vanished();
    const order = world.ledger.byHash(HASH);
    if (order === undefined) throw new Error('it is remembered');
    const { tokenId, marketId, side, price } = order;
    const ended = { status: 'CANCELLED', filledQuantity: NO_SHARES } as const;
    const shown = { tokenId, marketId, side, price, remaining: order.quantity };
    world.ledger.onUpdate({ orderHash: HASH, ...shown, ...ended }, world.nowMs);
    expect(limitOf(world, 6)).toBeUndefined();
  });
});
