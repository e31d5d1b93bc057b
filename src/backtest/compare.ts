// Many runs in few numbers: means over seeds, and what one strategy earns more than another on common paths.

import { seededRandom } from '../paper/crowd/random.ts';
import type { Point, RunResult } from './result.ts';

const HOUR_MS = 3_600_000;
/** Blocks long enough that what a strategy holds in one says little of the next. */
const BLOCK_MS = 600_000;
const RESAMPLES = 1_000;

export type Estimate = {
  readonly mean: number;
  /** Standard error; absent where one value says nothing of its spread. */
  readonly error: number | undefined;
};

/** Of the profit of an hour, over runs that differ in their seed only. */
export function profitPerHour(runs: readonly RunResult[]): Estimate {
  return estimate(runs.map(({ total, ...run }) => total.pnlUsdc / hoursOf(run)));
}

/**
 * How much more than `base` a strategy earned in an hour, at the middle, where both met the same world: the
 * same seed or recording under the same conditions. The error comes from resampled blocks of ten minutes.
 */
export function pairedDifference(
  runs: readonly RunResult[],
  base: readonly RunResult[],
): Estimate | undefined {
  const blocks = runs.flatMap((run) => {
    const other = base.find((each) => isSameWorld(each, run));
    return other ? differences(run, other) : [];
  });
  return blocks.length === 0 ? undefined : resampled(blocks);
}

/** Of an hour, from what blocks of ten minutes brought; the error comes from resampling them. */
export function resampled(blocks: readonly number[]): Estimate {
  const { mean } = estimate(blocks);
  const random = seededRandom('paired differences');
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let count = 0; count < blocks.length; count += 1) {
      sum += blocks[random.whole(0, blocks.length - 1)] ?? 0;
    }
    return sum / blocks.length;
  });
  const perHour = HOUR_MS / BLOCK_MS;
  const isAlone = blocks.length < 2;
  return { mean: mean * perHour, error: isAlone ? undefined : deviation(means) * perHour };
}

export function hoursOf(run: Pick<RunResult, 'fromMs' | 'toMs'>): number {
  return Math.max(run.toMs - run.fromMs, 1) / HOUR_MS;
}

function isSameWorld(a: RunResult, b: RunResult): boolean {
  return a.world === b.world && a.conditions === b.conditions;
}

/** What each block of the run earned more than the same block of the other. */
function differences(run: RunResult, other: RunResult): readonly number[] {
  const own = blockProfits(run);
  const theirs = blockProfits(other);
  return own.slice(0, Math.min(own.length, theirs.length)).map((profit, index) => {
    return profit - (theirs[index] ?? 0);
  });
}

/** Profit at the middle of whole blocks of ten minutes; what is left at the end is too short to be one. */
export function blockProfits({ markets, fromMs, toMs }: RunResult): readonly number[] {
  const count = Math.floor((toMs - fromMs) / BLOCK_MS);
  const profits = new Array<number>(count).fill(0);
  for (const { points } of markets) {
    const at = profitsAtEnds(points, fromMs, count);
    for (let index = 0; index < count; index += 1) {
      profits[index] = (profits[index] ?? 0) + (at[index + 1] ?? 0) - (at[index] ?? 0);
    }
  }
  return profits;
}

function profitsAtEnds(points: readonly Point[], fromMs: number, count: number): number[] {
  const at = [0];
  let next = 0;
  let last = 0;
  for (let block = 1; block <= count; block += 1) {
    const endMs = fromMs + block * BLOCK_MS;
    for (; next < points.length && (points[next]?.atMs ?? 0) <= endMs; next += 1) {
      last = points[next]?.pnlUsdc ?? last;
    }
    at.push(last);
  }
  return at;
}

export function estimate(values: readonly number[]): Estimate {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
  if (values.length < 2) return { mean, error: undefined };
  return { mean, error: deviation(values) / Math.sqrt(values.length) };
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
