import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type SweepRow, sweep, type Try } from '../../../src/app/sweep.ts';
import {
  gridPoints,
  type Point,
  parseRange,
  pointText,
  randomPoints,
  warningsOf,
} from '../../../src/backtest/sweep.ts';

const folder = mkdtempSync(join(tmpdir(), 'bookend-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the range of a parameter', () => {
  it('is a list of values or a span', () => {
    expect(parseRange('levels=1,2,3')).toEqual({ kind: 'list', name: 'levels', values: [1, 2, 3] });
    expect(parseRange('policy=value,distance')).toMatchObject({ values: ['value', 'distance'] });
    expect(parseRange('leanPart=0.2..1')).toEqual({
      kind: 'span',
      name: 'leanPart',
      from: 0.2,
      to: 1,
    });
  });

  it.each(['levels', '=1', 'levels=', 'x=2..1', 'x=..1', 'x=a..b'])('is refused: %s', (text) => {
    expect(() => parseRange(text)).toThrow(/--range/);
  });
});

describe('the points of a sweep', () => {
  const ranges = [parseRange('a=1,2'), parseRange('b=0..1')];

  it('are every combination, a span with five values', () => {
    const points = gridPoints(ranges);
    expect(points).toHaveLength(10);
    expect(points[0]).toEqual({ a: 1, b: 0 });
    expect(points.at(-1)).toEqual({ a: 2, b: 1 });
  });

  it('are refused where a grid has no end', () => {
    const many = Array.from({ length: 6 }, (_, index) => parseRange(`p${index}=0..1`));
    expect(() => gridPoints(many)).toThrow(/more than 10000 points; --random draws/);
  });

  it('are drawn inside their ranges, the same ones by the same seed', () => {
    const points = randomPoints(ranges, 50, 7);
    expect(points).toEqual(randomPoints(ranges, 50, 7));
    expect(
      points.every(({ a, b }) => [1, 2].includes(Number(a)) && Number(b) >= 0 && Number(b) <= 1),
    ).toBe(true);
  });
});

describe('what a sweep says of its best', () => {
  const scored = (point: Point, usdcPerHour: number, error: number) => ({
    point,
    usdcPerHour,
    error,
  });
  const range = [parseRange('b=0..1')];

  it('warns at the edge of a range, and where chance may be all of it', () => {
    const base = scored({}, 10, 2);
    expect(warningsOf(scored({ b: 0.5 }, 30, 2), base, range)).toEqual([]);
    expect(warningsOf(scored({ b: 1 }, 30, 2), base, range)).toEqual([
      'the best b, 1, is at the edge of its range: a wider one may be better',
    ]);
    expect(warningsOf(scored({ b: 0.5 }, 13, 2), base, range)[0]).toMatch(
      /3.00 USDC an hour above/,
    );
  });
});

function rowOf(point: Point): SweepRow {
  const usdcPerHour = Number(point['b'] ?? 0);
  const figures = {
    fills: 1,
    inventoryRmsShares: 1,
    drawdownUsdc: 1,
    byWorld: { calm: usdcPerHour },
  };
  return { point, usdcPerHour, error: 1, ...figures };
}

describe('a sweep', () => {
  const points = [{}, ...gridPoints([parseRange('b=0..1')])];
  const run = async (file: string | undefined, trial: Try, title = 'same') =>
    await sweep({ points, trial, workers: 2, file, title, onRow: () => undefined });

  it('answers in the order of its points, whatever finishes first', async () => {
    const rows = await run(undefined, (point) => {
      const waitMs = point['b'] === 0 ? 30 : 1;
      return new Promise((resolve) => setTimeout(() => resolve(rowOf(point)), waitMs));
    });
    expect(rows.map(({ point }) => pointText(point))).toEqual(points.map(pointText));
  });

  it('goes on from its file, and tries a row again that was cut', async () => {
    const file = join(folder, 'kept.jsonl');
    await run(file, (point) => Promise.resolve(rowOf(point)));
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, -20));
    const tried: string[] = [];
    const rows = await run(file, (point) => {
      tried.push(pointText(point));
      return Promise.resolve(rowOf(point));
    });
    expect(tried).toHaveLength(1);
    expect(rows).toHaveLength(points.length);
  });

  it('refuses the file of another sweep', async () => {
    const file = join(folder, 'other.jsonl');
    await run(file, (point) => Promise.resolve(rowOf(point)));
    await expect(run(file, (point) => Promise.resolve(rowOf(point)), 'another')).rejects.toThrow(
      /holds another sweep/,
    );
  });
});
