// What a seed switches on, and the rules that hold it to its promise, on a few lines of what happened.

import { describe, expect, it } from 'vitest';
import { eventId, marketId, requestId } from '../../src/domain/ids.ts';
import type { StoredBaselines, StoredLatch } from '../../src/domain/risk.ts';
import { RISK_CONTROL_DEFAULTS } from '../../src/domain/risk.ts';
import { RECYCLER } from '../../src/domain/sets.ts';
import { microShares } from '../../src/domain/shares.ts';
import { unixMs } from '../../src/domain/time.ts';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { adds } from './audit/adds.ts';
import { BaselineWatch } from './audit/baselines.ts';
import { ChainActions } from './audit/chain-actions.ts';
import { Lately } from './audit/lately.ts';
import { Levels } from './audit/levels.ts';
import { Nets } from './audit/nets.ts';
import { Readings } from './audit/readings.ts';
import { Runaway } from './audit/runaway.ts';
import { Stops } from './audit/stops.ts';
import { ToldTrades } from './audit/told.ts';
import { drawControls, PLAIN, retunedLimits, retunedRisk, withControls } from './world/controls.ts';
import type { Flight, SetsCommand } from './world/network.ts';
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
      share(({ limits }) => limits !== undefined),
      share(({ takes }) => takes !== undefined),
      share(({ fees }) => fees !== undefined),
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

describe('limits as an operator sets them anew', () => {
  it('are those that are set, and no others', () => {
    const base = { ...settings.risk, maxMarketOpenOrders: 5, maxOrderShares: 35 };
    const retuned = SEEDS.map((seed) => retunedLimits(base, seededRandom(seed)));
    expect(new Set(retuned.flatMap((each) => Object.keys(each)))).toEqual(
      new Set(['maxMarketOpenOrders']),
    );
    expect(new Set(retuned.map((each) => each.maxMarketOpenOrders))).toEqual(new Set([3, 5, 8]));
  });
});

describe('a control that tripped', () => {
  const at = (nowMs: number, aheadMs = 0) => ({ nowMs, hostMs: nowMs + aheadMs });
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
      at(1_000),
    );
    return levels;
  };
  const eased = (by: string) =>
    ({ event: 'control.eased', control: 'drawdown', marketId: undefined, by }) as const;

  it('may let go in its time, and by an operator at any', () => {
    const timed = tripped('ends by itself in 30 s');
    expect(timed.onReport(eased('itself'), at(31_000))).toBeUndefined();
    const latched = tripped('bookend resume, after the cause is understood');
    expect(latched.onReport(eased('somebody'), at(2_000))).toBeUndefined();
  });

  it('may not let go long before its time, nor by itself where an operator has to', () => {
    expect(tripped('ends by itself in 30 s').onReport(eased('itself'), at(2_000))).toContain(
      'early',
    );
    expect(tripped('bookend resume').onReport(eased('itself'), at(90_000))).toContain('operator');
  });

  it('may be lifted by a condition only where neither a time nor an operator is named', () => {
    expect(tripped('by itself: a while').isPassing('drawdown')).toBe(true);
    expect(tripped('by itself: a while').isPassing('day_loss')).toBe(false);
    expect(tripped('ends by itself in 30 s').isPassing('drawdown')).toBe(false);
    expect(tripped('bookend resume').isPassing('drawdown')).toBe(false);
  });

  it('ends by the clock of the machine, which another process set ahead', () => {
    const levels = new Levels();
    const until = (atMs: number): StoredLatch => ({
      ...({ control: 'drawdown', level: 'cancel', detail: '', marketId: undefined } as const),
      sinceMs: unixMs(50_000),
      resumes: { kind: 'time', atMs: unixMs(atMs) },
    });
    levels.onProcessStarts([until(65_000)], at(40_000, 18_000));
    expect(levels.onReport(eased('itself'), at(47_000, 18_000))).toBeUndefined();
    levels.onProcessStarts([until(65_000)], at(40_000, 18_000));
    expect(levels.onReport(eased('itself'), at(40_000, 18_000))).toContain('early');
  });

  it('lasts as long as it was to where the clock was put right before a process began', () => {
    const latch: StoredLatch = {
      ...({ control: 'drawdown', level: 'cancel', detail: '', marketId: undefined } as const),
      sinceMs: unixMs(250_000),
      resumes: { kind: 'time', atMs: unixMs(280_000) },
    };
    const levels = new Levels();
    levels.onProcessStarts([latch], at(40_000));
    expect(levels.onReport(eased('itself'), at(70_000))).toBeUndefined();
    levels.onProcessStarts([latch], at(40_000));
    expect(levels.onReport(eased('itself'), at(65_000))).toContain('early');
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
    levels.onProcessStarts([latch], at(1_000));
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
    levels.onProcessStarts([latch], at(20_000, 60_000));
    expect(levels.binding(market, 1_001)?.level).toBe('reduce-only');
    expect(levels.onReport(eased('itself'), at(31_000, 60_000))).toBeUndefined();
  });
});

