// What nobody has expected in the guard itself: orders do not rest by it, and quotes come back.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { CancelOutcome, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { Faults, faultText } from '../../../src/guard/fault.ts';
import { Book, GuardWorld, listening } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;

/** A door that throws in place of an answer, as a fault in our own client does. */
class FaultyBook extends Book {
  faultsLeft = 0;

  override cancelAll(): Promise<CancelOutcome> {
    this.#fail();
    return super.cancelAll();
  }

  override readOpenOrders(): Promise<ReadOutcome<readonly OrderReport[]>> {
    this.#fail();
    return super.readOpenOrders();
  }

  #fail(): void {
    if (this.faultsLeft <= 0) return;
    this.faultsLeft -= 1;
    throw new Error('a fault of ours');
  }
}

describe('a fault of the guard itself', () => {
  it('in a cancel or a list is one failure more, and the next round cancels', async () => {
    const book = new FaultyBook();
    const world = new GuardWorld({}, book);
    await world.trade();
    book.faultsLeft = 5;
    world.trader.end(KILLED);
    await world.pass(5_000);
    expect(book.faultsLeft).toBe(0);
    expect(book.open.size).toBe(0);
    expect(world.traders).toHaveLength(2);
  });

  it('while a trader runs ends it, cancels and starts the next one', async () => {
    const world = new GuardWorld();
    await world.trade();
    const first = world.trader;
    world.failOnce('guard.trader_died');
    first.end(KILLED);
    await world.pass(2_000);
    expect(world.events).toContain('guard.fault');
    expect(world.book.open.size).toBe(0);
    expect(world.traders).toHaveLength(2);
  });

  it('before it has cancelled for a trader that died cancels all the same', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.call = () => {
      throw new Error('marks that nobody can read');
    };
    world.trader.end(KILLED);
    await world.pass(2_000);
    expect(world.events).toContain('guard.fault');
    expect(world.book.open.size).toBe(0);
    expect(world.traders).toHaveLength(2);
  });

  it('kills a trader that it knows nothing of any more', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.failOnce('guard.trader_started');
    world.trader.end(KILLED);
    await world.pass(3_000);
    expect(world.traders.at(1)?.signals).toEqual(['SIGKILL']);
    expect(world.traders).toHaveLength(3);
  });

  it('again and again stays down with its latch, as any crash loop does', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.failAlways('guard.trader_started');
    world.trader.end(KILLED);
    await world.pass(120_000);
    expect(world.latched).toHaveLength(1);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true, isLatched: true });
  });

  it('starts nothing where nothing was to be started again', async () => {
    const world = new GuardWorld({ onDeath: 'stay' });
    await world.trade();
    world.failOnce('guard.watching');
    world.trader.end(KILLED);
    await world.pass(120_000);
    expect(world.events).toContain('guard.fault');
    expect(world.traders).toHaveLength(1);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true, isLatched: true });
  });

  it('starts nothing behind a run that ended of itself, and is only watched for', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(300);
    expect(world.traders).toHaveLength(2);
    world.failOnce('guard.watching');
    world.trader.leave(0);
    await world.pass(120_000);
    expect(world.events).toContain('guard.fault');
    expect(world.traders).toHaveLength(2);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true });
  });

  it('in one look at the trader leaves the next one, which sees that it hangs', async () => {
    const world = new GuardWorld();
    await world.trade();
    const { trader } = world;
    trader.isBeating = false;
    let faults = 3;
    trader.schedule = () => {
      if (faults-- > 0) throw new Error('nothing to read');
      return undefined;
    };
    for (let tries = 0; tries < 3; tries += 1) await world.pass(300).catch(() => undefined);
    await world.pass(3_000);
    expect(trader.signals).toContain('SIGKILL');
    expect(world.book.open.size).toBe(0);
  });
});

describe('an error that nobody caught in the process of the guard', () => {
  it('is told at once, and those that follow it are counted', () => {
    const clock = new VirtualClock({ startMs: 1_000 });
    const told: unknown[] = [];
    const say = (_event: string, fields?: object) => void told.push(fields);
    const faults = new Faults({ info: say, warn: say, error: say }, clock);
    for (let count = 0; count < 500; count += 1) faults.onFault(new Error('again'));
    expect(told).toEqual([expect.objectContaining({ does: 'goes on', faultsTotal: 1 })]);
    clock.advance(10_000);
    faults.onFault('a word');
    expect(told.at(-1)).toMatchObject({ detail: "'a word'", faultsTotal: 501 });
  });

  it('is told with its cause, and not at any length', () => {
    const text = faultText(new Error('x'.repeat(10_000), { cause: new Error('why') }));
    expect(text.length).toBeLessThan(2_100);
    expect(faultText(new Error('short', { cause: new Error('why') }))).toContain('why');
  });
});

describe('the pace of faults', () => {
  it('is one line in ten seconds, with the count of all', () => {
    const { said, log } = listening();
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const faults = new Faults(log, clock);
    for (const ms of [0, 9_999, 1]) {
      clock.advance(ms);
      faults.onFault(new Error('x'));
    }
    expect(
      said.map(([event, fields]) => [event, fields?.['faultsTotal'], fields?.['does']]),
    ).toEqual([
      ['guard.fault', 1, 'goes on'],
      ['guard.fault', 3, 'goes on'],
    ]);
    expect(faultText('y'.repeat(3_000)).length).toBeLessThan(2_100);
    expect(faultText('y'.repeat(3_000)).length).toBeGreaterThan(1_900);
  });
});
