// What a seed switches on, and the rules that hold it to its promise, on a few lines of what happened.

import { describe, expect, it } from 'vitest';
import { marketId } from '../../src/domain/ids.ts';
import type { StoredBaselines, StoredLatch } from '../../src/domain/risk.ts';
import { RISK_CONTROL_DEFAULTS } from '../../src/domain/risk.ts';
import { unixMs } from '../../src/domain/time.ts';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { BaselineWatch } from './audit/baselines.ts';
import { Levels } from './audit/levels.ts';
import { Nets } from './audit/nets.ts';
import { Runaway } from './audit/runaway.ts';
import { Stops } from './audit/stops.ts';
import { drawControls, PLAIN, withControls } from './world/controls.ts';
import { settingOf } from './world/setting.ts';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);
const drawn = SEEDS.map((seed) => drawControls(seededRandom(seed)));
const { settings } = settingOf('binary', PLAIN);
const market = marketId('mkt');

describe('what a seed switches on', () => {
  it('is risk controls in most of them, and everything else in some', () => {
    const share = (isOn: (each: (typeof drawn)[number]) => boolean) =>
      drawn.filter(isOn).length / drawn.length;
    expect(share(({ risk }) => risk !== undefined)).toBeGreaterThan(0.6);
    for (const part of [
      share(({ risk }) => risk === undefined),
      share(({ gtd }) => gtd !== undefined),
      share(({ scope }) => scope === 'own'),
      share(({ sets }) => sets !== undefined),
    ]) {
      expect(part).toBeGreaterThan(0.1);
      expect(part).toBeLessThan(0.7);
    }
  });

  it('stays where it was when one choice is given', () => {
    const given = drawControls(seededRandom(3), { risk: RISK_CONTROL_DEFAULTS, scope: 'own' });
    expect(given.gtd).toEqual(drawControls(seededRandom(3)).gtd);
    expect(given.sets).toEqual(drawControls(seededRandom(3)).sets);
  });

  it('is in the settings, and nothing is where nothing is switched on', () => {
    const own = withControls(settings, { ...PLAIN, scope: 'own', risk: RISK_CONTROL_DEFAULTS });
    expect(own.orders.scope).toBe('own');
    expect(own.risk.collar).toEqual(RISK_CONTROL_DEFAULTS.collar);
    expect(settings.risk.collar).toBeUndefined();
    expect(settings.orders.timeInForce).toBeUndefined();
  });
});

describe('a control that tripped', () => {
  const tripped = (clears: string) => {
    const levels = new Levels();
    levels.onReport(
      {
        event: 'control.tripped',
        control: 'drawdown',
        marketId: undefined,
        raisedTo: 'reduce-only',
        detail: 'lost',
        clears,
      },
      1_000,
    );
    return levels;
  };
  const eased = (by: string) =>
    ({ event: 'control.eased', control: 'drawdown', marketId: undefined, by }) as const;

  it('may let go in its time, and by an operator at any', () => {
    const timed = tripped('ends by itself in 30 s');
    expect(timed.onReport(eased('itself'), 31_000)).toBeUndefined();
    const latched = tripped('POST /control/resume, after the cause is understood');
    expect(latched.onReport(eased('somebody'), 2_000)).toBeUndefined();
  });

  it('may not let go long before its time, nor by itself where an operator has to', () => {
    expect(tripped('ends by itself in 30 s').onReport(eased('itself'), 2_000)).toContain('early');
    expect(tripped('POST /control/resume').onReport(eased('itself'), 90_000)).toContain('operator');
  });

  it('holds from the next moment on, and over a restart', () => {
    const levels = tripped('by itself: a while');
    expect(levels.binding(market, 1_000)).toBeUndefined();
    expect(levels.binding(market, 1_001)?.level).toBe('reduce-only');
    const latch: StoredLatch = {
      control: 'fill_burst',
      marketId: market,
      level: 'cancel',
      detail: '',
      sinceMs: unixMs(5),
      resumes: { kind: 'operator' },
    };
    levels.onLifeStarts([latch]);
    expect(levels.binding(market, 1_001)?.control).toBe('fill_burst');
  });

  it('ends when it was seen to begin, whatever a clock that is far ahead wrote down', () => {
    const levels = tripped('ends by itself in 30 s');
    const latch: StoredLatch = {
      control: 'drawdown',
      marketId: undefined,
      level: 'reduce-only',
      detail: '',
      sinceMs: unixMs(61_000),
      resumes: { kind: 'time', atMs: unixMs(91_000) },
    };
    levels.onLifeStarts([latch]);
    expect(levels.binding(market, 1_001)?.level).toBe('reduce-only');
    expect(levels.onReport(eased('itself'), 31_000)).toBeUndefined();
  });
});

describe('what losses are measured from', () => {
  const at = (changes: Partial<StoredBaselines>): StoredBaselines => ({
    ...{ sessionNano: 5, dayNano: 5, day: 1, peakNano: 9, left: [] },
    ...changes,
  });

  it('may rise with the peak, and begin anew with a day or an operator', () => {
    const watch = new BaselineWatch();
    watch.onLifeStarts(at({}));
    expect(watch.onRecord(at({ peakNano: 12 }))).toBeUndefined();
    expect(watch.onRecord(at({ peakNano: 12, day: 2, dayNano: 7 }))).toBeUndefined();
    watch.onResumed();
    expect(watch.onRecord(at({ peakNano: 1, sessionNano: 1 }))).toBeUndefined();
  });

  it.each([{ sessionNano: 4 }, { dayNano: 6 }, { peakNano: 8 }])('may not move: %o', (changes) => {
    const watch = new BaselineWatch();
    watch.onLifeStarts(at({}));
    expect(watch.onRecord(at(changes))).toBeDefined();
  });
});

describe('the net position that the daemon may know of', () => {
  it('is any of the last minute and a half', () => {
    const nets = new Nets();
    nets.note(market, 30, 1_000);
    nets.note(market, -20, 200_000);
    expect(nets.range(market, 250_000)).toEqual({ least: -20, most: 30 });
    expect(nets.range(market, 400_000)).toEqual({ least: -20, most: -20 });
  });
});

describe('a runaway of placements', () => {
  it('is more than twice what is allowed, and a batch', () => {
    const rate = { orders: 10, intervalMs: 10_000, action: 'cancel', coolOffMs: 1_000 } as const;
    const runaway = new Runaway();
    expect(runaway.onPlacing(35, rate, 1_000)).toBeUndefined();
    expect(runaway.onPlacing(1, rate, 2_000)).toContain('36 orders');
    expect(runaway.onPlacing(1, rate, 20_000)).toBeUndefined();
  });
});

describe('a stop over a restart', () => {
  const paused = () => {
    const stops = new Stops();
    const at = { life: 1, era: 1, atMs: 0, decided: 0 };
    stops.onReport({ event: 'operator.order', order: 'pause', by: 'me', accepted: true }, at);
    return stops;
  };
  const held = { halt: false, pause: true, latches: [] };

  it('lasts where it is on the disk, and ends where there is none', () => {
    const stops = paused();
    stops.onLifeStarts(true, held);
    expect(stops.stoppedBy).toBe('pause');
    stops.onLifeStarts(false, held);
    expect(stops.stoppedBy).toBeUndefined();
  });

  it('must come to the disk', () => {
    const stops = paused();
    expect(stops.unkept({ ...held, pause: false }, 0)).toBeUndefined();
    expect(stops.unkept({ ...held, pause: false }, 20_000)).toBe('pause');
    expect(paused().unkept(held, 20_000)).toBeUndefined();
  });
});
