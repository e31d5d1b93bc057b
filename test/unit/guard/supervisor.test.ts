// The guard against traders that die in every way, on virtual time.

import { describe, expect, it } from 'vitest';
import { Book, GuardWorld } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;

describe('a want to read the settings again', () => {
  it('waits for a trader that is up: one that still loads would end by the signal', async () => {
    const world = new GuardWorld();
    world.supervisor.reload();
    await world.pass(100);
    world.supervisor.reload();
    expect(world.trader.signals).toEqual([]);
    await world.trade();
    expect(world.trader.signals).toEqual(['SIGHUP']);
    world.supervisor.reload();
    expect(world.trader.signals).toEqual(['SIGHUP', 'SIGHUP']);
    world.trader.end(KILLED);
    await world.pass(1_000);
    expect(world.traders).toHaveLength(2);
    world.supervisor.reload();
    expect(world.trader.signals).toEqual([]);
  });
});

describe('a trader that is killed', () => {
  it('leaves no order: everything is cancelled at once, and another run begins', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(30);
    expect(world.book.open.size).toBe(0);
    await world.pass(300);
    expect(world.traders).toHaveLength(2);
    const { clearMs } = world.trader.facts.last ?? { clearMs: Number.NaN };
    expect(clearMs).toBeLessThanOrEqual(30);
    expect(world.said.get('guard.cleared')).toMatchObject({ cancelled: 3, clearMs, leftAlone: 0 });
    expect(world.said.get('guard.restarting')).toMatchObject({ run: 2 });
    // Its end is said already: nobody was waited for.
    expect(world.events).not.toContain('guard.trader_gone');
    expect(world.trader.facts).toMatchObject({
      run: 2,
      hasTraded: true,
      deaths: { signal: 1 },
      last: { reason: 'signal', detail: 'SIGKILL' },
    });
  });

  it('is dated by the time of day, however long the host slept or whoever set it', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.wallAheadMs = 8 * 3_600_000;
    const diedAtMs = world.clock.nowMs() + world.wallAheadMs;
    world.trader.end(KILLED);
    await world.pass(300);
    const { at } = world.trader.facts.last ?? {};
    expect(Date.parse(at ?? '') - diedAtMs).toBeGreaterThanOrEqual(0);
    expect(Date.parse(at ?? '') - diedAtMs).toBeLessThan(100);
  });

  it('is cancelled for again when a placement lands that was under way', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(100);
    world.book.open.add('0x0f');
    await world.pass(200);
    expect(world.book.open.size).toBe(0);
  });

  it('is waited for no longer: its number may be that of another process by now', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(300);
    await world.trade();
    await world.pass(15_000);
    expect(world.traders.map(({ signals }) => signals)).toEqual([[], []]);
    expect(world.book.open.size).toBe(3);
  });

  it('is followed by one that is told for how long nothing was open, and is not cancelled', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(1_000);
    await world.trade();
    const [go] = world.trader.told;
    expect(go).toMatchObject({ kind: 'go' });
    expect(go?.kind === 'go' ? go.quietForMs : undefined).toBeGreaterThan(800);
    const { cancels } = world.book;
    await world.pass(60_000);
    expect(world.book.open.size).toBe(3);
    expect(world.book.cancels).toBe(cancels);
  });

  it('is not followed by anything while orders are still open', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.book.isDown = true;
    world.trader.end(KILLED);
    await world.pass(25_000);
    expect(world.traders).toHaveLength(1);
    expect(world.events).toContain('guard.not_clear');
    world.book.isDown = false;
    await world.pass(5_000);
    expect(world.traders).toHaveLength(2);
  });
});

