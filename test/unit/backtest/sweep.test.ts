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
import { sweepPage } from '../../../src/backtest/sweep-page.ts';
import { tpeRound } from '../../../src/backtest/tpe.ts';
import { walkForward } from '../../../src/backtest/walk-forward.ts';

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

describe('sets that are tried where results were good', () => {
  const ranges = [parseRange('a=0..1'), parseRange('b=-5..5'), parseRange('kind=near,far')];
  /** Best at a = 0.7, b = -2, near. */
  const worth = ({ a, b, kind }: Point) =>
    -(((Number(a) - 0.7) * 10) ** 2) - (Number(b) + 2) ** 2 - (kind === 'near' ? 0 : 5);

  function tried(count: number, seed: number) {
    const done: { point: Point; usdcPerHour: number; error: undefined }[] = [];
    for (let round = tpeRound(ranges, count, seed, done); round.length > 0; ) {
      done.push(...round.map((point) => ({ point, usdcPerHour: worth(point), error: undefined })));
      round = tpeRound(ranges, count, seed, done);
    }
    return done;
  }

  const bestOf = (points: readonly Point[]) => Math.max(...points.map(worth));

  it('come nearer to the best than as many that are drawn', () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const better = seeds.filter((seed) => {
      const found = bestOf(tried(60, seed).map(({ point }) => point));
      return found > bestOf(randomPoints(ranges, 60, seed));
    });
    expect(better.length).toBeGreaterThanOrEqual(16);
  });

  it('are as many as were asked for, inside their ranges, none twice, the same by the same seed', () => {
    const points = tried(37, 3).map(({ point }) => point);
    expect(new Set(points.map(pointText)).size).toBe(37);
    expect(points).toEqual(tried(37, 3).map(({ point }) => point));
    for (const { a, b } of points) {
      expect(Number(a) >= 0 && Number(a) <= 1).toBe(true);
      expect(Number(b) >= -5 && Number(b) <= 5).toBe(true);
    }
  });

  it('end where a range of names has no other set', () => {
    const few = [parseRange('kind=near,far'), parseRange('isFast=true,false')];
    const done: { point: Point; usdcPerHour: number; error: undefined }[] = [];
    for (let round = tpeRound(few, 100, 1, done); round.length > 0; ) {
      done.push(...round.map((point) => ({ point, usdcPerHour: 0, error: undefined })));
      round = tpeRound(few, 100, 1, done);
    }
    expect(done.length).toBeLessThanOrEqual(4);
    expect(done.length).toBeGreaterThanOrEqual(3);
  });
});

describe('the best of what came before', () => {
  const row = (point: Point, ...earned: readonly number[]) => ({
    point,
    usdcPerHour: 0,
    error: undefined,
    byWorld: Object.fromEntries(earned.map((usdc, at) => [`day-${at}`, usdc])),
  });

  it('is tried on the next recording, and held against the default there', () => {
    const base = row({}, 1, 1, 1);
    const early = row({ b: 1 }, 9, 0, 0);
    const steady = row({ b: 2 }, 4, 6, 3);
    const walk = walkForward([base, early, steady], base, ['day-0', 'day-1', 'day-2']);
    expect(walk.steps).toEqual([
      { recording: 'day-1', point: { b: 1 }, before: 9, after: 0, base: 1 },
      { recording: 'day-2', point: { b: 2 }, before: 5, after: 3, base: 1 },
    ]);
    expect(walk).toMatchObject({ gain: 0.5, error: 1.5 });
  });

  it('is the default where no set earned more', () => {
    const base = row({}, 5, 5, 5);
    const walk = walkForward([base, row({ b: 1 }, 1, 9, 9)], base, ['day-0', 'day-1']);
    expect(walk).toMatchObject({ steps: [{ point: {}, after: 5 }], gain: 0, error: undefined });
  });
});

describe('the page of a sweep', () => {
  it('maps each pair of parameters, shows the walk, and lets no name out as HTML', async () => {
    const ranges = [parseRange('a=0..1'), parseRange('kind=near,<b>')];
    const scored = (a: number, kind: string, usdcPerHour: number) => ({
      ...{ point: { a, kind }, usdcPerHour, error: 1 },
    });
    const ranked = [scored(1, 'near', 30), scored(0.95, 'near', 20), scored(0, '<b>', -5)];
    const step = { recording: 'a<i>', point: { a: 1 }, before: 3, after: 2, base: -1 };
    const walk = { steps: [step], gain: 3, error: undefined };
    const html = await sweepPage({ title: '--world calm', ranges, ranked, walk });
    expect(html).toContain('a to the right, kind down');
    // The mean of the two sets of the last cell, and the one of the first.
    expect(html.match(/<rect/g)).toHaveLength(4);
    expect(html).toMatch(/>25\.00<\/text>/);
    expect(html).toMatch(/>-5\.00<\/text>/);
    expect(html).toContain('3.00 USDC an hour more than the default');
    expect(html).not.toMatch(/<b>|<i>/);
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
    expect(warningsOf(base, base, range)).toEqual(['no set earned more than the default']);
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
    await sweep({
      next: (done) => (done.length === 0 ? points : []),
      trial,
      workers: 2,
      file,
      title,
      onRow: () => undefined,
    });

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
