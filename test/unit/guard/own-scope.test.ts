// A guard in the own scope, on virtual time: ours go, an external order's stays, and what is said of it.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { OrderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { OwnBook, type OwnOrdersUpdate } from '../../../src/guard/own-book.ts';
import { readOwnOrdersUpdate } from '../../../src/guard/own-orders-update.ts';
import { Watch } from '../../../src/guard/watch.ts';
import { Book, GuardWorld } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;
const EXTERNAL = '0x0e';

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

/** Three own orders rest beside an external order's, which looks different. */
async function trading(over: { onDeath?: 'stay' } = {}): Promise<GuardWorld> {
  const world = new GuardWorld({ scope: 'own', ...over });
  world.trader.say(words([], true));
  await world.trade(3);
  world.trader.say(words([0, 1, 2]));
  world.book.open.add(EXTERNAL);
  return world;
}

function words(names: readonly number[], isWhole = false) {
  const live = names.map((name) => ({
    ...ORDER,
    intentId: `1-${name}`,
    orderHash: `0x0${name}`,
    quantity: 5_000_000,
  }));
  return { kind: 'orders', scope: 'own', update: { isWhole, live, ended: [] } };
}

function readNews({ update }: ReturnType<typeof words>): OwnOrdersUpdate {
  const read = readOwnOrdersUpdate(update);
  if (read === undefined) throw new Error('no news');
  return read;
}

describe('a watch whose ledger is on a disk that hangs', () => {
  it('cancels what it knows, looks at the list, and confirms it', async () => {
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
    void watch.confirmed.then((isCertain) => proofs.push(isCertain));
    for (let passed = 0; passed < 8_000; passed += 10) {
      clock.advance(10);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
    expect(door.open.size).toBe(0);
    expect(proofs).toEqual([true]);
  });
});

/** It cancels no order by name, and says so. */
class StuckBook extends Book {
  override async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    this.byName.push(hashes);
    return { kind: 'accepted', cancelled: 0, failed: hashes.length };
  }
}

/** It cancels one order of each request and counts that alone; its list cannot be read. */
class OneByOneBook extends Book {
  override async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    this.byName.push(hashes);
    const hit = hashes.find((hash) => this.open.delete(hash));
    return { kind: 'accepted', cancelled: hit === undefined ? 0 : 1, failed: 0 };
  }

  override async readOpenOrders(): Promise<ReadOutcome<readonly OrderReport[]>> {
    return { kind: 'unknown', cause: 'connection', detail: 'down' };
  }
}

/** What it knows comes from a disk that takes its time. */
class LateBook extends OwnBook {
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    super();
    this.#clock = clock;
  }

  async refresh(): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.after(400, resolve));
    this.apply(readNews(words([0], true)));
  }
}

/** When its list was asked for. */
class TimedBook extends Book {
  readonly listedAtMs: number[] = [];
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    super();
    this.#clock = clock;
  }

  override async readOpenOrders(): ReturnType<Book['readOpenOrders']> {
    this.listedAtMs.push(this.#clock.nowMs());
    return await super.readOpenOrders();
  }
}

describe('a watch', () => {
  it('looks at a list when it knows again whose orders are ours', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const door = new TimedBook(clock);
    const watch = new Watch({
      ...{ door, own: new LateBook(clock), clock, timers: clock, tellMs: 20_000 },
      horizonMs: () => 5_000,
      onNotClear: () => {},
    });
    await passOf(clock, 1_000);
    expect(door.listedAtMs[0]).toBeGreaterThanOrEqual(1_000_400);
    void watch.release();
  });

  it('looks every 50 ms in the first second, since placements land then, and five times a second later', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const door = new TimedBook(clock);
    const watch = new Watch({
      ...{ door, own: undefined, clock, timers: clock, tellMs: 20_000 },
      horizonMs: () => 5_000,
      onNotClear: () => {},
    });
    await passOf(clock, 3_000);
    const looksIn = (fromMs: number, toMs: number) =>
      door.listedAtMs.filter((atMs) => atMs >= 1_000_000 + fromMs && atMs < 1_000_000 + toMs)
        .length;
    expect(looksIn(0, 1_000)).toBeGreaterThan(15);
    expect(looksIn(2_000, 3_000)).toBeLessThanOrEqual(6);
    expect(looksIn(2_000, 3_000)).toBeGreaterThanOrEqual(4);
    void watch.release();
  });

  it('says what it could not clear once in so long', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const door = new Book();
    door.isDown = true;
    const toldAtMs: number[] = [];
    const watch = new Watch({
      ...{ door, own: undefined, clock, timers: clock, tellMs: 20_000 },
      horizonMs: () => 5_000,
      onNotClear: () => void toldAtMs.push(clock.nowMs()),
    });
    await passOf(clock, 65_000);
    expect(toldAtMs).toHaveLength(3);
    expect(toldAtMs[0]).toBeGreaterThanOrEqual(1_020_000);
    void watch.release();
  });
});