describe('a trader that follows another one', () => {
  it('is told the configuration that was in force last, by whichever life', async () => {
    const world = new GuardWorld();
    await world.trade();
    expect(world.trader.facts.config).toBeUndefined();
    world.trader.say({ kind: 'config', text: 'one' });
    world.trader.say({ kind: 'config', text: 'two' });
    world.trader.end(KILLED);
    await world.pass(2_000);
    expect(world.trader.facts).toMatchObject({ run: 2, config: 'two' });
    world.trader.end(KILLED);
    await world.pass(5_000);
    expect(world.trader.facts).toMatchObject({ run: 3, config: 'two' });
  });
});

describe('a trader that shows no sign of activity', () => {
  it('is killed first and then cancelled for, within its silence and a step', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.isBeating = false;
    await world.pass(600);
    expect(world.trader.signals).toEqual([]);
    await world.pass(250);
    expect(world.traders[0]?.signals).toEqual(['SIGKILL']);
    expect(world.book.open.size).toBe(0);
    await world.pass(300);
    expect(world.trader.facts.last).toMatchObject({ reason: 'silent' });
  });

  it('has more time while it starts, since it cannot have placed anything', async () => {
    const world = new GuardWorld();
    world.trader.isBeating = false;
    await world.pass(4_900);
    expect(world.trader.signals).toEqual([]);
    await world.pass(200);
    expect(world.traders[0]?.signals).toEqual(['SIGKILL']);
  });

  it('is killed as well when it took over and never said that it had started', async () => {
    const world = new GuardWorld();
    world.trader.say({ kind: 'ready' });
    world.book.open.add('0x01');
    world.trader.end(KILLED);
    await world.pass(100);
    expect(world.book.open.size).toBe(0);
  });
});

describe('an end in good order', () => {
  it.each([0, 2, 3, 1])('with exit code %i before it took over is passed on', async (code) => {
    const world = new GuardWorld();
    world.trader.end({ code, signal: null });
    expect(await world.ended).toEqual({ kind: 'passed', code });
    expect(world.book.cancels).toBe(0);
  });

  it('after a stop is passed on', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.supervisor.stop('SIGTERM');
    expect(world.trader.signals).toEqual(['SIGTERM']);
    world.trader.leave(0);
    expect(await world.ended).toEqual({ kind: 'passed', code: 0 });
    expect(world.book.cancels).toBe(0);
  });

  it('is none without a word: a library that ends the process with 0 leaves its orders', async () => {
    for (const code of [0, 2]) {
      const world = new GuardWorld();
      await world.trade();
      world.trader.end({ code, signal: null });
      await world.pass(500);
      expect(world.book.open.size).toBe(0);
      expect(world.traders).toHaveLength(2);
      expect(world.trader.facts.deaths.exit).toBe(1);
    }
  });

  it('is none either at a stop: it is cancelled for, and confirmed, before the guard ends', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.supervisor.stop('SIGTERM');
    world.trader.end({ code: 0, signal: null });
    await world.pass(100);
    expect(world.book.open.size).toBe(0);
    await world.pass(46_000);
    expect(await world.ended).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: true });
    expect(world.traders).toHaveLength(1);
  });

  it('is no crash of its own, and no end without a proof that nobody asked for', async () => {
    const world = new GuardWorld();
    for (const code of [1, 4]) {
      await world.trade();
      world.trader.end({ code, signal: null });
      await world.pass(500);
    }
    expect(world.traders).toHaveLength(3);
    expect(world.trader.facts.deaths.failed).toBe(2);
  });

  it('by a signal that came before it listened is an end', async () => {
    const world = new GuardWorld();
    world.supervisor.stop('SIGINT');
    world.trader.end({ code: null, signal: 'SIGINT' });
    expect(await world.ended).toEqual({ kind: 'passed', code: 0, isWordless: true });
  });
});

