import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rowOf as earnedBy, type SweepRow, sweep, type Try } from '../../../src/app/sweep.ts';
import {
  gridPoints,
  type Point,
  parseRange,
  pointText,
  type Range,
  randomPoints,
  warningsOf,
} from '../../../src/backtest/sweep.ts';
import { sweepPage } from '../../../src/backtest/sweep-page.ts';
import { tpeRound } from '../../../src/backtest/tpe.ts';
import { walkForward } from '../../../src/backtest/walk-forward.ts';
import { flagParam, numberParam, wholeParam, wordParam } from '../../../src/strategy/params.ts';

/** What the ranges below are of: `levels` and `count` take whole numbers alone. */
const PARAMS = {
  ...Object.fromEntries(
    ['a', 'b', 'x', 'leanPart', 'p0', 'p1', 'p2', 'p3', 'p4', 'p5'].map((name) => [
      name,
      numberParam({ doc: name, unit: 'parts', default: 0, min: -9, max: 9 }),
    ]),
  ),
  levels: wholeParam({ doc: 'levels', unit: 'quotes', default: 1, min: 1, max: 50 }),
  count: wholeParam({ doc: 'count', unit: 'quotes', default: 1, min: 1, max: 5000 }),
  kind: wordParam({ doc: 'kind', default: 'near', words: ['near', 'far', '<b>'] }),
  isFast: flagParam({ doc: 'isFast', default: false }),
};
const parsed = (text: string): Range => parseRange(text, PARAMS);