describe('limits that a reload replaces', () => {
  const withClock = (offsetMsMax: number) => {
    const clock = { ...RISK_CONTROL_DEFAULTS.clock, offsetMsMax };
    return { ...settings.risk, ...RISK_CONTROL_DEFAULTS, clock };
  };

  it('may be in force for a while, and then are not', () => {
    const lately = new Lately(withClock(1));
    lately.onSettings(withClock(2), 1_000);
    lately.onSettings(withClock(3), 15_000);
    const offsets = (nowMs: number) => lately.limits(nowMs).map(({ clock }) => clock?.offsetMsMax);
    expect(offsets(16_000)).toEqual([3, 1, 2]);
    expect(offsets(30_000)).toEqual([3, 2]);
    expect(offsets(90_000)).toEqual([3]);
  });

  it('let a clock go that one of them allows, or that one of them does not ask for', () => {
    const readings = new Readings();
    const reading = { kind: 'clockOffset', offsetMs: -3_000, roundTripMs: 20 } as const;
    expect(readings.onEased([withClock(2_000)], 1_000)).toBeUndefined();
    readings.onMessage(reading, 1_000);
    expect(readings.onEased([withClock(2_000)], 7_000)).toContain('3000 ms');
    expect(readings.onEased([withClock(2_000), withClock(4_000)], 7_000)).toBeUndefined();
    expect(readings.onEased([withClock(2_000), withClock(0)], 7_000)).toBeUndefined();
    expect(readings.onEased([settings.risk], 7_000)).toBeUndefined();
  });

  it('let a clock go that was measured within them a moment ago', () => {
    const readings = new Readings();
    const told = (offsetMs: number, nowMs: number) =>
      readings.onMessage({ kind: 'clockOffset', offsetMs, roundTripMs: 20 }, nowMs);
    told(1_000, 0);
    told(3_000, 30_000);
    expect(readings.onEased([withClock(2_000)], 40_000)).toBeUndefined();
    told(3_000, 61_000);
    expect(readings.onEased([withClock(2_000)], 62_000)).toBeUndefined();
    expect(readings.onEased([withClock(2_000)], 70_000)).toContain('ends by itself');
    readings.onProcessStarts();
    expect(readings.onEased([withClock(2_000)], 80_000)).toBeUndefined();
  });

  it('are drawn around those of the run, and what is switched off stays off', () => {
    const clock = { ...RISK_CONTROL_DEFAULTS.clock, offsetMsMax: 20_000 };
    const base = { ...settings.risk, ...RISK_CONTROL_DEFAULTS, clock };
    const all = SEEDS.map((seed) => retunedRisk(base, seededRandom(seed)));
    expect(new Set(all.map(({ clock }) => clock?.offsetMsMax)).size).toBeGreaterThan(2);
    expect(new Set(all.map(({ loss }) => loss?.warnAction)).size).toBe(3);
    expect(all.every(({ loss }) => loss?.sessionUsdc === 0)).toBe(true);
    expect(retunedRisk(settings.risk, seededRandom(1))).toEqual({});
  });
});

