// After a death, a venue that serves no cancel of everything, or loses the answers to its cancels, while its lists work.

import { describe, expect, it } from 'vitest';
import type { OrderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import { Book, GuardWorld } from './support.ts';

const UNSERVED = {
  kind: 'refused',
  refusal: { code: 'internal', message: 'no', httpStatus: 503, retryAfterMs: undefined },
} as const;
const KILLED = { code: null, signal: 'SIGKILL' } as const;

class Unserved extends Book {
  isServed = false;

  override async cancelAll(): Promise<CancelOutcome> {
    if (this.isServed) return await super.cancelAll();
    this.cancels += 1;
    return UNSERVED;
  }
}

/** Its cancels by name take effect, and nobody hears so. */
class Mute extends Book {
  override async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    await super.cancelOrders(hashes);
    return UNSERVED;
  }
}

async function died(world: GuardWorld): Promise<GuardWorld> {
  await world.trade();
  await world.pass(500);
  world.trader.end(KILLED);
  return world;
}

describe('a death beside cancels that are not served', () => {
  it('is followed by a run as soon as no list can lack an order', async () => {
    const world = await died(new GuardWorld({}, new Unserved()));
    await world.pass(1_000);
    expect(world.book.open.size).toBe(0);
    await world.pass(3_500);
    expect(world.traders).toHaveLength(1);
    await world.pass(4_500);
    expect(world.traders).toHaveLength(2);
    // It clears the account by itself, since nobody can say that nothing was open.
    world.trader.say({ kind: 'ready' });
    await world.pass(2_500);
    expect(world.trader.told).toContainEqual({ kind: 'go', quietForMs: undefined });
  });

  it('is followed by none for so long after an order has shown up again', async () => {
    const world = await died(new GuardWorld({}, new Unserved()));
    await world.pass(4_500);
    world.book.open.add('0x0a');
    await world.pass(4_500);
    expect(world.book.open.size).toBe(0);
    expect(world.traders).toHaveLength(1);
    await world.pass(6_000);
    expect(world.traders).toHaveLength(2);
  });

  it('is confirmed by a cancel that is served, and by no list alone', async () => {
    const book = new Unserved();
    const world = await died(new GuardWorld({ onDeath: 'stay' }, book));
    await world.pass(120_000);
    expect(world.latched).toHaveLength(1);
    expect(world.events).not.toContain('guard.confirmed');
    book.isServed = true;
    await world.pass(10_000);
    await expect(world.ended).resolves.toMatchObject({ kind: 'down', isConfirmed: true });
  });

  it('is followed by a run in the own scope, too', async () => {
    const world = new GuardWorld({ scope: 'own' }, new Mute());
    await world.trade();
    const live = [...world.book.open].map((orderHash, at) => ({
      ...{ intentId: `1-${at}`, orderHash, marketId: 'm1', tokenId: '0xaa', side: 'BUY' },
      ...{ priceMilli: 400, quantity: 10_000_000, sentAtMs: 1_000_000 },
    }));
    const update = { isWhole: true, live, ended: [] };
    world.trader.say({ kind: 'orders', scope: 'own', update });
    world.book.open.add('0x0f');
    world.trader.end(KILLED);
    await world.pass(10_000);
    expect([...world.book.open]).toEqual(['0x0f']);
    expect(world.traders).toHaveLength(2);
  });
});
