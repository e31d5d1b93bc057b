// Strategies that traders died in: which are left out, for how long, and what makes good again.

import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { Suspects } from '../../../src/guard/suspects.ts';
import { GuardWorld } from './support.ts';

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