describe('what losses are measured from', () => {
  const at = (changes: Partial<StoredBaselines>): StoredBaselines => ({
    ...{ sessionNano: 5, dayNano: 5, day: 1, peakNano: 9, left: [] },
    ...changes,
  });

  it('may rise with the peak, and begin anew with a day', () => {
    const watch = new BaselineWatch();
    watch.onProcessStarts(at({}));
    expect(watch.onRecord(at({ peakNano: 12 }))).toBeUndefined();
    expect(watch.onRecord(at({ peakNano: 12, day: 2, dayNano: 7 }))).toBeUndefined();
  });

  it('move once after an operator has seen the loss, at the next profit that is known', () => {
    const watch = new BaselineWatch();
    const eased = { event: 'control.eased', marketId: undefined } as const;
    watch.onProcessStarts(at({}));
    watch.onEased({ ...eased, control: 'session_loss', by: 'somebody' });
    watch.onEased({ ...eased, control: 'drawdown', by: 'somebody' });
    expect(watch.onRecord(at({}))).toBeUndefined();
    expect(watch.onRecord(at({ peakNano: 1, sessionNano: 1 }))).toBeUndefined();
    expect(watch.onRecord(at({ peakNano: 1, sessionNano: 0 }))).toContain('session');
    expect(watch.onRecord(at({ peakNano: 0, sessionNano: 0 }))).toContain('peak');
  });

  it('move twice after two resumes, though the second came before the first had moved them', () => {
    const watch = new BaselineWatch();
    const eased = { event: 'control.eased', marketId: undefined, control: 'drawdown' } as const;
    watch.onProcessStarts(at({}));
    watch.onEased({ ...eased, by: 'somebody' });
    watch.onEased({ ...eased, by: 'somebody' });
    expect(watch.onRecord(at({ peakNano: 5 }))).toBeUndefined();
    expect(watch.onRecord(at({ peakNano: 3 }))).toBeUndefined();
    expect(watch.onRecord(at({ peakNano: 1 }))).toContain('peak');
  });

  it('do not move for a loss that eased by itself, nor for another one', () => {
    const watch = new BaselineWatch();
    const eased = { event: 'control.eased', marketId: undefined } as const;
    watch.onProcessStarts(at({}));
    watch.onEased({ ...eased, control: 'session_loss', by: 'itself' });
    watch.onEased({ ...eased, control: 'drawdown', by: 'somebody' });
    expect(watch.onRecord(at({ sessionNano: 1 }))).toContain('session');
  });

  it.each([{ sessionNano: 4 }, { dayNano: 6 }, { peakNano: 8 }])('may not move: %o', (changes) => {
    const watch = new BaselineWatch();
    watch.onProcessStarts(at({}));
    expect(watch.onRecord(at(changes))).toBeDefined();
  });
});