describe('a trader that dies again and again', () => {
  it('before it took over is its own to tell once it has said anything', async () => {
    const world = new GuardWorld();
    world.trader.say({ kind: 'beat' });
    world.supervisor.stop('SIGTERM');
    world.trader.end({ code: 0, signal: null });
    expect(await world.ended).toEqual({ kind: 'passed', code: 0 });
  });

  it('is started later each time, and at some point not at all, latched and confirmed', async () => {
    const world = new GuardWorld();
    const pausesMs: number[] = [];
    for (let death = 0; death < 4; death += 1) {
      await world.trade();
      world.trader.end(KILLED);
      const runs = world.traders.length;
      const fromMs = world.clock.nowMs();
      for (let step = 0; step < 100 && world.traders.length === runs; step += 1) {
        await world.pass(10);
      }
      if (world.traders.length > runs) pausesMs.push(world.clock.nowMs() - fromMs);
    }
    expect(pausesMs.map((ms) => Math.round(ms / 100))).toEqual([1, 2, 4]);
    expect(world.latched).toEqual(['more than 3 deaths within 60 s']);
    expect(world.events).toContain('guard.staying_down');
    await world.pass(46_000);
    expect(await world.ended).toMatchObject({ kind: 'down', isStopped: false, isConfirmed: true });
  });

  it('does not count deaths of long ago', async () => {
    const world = new GuardWorld();
    for (let death = 0; death < 6; death += 1) {
      await world.trade();
      await world.pass(30_000);
      world.trader.end(KILLED);
      await world.pass(2_000);
    }
    expect(world.traders).toHaveLength(7);
  });

  it('is tried again when the venue refuses a later run', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(300);
    world.trader.end({ code: 3, signal: null });
    await world.pass(600);
    expect(world.traders).toHaveLength(3);
    expect(world.trader.facts.deaths).toMatchObject({ signal: 1, refused: 1 });
  });

  it('is tried for as long as the venue refuses it, ever less often', async () => {
    const world = new GuardWorld({ restartsMax: 3, backoffMsMax: 2_000 });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(300);
    const pausesMs: number[] = [];
    for (let refused = 0; refused < 8; refused += 1) {
      const runs = world.traders.length;
      const fromMs = world.clock.nowMs();
      world.trader.end({ code: 3, signal: null });
      while (world.traders.length === runs) await world.pass(10);
      pausesMs.push(world.clock.nowMs() - fromMs);
    }
    expect(pausesMs.map((ms) => Math.round(ms / 100))).toEqual([1, 2, 4, 8, 16, 20, 20, 20]);
    expect(world.latched).toEqual([]);

    await world.trade();
    world.trader.end(KILLED);
    await world.pass(1_000);
    expect(world.traders).toHaveLength(11);
  });

  it('is tried for as long as the machine starts none, which is no crash and said so', async () => {
    const world = new GuardWorld({ restartsMax: 1 });
    await world.trade();
    world.trader.end(KILLED);
    for (let times = 0; times < 4; times += 1) {
      await world.pass(2_000);
      world.trader.end({ code: 3, signal: null, notStarted: 'ENOMEM' });
    }
    await world.pass(2_000);
    expect(world.latched).toEqual([]);
    expect(world.traders).toHaveLength(6);
    expect(world.trader.facts.last?.detail).toBe('not started: ENOMEM');
  });

  it('is said where it is the first one, who could not say it itself', async () => {
    const world = new GuardWorld();
    world.trader.end({ code: 3, signal: null, notStarted: 'EAGAIN' });
    expect(await world.ended).toMatchObject({ kind: 'passed', code: 3 });
    expect(world.events).toContain('guard.not_started');
  });

  it('stays down after the first death where that is the policy', async () => {
    const world = new GuardWorld({ onDeath: 'stay' });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(46_000);
    expect(world.traders).toHaveLength(1);
    expect(world.latched).toHaveLength(1);
    expect(await world.ended).toMatchObject({ kind: 'down', isStopped: false, isConfirmed: true });
  });
});