async function passOf(clock: VirtualClock, durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 10) {
    clock.advance(10);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

describe('a guard in the own scope', () => {
  it('names what the dead trader had reported in one request', async () => {
    const world = await trading();
    world.trader.end(KILLED);
    await world.pass(40);
    expect(world.book.byName).toEqual([['0x00', '0x01', '0x02']]);
  });

  it('counts what it leaves alone beside own orders that rest on', async () => {
    const world = new GuardWorld({ scope: 'own', onDeath: 'stay' }, new StuckBook());
    world.trader.say(words([], true));
    await world.trade(3);
    world.trader.say(words([0, 1, 2]));
    world.book.open.add(EXTERNAL);
    world.trader.end(KILLED);
    world.supervisor.stop('SIGTERM');
    await world.pass(120_000);
    expect(world.said.get('guard.unconfirmed')).toMatchObject({
      ...{ leftAlone: 1, orderHashes: ['0x00', '0x01', '0x02'] },
      why: 'the venue refuses to cancel what is open',
    });
  });

  it('cancels again, while no list can be read, what a count has not told the end of', async () => {
    const world = new GuardWorld({ scope: 'own' }, new OneByOneBook());
    world.trader.say(words([], true));
    await world.trade(3);
    world.trader.say(words([0, 1, 2]));
    world.trader.end(KILLED);
    await world.pass(5_000);
    expect([...world.book.open]).toEqual([]);
  });

  it('cancels by hash what the dead trader had reported, and leaves the external order', async () => {
    const world = await trading();
    world.trader.end(KILLED);
    await world.pass(300);
    expect([...world.book.open]).toEqual([EXTERNAL]);
    expect(world.book.cancels).toBe(0);
    expect(world.traders).toHaveLength(2);
  });

  it('finds a placement that lands late by what it asked for', async () => {
    const world = await trading();
    const intent = { ...ORDER, intentId: '1-9', priceMilli: 40 };
    const update = { isWhole: false, live: [intent], ended: [] };
    world.trader.say({ kind: 'orders', scope: 'own', update });
    world.book.open.delete(EXTERNAL);
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
    expect([...world.book.open]).toEqual([EXTERNAL]);
  });

  it('knows over the generations: a trader that dies before its first word costs nothing', async () => {
    const world = await trading({});
    world.trader.end(KILLED);
    await world.pass(300);
    world.book.open.add('0x01');
    world.trader.end(KILLED);
    await world.pass(500);
    expect([...world.book.open]).toEqual([EXTERNAL]);
  });

  it('confirms at the end that none of ours is left, whatever external orders do', async () => {
    const world = await trading({ onDeath: 'stay' });
    world.trader.end(KILLED);
    await world.pass(50_000);
    await expect(world.ended).resolves.toEqual({
      kind: 'down',
      isStopped: false,
      isConfirmed: true,
      isLatched: true,
      scope: 'own',
      settling: 0,
      rests: [],
    });
    expect([...world.book.open]).toEqual([EXTERNAL]);
  });

  it('cancels nothing and confirms nothing where no trader has said which orders are ours', async () => {
    const world = new GuardWorld({ scope: 'own', onDeath: 'stay' });
    world.book.open.add(EXTERNAL);
    world.trader.end({ code: 4, signal: null });
    await world.pass(50_000);
    await expect(world.ended).resolves.toMatchObject({ kind: 'down', isConfirmed: false });
    expect([...world.book.open]).toEqual([EXTERNAL]);
  });

  it('cancels everything again when the trader says that the account is meant', async () => {
    const world = await trading();
    const nothing = { isWhole: false, live: [], ended: [] };
    world.trader.say({ kind: 'orders', scope: 'account', update: nothing });
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
    expect([...world.book.open]).toEqual([EXTERNAL]);
  });
});

describe('a guard whose trader has seen a very slow acceptance', () => {
  it('watches as long as that before it says confirmed', async () => {
    const world = new GuardWorld({ onDeath: 'stay' });
    await world.trade();
    const nothing = { isWhole: false, live: [], ended: [] };
    world.trader.say({ kind: 'orders', scope: 'account', update: nothing, slowestMs: 90_000 });
    world.trader.end(KILLED);
    await world.pass(90_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(6_000);
    expect(world.events).toContain('guard.confirmed');
  });
});
