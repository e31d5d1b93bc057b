import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { Limiter, type LimiterOptions } from '../../../src/venue/http/limiter.ts';

// The machine's own clocks are replaced: p-queue reads them, and a second may pass in a moment.
beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

const OPTIONS: LimiterOptions = {
  cap: 5,
  windowMs: 1_000,
  concurrency: 100,
  waitMsMax: 60_000,
  queueMax: 1_000,
  timers: {
    after: (delayMs, task) => {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
  },
};

/** Makes a limiter and a task that notes when it starts, by steady time. */
function limited(over: Partial<LimiterOptions> = {}) {
  const limiter = new Limiter({ ...OPTIONS, ...over });
  const starts: number[] = [];
  const run = (lastsMs = 0, isUrgent = false) =>
    limiter.run(async () => {
      starts.push(performance.now());
      if (lastsMs > 0) await new Promise((resolve) => setTimeout(resolve, lastsMs));
      return starts.length;
    }, isUrgent);
  return { limiter, starts, run };
}

/** The most starts in any window that begins with a start. */
function busiest(starts: readonly number[], windowMs: number): number {
  const counts = starts.map(
    (from) => starts.filter((at) => at >= from && at < from + windowMs).length,
  );
  return Math.max(0, ...counts);
}

describe('the limiter', () => {
  it('never starts more than its cap in any window, whenever requests come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        async (gapsMs, cap) => {
          const { starts, run } = limited({ cap });
          const turns: Promise<unknown>[] = [];
          for (const gapMs of gapsMs) {
            await vi.advanceTimersByTimeAsync(gapMs);
            turns.push(run());
          }
          await vi.advanceTimersByTimeAsync(61_000);
          await Promise.all(turns);
          expect(starts).toHaveLength(gapsMs.length);
          expect(busiest(starts, OPTIONS.windowMs)).toBeLessThanOrEqual(cap);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('wastes nothing: a full window is followed by the next as soon as it may', async () => {
    const { starts, run } = limited();
    const turns = Array.from({ length: 15 }, () => run());
    await vi.advanceTimersByTimeAsync(2_100);
    await Promise.all(turns);
    expect(Math.max(...starts) - Math.min(...starts)).toBeLessThan(2_010);
  });

  it.each([
    ['ahead', 3_600_000],
    ['back', -3_600_000],
  ])('neither bursts nor blocks when the time of day is set %s', async (_name, stepMs) => {
    const { starts, run } = limited();
    const before = Array.from({ length: 5 }, () => run());
    await vi.advanceTimersByTimeAsync(10);
    vi.setSystemTime(Date.now() + stepMs);
    const after = Array.from({ length: 5 }, () => run());
    await vi.advanceTimersByTimeAsync(2_500);
    expect((await Promise.all([...before, ...after])).map(({ kind }) => kind)).toEqual(
      Array.from({ length: 10 }, () => 'ran'),
    );
    expect(busiest(starts, OPTIONS.windowMs)).toBe(5);
  });

  it('waits for the stricter of both clocks, and no longer than a turn may', async () => {
    const { starts, run } = limited({ waitMsMax: 400 });
    await Promise.all(Array.from({ length: 5 }, () => run()));
    await vi.advanceTimersByTimeAsync(1_000);
    // Too little to be noticed: by the time of day the window is full for as long again.
    vi.setSystemTime(Date.now() - 300);
    const patient = run();
    await vi.advanceTimersByTimeAsync(310);
    expect((await patient).kind).toBe('ran');
    expect((starts[5] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(1_300);
    await Promise.all(Array.from({ length: 4 }, () => run()));
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() - 450);
    const impatient = run();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await impatient).kind).toBe('notRun');
    expect(starts).toHaveLength(10);
    expect((await run()).kind).toBe('ran');
  });

  it('does not run a turn that would come too late', async () => {
    const { run } = limited({ waitMsMax: 300 });
    const turns = Array.from({ length: 6 }, () => run());
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await Promise.all(turns)).map(({ kind }) => kind)).toEqual([
      'ran',
      'ran',
      'ran',
      'ran',
      'ran',
      'notRun',
    ]);
  });

  it('takes no more into its queue than it may hold', async () => {
    const { run } = limited({ concurrency: 1, queueMax: 3 });
    const turns = Array.from({ length: 6 }, () => run(100));
    await vi.advanceTimersByTimeAsync(2_000);
    const outcomes = await Promise.all(turns);
    expect(outcomes.filter(({ kind }) => kind === 'ran')).toHaveLength(4);
    expect(outcomes.at(-1)).toEqual({ kind: 'notRun', detail: '3 requests already wait' });
  });

  it('lets an urgent turn go before others that wait', async () => {
    const { limiter } = limited();
    const order: string[] = [];
    const task = (name: string) => () => Promise.resolve(void order.push(name));
    const turns = Array.from({ length: 7 }, (_, index) => limiter.run(task(`read ${index}`)));
    turns.push(limiter.run(task('urgent'), true));
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all(turns);
    expect(order.indexOf('urgent')).toBe(5);
  });

  it('stays closed as long as the venue asked for, the longest request counting', async () => {
    const { limiter, starts, run } = limited();
    const closedAtMs = performance.now();
    limiter.closeFor(500);
    limiter.closeFor(2_000);
    limiter.closeFor(100);
    const turn = run();
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await turn).kind).toBe('ran');
    expect((starts[0] ?? 0) - closedAtMs).toBeGreaterThanOrEqual(2_000);
  });

  it('says at once that the venue asked for more time than a turn may wait', async () => {
    const { limiter, run } = limited({ waitMsMax: 1_000 });
    limiter.closeFor(30_000);
    expect(await run()).toMatchObject({ kind: 'notRun' });
  });

  it('ends every waiting turn when it is stopped, and starts none after it', async () => {
    const { limiter, starts, run } = limited();
    const turns = Array.from({ length: 8 }, () => run());
    await vi.advanceTimersByTimeAsync(1);
    limiter.stop();
    limiter.closeFor(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await Promise.all(turns)).filter(({ kind }) => kind === 'notRun')).toHaveLength(3);
    expect(await run()).toEqual({ kind: 'notRun', detail: 'stopped' });
    expect(starts).toHaveLength(5);
  });

  it('passes on what a task throws, and goes on', async () => {
    const { limiter, run } = limited();
    await expect(limiter.run(() => Promise.reject(new Error('task')))).rejects.toThrow('task');
    expect((await run()).kind).toBe('ran');
  });
});

describe('time in these tests', () => {
  it('moves only when it is told to', () => {
    expect(unixMs(Date.now())).toBe(1_700_000_000_000);
  });

  it('ends the wait of each turn by itself, however many came and went before', async () => {
    const { run } = limited({ cap: 1, waitMsMax: 100 });
    const kinds: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const turns = [run(), run(), run()];
      await vi.advanceTimersByTimeAsync(1_000);
      for (const turn of await Promise.all(turns)) kinds.push(turn.kind);
    }
    expect(kinds).toEqual(Array.from({ length: 4 }, () => ['ran', 'notRun', 'notRun']).flat());
  });
});
