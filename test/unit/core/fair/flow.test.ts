import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowLead } from '../../../../src/core/fair/estimator.ts';
import { type UnixMs, unixMs } from '../../../../src/domain/time.ts';

const SECOND = 1_000;

/** A market of so many seconds: takers now and then, and books that go `gain` their way five seconds later. */
function market(gain: number, seconds: number, takerOf: (second: number) => number) {
  const flow = new FlowLead();
  let logOdds = 0;
  const due: number[] = [];
  let nowMs: UnixMs = unixMs(0);
  for (let second = 0; second < seconds; second += 1) {
    nowMs = unixMs(second * SECOND);
    logOdds += gain * (due[second] ?? 0);
    const taker = takerOf(second);
    due[second + 5] = taker;
    if (taker !== 0) flow.add(taker, nowMs);
    flow.learn(logOdds, nowMs);
  }
  return { flow, nowMs };
}

/** Every twenty seconds somebody, now one side and now the other, in no order that repeats soon. */
const now = (second: number): number => (second % 20 === 0 ? (second % 140 < 60 ? 1 : -1) : 0);

describe('the lead of takers', () => {
  it('is nothing before anything was learnt', () => {
    const flow = new FlowLead();
    flow.add(1, unixMs(0));
    expect(flow.leadAt(unixMs(0))).toBe(0);
    expect(flow.perTaker).toBe(0);
  });

  it('is learnt where the books follow them, and goes their way', () => {
    const { flow, nowMs } = market(0.05, 3_600, now);
    expect(flow.perTaker).toBeGreaterThan(0.02);
    expect(flow.perTaker).toBeLessThan(0.08);
    flow.add(1, nowMs);
    const bought = flow.leadAt(nowMs);
    flow.add(-2, nowMs);
    expect(bought).toBeGreaterThan(0.01);
    expect(flow.leadAt(nowMs)).toBeLessThan(0);
  });

  it('stays at nothing where they say nothing', () => {
    const { flow } = market(0, 3_600, now);
    expect(flow.perTaker).toBe(0);
  });

  it('takes a flow that goes the other way for a lead the other way, and for no edge', () => {
    const { flow, nowMs } = market(-0.05, 3_600, now);
    flow.add(1, nowMs);
    expect(flow.leadAt(nowMs)).toBeLessThan(0);
    expect(flow.perTaker).toBe(0);
  });

  it('learns nothing of what books did while the host slept', () => {
    const { flow, nowMs } = market(0, 600, () => 1);
    flow.learn(1, unixMs(nowMs + 7_200_000));
    expect(flow.perTaker).toBe(0);
  });

  it('fades with the trades it comes from', () => {
    const { flow, nowMs } = market(0.05, 3_600, now);
    flow.add(1, nowMs);
    const first = flow.leadAt(nowMs);
    expect(flow.leadAt(unixMs(nowMs + 8 * SECOND))).toBeCloseTo(first / 2, 9);
    expect(Math.abs(flow.leadAt(unixMs(nowMs + 600 * SECOND)))).toBeLessThan(1e-12);
  });

  it('is never more than a fifth in log-odds, whatever the market did', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: -1, max: 1 }), fc.double({ min: -8, max: 8, noNaN: true })),
      {
        minLength: 1,
        maxLength: 300,
      },
    );
    fc.assert(
      fc.property(steps, (taken) => {
        const flow = new FlowLead();
        taken.forEach(([taker, logOdds], second) => {
          const nowMs = unixMs(second * SECOND);
          if (taker !== 0) flow.add(taker, nowMs);
          flow.learn(logOdds, nowMs);
          expect(Math.abs(flow.leadAt(nowMs))).toBeLessThanOrEqual(0.2);
        });
      }),
    );
  });
});
