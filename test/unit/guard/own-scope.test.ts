// A guard in the own scope, on virtual time: ours go, a stranger's stays, and what is said of it.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { OwnBook, type OwnNews } from '../../../src/guard/own-book.ts';
import { readOwnNews } from '../../../src/guard/own-news.ts';
import { Watch } from '../../../src/guard/watch.ts';
import { Book, GuardWorld } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;
const STRANGER = '0x0e';

const ORDER = {
  marketId: 'm1',
  tokenId: '0xaa',
  side: 'BUY',
  priceMilli: 40,
  quantity: 10_000_000,
  sentAtMs: 1_000_000,
} as const;

/** Its ledger is on a disk that hangs. */
class HungBook extends OwnBook {
  async refresh(): Promise<void> {
    await new Promise(() => {});
  }
}

/** Three own orders rest beside a stranger's, which looks different. */
async function trading(over: { onDeath?: 'stay' } = {}): Promise<GuardWorld> {
  const world = new GuardWorld({ scope: 'own', ...over });
  world.trader.say(words([], true));
  await world.trade(3);
  world.trader.say(words([0, 1, 2]));
  world.book.open.add(STRANGER);
  return world;
}

function words(names: readonly number[], isWhole = false) {
  const live = names.map((name) => ({
    ...ORDER,
    intentId: `1-${name}`,
    orderHash: `0x0${name}`,
    quantity: 5_000_000,
  }));
  return { kind: 'orders', scope: 'own', news: { isWhole, live, ended: [] } };
}

function readNews({ news }: ReturnType<typeof words>): OwnNews {
  const read = readOwnNews(news);
  if (read === undefined) throw new Error('no news');
  return read;
}

describe('a watch whose ledger is on a disk that hangs', () => {
  it('cancels what it knows, looks at the list, and proves it', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const door = new Book();
    door.open.add('0x00');
    const own = new HungBook();
    own.apply(readNews(words([0], true)));
    const proofs: boolean[] = [];
    const watch = new Watch({
      ...{ door, own, clock, timers: clock, tellMs: 20_000 },
      horizonMs: () => 5_000,
      onNotClear: () => {},
    });
    void watch.proven.then((isCertain) => proofs.push(isCertain));
    for (let passed = 0; passed < 8_000; passed += 10) {
      clock.advance(10);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
    expect(door.open.size).toBe(0);
    expect(proofs).toEqual([true]);
  });
});

describe('a guard in the own scope', () => {
  it('cancels by hash what the dead trader had told of, and leaves the stranger', async () => {
    const world = await trading();
    world.trader.end(KILLED);
    await world.pass(300);
    expect([...world.book.open]).toEqual([STRANGER]);
    expect(world.book.cancels).toBe(0);
    expect(world.traders).toHaveLength(2);
  });

  it('finds a placement that lands late by what it asked for', async () => {
    const world = await trading();
    const intent = { ...ORDER, intentId: '1-9', priceMilli: 40 };
    const news = { isWhole: false, live: [intent], ended: [] };
    world.trader.say({ kind: 'orders', scope: 'own', news });
    world.book.open.delete(STRANGER);
    world.trader.end(KILLED);
    await world.pass(60);
    world.book.open.add('0x0f');
    await world.pass(300);
    expect(world.book.open.size).toBe(0);
  });

  it('hears the last words of a trader that is dead already', async () => {
    const world = await trading();
    const last = world.trader;
    world.book.open.add('0x05');
    last.end(KILLED);
    await world.pass(10);
    last.say(words([5]));
    await world.pass(300);
    expect([...world.book.open]).toEqual([STRANGER]);
  });

  it('knows over the generations: a trader that dies before its first word costs nothing', async () => {
    const world = await trading({});
    world.trader.end(KILLED);
    await world.pass(300);
    world.book.open.add('0x01');
    world.trader.end(KILLED);
    await world.pass(500);
    expect([...world.book.open]).toEqual([STRANGER]);
  });

  it('proves at the end that none of ours is left, whatever strangers do', async () => {
    const world = await trading({ onDeath: 'stay' });
    world.trader.end(KILLED);
    await world.pass(50_000);
    await expect(world.ended).resolves.toEqual({
      kind: 'down',
      isStopped: false,
      isProven: true,
      isLatched: true,
      scope: 'own',
      settling: 0,
      rests: [],
    });
    expect([...world.book.open]).toEqual([STRANGER]);
  });

  it('cancels nothing and proves nothing where no trader has said which orders are ours', async () => {
    const world = new GuardWorld({ scope: 'own', onDeath: 'stay' });
    world.book.open.add(STRANGER);
    world.trader.end({ code: 4, signal: null });
    await world.pass(50_000);
    await expect(world.ended).resolves.toMatchObject({ kind: 'down', isProven: false });
    expect([...world.book.open]).toEqual([STRANGER]);
  });

  it('cancels everything again when the trader says that the account is meant', async () => {
    const world = await trading();
    const nothing = { isWhole: false, live: [], ended: [] };
    world.trader.say({ kind: 'orders', scope: 'account', news: nothing });
    world.trader.end(KILLED);
    await world.pass(100);
    expect(world.book.open.size).toBe(0);
    expect(world.book.cancels).toBe(1);
  });

  it('goes on cancelling while the venue is down, and names only ours', async () => {
    const world = await trading();
    world.book.isDown = true;
    world.trader.end(KILLED);
    await world.pass(25_000);
    expect(world.events).toContain('guard.not_clear');
    world.book.isDown = false;
    await world.pass(3_000);
    expect([...world.book.open]).toEqual([STRANGER]);
  });
});

describe('a guard whose trader has seen a very slow acceptance', () => {
  it('watches as long as that before it says proven', async () => {
    const world = new GuardWorld({ onDeath: 'stay' });
    await world.trade();
    const nothing = { isWhole: false, live: [], ended: [] };
    world.trader.say({ kind: 'orders', scope: 'account', news: nothing, slowestMs: 90_000 });
    world.trader.end(KILLED);
    await world.pass(90_000);
    expect(world.events).not.toContain('guard.proven');
    await world.pass(6_000);
    expect(world.events).toContain('guard.proven');
  });
});
