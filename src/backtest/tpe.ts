// A tree of Parzen estimators (Bergstra and others, "Algorithms for Hyper-Parameter Optimization", 2011): the next
// parameter sets are those that look more like the good results than like the rest. Every parameter by itself.

import { type Random, seededRandom } from '../paper/crowd/random.ts';
import {
  distinctPoints,
  drawnPoint,
  drawnValue,
  type Point,
  type Range,
  type Scored,
  type Span,
  valueNear,
} from './sweep.ts';

/** Drawn at random before any result says where to look. */
const FIRST_PART = 0.25;
const FIRST_MIN = 8;
/** Proposed at a time, whatever the number of processes: the same sweep tries the same sets on every machine. */
const ROUND = 4;
/** Of the results the best quarter is good. */
const GOOD_PART = 0.25;
/** Of so many draws the most promising one is tried. */
const DRAWS = 32;
/** A kernel is no narrower than this part of the span, so that no value is looked at for ever. */
const WIDTH_MIN = 0.02;

/**
 * The sets to try next, knowing the results so far; none when `count` have been proposed.
 * @param done - Of all rounds before, the default's not among them.
 */
export function tpeRound(
  ranges: readonly Range[],
  count: number,
  seed: number,
  done: readonly Scored[],
): readonly Point[] {
  const first = Math.min(count, Math.max(FIRST_MIN, Math.ceil(count * FIRST_PART)));
  const proposed = done.length;
  if (proposed >= count) return [];
  const random = seededRandom(`${seed}/tpe/${proposed}`);
  const tried = done.map(({ point }) => point);
  if (proposed < first) {
    return distinctPoints(first - proposed, tried, () => drawnPoint(ranges, random));
  }
  const ranked = done.toSorted((a, b) => b.usdcPerHour - a.usdcPerHour);
  const goodCount = Math.max(2, Math.ceil(ranked.length * GOOD_PART));
  const good = ranked.slice(0, goodCount);
  const rest = ranked.slice(goodCount);
  return distinctPoints(Math.min(ROUND, count - proposed), tried, () =>
    promising(ranges, good, rest, random),
  );
}

function promising(
  ranges: readonly Range[],
  good: readonly Scored[],
  rest: readonly Scored[],
  random: Random,
): Point {
  return Object.fromEntries(
    ranges.map((range) => {
      const seen = (of: readonly Scored[]) => of.map(({ point }) => point[range.name]);
      const value =
        range.kind === 'span'
          ? nearGood(range, numbers(seen(good)), numbers(seen(rest)), random)
          : likelier(range.values, seen(good), seen(rest), random);
      return [range.name, value];
    }),
  );
}

/** Drawn about the good values; the one whose neighbourhood is good rather than merely visited. */
function nearGood(
  span: Span,
  good: readonly number[],
  rest: readonly number[],
  random: Random,
): number {
  const width = span.to - span.from;
  const ofGood = densityOf(good, width);
  const ofRest = densityOf(rest, width);
  let best = drawnValue(span, random);
  let bestRatio = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < DRAWS; at += 1) {
    // One in so many is drawn anywhere: what nobody tried may be better than all that was.
    const centre = random.chance(1 / (good.length + 1))
      ? span.from + random.uniform() * width
      : (good[random.whole(0, good.length - 1)] ?? span.from);
    const value = valueNear(span, centre + random.normal() * kernelWidth(good.length, width));
    const ratio = ofGood(value) / ofRest(value);
    if (ratio > bestRatio) [best, bestRatio] = [value, ratio];
  }
  return best;
}

/** By Laplace's rule, so that a value nobody tried is not ruled out: the more often good than not, the likelier. */
function likelier(
  values: readonly (number | string | boolean)[],
  good: readonly unknown[],
  rest: readonly unknown[],
  random: Random,
): number | string | boolean {
  const share = (of: readonly unknown[], value: unknown): number =>
    (of.filter((each) => each === value).length + 1) / (of.length + values.length);
  const weights = values.map((value) => share(good, value) / share(rest, value));
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left <= 0;
  });
  return values[at < 0 ? values.length - 1 : at] ?? 0;
}

/** Normal kernels about what was seen, and one more as wide as the span: never 0. */
function densityOf(seen: readonly number[], width: number): (value: number) => number {
  const sigma = kernelWidth(seen.length, width);
  return (value) => {
    const sum = seen.reduce(
      (total, each) => total + Math.exp(-0.5 * ((value - each) / sigma) ** 2) / sigma,
      1 / width,
    );
    return sum / (seen.length + 1);
  };
}

/** The more was seen, the narrower. */
function kernelWidth(count: number, width: number): number {
  return width * Math.max(WIDTH_MIN, 0.25 / Math.sqrt(count + 1));
}

function numbers(values: readonly unknown[]): readonly number[] {
  return values.filter((value): value is number => typeof value === 'number');
}
