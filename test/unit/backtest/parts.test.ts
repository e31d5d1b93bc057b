import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BookChannel } from '../../../src/backtest/book-channel.ts';
import { pairedDifference, profitPerHour } from '../../../src/backtest/compare.ts';
import { type Fill, inCents, profitOf } from '../../../src/backtest/fills.ts';
import { Lane } from '../../../src/backtest/lane.ts';
import { parseLatencyFile } from '../../../src/backtest/latency-file.ts';
import { backtestPage } from '../../../src/backtest/page.ts';
import { pathOf } from '../../../src/backtest/page-bands.ts';
import type { RunResult } from '../../../src/backtest/result.ts';
import { Series } from '../../../src/backtest/series.ts';
import { Tally } from '../../../src/backtest/tally.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { marketId } from '../../../src/domain/ids.ts';
import { MICRO_SHARES_MAX, microShares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { listedEvent } from '../../support/listed-event.ts';
import { realDesk } from '../../support/real-desk.ts';
import { runIn, synthetic } from './support.ts';

describe('parts of a profit in whole cents', () => {
  it('add up to it as it is printed, where each rounded alone would be a cent off', () => {
    const exact = [24.6448, -0.4352, 1.0648, 1.9248, -3.1048];
    expect(inCents(exact)).toEqual([24.65, -0.44, 1.06, 1.92, -3.1]);
    expect(exact.reduce((sum, each) => sum + each, 0).toFixed(2)).toBe('24.09');
  });

  it('are each within a cent, and nothing where there was nothing', () => {
    const micro = fc.integer({ min: -1e9, max: 1e9 }).map((each) => each / 1e6);
    fc.assert(
      fc.property(fc.array(fc.oneof(micro, fc.constant(0)), { maxLength: 7 }), (parts) => {
        const shown = inCents(parts);
        const total = parts.reduce((sum, each) => sum + each, 0);
        const cents = shown.reduce((sum, each) => sum + Math.round(100 * each), 0);
        expect(Math.abs(cents - 100 * total)).toBeLessThan(0.51);
        for (const [at, part] of parts.entries()) {
          expect(Math.abs((shown[at] ?? Number.NaN) - part)).toBeLessThan(0.010_001);
          if (part === 0) expect(shown[at]).toBe(0);
        }
      }),
    );
  });
});

describe('a lane', () => {
  it('delivers in order, each after its delay, and lets nothing overtake', () => {
    const clock = new VirtualClock();
    const delays = [50, 10, 10, 100];
    const arrived: [number, string][] = [];
    const lane = new Lane<string>(
      clock,
      () => delays.shift() ?? 0,
      (items) => arrived.push(...items.map((item): [number, string] => [clock.nowMs(), item])),
    );
    lane.push('a');
    lane.push('b');
    clock.advance(45);
    lane.push('c');
    lane.push('d');
    clock.advance(200);
    expect(arrived).toEqual([
      [50, 'a'],
      [50, 'b'],
      [55, 'c'],
      [145, 'd'],
    ]);
  });

  it('takes what is pushed while it delivers', () => {
    const clock = new VirtualClock();
    const arrived: string[] = [];
    const lane = new Lane<string>(
      clock,
      () => 0,
      (items) => {
        arrived.push(...items);
        if (items.includes('first')) lane.push('second');
      },
    );
    lane.push('first');
    clock.advance(1);
    expect(arrived).toEqual(['first', 'second']);
  });
});

describe('the books of a backtest', () => {
  it('show no more of a level than a quantity can be, where own orders join the largest there is', () => {
    const event = listedEvent('rain');
    const { exchange, desk } = realDesk(new VirtualClock(), [event]);
    const token = event.markets[0]?.yes.tokenId ?? expect.unreachable();
    const price = ticks(event.grid, 1);
    const sizes: (number | undefined)[] = [];
    const channel = new BookChannel(exchange, (message) => {
      if (message.kind === 'bookSnapshot') sizes.push(message.bids[0]?.size);
    });
    desk.fund('maker', usdc(1_000));
    desk.setRecordedLevel(token, 'bid', price, microShares(MICRO_SHARES_MAX));
    const order = { tokenId: token, side: 'BUY', price, quantity: microShares(200e6) } as const;
    expect(desk.place('maker', { ...order, timeInForce: 'GTC' }).kind).toBe('accepted');
    channel.subscribe([token], 50);
    expect(sizes).toEqual([MICRO_SHARES_MAX]);
  });
});

describe('a file of measured delays', () => {
  it('has its columns in any order', () => {
    expect(parseLatencyFile('f.csv', 'responseMs,feedMs,entryMs\n3,1,2\n\n6,4,5.5\n')).toEqual({
      kind: 'measured',
      from: 'f.csv',
      samples: [
        { feedMs: 1, entryMs: 2, responseMs: 3 },
        { feedMs: 4, entryMs: 5.5, responseMs: 6 },
      ],
    });
  });

  it.each([
    ['feedMs,entryMs\n1,2', /line 1: must name the columns feedMs, entryMs, responseMs/],
    [
      'feedMs,entryMs,responseMs\n1,2,3\n1,,3',
      /line 3: must be milliseconds from 0 to 60000, not /,
    ],
    ['feedMs,entryMs,responseMs\n1,-2,3', /line 2: .* not -2/],
    ['feedMs,entryMs,responseMs\n', /has no measurement/],
  ])('is refused with its place: %j', (text, message) => {
    expect(() => parseLatencyFile('f.csv', text)).toThrow(message);
  });

  it('gives a run its delays', async () => {
    const samples = [{ feedMs: 5, entryMs: 5, responseMs: 5 }];
    const latency = { kind: 'measured', from: 'f.csv', samples } as const;
    const drawn = await runIn(synthetic('calm', 0.02), { conditions: { latency } });
    const constant = { kind: 'constant', feedMs: 5, entryMs: 5, responseMs: 5 } as const;
    const stated = await runIn(synthetic('calm', 0.02), { conditions: { latency: constant } });
    expect(drawn.digest).toBe(stated.digest);
    expect(drawn.conditions).toContain('latency drawn from 1 measurements in f.csv');
  });
});

describe('points of a chart', () => {
  it('stay bounded and evenly spread', () => {
    const series = new Series<number>();
    for (let at = 0; at < 100_000; at += 1) series.add(() => at);
    const points = series.all();
    const gaps = new Set(points.slice(1).map((at, index) => at - (points[index] ?? 0)));
    expect(points.length).toBeLessThan(4_000);
    expect(points.length).toBeGreaterThan(1_500);
    expect([...gaps]).toHaveLength(1);
  });

  it('are none where nobody will see them', () => {
    const series = new Series<number>(0);
    for (let at = 0; at < 10; at += 1) series.add(() => at);
    expect(series.all()).toEqual([]);
  });
});

function fill(more: Partial<Fill> = {}): Fill {
  return {
    marketId: marketId('m'),
    atMs: unixMs(1),
    sign: 1,
    quantityMicro: 10_000_000,
    price: 80,
    feeUsdc: 0.5,
    isTaker: false,
    aheadMicro: 20_000_000,
    middle: 84,
    later: [86, 82, 90],
    isSettled: true,
    ...more,
  };
}

describe('the sums of fills', () => {
  it('say where the profit came from, at any worth of the end', () => {
    const tally = new Tally(200);
    tally.add(fill());
    tally.add(fill({ sign: -1, price: 88, isTaker: true, aheadMicro: undefined }));
    // 10 shares bought at 0.40 and sold at 0.44, the middle at 0.42: 0.02 each time.
    expect(tally.parts(200).spread).toBeCloseTo(0.4, 12);
    expect(profitOf(tally.parts(200))).toBeCloseTo(10 * (0.44 - 0.4) - 1, 12);
    expect(profitOf(tally.parts(0))).toBeCloseTo(profitOf(tally.parts(200)), 12);
    expect(tally.markouts.markouts(200)).toEqual([
      { sec: 1, bid: 0.03, ask: 0.01 },
      { sec: 10, bid: 0.01, ask: 0.03 },
      { sec: 60, bid: 0.05, ask: -0.01 },
    ]);
    expect(tally.markouts.queueRows(200)).toEqual([
      { ahead: 'up to 50', fills: 1, shares: 10, markoutUsdc: 0.01 },
    ]);
  });

  it('make a curve of each side and of each place in the queue, from the fill on', () => {
    const tally = new Tally(200);
    tally.add(fill());
    tally.add(fill({ aheadMicro: 0, later: [80, 80, 80] }));
    tally.add(fill({ sign: -1, price: 88, isTaker: true, aheadMicro: undefined, later: [86] }));
    expect(tally.with([], undefined).markouts.curves(200)).toEqual([
      { name: 'bids', usdc: [0.02, 0.015, 0.005, 0.025] },
      { name: 'asks', usdc: [0.02, 0.01, undefined, undefined] },
      { name: 'ahead: none', usdc: [0.02, 0, 0, 0] },
      { name: 'ahead: up to 50', usdc: [0.02, 0.03, 0.01, 0.05] },
    ]);
  });

  it('look at the last middle where the end came first, and count no markout there', () => {
    const tally = new Tally(200);
    tally.add(fill({ later: [86] }), 90);
    expect(tally.parts(200).adverse).toEqual([0.1, 0.2, 0]);
    expect(tally.parts(200).inventory).toBeCloseTo(5.5, 12);
    expect(tally.markouts.markouts(200).map(({ bid }) => bid)).toEqual([
      0.03,
      undefined,
      undefined,
    ]);
  });

  it('stay as small as they are, however many fills there were', () => {
    const tally = new Tally(200);
    for (let count = 0; count < 100_000; count += 1) tally.add(fill({ atMs: unixMs(count) }));
    expect(tally.fills).toBe(100_000);
    expect(tally.makerMicro).toBe(1e12);
    expect(tally.shown.all().length).toBeLessThan(4_000);
    expect(profitOf(tally.parts(100))).toBeCloseTo(100_000 * (10 * 0.1 - 0.5), 3);
  });
});

/** Runs whose profit grows by this much in each of their blocks of ten minutes. */
function grown(world: string, steps: readonly number[]): RunResult {
  let pnlUsdc = 0;
  const points = steps.map((step, index) => {
    pnlUsdc += step;
    return { atMs: (index + 1) * 600_000, pnlUsdc };
  });
  const total = { pnlUsdc };
  const toMs = steps.length * 600_000;
  const markets = [{ points }];
  return { world, conditions: 'same', fromMs: 0, toMs, total, markets } as unknown as RunResult;
}

describe('a comparison', () => {
  it('is by the hour, with the error of its mean over seeds', () => {
    const runs = [grown('a', [1, 1, 1]), grown('b', [3, 3, 3])];
    expect(profitPerHour(runs).mean).toBe(12);
    expect(profitPerHour(runs).error).toBeCloseTo(6, 9);
    expect(profitPerHour(runs.slice(0, 1))).toEqual({ mean: 6, error: undefined });
  });

  it('pairs the same worlds, so that what both met costs no certainty', () => {
    const luck = [5, -7, 11, -2, 3, 8, -9, 4];
    const base = ['a', 'b'].map((name) => grown(name, luck));
    const better = ['a', 'b'].map((name) =>
      grown(
        name,
        luck.map((step) => step + 0.5),
      ),
    );
    const found = pairedDifference(better, base);
    expect(found?.mean).toBeCloseTo(3, 9);
    expect(found?.error).toBeCloseTo(0, 9);
    expect(pairedDifference([grown('c', luck)], base)).toBeUndefined();
  });

  it('has an error as large as blocks differ', () => {
    const base = [grown('a', new Array<number>(100).fill(0))];
    const steps = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 1 : -1));
    const found = pairedDifference([grown('a', steps)], base);
    expect(found?.mean).toBeCloseTo(0, 9);
    // A tenth of the deviation of one block, six blocks an hour.
    expect(found?.error).toBeGreaterThan(0.5);
    expect(found?.error).toBeLessThan(0.7);
  });
});

