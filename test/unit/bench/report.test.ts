import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptOf, recordsText } from '../../bench/rig/records.ts';
import { gateOf, verdictOf } from '../../bench/rig/report.ts';
import { ROOT } from '../../support/processes.ts';

const of = (value: number, aimMax?: number) =>
  aimMax === undefined ? { name: 'some', value } : { name: 'some', value, aimMax };

describe('a figure of the benchmark', () => {
  it('has regressed when it is worse than its record by a tenth and the noise of that', () => {
    const kept = { value: 2, noise: 0.15 };
    expect(gateOf(kept)).toBeCloseTo(2.5);
    expect([verdictOf(of(2.49), kept), verdictOf(of(2.51), kept)]).toEqual(['ok', 'REGRESSED']);
    expect(verdictOf(of(0), { value: 0, noise: 0 })).toBe('ok');
    expect(verdictOf(of(1), { value: 0, noise: 0 })).toBe('REGRESSED');
  });

  it('has missed its aim, and no more, when it is as good as its record', () => {
    expect(verdictOf(of(3, 1.5), { value: 3, noise: 0 })).toBe('MISSED');
    expect(verdictOf(of(3.4, 1.5), { value: 3, noise: 0 })).toBe('REGRESSED');
    expect(verdictOf(of(1.5, 1.5), { value: 3, noise: 0 })).toBe('ok');
  });

  it('cannot have regressed where this kind of machine has no record', () => {
    expect([verdictOf(of(9), undefined), verdictOf(of(9, 1), undefined)]).toEqual(['ok', 'MISSED']);
  });

  it('has regressed when it is no number: nothing was measured', () => {
    expect(verdictOf(of(Number.NaN), undefined)).toBe('REGRESSED');
    expect(verdictOf(of(Number.POSITIVE_INFINITY), undefined)).toBe('REGRESSED');
  });
});

describe('the record of a figure', () => {
  it('is the mean of two runs of one program, with what they differ by', () => {
    expect(keptOf(0.9, 1.1)).toEqual({ value: 1, noise: 0.2 });
    expect(keptOf(0, 0)).toEqual({ value: 0, noise: 0 });
    expect(keptOf(1, Number.NaN)).toBeUndefined();
  });
});

it('a record is written as the formatter has it, one figure a line', () => {
  const text = readFileSync(join(ROOT, 'test/bench/recorded.json'), 'utf8');
  expect(text).toMatch(/^ {4}"path\.p50": \[[\d.]+, [\d.]+\],$/m);
  expect(recordsText(JSON.parse(text))).toBe(text);
});