describe('a split, merge or redeem', () => {
  const said = (id: string, state: 'sent' | 'refused', by = 'me') =>
    ({
      ...({ event: 'sets.changed', action: 'split', marketId: market } as const),
      ...{ id, by, state, amount: '20', detail: '' },
    }) as const;
  const at = { nowMs: 0, stoppedBy: undefined };
  const command = (id: number): SetsCommand => ({
    kind: 'changeSets',
    requestId: requestId(id),
    change: { kind: 'split', eventId: eventId('evt'), marketId: market, amount: microShares(1) },
  });
  const flight = (changing: SetsCommand): Flight => ({
    request: {
      method: 'POST',
      target: '/api/positions/split',
      headers: {},
      body: '{}',
      address: '',
    },
    origin: { process: 1, placing: undefined, changing },
    isDouble: false,
  });

  it('is known by its command, beside one that was never sent', () => {
    const actions = new ChainActions((id) => id === 'new');
    actions.onReport(said('old', 'sent'), at);
    actions.onCommand(command(1), 1);
    actions.onReport(said('old', 'refused'), at);
    actions.onReport(said('new', 'sent'), at);
    actions.onCommand(command(2), 1);
    expect(actions.onSent(flight(command(2)))).toBeUndefined();
    expect(actions.onSent(flight(command(2)))?.detail).toContain('twice');
    expect(actions.onSent(flight(command(1)))?.detail).toContain('called over');
    expect(actions.onSent(flight(command(3)))?.detail).toContain('unasked');
  });

  it('may be asked of a later process where nothing of it left, and of the same one not', () => {
    const actions = new ChainActions(() => true);
    actions.onReport(said('unkept', 'sent'), at);
    actions.onReport(said('unkept', 'refused'), at);
    expect(actions.onReport(said('unkept', 'sent'), at)?.detail).toContain('twice');
    actions.onReport(said('unkept', 'refused'), at);
    actions.onProcessStarts(0);
    expect(actions.onReport(said('unkept', 'sent'), at)).toBeUndefined();
    actions.onCommand(command(1), 2);
    actions.onSent({
      ...flight(command(1)),
      origin: { process: 2, placing: undefined, changing: command(1) },
    });
    actions.onReport(said('unkept', 'refused'), at);
    actions.onProcessStarts(0);
    expect(actions.onReport(said('unkept', 'sent'), at)?.detail).toContain('twice');
  });

  it('may be taken for shown by a process that began after the clock was set ahead, and by no other', () => {
    const actions = new ChainActions(() => true);
    const later = { ...at, nowMs: 60_000, hostMs: 260_000 };
    actions.onReport(said('old', 'sent', RECYCLER), at);
    actions.onCommand(command(1), 1);
    actions.onSent(flight(command(1)));
    expect(actions.onReport(said('new', 'sent', RECYCLER), later)?.rule).toBe('sets_overlap');
    actions.onProcessStarts(200_000);
    expect(actions.onReport(said('newer', 'sent', RECYCLER), later)).toBeUndefined();
  });
});

