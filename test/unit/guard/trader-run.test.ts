// One run of a trader, step by step: what it says, how long it may say nothing, and which end it comes to.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { noDeaths } from '../../../src/guard/protocol.ts';
import type { Schedule } from '../../../src/guard/schedule.ts';
import { type RunOptions, TraderRun } from '../../../src/guard/trader-run.ts';
import { peeked, SmallTrader, turns } from './support.ts';

const STARVED: Schedule = {
  ...{ doing: 'wants', ranMs: 0, waitedMs: 0, processor: '0', stolenMs: 0 },
};
const LEAVING = { kind: 'leaving', isUntouched: false, unsettled: 0, inFlight: [] };

function running(over: Partial<RunOptions> = {}) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const trader = new SmallTrader({ run: 1, deaths: noDeaths(), hasTraded: false } as never, clock);
  trader.isBeating = false;
  const heard: string[] = [];
  const hear =
    (what: string) =>
    (...words: readonly unknown[]) =>
      void heard.push([what, ...words.map((word) => JSON.stringify(word))].join(' '));
  const run = new TraderRun({
    ...{ process: trader, clock, timers: clock, silenceMs: 700, startMs: 5_000, hangMs: 10_000 },
    ...{ onReady: hear('ready'), onReadyLate: hear('ready late'), onStarted: hear('started') },
    ...{
      onEndAsked: hear('end asked'),
      onResumed: hear('resumed'),
      onConfig: hear('config'),
      onOrders: hear('orders'),
    },
    ...{ onStarved: hear('starved'), onAwake: hear('awake'), onUnlatched: hear('unlatched') },
    onStops: hear('stops'),
    ...over,
  });
  const end = peeked(run.ended);
  return {
    ...{ clock, trader, run, heard, end },
    /** Whether it has ended, a step before and at this time. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(Math.min(50, ms - passed));
        await turns(4);
      }
    },
  };
}

describe('a run that says nothing', () => {
  it('is over after the time of a start, in steps of its own', async () => {
    const { pass, end, trader, clock } = running();
    await pass(4_950);
    expect(end.value).toBeUndefined();
    await pass(50);
    expect(end.value).toEqual({ kind: 'silent', forMs: 5_000, givenMs: 5_000, why: 'silent' });
    expect(trader.signals).toEqual(['SIGKILL']);
    await pass(100);
    expect(clock.pending).toBe(1);
  });

  it('is over after its silence once it has started, and after ten seconds once it leaves', async () => {
    const up = running();
    up.trader.say({ kind: 'started' });
    await up.pass(650);
    expect(up.end.value).toBeUndefined();
    await up.pass(50);
    expect(up.end.value).toMatchObject({ kind: 'silent', forMs: 700 });
    const leaving = running();
    leaving.trader.say({ kind: 'started' });
    leaving.trader.say(LEAVING);
    await leaving.pass(9_950);
    expect(leaving.end.value).toBeUndefined();
    await leaving.pass(50);
    expect(leaving.end.value).toMatchObject({ kind: 'silent', forMs: 10_000 });
  });

  it('begins anew with each sign, and with nothing that is none', async () => {
    const { trader, pass, end, run } = running();
    trader.say({ kind: 'started' });
    await pass(600);
    expect(run.silentMs).toBe(600);
    trader.say({ kind: 'beat' });
    expect(run.silentMs).toBe(0);
    await pass(600);
    trader.say({ kind: 'a word of another build' });
    expect(run.silentMs).toBe(600);
    await pass(100);
    expect(end.value).toMatchObject({ kind: 'silent' });
  });

  it.each([
    { silenceMs: 700, hangMs: 10_000, started: true, hangsAtMs: 10_000 },
    { silenceMs: 12_000, hangMs: 10_000, started: true, hangsAtMs: 12_000 },
    { silenceMs: 700, hangMs: 10_000, started: false, hangsAtMs: 15_000 },
  ])('ends though the machine gave it nothing, when its time to hang is over: %j', async (of) => {
    const { trader, pass, end } = running({ silenceMs: of.silenceMs, hangMs: of.hangMs });
    trader.schedule = () => STARVED;
    if (of.started) trader.say({ kind: 'started' });
    await pass(of.hangsAtMs - 50);
    expect(end.value).toBeUndefined();
    await pass(50);
    expect(end.value).toMatchObject({ kind: 'silent', forMs: of.hangsAtMs, why: 'starved' });
  });

  it('is silent for no more than 200 ms of a step that came late', async () => {
    const { clock, run, trader } = running({ timers: new VirtualClock() });
    expect(run.silentMs).toBe(0);
    expect(trader.signals).toEqual([]);
    const late = new VirtualClock({ startMs: 1_000_000 });
    const steps: (() => void)[] = [];
    const other = running({
      clock: late,
      timers: {
        after: (_, task) => {
          steps.push(task);
          return () => {};
        },
      },
    });
    late.advance(60);
    steps.shift()?.();
    expect(other.run.silentMs).toBe(60);
    late.advance(10);
    steps.shift()?.();
    expect(other.run.silentMs).toBe(110);
    late.advance(5_000);
    steps.shift()?.();
    expect(other.run.silentMs).toBe(310);
    expect(clock.nowMs()).toBe(1_000_000);
  });
});

describe('a run that the machine starves', () => {
  async function starved(say: readonly object[], ms = 700) {
    const one = running();
    one.trader.schedule = () => STARVED;
    for (const word of say) one.trader.say(word);
    one.heard.splice(0);
    await one.pass(ms);
    return one;
  }
  const TRADES = [{ kind: 'ready' }, { kind: 'started' }];

  it('is said so once, when it has been silent for its time and may have orders', async () => {
    expect((await starved(TRADES, 650)).heard).toEqual([]);
    const one = await starved(TRADES);
    await one.pass(2_000);
    expect(one.heard).toEqual(['starved']);
  });

  it('is not where it has placed nothing yet, or leaves', async () => {
    expect((await starved([{ kind: 'started' }], 2_000)).heard).toEqual([]);
    expect((await starved([...TRADES, LEAVING], 2_000)).heard).toEqual([]);
  });

  it('is awake again with its first sign, said once with how long it was silent', async () => {
    const one = await starved(TRADES);
    one.trader.say({ kind: 'beat' });
    one.trader.say({ kind: 'beat' });
    expect(one.heard).toEqual(['starved', 'awake 700']);
    await one.pass(700);
    expect(one.heard).toEqual(['starved', 'awake 700', 'starved']);
  });
});

describe('what a trader says', () => {
  it('is passed on, each word to who needs it', () => {
    const { trader, heard, run } = running();
    for (const word of [
      { kind: 'ready' },
      { kind: 'endAsked' },
      { kind: 'resumed' },
      { kind: 'config', text: 'a' },
      { kind: 'unlatched', by: 'operator' },
      { kind: 'stops', stops: { pause: 'x' } },
    ]) {
      trader.say(word);
    }
    expect(heard).toEqual([
      ...['ready', 'end asked', 'resumed', 'config "a"', 'unlatched "operator"'],
      'stops {"pause":"x"}',
    ]);
    expect([run.hasGone, run.isLeaving, run.isUntouched]).toEqual([true, false, false]);
  });

  it('counts behind its end as well, where it is of what it had done', async () => {
    const { trader, heard, run, pass } = running();
    trader.end({ code: 0, signal: null });
    await pass(50);
    for (const word of [
      ...[{ kind: 'beat' }, { kind: 'started' }, { kind: 'endAsked' }, { kind: 'ready' }],
      ...[{ kind: 'config', text: 'a' }, { kind: 'unlatched' }, { kind: 'stops', stops: {} }],
      { kind: 'orders', scope: 'own', update: { isWhole: true, live: [], ended: [] } },
      { ...LEAVING, isUntouched: true, unsettled: 2, inFlight: ['a'] },
    ]) {
      trader.say(word);
    }
    expect(heard.map((each) => each.replace(/ ?[{"].*| $/, ''))).toEqual([
      ...['ready late', 'config', 'unlatched', 'stops', 'orders'],
    ]);
    expect([run.hasGone, run.isLeaving, run.isUntouched]).toEqual([true, true, true]);
    expect([run.unsettled, run.inFlight]).toEqual([2, ['a']]);
  });

  it('stays said: what it has not touched it has not touched', () => {
    const { trader, run } = running();
    expect([run.unsettled, run.inFlight]).toEqual([0, []]);
    trader.say({ ...LEAVING, isUntouched: true });
    trader.say(LEAVING);
    expect(run.isUntouched).toBe(true);
  });
});

describe('a run that ends', () => {
  it('is told no more, and steps no more', async () => {
    const { trader, run, end, pass } = running();
    run.go(5);
    trader.end({ code: 3, signal: null });
    await pass(50);
    expect(end.value).toEqual({ kind: 'exited', exit: { code: 3, signal: null } });
    run.go(6);
    expect(trader.told).toEqual([{ kind: 'go', quietForMs: 5 }]);
    await pass(20_000);
    expect(trader.signals).toEqual([]);
  });

  it('is ended at once where it was told to and has had its time', async () => {
    const { trader, run, end, pass } = running();
    run.cut();
    await pass(0);
    await turns();
    expect(trader.signals).toEqual(['SIGKILL']);
    expect(end.value).toEqual({ kind: 'exited', exit: { code: null, signal: 'SIGKILL' } });
  });
});
