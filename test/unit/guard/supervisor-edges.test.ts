// What a guard leaves behind at its end, and what it says of it.

import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit.ts';
import { exitOfGuard } from '../../../src/app/guard.ts';
import { Book, GuardWorld, peeked } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;

describe('a guard that has ended', () => {
  it('waits for nothing any more: its deadline is called off', async () => {
    const world = new GuardWorld({ stopDeadlineMs: 20_000 });
    await world.trade();
    world.supervisor.stop('SIGTERM');
    world.book.open.clear();
    world.trader.leave(0);
    expect(await world.ended).toEqual({ kind: 'passed', code: 0 });
    // The trader of this test goes on with its own.
    expect(world.clock.pending).toBe(1);
  });

  it('has ended at once where its venue has gone, and confirms nothing', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.supervisor.abandon();
    await world.pass(200);
    const end = peeked(world.ended);
    await world.pass(0);
    await Promise.resolve();
    expect(end.value).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: false });
    expect(world.said.get('guard.unconfirmed')).toMatchObject({ why: 'its venue has gone' });
    expect(world.traders).toHaveLength(1);
  });
});

describe('a trader whose word to take over is read behind its end', () => {
  it('is said to have traded to the next one', async () => {
    const world = new GuardWorld();
    const first = world.trader;
    first.end({ code: 7, signal: null });
    await world.pass(30);
    first.say({ kind: 'ready' });
    await world.pass(1_000);
    expect(world.trader).not.toBe(first);
    expect(world.trader.facts.hasTraded).toBe(true);
    expect(world.traders[0]?.facts.hasTraded).toBe(false);
  });
});

describe('a later run that ends before it took over', () => {
  it('is no reason to watch anew: the death before is long enough ago', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(20_000);
    expect(world.traders).toHaveLength(2);
    world.supervisor.stop('SIGTERM');
    world.trader.leave(0);
    await world.pass(24_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(2_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('is watched anew where it had taken the watch over, and did nothing with it', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(20_000);
    world.trader.say({ kind: 'ready' });
    await world.pass(10);
    world.supervisor.stop('SIGTERM');
    world.trader.leave(0, true);
    await world.pass(40_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(6_000);
    expect(world.events).toContain('guard.confirmed');
  });
});

describe('a first run that dies before it took over', () => {
  const KEPT_DOWN = { backoffMsMin: 60_000, backoffMsMax: 60_000 };

  it('has sent nothing: beside no journal a stop is confirmed as soon as nothing is open', async () => {
    const world = new GuardWorld(KEPT_DOWN);
    world.book.open.add('0x0a');
    world.trader.end(KILLED);
    await world.pass(100);
    expect(world.events).toContain('guard.trader_died');
    expect(world.book.open.size).toBe(0);
    const end = peeked(world.ended);
    world.supervisor.stop('SIGINT');
    await world.pass(2_000);
    expect(end.value).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: true });
    expect(end.value && exitOfGuard(end.value)).toBe(EXIT.done);
  });

  it('confirms nothing while nobody can look', async () => {
    const world = new GuardWorld({ ...KEPT_DOWN, stopDeadlineMs: 20_000 });
    world.book.isDown = true;
    world.trader.end(KILLED);
    await world.pass(100);
    world.supervisor.stop('SIGINT');
    await world.pass(20_100);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: false });
  });

  /** Stopped, and whether a proof came before the horizon and behind it. */
  async function stopped(world: GuardWorld): Promise<readonly boolean[]> {
    await world.pass(100);
    world.supervisor.stop('SIGINT');
    await world.pass(44_000);
    const isEarly = world.events.includes('guard.confirmed');
    await world.pass(2_000);
    return [isEarly, world.events.includes('guard.confirmed')];
  }

  it.each([
    { what: 'an earlier run has left a journal', hadJournal: true, afterMs: 0 },
    { what: 'it was killed so late that it may have traded', hadJournal: false, afterMs: 2_000 },
  ])('is watched as long as any where $what', async ({ hadJournal, afterMs }) => {
    const world = new GuardWorld(KEPT_DOWN, new Book(), undefined, hadJournal);
    world.book.open.add('0x0a');
    await world.pass(afterMs);
    world.trader.end(KILLED);
    expect(await stopped(world)).toEqual([false, true]);
  });

  it('is watched as long where its word to take over is read behind its end', async () => {
    const world = new GuardWorld(KEPT_DOWN);
    world.trader.end({ code: 7, signal: null });
    await world.pass(200);
    world.book.open.add('0x0a');
    world.trader.say({ kind: 'ready' });
    expect(await stopped(world)).toEqual([false, true]);
  });

  it('shortens no watch of a run that comes after it', async () => {
    const world = new GuardWorld({ backoffMsMin: 100, backoffMsMax: 60_000 });
    world.trader.end(KILLED);
    await world.pass(200);
    expect(world.trader.facts).toMatchObject({ run: 2, hasTraded: false });
    await world.trade();
    world.trader.end(KILLED);
    expect(await stopped(world)).toEqual([false, true]);
  });
});

describe('a second signal to stop', () => {
  it.each([
    [1_000, false],
    [1_010, true],
  ])('%d ms behind the first one is meant: %s', async (betweenMs, isMeant) => {
    const world = new GuardWorld();
    await world.trade();
    world.book.isDown = true;
    world.trader.end(KILLED);
    await world.pass(100);
    const end = peeked(world.ended);
    world.supervisor.stop('SIGINT');
    await world.pass(betweenMs);
    world.supervisor.stop('SIGINT');
    await world.pass(50);
    expect(end.value !== undefined).toBe(isMeant);
  });

  it('is for the guard itself where it knows nothing of a trader any more', async () => {
    const world = new GuardWorld();
    world.failOnce('guard.restarting');
    await world.trade();
    world.failOnce('guard.trader_started');
    world.trader.end(KILLED);
    world.book.isDown = true;
    await world.pass(1_000);
    const end = peeked(world.ended);
    world.supervisor.stop('SIGTERM');
    await world.pass(2_000);
    world.supervisor.stop('SIGTERM');
    await world.pass(50);
    expect(end.value).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: false });
  });
});

describe('the silence of a trader', () => {
  it('is known while one has begun its work, and of no other', async () => {
    const world = new GuardWorld();
    expect(world.supervisor.silentMs).toBeUndefined();
    await world.trade();
    expect(world.supervisor.silentMs).toBeLessThan(200);
    world.trader.isBeating = false;
    await world.pass(300);
    expect(world.supervisor.silentMs).toBeGreaterThanOrEqual(250);
    world.trader.end(KILLED);
    await world.pass(20);
    expect(world.supervisor.silentMs).toBeUndefined();
  });
});