describe('the trades that the daemon was reported', () => {
  const told = new ToldTrades<string>(300_000);
  told.onTold('vote', 0.3, 0);
  told.onTold('vote', 0.2, 50_000);

  it('are those that it may remember, where there is one that it must', () => {
    expect(told.range('vote', 100_000)).toEqual({ low: 0.2, high: 0.3 });
    expect(told.range('vote', 305_000)).toEqual({ low: 0.2, high: 0.3 });
    expect(told.range('vote', 315_000)).toEqual({ low: 0.2, high: 0.2 });
  });

  it('may be remembered over new settings, and need not', () => {
    const kept = new ToldTrades<string>(300_000);
    kept.onTold('vote', 0.3, 0);
    kept.doubt(10_000);
    expect(kept.range('vote', 20_000)).toBeUndefined();
    kept.onTold('vote', 0.5, 30_000);
    expect(kept.range('vote', 40_000)).toEqual({ low: 0.3, high: 0.5 });
  });

  it('may be remembered over a new tick size of their market, and need not', () => {
    const kept = new ToldTrades<string>(300_000);
    for (const market of ['vote', 'rain']) kept.onTold(market, 0.3, 0);
    kept.doubtOf('vote', 10_000);
    expect(kept.range('vote', 20_000)).toBeUndefined();
    expect(kept.range('rain', 20_000)).toBeDefined();
    kept.onTold('vote', 0.5, 30_000);
    expect(kept.range('vote', 40_000)).toEqual({ low: 0.3, high: 0.5 });
  });

  it('are none right after the first was told, and none at the edge of their time', () => {
    const first = new ToldTrades<string>(300_000);
    first.onTold('vote', 0.3, 0);
    expect(first.range('vote', 1_000)).toBeUndefined();
    expect(first.range('vote', 10_000)).toBeDefined();
    expect(first.range('vote', 295_000)).toBeUndefined();
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

describe('an order that adds', () => {
  const nets = new Nets();
  nets.note(market, 30, 1_000);
  const room = { nets, nowMs: () => 200_000 };

  it('makes the position larger, on its side or beyond zero', () => {
    expect(adds(room, market, 'bid', 1)).toBe(true);
    expect(adds(room, market, 'ask', 60)).toBe(false);
    expect(adds(room, market, 'ask', 61)).toBe(true);
  });

  it('is any from a flat position, and none that may find the largest of the last ones', () => {
    nets.note(market, 0, 250_000);
    expect(adds({ nets, nowMs: () => 400_000 }, market, 'ask', 1)).toBe(true);
    nets.note(market, 50, 400_000);
    nets.note(market, 0, 401_000);
    expect(adds({ nets, nowMs: () => 402_000 }, market, 'ask', 100)).toBe(false);
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

  it('is counted anew when an operator lifts the breaker, and not when it lets go by itself', () => {
    const eased = { event: 'control.eased', control: 'order_rate', marketId: undefined } as const;
    const rate = { orders: 10, intervalMs: 10_000, action: 'cancel', coolOffMs: 1_000 } as const;
    const runaway = new Runaway();
    runaway.onPlacing(35, rate, 1_000);
    runaway.onEased({ ...eased, by: 'somebody' });
    expect(runaway.onPlacing(35, rate, 2_000)).toBeUndefined();
    runaway.onEased({ ...eased, by: 'itself' });
    expect(runaway.onPlacing(1, rate, 3_000)).toContain('36 orders');
  });
});

describe('a stop over a restart', () => {
  const paused = () => {
    const stops = new Stops();
    const at = { process: 1, era: 1, atMs: 0, decided: 0 };
    stops.onReport({ event: 'operator.order', order: 'pause', by: 'me', accepted: true }, at);
    return stops;
  };
  const held = { halt: false, pause: true, latches: [] };

  const nothing = { ...held, pause: false };
  const resumed = { event: 'operator.order', order: 'resume', by: 'me', accepted: true } as const;
  const at = { process: 2, era: 1, atMs: 9_000, decided: 0 };

  it('lasts where it is on the disk, and ends with a disk that is lost', () => {
    const stops = paused();
    stops.onProcessEnds(5_000, held);
    stops.onProcessStarts(true, held);
    expect(stops.stoppedBy).toBe('pause');
    stops.onProcessEnds(9_000, held);
    stops.onProcessStarts(false, nothing);
    expect(stops.stoppedBy).toBeUndefined();
  });

  it('lasts in every later process where it was answered and no disk has it, until a resume', () => {
    const stops = paused();
    for (const [atMs, remembers] of [[5_000, true] as const, [8_000, false] as const]) {
      stops.onProcessEnds(atMs, nothing);
      stops.onProcessStarts(remembers, nothing);
      expect(stops.stoppedBy).toBe('pause');
    }
    stops.onAsked({ kind: 'resume', by: 'me' }, 9_000);
    stops.onReport(resumed, at);
    stops.onProcessEnds(9_500, held);
    stops.onProcessStarts(true, nothing);
    expect(stops.stoppedBy).toBeUndefined();
  });

  it('need not last where the process died before it could answer, or has no disk', () => {
    for (const [atMs, onDisk] of [[100, nothing] as const, [5_000, undefined] as const]) {
      const stops = paused();
      stops.onProcessEnds(atMs, onDisk);
      stops.onProcessStarts(true, nothing);
      expect(stops.stoppedBy).toBeUndefined();
    }
  });

  it('lasts after a kill, which has a latch of its own, whatever becomes of the ledger', () => {
    const stops = paused();
    stops.onReport({ ...resumed, order: 'kill' }, at);
    stops.onReport({ ...resumed, order: 'shutdown' }, at);
    stops.onProcessEnds(9_500, nothing);
    stops.onProcessStarts(false, nothing);
    expect(stops.stoppedBy).toBe('kill');
  });

  it('must come to the disk', () => {
    const stops = paused();
    expect(stops.unkept({ ...held, pause: false }, 0)).toBeUndefined();
    expect(stops.unkept({ ...held, pause: false }, 20_000)).toBe('pause');
    expect(paused().unkept(held, 20_000)).toBeUndefined();
  });
});
