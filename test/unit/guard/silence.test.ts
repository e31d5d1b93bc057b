// What a machine says of a silent trader decides whether it is dead: blocked, asleep, stopped, or only starved.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isStopped, type Schedule, scheduleOf } from '../../../src/guard/schedule.ts';
import { Silence } from '../../../src/guard/silence.ts';
import { GuardWorld } from './support.ts';

const REST: Schedule = { doing: 'wants', ranMs: 0, waitedMs: 0, processor: '0', stolenMs: 0 };

/** A trader with orders that says nothing any more, of which the machine says the same in each step. */
async function silent(
  of: (nowMs: number) => Partial<Schedule>,
  world = new GuardWorld(),
): Promise<GuardWorld> {
  await world.trade();
  world.trader.schedule = () => ({ ...REST, ...of(world.clock.nowMs()) });
  world.trader.isBeating = false;
  return world;
}

const starved = () => silent(() => ({ doing: 'wants' }));

describe('a trader that says nothing', () => {
  it.each([
    ['its event loop is blocked', (nowMs: number) => ({ doing: 'wants', ranMs: nowMs }) as const],
    ['it waits for something', () => ({ doing: 'sleeps' }) as const],
    ['it is stopped', () => ({ doing: 'stopped' }) as const],
  ])('is dead after guard.silenceMs where %s', async (words, of) => {
    const world = await silent(of);
    await world.pass(650);
    expect(world.trader.signals).toEqual([]);
    await world.pass(200);
    expect(world.traders[0]?.signals).toEqual(['SIGKILL']);
    await world.pass(300);
    expect(world.trader.facts.last).toMatchObject({ reason: 'silent' });
    expect(world.trader.facts.last?.detail).toContain(words);
    expect(world.events).toContain('guard.trader_gone');
  });

  it('runs on where the machine does not let it run, and its quotes are pulled meanwhile', async () => {
    const world = await starved();
    await world.pass(600);
    expect(world.book.open.size).toBe(3);
    await world.pass(200);
    expect(world.book.open.size).toBe(0);
    await world.pass(8_000);
    expect(world.trader.signals).toEqual([]);
    world.trader.say({ kind: 'beat' });
    await world.pass(100);
    world.book.open.add('0x0f');
    const { cancels } = world.book;
    await world.pass(500);
    expect({ open: world.book.open.size, cancels: world.book.cancels }).toEqual({
      open: 1,
      cancels,
    });
    expect(world.events).not.toContain('guard.trader_died');
    expect(world.events.filter((event) => /starved|awake/.test(event))).toEqual([
      'guard.starved',
      'guard.awake',
    ]);
  });

  it('has what it had under way at the venue pulled as well, while it is starved', async () => {
    const world = await starved();
    await world.pass(1_000);
    world.book.open.add('0x0f');
    await world.pass(300);
    expect(world.book.open.size).toBe(0);
  });

  it('is pulled as often as it is starved, and told how often that was', async () => {
    const world = await starved();
    const times = () =>
      world.trader.told.flatMap((word) => (word.kind === 'starved' ? word.times : []));
    await world.pass(1_000);
    world.trader.say({ kind: 'beat' });
    await world.pass(100);
    for (const hash of ['0x01', '0x02']) world.book.open.add(hash);
    await world.pass(1_000);
    expect(world.book.open.size).toBe(0);
    expect(times()).toEqual([1, 2]);
    world.trader.say({ kind: 'beat' });
    world.trader.say({ kind: 'beat' });
    expect(world.events.filter((event) => event === 'guard.awake')).toHaveLength(2);
  });

  it('is pulled no more when it has died: what the next one places is left alone', async () => {
    const world = await starved();
    await world.pass(1_000);
    world.trader.end({ code: null, signal: 'SIGKILL' });
    await world.pass(300);
    await world.trade();
    const { cancels } = world.book;
    await world.pass(3_000);
    expect({ open: world.book.open.size, cancels: world.book.cancels }).toEqual({
      open: 3,
      cancels,
    });
  });

  it('keeps the orders of others, in the own scope', async () => {
    const world = await silent(() => ({ doing: 'wants' }), new GuardWorld({ scope: 'own' }));
    world.trader.say({
      kind: 'orders',
      scope: 'own',
      update: { isWhole: true, live: [], ended: [] },
    });
    await world.pass(2_000);
    expect(world.events).toContain('guard.starved');
    expect(world.book.open.size).toBe(3);
  });

  it('ends at guard.hangMs, whatever the machine gave it; that is no crash and never latches', async () => {
    const world = await starved();
    for (let run = 1; run <= 6; run += 1) {
      await world.pass(9_800);
      expect(world.trader.signals).toEqual([]);
      await world.pass(3_000);
      expect(world.traders).toHaveLength(run + 1);
      expect(world.trader.facts.deaths).toMatchObject({ starved: run, silent: 0 });
      await world.trade();
      world.trader.schedule = () => REST;
      world.trader.isBeating = false;
    }
    expect(world.latched).toEqual([]);
  });

  it('has three times guard.startMs while it starts without a processor, and nothing is pulled', async () => {
    const world = new GuardWorld();
    world.trader.schedule = () => REST;
    world.trader.isBeating = false;
    world.book.open.add('0x0f');
    await world.pass(14_900);
    expect(world.trader.signals).toEqual([]);
    expect(world.book.open.size).toBe(1);
    await world.pass(200);
    expect(world.traders[0]?.signals).toEqual(['SIGKILL']);
  });

  it('counts by the clock of its guard where the machine says nothing', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.trader.isBeating = false;
    await world.pass(850);
    expect(world.traders[0]?.signals).toEqual(['SIGKILL']);
  });
});