describe('profit as it went on', () => {
  it('is the mean of all runs, with the error of that mean, whatever the length of each', () => {
    const path = pathOf([grown('a', [0, 1, 1, 1]), grown('b', [0, 0, 3, 0, 3, 0, 3, 0])]);
    expect(path[0]).toEqual({ mean: 0, error: 0 });
    expect(path[Math.floor(path.length / 2)]).toEqual({ mean: 2, error: 1 });
    expect(path.at(-1)).toEqual({ mean: 6, error: 3 });
  });
});

describe('the page of a backtest', () => {
  it('holds everything it needs, and no text as markup', async () => {
    const run = await runIn(synthetic('calm', 0.05));
    const hostile = '</script><img src=x onerror=alert(1)>';
    const markets = run.markets.map((market) => ({ ...market, title: hostile }));
    const page = await backtestPage([{ name: hostile, result: { ...run, markets } }]);
    expect(page).not.toContain(hostile);
    expect(page).not.toMatch(/(?:src|href)="?https?:/);
    expect(page).toContain('&lt;/script&gt;&lt;img src=x');
    expect(page).toContain(run.digest);
    expect(page).not.toContain('Compared');
  });

  it('names version and parameters, and compares runs of one world with errors', async () => {
    const run = await runIn(synthetic('calm', 0.05));
    const other = { ...run, total: { ...run.total, pnlUsdc: run.total.pnlUsdc + 1 } };
    const of = { world: 'calm<i>', strategy: 'ladder<b>' };
    const named = (result: typeof run) => ({ name: 'run', result, of });
    const page = await backtestPage([named(run), named(other)], { version: '9.8.7' });
    expect(page).toContain('bookend 9.8.7');
    expect(page).toMatch(/ladder: .*size=\d+/);
    const perHour = (run.total.pnlUsdc + 0.5) / 0.05;
    expect(page).toContain(`${perHour.toFixed(2)} ± 10.00`);
    expect(page.match(/<polygon/g)).toHaveLength(1);
    expect(page).not.toMatch(/<[ib]>/);
  });
});
