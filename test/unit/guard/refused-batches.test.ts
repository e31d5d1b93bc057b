// A venue that refuses a whole batch of cancels because of one order in it, under a guard and a kill.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import { killOrders } from '../../../src/guard/kill.ts';
import { OwnBook } from '../../../src/guard/own-book.ts';
import { readOwnOrdersUpdate } from '../../../src/guard/own-orders-update.ts';
import { Book, GuardWorld } from './support.ts';

const NO: CancelOutcome = {
  kind: 'refused',
  refusal: {
    code: 'order_not_cancellable',
    message: 'one of them is locked',
    httpStatus: 409,
    retryAfterMs: undefined,
  },
};

/** One stuck order, or one that is not open, has all that was asked for together refused. */
class WholeBook extends Book {
  readonly stuck = new Set<string>();
  refusal = NO;

  override async cancelAll(): Promise<CancelOutcome> {
    this.cancels += 1;
    return this.#take([...this.open]);
  }

  override async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    this.byName.push(hashes);
    return this.#take(hashes);
  }

  #take(hashes: readonly string[]): CancelOutcome {
    const isWhole = hashes.every((hash) => this.open.has(hash) && !this.stuck.has(hash));
    if (!isWhole) return this.refusal;
    for (const hash of hashes) this.open.delete(hash);
    return { kind: 'accepted', cancelled: hashes.length, failed: 0 };
  }
}

function names(count: number): readonly OrderHash[] {
  return Array.from({ length: count }, (_, at) => orderHash(`0xb${(at + 4_096).toString(16)}`));
}

/** A book of so many own orders, some of them stuck, and a kill that has some time. */
function kill(of: {
  count: number;
  stuck: readonly number[];
  own: boolean;
  ended?: number;
  refusal?: CancelOutcome;
}) {
  const book = new WholeBook();
  book.refusal = of.refusal ?? NO;
  const hashes = names(of.count);
  for (const hash of hashes.slice(of.ended ?? 0)) book.open.add(hash);
  for (const at of of.stuck) book.stuck.add(hashes[at] ?? '');
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const ended = killOrders({
    door: book,
    scope: { kind: 'account' },
    own: of.own ? ownBook(hashes) : undefined,
    clock,
    timers: clock,
    quietMs: 500,
    deadlineMs: 10_000,
  });
  return { book, hashes, clock, ended };
}

function ownBook(hashes: readonly OrderHash[]): OwnBook {
  const live = hashes.map((hash, at) => ({
    ...{ intentId: `1-${at}`, orderHash: hash, marketId: 'm1', tokenId: '0xaa', side: 'BUY' },
    ...{ priceMilli: 40, quantity: 5_000_000, sentAtMs: 1_000_000 },
  }));
  const update = readOwnOrdersUpdate({ isWhole: true, live, ended: [] });
  const book = new OwnBook();
  if (update !== undefined) book.apply(update);
  return book;
}

async function pass(clock: VirtualClock, durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 10) {
    clock.advance(10);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

describe.each([{ own: true }, { own: false }])('a kill with own orders only: $own', ({ own }) => {
  it('cancels all but the one that has its batch refused, within a second, and names that one', async () => {
    const { book, hashes, clock, ended } = kill({ count: 250, stuck: [120], own });
    await pass(clock, 1_000);
    expect([...book.open]).toEqual([hashes[120]]);
    await pass(clock, 12_000);
    await expect(ended).resolves.toMatchObject({ kind: 'unconfirmed', left: [hashes[120]] });
  });

  it('cancels what is left although what it knows has ended in part', async () => {
    const { book, clock, ended } = kill({ count: 130, stuck: [], own, ended: 30 });
    await pass(clock, 4_000);
    expect(book.open.size).toBe(0);
    await expect(ended).resolves.toMatchObject({ kind: 'confirmed', cancelled: 100 });
  });
});

describe('a kill whose daemon confirms it late', () => {
  it('is confirmed when it was only waited for after the deadline', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    let arrivesUntilMs: number | undefined = 1_045_000;
    const ended = killOrders({
      door: new Book(),
      scope: { kind: 'account' },
      ...{ clock, timers: clock, quietMs: 500, deadlineMs: 5_000 },
      inFlightUntilMs: () => arrivesUntilMs,
    });
    await pass(clock, 9_000);
    arrivesUntilMs = undefined;
    await pass(clock, 500);
    await expect(ended).resolves.toMatchObject({ kind: 'confirmed', cancelled: 0 });
  });
});

describe('a kill of own orders', () => {
  it('asks for the stuck one at a pace of seconds in the end', async () => {
    const { book, clock } = kill({ count: 100, stuck: [5], own: true });
    await pass(clock, 5_000);
    const before = book.byName.length;
    await pass(clock, 4_000);
    expect(book.byName.length - before).toBeLessThanOrEqual(3);
    expect(book.byName.slice(before).every(({ length }) => length === 1)).toBe(true);
  });

  it('takes a refusal that is about the account for no word about its orders', async () => {
    const why = { code: 'account_restricted', message: 'no', httpStatus: 403 };
    const refusal = { kind: 'refused', refusal: { ...why, retryAfterMs: undefined } } as const;
    const { book, clock } = kill({ count: 100, stuck: [5], own: true, refusal });
    await pass(clock, 3_000);
    expect(book.byName.every(({ length }) => length === 100)).toBe(true);
    book.stuck.clear();
    await pass(clock, 3_000);
    expect(book.open.size).toBe(0);
  });
});

describe.each(['own', 'account'] as const)('a guard in the scope %s', (scope) => {
  const stuck = '0x01';

  async function trading(): Promise<GuardWorld> {
    const world = new GuardWorld({ scope }, new WholeBook());
    if (world.book instanceof WholeBook) world.book.stuck.add(stuck);
    const live = ['0x00', stuck, '0x02'].map((hash, at) => ({
      ...{ intentId: `1-${at}`, orderHash: hash, marketId: 'm1', tokenId: '0xaa', side: 'BUY' },
      ...{ priceMilli: 40, quantity: 5_000_000, sentAtMs: 1_000_000 },
    }));
    world.trader.say({ kind: 'orders', scope, update: { isWhole: true, live, ended: [] } });
    await world.trade(3);
    return world;
  }

  it('starts the next run when nothing is left but the one that is refused', async () => {
    const world = await trading();
    world.trader.end({ code: null, signal: 'SIGKILL' });
    await world.pass(400);
    expect([...world.book.open]).toEqual([stuck]);
    await world.pass(3_000);
    expect(world.traders).toHaveLength(2);
  });

  it('ends a stop without proof where only that one is left and nothing can arrive any more', async () => {
    const world = await trading();
    world.supervisor.stop('SIGTERM');
    world.trader.leave(4);
    await world.pass(44_000);
    expect(await Promise.race([world.ended, Promise.resolve('goes on')])).toBe('goes on');
    expect([...world.book.open]).toEqual([stuck]);
    await world.pass(11_000);
    expect(await world.ended).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: false });
  });
});
