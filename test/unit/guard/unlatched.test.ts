// A guard whose disk takes no latch: it holds the kill itself, for as long as it runs.

import { describe, expect, it } from 'vitest';
import { GuardWorld } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;

async function stayingDown(): Promise<GuardWorld> {
  const world = new GuardWorld({ onDeath: 'stay' });
  await world.trade();
  world.hasRoom = false;
  world.trader.end(KILLED);
  await world.pass(60_000);
  return world;
}

function hasEnded(world: GuardWorld): Promise<unknown> {
  return Promise.race([world.ended, Promise.resolve('goes on')]);
}

describe('a guard that stays down and cannot latch', () => {
  it('does not end, so that nobody starts it anew, and says why again and again', async () => {
    const world = await stayingDown();
    expect(await hasEnded(world)).toBe('goes on');
    await world.pass(120_000);
    expect(world.events.filter((event) => event === 'guard.latch_failed')).toHaveLength(1);
    expect(world.events.filter((event) => event === 'guard.unlatched')).toHaveLength(3);
    expect(world.traders).toHaveLength(1);
  });

  it('ends as soon as there was room for the latch', async () => {
    const world = await stayingDown();
    world.hasRoom = true;
    await world.pass(1_100);
    expect(world.latched).toEqual(['guard.onDeath is stay']);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true, isLatched: true });
    expect(world.events).toContain('guard.latched');
  });

  it('ends when it is told to, and says that the kill is on no disk', async () => {
    const world = await stayingDown();
    world.supervisor.stop('SIGTERM');
    await world.pass(50);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true, isLatched: false });
  });
});

describe('a guard that stays down beside a disk that hangs', () => {
  async function hanging() {
    const world = new GuardWorld({ onDeath: 'stay' });
    await world.trade();
    let answer = () => {};
    world.disk = new Promise((resolve) => {
      answer = resolve;
    });
    world.trader.end(KILLED);
    await world.pass(60_000);
    return { world, answer };
  }

  it('confirms and says what it lacks, and ends when it is told to', async () => {
    const { world } = await hanging();
    expect(world.events).toContain('guard.confirmed');
    expect(world.events.filter((event) => event === 'guard.latch_failed')).toHaveLength(1);
    expect(await hasEnded(world)).toBe('goes on');
    world.supervisor.stop('SIGTERM');
    await world.pass(50);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true, isLatched: false });
  });

  it('ends with its latch when the disk answers', async () => {
    const { world, answer } = await hanging();
    answer();
    await world.pass(50);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true, isLatched: true });
    expect(world.latched).toEqual(['guard.onDeath is stay']);
  });
});

describe('a kill that the disk of the trader did not take', () => {
  it('is told to every next run', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.say({ kind: 'unlatched', by: 'control' });
    world.trader.end(KILLED);
    await world.pass(500);
    expect(world.trader.facts.unlatchedBy).toBe('control');
    world.trader.end(KILLED);
    await world.pass(500);
    expect(world.traders).toHaveLength(3);
    expect(world.trader.facts.unlatchedBy).toBe('control');
  });

  it('is heard in the last words of a trader that is dead already', async () => {
    const world = new GuardWorld();
    await world.trade();
    const last = world.trader;
    last.end(KILLED);
    last.say({ kind: 'unlatched', by: 'control' });
    await world.pass(500);
    expect(world.trader.facts.unlatchedBy).toBe('control');
  });

  it('is over with its latch, or with a resume', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.say({ kind: 'unlatched', by: 'control' });
    world.trader.say({ kind: 'unlatched' });
    world.trader.end(KILLED);
    await world.pass(500);
    expect(world.trader.facts.unlatchedBy).toBeUndefined();
    expect(world.events).toContain('guard.kill_released');
  });

  it('is no death of a trader that ends in good order and says so', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.say({ kind: 'unlatched', by: 'control' });
    world.supervisor.stop('SIGTERM');
    world.trader.leave(1);
    await world.pass(50);
    expect(await world.ended).toEqual({ kind: 'passed', code: 1 });
  });
});

describe('a pause that the disk of the trader did not take', () => {
  const PAUSE = { pause: '{"by":"control","sinceMs":1}' };

  it('is told to every next run in the words of the trader, until a disk has it', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.say({ kind: 'stops', stops: PAUSE });
    for (const run of [2, 3]) {
      world.trader.end(KILLED);
      await world.pass(500);
      expect(world.trader.facts).toMatchObject({ run, stops: PAUSE });
    }
    world.trader.say({ kind: 'stops', stops: {} });
    world.trader.end(KILLED);
    await world.pass(800);
    expect(world.trader.facts.stops).toEqual({});
    expect(world.events.filter((event) => event === 'guard.holds_stops')).toHaveLength(1);
    expect(world.events).toContain('guard.stops_released');
  });

  it('is no death of a trader that ends in good order and says so', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.say({ kind: 'stops', stops: PAUSE });
    world.supervisor.stop('SIGTERM');
    world.trader.leave(1);
    await world.pass(50);
    expect(await world.ended).toEqual({ kind: 'passed', code: 1 });
  });

  it.each([[{ pause: 7 }], ['paused'], [null]])(
    'is not %j: that is no sign of activity',
    async (stops) => {
      const world = new GuardWorld();
      await world.trade();
      world.trader.say({ kind: 'stops', stops });
      world.trader.end(KILLED);
      await world.pass(500);
      expect(world.trader.facts.stops).toEqual({});
    },
  );
});