describe('a later run that took over unreported', () => {
  /** Its guard was stopped: it goes on by its own time-out, and what it says is read late or never. */
  async function diesUnreported(): Promise<GuardWorld> {
    const world = new GuardWorld({ backoffMsMin: 10_000, backoffMsMax: 10_000 });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(10_200);
    expect(world.traders).toHaveLength(2);
    await world.pass(20_000);
    world.trader.end(KILLED);
    await world.pass(1_000);
    world.supervisor.stop('SIGTERM');
    return world;
  }

  it('is watched for as long as any other, though nobody reported for it', async () => {
    const world = await diesUnreported();
    await world.pass(40_000);
    world.book.open.add('0x0f');
    await world.pass(1_000);
    expect(world.book.open.size).toBe(0);
    await world.pass(4_000);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true });
  });

  it('is watched from its last words on, where these come behind its end', async () => {
    const world = new GuardWorld({ backoffMsMin: 10_000, backoffMsMax: 10_000 });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(10_200);
    const two = world.trader;
    two.end({ code: 1, signal: null });
    await world.pass(10);
    two.say({ kind: 'ready' });
    await world.pass(100);
    world.supervisor.stop('SIGTERM');
    await world.pass(44_000);
    world.book.open.add('0x0f');
    await world.pass(500);
    expect(world.book.open.size).toBe(0);
    await world.pass(1_000);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true });
  });

  it('is watched by one watch, though a second one begins: they would disturb each other', async () => {
    const clock = { nowMs: (): number => 0 };
    const listedAtMs: number[] = [];
    class CountingBook extends Book {
      override async readOpenOrders(): ReturnType<Book['readOpenOrders']> {
        listedAtMs.push(clock.nowMs());
        return await super.readOpenOrders();
      }
    }
    const settings = { backoffMsMin: 10_000, backoffMsMax: 10_000 };
    const world = new GuardWorld(settings, new CountingBook());
    clock.nowMs = () => world.clock.nowMs();
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(10_200);
    const two = world.trader;
    two.end({ code: 1, signal: null });
    await world.pass(10);
    two.say({ kind: 'ready' });
    await world.pass(2_000);
    const fromMs = world.clock.nowMs();
    await world.pass(2_000);
    expect(listedAtMs.filter((atMs) => atMs > fromMs).length).toBeLessThanOrEqual(10);
  });

  it('costs no longer watch when it ended by itself before it took over', async () => {
    const world = new GuardWorld({ backoffMsMin: 10_000, backoffMsMax: 10_000 });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(10_200);
    world.trader.end({ code: 3, signal: null });
    await world.pass(100);
    world.supervisor.stop('SIGTERM');
    await world.pass(35_500);
    expect(await world.ended).toMatchObject({ kind: 'down', isConfirmed: true });
  });
});

describe('a stop while no trader runs', () => {
  it('waits until nothing can arrive any more', async () => {
    const world = new GuardWorld({ backoffMsMin: 1_000 });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(100);
    world.supervisor.stop('SIGTERM');
    await world.pass(30_000);
    world.book.open.add('0x0f');
    await world.pass(1_000);
    expect(world.book.open.size).toBe(0);
    await world.pass(15_000);
    expect(await world.ended).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: true });
    expect(world.traders).toHaveLength(1);
    expect(world.latched).toEqual([]);
  });

  it('ends without a proof when it is meant twice', async () => {
    const world = new GuardWorld({ backoffMsMin: 1_000 });
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(100);
    world.supervisor.stop('SIGTERM');
    await world.pass(2_000);
    world.supervisor.stop('SIGTERM');
    await world.pass(100);
    expect(await world.ended).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: false });
  });
});

describe('a guard that is switched off', () => {
  it('starts the trader and leaves it alone', async () => {
    const world = new GuardWorld({ enabled: false, startMs: 1_000 });
    await world.trade();
    world.trader.isBeating = false;
    await world.pass(20_000);
    expect(world.trader.signals).toEqual([]);
    world.trader.end(KILLED);
    expect(await world.ended).toEqual({ kind: 'passed', code: 1 });
    expect(world.book.cancels).toBe(0);
  });
});