const folder = mkdtempSync(join(tmpdir(), 'bookend-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every set that a sweep of this kind tries where results are what `worth` says. */
function tpeTried(
  ranges: readonly Range[],
  count: number,
  seed: number,
  worth: (point: Point) => number,
): readonly Point[] {
  const done: { point: Point; usdcPerHour: number; error: undefined }[] = [];
  for (let round = tpeRound(ranges, count, seed, done); round.length > 0; ) {
    done.push(...round.map((point) => ({ point, usdcPerHour: worth(point), error: undefined })));
    round = tpeRound(ranges, count, seed, done);
  }
  return done.map(({ point }) => point);
}

describe('the range of a parameter', () => {
  it('is a list of values or a span', () => {
    expect(parsed('levels=1,2,3')).toEqual({ kind: 'list', name: 'levels', values: [1, 2, 3] });
    expect(parsed('kind=near,far')).toMatchObject({ values: ['near', 'far'] });
    expect(parsed('leanPart=0.2..1')).toEqual({
      kind: 'span',
      name: 'leanPart',
      from: 0.2,
      to: 1,
      isWhole: false,
    });
    expect(parsed('levels=1..3')).toMatchObject({ kind: 'span', isWhole: true });
  });

  it.each(['levels', '=1', 'levels=', 'x=2..1', 'x=..1', 'x=a..b'])('is refused: %s', (text) => {
    expect(() => parsed(text)).toThrow(/--range/);
  });

  it.each([
    ['levles=1,2', /--range levles=1,2: the strategy has no such parameter; known are .*levels/],
    ['levels=0..3', /--range levels=0\.\.3: must be a whole number of quotes from 1 to 50, not 0/],
    ['levels=1..2.5', /--range levels=1\.\.2\.5: must be a whole number of quotes/],
    ['levels=1,1.5', /not 1\.5/],
    ['x=0..10', /--range x=0\.\.10: must be a number of parts from -9 to 9, not 10/],
    ['isFast=maybe', /must be true or false/],
  ])(
    'is refused before anything is tried where the strategy would refuse a value: %s',
    (text, said) => {
      expect(() => parsed(text)).toThrow(said);
    },
  );
});

describe('the points of a sweep', () => {
  const ranges = [parsed('a=1,2'), parsed('b=0..1')];

  it('are every combination, a span with five values', () => {
    const points = gridPoints(ranges);
    expect(points).toHaveLength(10);
    expect(points[0]).toEqual({ a: 1, b: 0 });
    expect(points.at(-1)).toEqual({ a: 2, b: 1 });
  });

  it('are whole numbers where the parameter takes no others, each one once', () => {
    const valuesOf = (text: string) =>
      gridPoints([parsed(text)]).map((point) => Object.values(point)[0]);
    expect(valuesOf('levels=1..3')).toEqual([1, 2, 3]);
    expect(valuesOf('levels=1..10')).toEqual([1, 3, 6, 8, 10]);
    const whole = [parsed('levels=1..3'), parsed('count=1..4000')];
    const drawn = randomPoints(whole, 200, 7);
    const tried = tpeTried(
      whole,
      60,
      3,
      ({ levels, count }) => Number(levels) - Number(count) / 1000,
    );
    for (const { levels, count } of [...drawn, ...tried]) {
      expect([1, 2, 3]).toContain(levels);
      expect(Number.isSafeInteger(count) && Number(count) >= 1 && Number(count) <= 4000).toBe(true);
    }
    expect(new Set(drawn.map(({ levels }) => levels))).toEqual(new Set([1, 2, 3]));
  });

  it('are drawn once each, fewer where the ranges have no more', () => {
    const few = randomPoints([parsed('levels=1..3'), parsed('isFast=true,false')], 50, 1);
    expect(few).toHaveLength(6);
    expect(new Set(few.map(pointText)).size).toBe(6);
  });

  it('stay inside a span that is narrower than their digits', () => {
    const points = randomPoints([parsed('a=0.20004..0.20006')], 20, 1);
    expect(points.every(({ a }) => Number(a) >= 0.20004 && Number(a) <= 0.20006)).toBe(true);
  });

  it('are refused where a grid has no end', () => {
    const many = Array.from({ length: 6 }, (_, index) => parsed(`p${index}=0..1`));
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
  const ranges = [parsed('a=0..1'), parsed('b=-5..5'), parsed('kind=near,far')];
  /** Best at a = 0.7, b = -2, near. */
  const worth = ({ a, b, kind }: Point) =>
    -(((Number(a) - 0.7) * 10) ** 2) - (Number(b) + 2) ** 2 - (kind === 'near' ? 0 : 5);

  const tried = (count: number, seed: number) => tpeTried(ranges, count, seed, worth);

  const bestOf = (points: readonly Point[]) => Math.max(...points.map(worth));

  it('come nearer to the best than as many that are drawn', () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const better = seeds.filter((seed) => {
      const found = bestOf(tried(60, seed));
      return found > bestOf(randomPoints(ranges, 60, seed));
    });
    expect(better.length).toBeGreaterThanOrEqual(16);
  });

  it('are as many as were asked for, inside their ranges, none twice, the same by the same seed', () => {
    const points = tried(37, 3);
    expect(new Set(points.map(pointText)).size).toBe(37);
    expect(points).toEqual(tried(37, 3));
    for (const { a, b } of points) {
      expect(Number(a) >= 0 && Number(a) <= 1).toBe(true);
      expect(Number(b) >= -5 && Number(b) <= 5).toBe(true);
    }
  });

  it('end where a range of names has no other set', () => {
    const few = [parsed('kind=near,far'), parsed('isFast=true,false')];
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
    const ranges = [parsed('a=0..1'), parsed('kind=near,<b>')];
    const scored = (a: number, kind: string, usdcPerHour: number) => ({
      ...{ point: { a, kind }, usdcPerHour, error: 1 },
    });
    const few = [scored(1, 'near', 30), scored(0.95, 'near', 20), scored(0, '<b>', -5)];
    // So many values that those of a part of the span share a cell: 0.5 and 0.6, as 0.95 and 1.
    const drawn = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    const ranked = [...few, ...drawn.map((a) => scored(a, 'near', 0))];
    const step = { recording: 'a<i>', point: { a: 1 }, before: 3, after: 2, base: -1 };
    const walk = { steps: [step], gain: 3, error: undefined };
    const html = await sweepPage({ title: '--world calm', ranges, ranked, walk });
    expect(html).toContain('a to the right, kind down');
    // The mean of the two sets of the last cell, and the one of the first.
    expect(html.match(/<rect/g)).toHaveLength(4 + 7);
    expect(html).not.toContain('>0.95</text>');
    expect(html).toMatch(/>25\.00<\/text>/);
    expect(html).toMatch(/>-5\.00<\/text>/);
    expect(html).toContain('3.00 USDC an hour more than the default');
    expect(html).not.toMatch(/<b>|<i>/);
    // Each value of a grid has a column of its own.
    const grid = await sweepPage({ title: '--world calm', ranges, ranked: few, walk });
    expect(grid.match(/<rect/g)).toHaveLength(3 + 2);
    expect(grid).toContain('>0.95</text>');
  });
});

describe('what a sweep says of its best', () => {
  const scored = (point: Point, usdcPerHour: number, error: number) => ({
    point,
    usdcPerHour,
    error,
  });
  const range = [parsed('b=0..1')];

  it('warns near the edge of a span, which a drawn value seldom meets, and at that of a list of three', () => {
    const base = scored({}, 10, 2);
    const said = (text: string, point: Point) =>
      warningsOf(scored(point, 30, 2), base, [parsed(text)]).length;
    expect(said('b=0..1', { b: 0.02 })).toBe(1);
    expect(said('b=0..1', { b: 0.97 })).toBe(1);
    expect(said('b=0..1', { b: 0.9 })).toBe(0);
    expect(said('count=1..4000', { count: 2 })).toBe(0);
    expect(said('levels=1..3', { levels: 3 })).toBe(1);
    expect(said('levels=1,2,3', { levels: 1 })).toBe(1);
    expect(said('levels=1,2', { levels: 1 })).toBe(0);
  });

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
  const points = [{}, ...gridPoints([parsed('b=0..1')])];
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
    const again = await run(file, () => Promise.reject(new Error('tried a third time')));
    expect(again).toHaveLength(points.length);
  });

  it('begins in a file that is empty, and knows no more of a recording of one moment than that nothing was earned', async () => {
    const file = join(folder, 'empty.jsonl');
    writeFileSync(file, '');
    const total = { pnlUsdc: 0, fills: 0, inventoryRmsShares: 0, drawdownUsdc: 0 };
    const runs = [{ group: 'one', fromMs: 5, toMs: 5, total }];
    const rows = await run(file, (point) => Promise.resolve(earnedBy(point, runs)));
    expect(rows.map(({ usdcPerHour, byWorld }) => [usdcPerHour, byWorld['one']])).toEqual(
      points.map(() => [0, 0]),
    );
  });

  it('refuses the file of another sweep', async () => {
    const file = join(folder, 'other.jsonl');
    await run(file, (point) => Promise.resolve(rowOf(point)));
    await expect(run(file, (point) => Promise.resolve(rowOf(point)), 'another')).rejects.toThrow(
      /holds another sweep/,
    );
  });
});
