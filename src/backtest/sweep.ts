// Which parameter sets a sweep tries, and what their results say.

import { BotError } from '../domain/errors.ts';
import { type Random, seededRandom } from '../paper/crowd/random.ts';

/** One parameter with the values to try, or the ends of what to draw from. */
export type Range =
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly values: readonly (number | string | boolean)[];
    }
  | { readonly kind: 'span'; readonly name: string; readonly from: number; readonly to: number };

type ValueOf<R extends Range> = R extends { readonly kind: 'span' }
  ? number
  : number | string | boolean;

export type Point = Readonly<Record<string, number | string | boolean>>;

/** Points of a grid; more is a mistake of a comma. */
const GRID_MAX = 10_000;
/** A span in a grid is cut into so many values, its ends among them. */
const SPAN_VALUES = 5;
/** Digits of a drawn value: enough to tell two apart, few enough to type. */
const DRAWN_DIGITS = 3;

/**
 * `name=a,b,c`, or `name=from..to`.
 * @throws {BotError} `settings.invalid`
 */
export function parseRange(text: string): Range {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  const stated = text.slice(at + 1);
  if (at < 1 || stated === '') throw wrong(`--range ${text}: as levels=1,2,3 or leanPart=0.2..1`);
  const ends = stated.split('..');
  if (ends.length !== 2) {
    return { kind: 'list', name, values: stated.split(',').map((value) => scalarOf(value)) };
  }
  const [from = Number.NaN, to = Number.NaN] = ends.map((end) => Number(end === '' ? 'none' : end));
  if (!(from < to))
    throw wrong(`--range ${text}: from a number to a larger one, as leanPart=0.2..1`);
  return { kind: 'span', name, from, to };
}

/** Every combination; a span counts with five values. @throws {BotError} `settings.invalid` */
export function gridPoints(ranges: readonly Range[]): readonly Point[] {
  let points: readonly Point[] = [{}];
  for (const range of ranges) {
    const values = range.kind === 'list' ? range.values : spanValues(range);
    points = points.flatMap((point) => values.map((value) => ({ ...point, [range.name]: value })));
    if (points.length > GRID_MAX) {
      throw wrong(`--range: a grid of more than ${GRID_MAX} points; --random draws from it`);
    }
  }
  return points;
}

/** So many points drawn from the ranges; the same seed draws the same. */
export function randomPoints(
  ranges: readonly Range[],
  count: number,
  seed: number,
): readonly Point[] {
  const random = seededRandom(`${seed}/sweep`);
  return Array.from({ length: count }, () =>
    Object.fromEntries(ranges.map((range) => [range.name, drawnValue(range, random)])),
  );
}

/** Any value of the range is as likely as another. */
export function drawnValue<R extends Range>(range: R, random: Random): ValueOf<R>;
export function drawnValue(range: Range, random: Random): number | string | boolean {
  if (range.kind === 'list') return range.values[random.whole(0, range.values.length - 1)] ?? 0;
  const drawn = range.from + random.uniform() * (range.to - range.from);
  return Number(drawn.toPrecision(DRAWN_DIGITS));
}

/** A point by its parameters, in their order of name: the same point has the same text. */
export function pointText(point: Point): string {
  return Object.keys(point)
    .sort()
    .map((name) => `${name}=${String(point[name])}`)
    .join(' ');
}

export type Scored = {
  readonly point: Point;
  /** Mean over worlds and seeds. */
  readonly usdcPerHour: number;
  readonly error: number | undefined;
};

/** What to doubt of the best point: a wider range may be better, or it is no better than what it was held against. */
export function warningsOf(
  best: Scored,
  base: Scored,
  ranges: readonly Range[],
): readonly string[] {
  const atEdge = ranges.flatMap((range) => {
    const value = best.point[range.name];
    const isEdge = typeof value === 'number' && edgesOf(range).includes(value);
    return isEdge
      ? [`the best ${range.name}, ${value}, is at the edge of its range: a wider one may be better`]
      : [];
  });
  if (best === base) return ['no set earned more than the default'];
  const gain = best.usdcPerHour - base.usdcPerHour;
  const error = Math.hypot(best.error ?? 0, base.error ?? 0);
  if (gain > 2 * error) return atEdge;
  return [
    ...atEdge,
    `the best is ${gain.toFixed(2)} USDC an hour above the default, within twice its error of ${error.toFixed(2)}: chance may be all of it`,
  ];
}

function edgesOf(range: Range): readonly number[] {
  if (range.kind === 'span') return [range.from, range.to];
  const numbers = range.values.filter((value) => typeof value === 'number');
  return numbers.length < 3 ? [] : [Math.min(...numbers), Math.max(...numbers)];
}

function spanValues({ from, to }: { readonly from: number; readonly to: number }): number[] {
  const step = (to - from) / (SPAN_VALUES - 1);
  return Array.from({ length: SPAN_VALUES }, (_, index) =>
    Number((from + index * step).toPrecision(6)),
  );
}

/** As YAML reads it in a configuration. */
function scalarOf(text: string): number | string | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function wrong(detail: string): BotError {
  return new BotError('settings.invalid', detail);
}
