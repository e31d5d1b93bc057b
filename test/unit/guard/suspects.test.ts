// Strategies that traders died in: which are left out, for how long, and what makes good again.

import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { Suspects } from '../../../src/guard/suspects.ts';
import { GuardWorld, listening } from './support.ts';

const MINUTE_MS = 60_000;
const LOG = { info: () => {}, warn: () => {}, error: () => {} };
const JOIN = { strategy: 'join', place: 'm1' };
const at = (minutes: number) => unixMs(minutes * MINUTE_MS);

describe('a strategy that a trader died in', () => {
  it('is not asked for that market for a minute, and for twice as long each time it does so again', () => {
    const suspects = new Suspects(LOG);
    const pauses = [0, 1, 3, 7, 15, 31, 63].map((minute) =>
      Math.round(suspects.onDeath(JOIN, at(minute), 'blocked') / MINUTE_MS),
    );
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60]);
    expect(suspects.standing(at(64))).toMatchObject([{ ...JOIN, times: 7, forMs: 59 * MINUTE_MS }]);
    expect(suspects.standing(at(123))).toEqual([]);
  });

  it('is trusted as before when it has worked for three times as long', () => {
    const suspects = new Suspects(LOG);
    suspects.onDeath(JOIN, at(0), 'blocked');
    expect(suspects.onDeath(JOIN, at(2.9), 'blocked')).toBe(2 * MINUTE_MS);
    expect(suspects.onDeath(JOIN, at(9), 'blocked')).toBe(MINUTE_MS);
  });

  it('is asked for nothing at all while three of its places stand', () => {
    const suspects = new Suspects(LOG);
    suspects.onDeath({ strategy: 'other', place: 'm1' }, at(0), 'exit 7');
    for (const place of ['m1', 'm2', 'm3']) {
      suspects.onDeath({ strategy: 'join', place }, at(0), 'blocked');
    }
    const told = suspects.standing(at(0.5));
    expect(told).toMatchObject([
      { strategy: 'join', place: undefined, times: 3 },
      { strategy: 'other', place: 'm1' },
    ]);
    expect(suspects.standing(at(1))).toEqual([]);
  });

  it('is forgotten before memory is full', () => {
    const suspects = new Suspects(LOG);
    for (let count = 0; count < 1_200; count += 1) {
      suspects.onDeath({ strategy: `s${count}`, place: 'm1' }, at(0), 'blocked');
    }
    expect(suspects.standing(at(0.5))).toHaveLength(1_000);
  });
});

describe('a guard whose trader dies in a strategy', () => {
  const KILLED = { code: null, signal: 'SIGKILL' } as const;

  it('tells the next one which, and counts it for no latch', async () => {
    const world = new GuardWorld({ restartsMax: 0 });
    for (const place of ['m1', 'm2']) {
      await world.trade();
      world.trader.call = () => ({ strategy: 'join', place });
      world.trader.end(KILLED);
      await world.pass(2_000);
    }
    expect(world.latched).toEqual([]);
    expect(world.traders).toHaveLength(3);
    expect(world.trader.facts.suspended).toMatchObject([
      { strategy: 'join', place: 'm1', times: 1 },
      { strategy: 'join', place: 'm2', times: 1 },
    ]);
  });

  it('blames nobody for a trader that was stopped or starved amid a call', async () => {
    for (const doing of ['stopped', 'wants'] as const) {
      const world = new GuardWorld();
      await world.trade();
      world.trader.call = () => JOIN;
      const schedule = { doing, ranMs: 0, waitedMs: 0, processor: '0', stolenMs: 0 };
      world.trader.schedule = () => schedule;
      world.trader.isBeating = false;
      await world.pass(12_000);
      expect(world.traders.length).toBeGreaterThan(1);
      expect(world.trader.facts.suspended).toEqual([]);
    }
  });
});

describe('the edges of a suspension', () => {
  const ms = (more: number) => unixMs(MINUTE_MS + more);

  it('are its last millisecond, and three of its pauses', () => {
    const suspects = new Suspects(LOG);
    expect(suspects.onDeath(JOIN, ms(0), 'blocked')).toBe(MINUTE_MS);
    expect(suspects.standing(ms(MINUTE_MS - 1))).toMatchObject([{ forMs: 1, times: 1 }]);
    expect(suspects.standing(ms(MINUTE_MS))).toEqual([]);
    const [early, late] = [new Suspects(LOG), new Suspects(LOG)];
    for (const one of [early, late]) one.onDeath(JOIN, ms(0), 'blocked');
    expect(early.onDeath(JOIN, ms(3 * MINUTE_MS - 1), 'blocked')).toBe(2 * MINUTE_MS);
    expect(late.onDeath(JOIN, ms(3 * MINUTE_MS), 'blocked')).toBe(MINUTE_MS);
  });

  it('are two places, which are left out each, and three, which are all of them', () => {
    const suspects = new Suspects(LOG);
    const die = (place: string, more: number) =>
      suspects.onDeath({ strategy: 'join', place }, ms(more), `died in ${place}`);
    die('m1', 0);
    die('m2', 1_000);
    expect(suspects.standing(ms(1_000))).toEqual([
      { strategy: 'join', place: 'm1', times: 1, detail: 'died in m1', forMs: 59_000 },
      { strategy: 'join', place: 'm2', times: 1, detail: 'died in m2', forMs: 60_000 },
    ]);
    die('m2', 2_000);
    die('m3', 2_000);
    expect(suspects.standing(ms(2_000))).toEqual([
      { strategy: 'join', place: undefined, times: 4, detail: 'died in m2', forMs: 120_000 },
    ]);
    // Of two that stand as long the first one is named.
    const equal = new Suspects(LOG);
    for (const place of ['m1', 'm2', 'm3']) {
      equal.onDeath({ strategy: 'join', place }, ms(0), `died in ${place}`);
    }
    expect(equal.standing(ms(0))).toMatchObject([{ detail: 'died in m1' }]);
  });

  it('are a thousand that are remembered, of which the oldest goes first', () => {
    const suspects = new Suspects(LOG);
    for (let count = 0; count <= 1_000; count += 1) {
      suspects.onDeath({ strategy: `s${count}`, place: 'm1' }, ms(0), 'blocked');
    }
    const names = suspects.standing(ms(1)).map(({ strategy }) => strategy);
    expect([names.length, names[0], names.at(-1)]).toEqual([1_000, 's1', 's1000']);
  });

  it('are said with each death', () => {
    const { said, log } = listening();
    new Suspects(log).onDeath(JOIN, ms(0), 'blocked');
    expect(said).toEqual([
      ['guard.strategy_suspended', { ...JOIN, times: 1, detail: 'blocked', forMs: MINUTE_MS }],
    ]);
  });
});
