import { describe, expect, it } from 'vitest';
import { isBehind, type Ratio } from '../../bench/rig/report.ts';

function ratio(value: number, margin: number): Ratio {
  return { name: 'some', value, margin };
}

describe('a ratio of the benchmark', () => {
  it('is behind when it is worse than the recorded one by more than its margin', () => {
    expect(isBehind(ratio(1.3, 0.4), 1)).toBe(false);
    expect(isBehind(ratio(1.41, 0.4), 1)).toBe(true);
    expect(isBehind(ratio(0, 0), 0)).toBe(false);
    expect(isBehind(ratio(1, 0), 0)).toBe(true);
  });

  it('is not when it was never recorded', () => {
    expect(isBehind(ratio(9, 0.4), undefined)).toBe(false);
  });

  it('is behind when it is no number: nothing was measured', () => {
    expect(isBehind(ratio(Number.NaN, 0.4), 1)).toBe(true);
    expect(isBehind(ratio(Number.POSITIVE_INFINITY, 0.4), undefined)).toBe(true);
  });
});
