import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alarmsOf, type Rule, readRules } from './alarms.ts';
import { ReplayedDaemon } from './daemon.ts';
import type { Fault } from './fault.ts';
import { FAULTS, FEW } from './faults.ts';
import { judge, recall } from './judge.ts';
import { stamped } from './openmetrics.ts';

const STEP = { stepMs: 15_000 };

function rule(forMs: number): Rule {
  return { alert: 'A', expr: 'x', forMs, severity: 'page' };
}

function said(...seconds: readonly number[]) {
  const points = seconds.map((sec) => ({ atMs: sec * 1_000, value: 1 }));
  return [{ labels: { instance: 'crash' }, points }];
}

const firedAt = (forMs: number, ...seconds: readonly number[]) =>
  alarmsOf(rule(forMs), said(...seconds), STEP).map(({ firedAtMs }) => firedAtMs / 1_000);

describe('an alert', () => {
  it('without a `for` fires at the first evaluation at which it is true, once', () => {
    expect(firedAt(0, 30, 45, 60)).toEqual([30]);
  });

  it('fires when it has been true for the whole of its `for`', () => {
    expect(firedAt(30_000, 15, 30, 45, 60)).toEqual([45]);
  });

  it('does not fire where a gap begins its `for` anew', () => {
    expect(firedAt(30_000, 15, 30, 60, 75)).toEqual([]);
  });

  it('fires again after it was over', () => {
    expect(firedAt(15_000, 15, 30, 45, 90, 105)).toEqual([30, 105]);
  });
});

describe('the verdict about a fault', () => {
  const fault = (fires: readonly string[]): Fault => ({
    ...{ name: 'crash', says: 'x', fires, strike: () => {} },
  });
  const alarms = alarmsOf(rule(0), said(15), STEP);

  it('names an alert that had to fire and did not', () => {
    expect(judge(fault(['A', 'B']), alarms).missed).toEqual(['B']);
    expect(recall([judge(fault(['A', 'B']), alarms)])).toEqual({ of: 1, hit: 0 });
  });

  it('names a page where nobody was to be woken', () => {
    expect(judge(fault([]), alarms).undue).toEqual(['A']);
    expect(judge(fault(['A']), alarms).undue).toEqual([]);
  });

  it('hears nothing of other instances', () => {
    expect(judge({ ...fault(['A']), name: 'other' }, alarms).missed).toEqual(['A']);
  });
});

describe('samples of a scrape', () => {
  const stamp = { job: 'bookend', instance: 'i', atMs: 15_000 };

  it('carry their target and their time', () => {
    const text = '# HELP a x\n# TYPE a gauge\na{b="c, d"} 1\n\nup 0\n';
    expect(stamped(text, stamp)).toBe(
      'a{b="c, d",job="bookend",instance="i"} 1 15.000\nup{job="bookend",instance="i"} 0 15.000\n',
    );
  });

  it('are those of the names that are wanted, with the values that stand in', () => {
    const how = { only: new Set(['a']), instead: new Map([['a', 7]]) };
    expect(stamped('a 1\nb 2\n', stamp, how)).toBe('a{job="bookend",instance="i"} 7 15.000\n');
  });
});

describe('the faults', () => {
  it('are forty at the least, each with an instance of its own', () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });

  it('are some of them for a short look', () => {
    const names = new Set(FAULTS.map(({ name }) => name));
    expect(FEW.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('every alert', () => {
  it('is raised by some fault, but the watchdog and what only a list without any daemon raises', () => {
    const raised = new Set(FAULTS.flatMap(({ fires }) => fires));
    const idle = readRules(resolve(import.meta.dirname, '../../ops/prometheus/alerts.yml'))
      .map(({ alert }) => alert)
      .filter((alert) => !raised.has(alert));
    // The rules of the second have tests of their own: `ops/prometheus/alert-tests.ts`.
    expect(idle).toEqual(['BookendWatchdog', 'BookendNotScraped']);
  });
});

describe('a daemon that is replayed', () => {
  it('simulates other parameters beside its own, for the panels that compare them', async () => {
    const daemon = new ReplayedDaemon('shadow');
    const scrapes: string[] = [];
    await daemon.run(120_000, { onScrape: async (text) => void scrapes.push(text) });
    const told = scrapes.at(-1) ?? '';
    for (const series of ['bookend_shadow_pnl_usdc', 'bookend_shadow_filled_shares'])
      for (const params of ['live', 'shadow'])
        expect(told).toMatch(new RegExp(`^${series}\\{[^}]*params="${params}"`, 'm'));
  });
});
