// Cash that is held may be of an order on its way as well as of a match that nobody told of: what may hide the
// match of an order that ended unheard proves nothing of its market.

import { describe, expect, it } from 'vitest';
import { unprovenEnd } from '../../../../src/core/account/doubts.ts';
import { onBalances } from '../../../../src/core/account/positions.ts';
import type { World } from '../../../../src/core/world.ts';
import { orderHash } from '../../../../src/domain/ids.ts';
import { addMs, unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances } from '../../../support/engine-driver.ts';
import { buying, exclusive, marketOf, placed } from '../../../support/exclusive-event.ts';

function read(world: World, onHold: number): void {
  world.nowMs = addMs(world.nowMs, 5_000);
  onBalances(world, balances({ usdcOnHold: usdc(onHold) }), unixMs(world.nowMs - 100));
}

function orderOf(world: World, at: number) {
  const order = world.ledger.byHash(orderHash(`0xa${at}`));
  if (order === undefined) throw new Error('it was accepted');
  return order;
}

/** A bid of 15 USDC in the second market is on no list any more, and one in the first is being cancelled. */
function vanished(costInFirst: number): World {
  const world = exclusive();
  read(world, 0);
  placed(world, 1, buying('yes', 15), 'that it rests');
  world.ledger.signal(orderOf(world, 1), 'provenAbsent', world.nowMs);
  unprovenEnd(world, orderOf(world, 1));
  placed(world, 0, buying('yes', costInFirst), 'that it rests');
  world.ledger.signal(orderOf(world, 0), 'cancelSent', world.nowMs);
  return world;
}

const isProven = (world: World) => marketOf(world, 1).unprovenSinceMs === undefined;

describe('a market whose order vanished', () => {
  it('is not proven by cash that another order on its way may hold as well', () => {
    const world = vanished(15);
    read(world, 15);
    expect(isProven(world)).toBe(false);
  });

  it('is proven once nothing is held that is not sure to rest', () => {
    const world = vanished(15);
    read(world, 0);
    expect(isProven(world)).toBe(true);
  });

  it('is proven beside an order on its way that holds more than the vanished one can', () => {
    const world = vanished(16);
    read(world, 16);
    expect(isProven(world)).toBe(true);
  });
});