describe('a silence', () => {
  /** Steps of 50 ms in which the machine says what the list says, one after the other. */
  function stepped(steps: readonly Partial<Schedule>[], elapsedMs = 50): Silence {
    const silence = new Silence();
    silence.onStep(50, 50, () => undefined);
    for (const step of [{}, ...steps]) silence.onStep(50, elapsedMs, () => ({ ...REST, ...step }));
    return silence;
  }

  const twenty = (of: (at: number) => Partial<Schedule>) =>
    stepped(Array.from({ length: 20 }, (_, at) => of(at + 1)));

  it('counts what ran of a thread that wants to, less what the hypervisor took', () => {
    expect(twenty((at) => ({ ranMs: at * 50 })).givenMs).toBe(1_100);
    expect(twenty((at) => ({ ranMs: at * 20 })).givenMs).toBe(500);
    expect(twenty((at) => ({ ranMs: at * 50, stolenMs: at * 40 })).givenMs).toBe(300);
  });

  it('counts the sleep of one that wants nothing, less what it had waited for before', () => {
    const doing = 'sleeps';
    expect(twenty(() => ({ doing })).givenMs).toBe(1_100);
    expect(twenty((at) => ({ doing, waitedMs: at * 45 })).givenMs).toBe(200);
  });

  it('takes no theft from another processor for one from its own', () => {
    const moved = twenty((at) => ({ ranMs: at * 50, processor: String(at), stolenMs: at * 9_999 }));
    expect(moved.givenMs).toBe(1_100);
  });

  it('counts no lateness of whoever watches as time that was given', () => {
    const late = stepped([{ ranMs: 200 }, { ranMs: 400 }], 200);
    expect(late.givenMs).toBe(200);
    expect(late.silentMs).toBe(650);
  });

  it.each([
    ['blocked', (at: number) => ({ ranMs: at * 50 })],
    ['asleep', () => ({ doing: 'sleeps' as const })],
    ['stopped', () => ({ doing: 'stopped' as const })],
  ])('is told as %s', (why, of) => {
    expect(twenty(of).why).toBe(why);
  });
});

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 15_000, interval: 20 };

