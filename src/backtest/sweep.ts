// Which parameter sets a sweep tries, and what their results say.

import { BotError } from '../domain/errors.ts';
import { type Random, seededRandom } from '../paper/crowd/random.ts';
import type { ParamSpec } from '../strategy/params.ts';

/** One parameter with the values to try, or the ends of what to draw from. */
export type Range =
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly values: readonly (number | string | boolean)[];
    }
  | Span;

export type Span = {
  readonly kind: 'span';
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The parameter takes whole numbers alone. */
  readonly isWhole: boolean;
};

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
/** For each point that is wanted, before all there are count as drawn. */
const DRAWS = 32;
/** A value of a span is at its edge within this part of it: few that are drawn meet the end itself. */
const EDGE_PART = 0.05;

/**
 * `name=a,b,c`, or `name=from..to`.
 * @param params - Of the strategy whose parameters are tried: no value may be one that it would refuse.
 * @throws {BotError} `settings.invalid`
 */
export function parseRange(text: string, params: Params): Range {
  const range = rangeIn(text, params);
  const spec = params[range.name];
  if (spec === undefined) {
    const known = Object.keys(params).join(', ');
    throw wrong(`--range ${text}: the strategy has no such parameter; known are ${known}`);
  }
  for (const value of range.kind === 'list' ? range.values : [range.from, range.to]) {
    try {
      spec.format(value);
    } catch (cause) {
      throw wrong(`--range ${text}: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
  return range;
}

type Params = Readonly<Record<string, Pick<ParamSpec<unknown>, 'kind' | 'format'>>>;

function rangeIn(text: string, params: Params): Range {
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
  return { kind: 'span', name, from, to, isWhole: params[name]?.kind === 'whole' };
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

/** So many points drawn from the ranges, none twice, fewer where there are no more; the same seed draws the same. */
export function randomPoints(
  ranges: readonly Range[],
  count: number,
  seed: number,
): readonly Point[] {
  const random = seededRandom(`${seed}/sweep`);
  return distinctPoints(count, [], () => drawnPoint(ranges, random));
}

export function drawnPoint(ranges: readonly Range[], random: Random): Point {
  return Object.fromEntries(ranges.map((range) => [range.name, drawnValue(range, random)]));
}

/** Nothing is tried twice; where the ranges have no other point, fewer come. */
export function distinctPoints(
  count: number,
  done: readonly Point[],
  draw: () => Point,
): readonly Point[] {
  const known = new Set(done.map(pointText));
  const points: Point[] = [];
  for (let left = count * DRAWS; left > 0 && points.length < count; left -= 1) {
    const point = draw();
    if (known.has(pointText(point))) continue;
    known.add(pointText(point));
    points.push(point);
  }
  return points;
}

/** Any value of the range is as likely as another. */
export function drawnValue<R extends Range>(range: R, random: Random): ValueOf<R>;
export function drawnValue(range: Range, random: Random): number | string | boolean {
  if (range.kind === 'list') return range.values[random.whole(0, range.values.length - 1)] ?? 0;
  if (range.isWhole) return random.whole(range.from, range.to);
  return valueNear(range, range.from + random.uniform() * (range.to - range.from));
}

/** The value to try for a place on a span: inside it, whole where it must be, short enough to type elsewhere. */
export function valueNear({ from, to, isWhole }: Span, place: number): number {
  const value = isWhole ? Math.round(place) : Number(place.toPrecision(DRAWN_DIGITS));
  return Math.min(to, Math.max(from, value));
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
    return typeof value === 'number' && isAtEdge(range, value)
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

function isAtEdge(range: Range, value: number): boolean {
  if (range.kind === 'span') {
    const margin = range.isWhole ? 0 : (range.to - range.from) * EDGE_PART;
    return value <= range.from + margin || value >= range.to - margin;
  }
  const numbers = range.values.filter((each) => typeof each === 'number');
  return numbers.length > 2 && [Math.min(...numbers), Math.max(...numbers)].includes(value);
}

function spanValues({ from, to, isWhole }: Span): readonly number[] {
  const step = (to - from) / (SPAN_VALUES - 1);
  const places = Array.from({ length: SPAN_VALUES }, (_, index) => from + index * step);
  if (isWhole) return [...new Set(places.map(Math.round))];
  return places.map((place) => Number(place.toPrecision(6)));
}

/** As YAML reads it in a configuration. */
function scalarOf(text: string): number | string | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function wrong(detail: string): BotError {
  return new BotError('settings.invalid', detail);
}
