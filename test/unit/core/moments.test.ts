// Whoever waits for a moment is found at that moment, in the order in which they began to wait, and costs
// nothing before it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Moments, WorkQueue } from '../../../src/core/kernel/market.ts';
import { unixMs } from '../../../src/domain/time.ts';

const HAPPENINGS = fc.array(
  fc.record({
    what: fc.constantFrom('set', 'set', 'move', 'delete', 'look'),
    who: fc.nat(12),
    atMs: fc.nat(30),
  }),
  { maxLength: 200, size: 'max' },
);

describe('moments that are waited for', () => {
  it('are those of a list that is searched from end to end, whatever happens to it', () => {
    fc.assert(
      fc.property(HAPPENINGS, (happenings) => {
        const moments = new Moments<number>();
        const list = new Map<number, number>();
        const [found, searched]: [unknown[], unknown[]] = [[], []];
        for (const { what, who, atMs } of happenings) {
          if (what === 'set' || (what === 'move' && list.has(who))) list.set(who, atMs);
          if (what === 'delete') list.delete(who);
          if (what === 'set') moments.set(who, unixMs(atMs));
          if (what === 'move') moments.move(who, unixMs(atMs));
          if (what === 'delete') moments.delete(who);
          const due = [...list].filter(([, at]) => at <= atMs).map(([item]) => item);
          searched.push([due, due.includes(who), list.size]);
          const nowMs = unixMs(atMs);
          found.push([moments.due(nowMs), moments.isDue(who, nowMs), moments.size]);
        }
        expect(found).toEqual(searched);
      }),
    );
  });
});

describe('a thousand markets that wait', () => {
  it('are not touched before their moments, and are due from then on until they were looked at', () => {
    let touched = 0;
    const workQueue = new WorkQueue<{ readonly plannedAtMs: undefined; isGone: boolean }>();
    const markets = Array.from({ length: 1_000 }, () => {
      const market = { plannedAtMs: undefined, isGone: false };
      const get = (target: typeof market, key: string | symbol) => {
        touched += 1;
        return Reflect.get(target, key);
      };
      return new Proxy(market, { get });
    });
    for (const [index, market] of markets.entries())
      workQueue.onPlanned(market, unixMs(5_000 + index));
    touched = 0;
    for (let at = 0; at < 5_000; at += 1) expect(workQueue.waiting.due(unixMs(at))).toEqual([]);
    expect(touched).toBe(0);
    expect(workQueue.waiting.due(unixMs(5_001))).toHaveLength(2);
    expect(workQueue.waiting.due(unixMs(5_001))).toHaveLength(2);
    for (const market of workQueue.waiting.due(unixMs(5_001)))
      workQueue.onPlanned(market, undefined);
    expect(workQueue.waiting.due(unixMs(5_001))).toHaveLength(0);
    for (const market of markets) workQueue.forget(market);
    expect(workQueue.waiting.size).toBe(0);
  });
});
