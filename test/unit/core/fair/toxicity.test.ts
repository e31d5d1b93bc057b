import { describe, expect, it } from 'vitest';
import { ToxicityMeter } from '../../../../src/core/fair/trades.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const MINUTE = 60_000;
const TICK = 0.01;

/** So many fills of a bid at 0.5, a second apart, and a fair value that stands `lost` below it a minute after. */
function meterWith(fills: number, { lost = 0.15, shares = 1 } = {}) {
  const meter = new ToxicityMeter();
  for (let at = 0; at < fills; at += 1) {
    meter.onFill({ side: 'bid', price: 0.5, shares, atMs: unixMs(at * 1_000) });
  }
  for (let at = 0; at < 2 * MINUTE; at += 1_000) {
    meter.measure({ fairPrice: 0.5 - lost, nowMs: unixMs(at) }, TICK);
  }
  const lossAt = (nowMs: number) => meter.view(unixMs(nowMs), 0.5).markout60sUsdc;
  return { meter, lossAt };
}

describe('what own fills say of takers', () => {
  it('is nothing until five are measured, however much the first ones lost', () => {
    expect(meterWith(1).lossAt(2 * MINUTE)).toBeUndefined();
    expect(meterWith(4, { shares: 1_000 }).lossAt(2 * MINUTE)).toBeUndefined();
    expect(meterWith(4).meter.view(unixMs(2 * MINUTE), 0.5).informedShare).toBeUndefined();
    expect(meterWith(5).lossAt(2 * MINUTE)).toBeDefined();
  });

  it('is drawn to nothing by a hundred shares: five single shares weigh little, many weigh in full', () => {
    expect(meterWith(5).lossAt(2 * MINUTE)).toBeCloseTo((-0.15 * 5) / 105, 3);
    expect(meterWith(50, { shares: 200 }).lossAt(2 * MINUTE)).toBeCloseTo(-0.15, 2);
  });

  it('fades while nothing is filled, and is nothing again when what it rests on is long ago', () => {
    const { meter, lossAt } = meterWith(20, { shares: 10 });
    const early = lossAt(2 * MINUTE) ?? 0;
    const later = lossAt(60 * MINUTE) ?? 0;
    expect(early).toBeLessThan(-0.05);
    expect(later).toBeGreaterThan(0.7 * early);
    expect(later).toBeLessThan(0);
    expect(lossAt(180 * MINUTE)).toBeUndefined();
    expect(meter.view(unixMs(180 * MINUTE), 0.5).informedShare).toBeUndefined();
    expect(meter.view(unixMs(32 * MINUTE), 0.5).fills).toBeCloseTo(10, 0);
  });

  it('is shown to people as it was, without a prior', () => {
    const { after10sUsdc, after60sUsdc } = meterWith(1).meter.means();
    expect(after10sUsdc).toBeCloseTo(-0.15, 9);
    expect(after60sUsdc).toBeCloseTo(-0.15, 9);
    expect(new ToxicityMeter().means()).toEqual({
      after10sUsdc: undefined,
      after60sUsdc: undefined,
    });
  });
});