describe.runIf(process.platform === 'linux')('the schedule of a process', () => {
  const started = (script: string) => {
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };

  it('says whether it runs, sleeps or is stopped', async () => {
    const busy = started('for (;;);');
    const idle = started('setInterval(() => {}, 1_000_000)');
    // On a machine that is crowded they take their time to get there.
    await expect.poll(() => scheduleOf(idle.pid)?.doing, SOON).toBe('sleeps');
    const one = scheduleOf(busy.pid);
    const ranMs = () => (scheduleOf(busy.pid)?.ranMs ?? 0) - (one?.ranMs ?? 0);
    await expect.poll(ranMs, SOON).toBeGreaterThan(20);
    expect(scheduleOf(busy.pid)?.doing).toBe('wants');
    busy.kill('SIGSTOP');
    await expect.poll(() => scheduleOf(busy.pid)?.doing, SOON).toBe('stopped');
  });

  it('names its processor, and what was taken from that', () => {
    const stolenMs = (processor: string): number => {
      const lines = readFileSync('/proc/stat', 'utf8').split('\n');
      const fields = lines.find((line) => line.startsWith(`cpu${processor} `))?.split(' ') ?? [];
      return 10 * Number(fields[8]);
    };
    const schedule = scheduleOf(process.pid);
    expect(schedule?.processor).toMatch(/^\d+$/);
    const sinceMs = process.uptime() * 1_000 + 1_000;
    expect(schedule?.ranMs).toBeGreaterThan(10);
    expect(schedule?.ranMs).toBeLessThan(sinceMs);
    expect(schedule?.waitedMs).toBeLessThan(sinceMs);
    const least = schedule?.stolenMs ?? Number.NaN;
    expect(stolenMs(schedule?.processor ?? '')).toBeGreaterThanOrEqual(least);
    expect(least).toBeGreaterThan(stolenMs(schedule?.processor ?? '') - 5_000);
  });

  it('is unknown of one that is not there', () => {
    expect(scheduleOf(2 ** 30)).toBeUndefined();
    expect(scheduleOf(undefined)).toBeUndefined();
    expect(isStopped(2 ** 30)).toBe(false);
  });
});

describe('the edges of a silence', () => {
  it('are a tenth of a second, below which nobody looks, and where it begins anew', () => {
    const silence = new Silence();
    let looks = 0;
    const look = (): Schedule => {
      looks += 1;
      return { ...REST, ranMs: looks * 10 };
    };
    silence.onStep(50, 50, look);
    silence.onStep(49, 49, look);
    expect([looks, silence.givenMs, silence.silentMs, silence.why]).toEqual([0, 99, 99, 'silent']);
    silence.onStep(1, 1, look);
    expect([looks, silence.givenMs, silence.silentMs, silence.why]).toEqual([
      1,
      100,
      100,
      'blocked',
    ]);
    silence.onStep(50, 60, look);
    expect([looks, silence.givenMs, silence.silentMs]).toEqual([2, 110, 160]);
    silence.onSign();
    expect([silence.givenMs, silence.silentMs, silence.why]).toEqual([0, 0, 'silent']);
    silence.onStep(100, 100, look);
    expect(silence.givenMs).toBe(100);
    silence.onStep(50, 50, () => undefined);
    expect([silence.givenMs, silence.why]).toEqual([150, 'silent']);
  });

  it.each([
    ['what was given is no less than nothing', { stolenMs: 500 }, 0],
    ['nor more than the time that passed', { ranMs: 500 }, 50],
    ['a sum that fell back takes nothing', { ranMs: 30, stolenMs: -5 }, 30],
    ['one that is stopped has all its time', { doing: 'stopped', stolenMs: 20 }, 50],
    ['one that sleeps has what nobody took', { doing: 'sleeps', stolenMs: 20, waitedMs: 10 }, 20],
    ['and no less than nothing', { doing: 'sleeps', waitedMs: 70 }, 0],
    ['theft from another processor is none', { doing: 'sleeps', processor: '1', stolenMs: 20 }, 50],
  ] as const)('are that %s', (_, step: Partial<Schedule>, expected) => {
    const silence = new Silence();
    silence.onStep(100, 100, () => REST);
    silence.onStep(50, 50, () => ({ ...REST, ...step }));
    expect(silence.givenMs - 100).toBe(expected);
  });
});
