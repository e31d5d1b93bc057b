// A sweep as one HTML file: every set by what it earned, a map of each pair of parameters, and what choosing as time
// went on would have earned.

import { meanOf } from './mean.ts';
import { amount, escaped, label, svg, table, wholePage } from './page-parts.ts';
import { type Point, pointText, type Range, type Scored } from './sweep.ts';
import type { Walk } from './walk-forward.ts';

export type SweepPage = {
  /** What the figures stand on, as text. */
  readonly title: string;
  readonly ranges: readonly Range[];
  /** The best first; the default is the one without parameters. */
  readonly ranked: readonly Scored[];
  readonly walk: Walk | undefined;
};

const ROWS_MAX = 100;
/** Pairs of four parameters. */
const MAPS_MAX = 6;
const SPAN_CELLS = 8;
const CELL_PX = { width: 68, height: 30, left: 110, top: 14 };
const BAR_PX = { width: 640, height: 20, left: 180 };

/** The page as text. @throws {Error} When the plotting library is not installed. */
export async function sweepPage({ title, ranges, ranked, walk }: SweepPage): Promise<string> {
  return await wholePage({
    title: 'bookend sweep',
    body: [
      '<h1>Sweep</h1>',
      `<p>${escaped(title)}</p>`,
      ...maps(ranges, ranked),
      ...walked(walk),
      '<h2>Every set, the best first</h2>',
      table(
        ['Parameters', 'USDC an hour', 'Standard error'],
        ranked
          .slice(0, ROWS_MAX)
          .map(({ point, usdcPerHour, error }) => [
            escaped(nameOf(point)),
            amount(usdcPerHour),
            error === undefined ? '' : error.toFixed(2),
          ]),
      ),
    ],
    charts: [],
  });
}

function nameOf(point: Point): string {
  return pointText(point) || 'default';
}

/** A parameter by itself is a map of one line. */
function maps(ranges: readonly Range[], rows: readonly Scored[]): readonly string[] {
  const [first] = ranges;
  if (first === undefined) return [];
  const pairs = ranges.flatMap((right, at) => ranges.slice(at + 1).map((down) => [right, down]));
  const shown = pairs.length === 0 ? [[first, undefined]] : pairs.slice(0, MAPS_MAX);
  return [
    '<h2>Where it was earned</h2>',
    '<p>The mean of all sets of a cell, USDC an hour; empty cells were not tried. Of many values those of a part of the span share a cell, named by its lower end.</p>',
    ...shown.map(([right, down]) => (right ? heatMap(right, down, rows) : '')),
  ];
}

/** One column or line of a map. */
type Band = { readonly label: string; readonly holds: (value: unknown) => boolean };

function bandsOf(range: Range | undefined, rows: readonly Scored[]): readonly Band[] {
  if (range === undefined) return [{ label: '', holds: () => true }];
  const values = range.kind === 'list' ? range.values : triedOf(range.name, rows);
  if (range.kind === 'list' || values.length <= SPAN_CELLS) {
    return values.map((value) => ({ label: String(value), holds: (each) => each === value }));
  }
  const { from, to } = range;
  const width = (to - from) / SPAN_CELLS;
  return Array.from({ length: SPAN_CELLS }, (_, index) => ({
    label: Number((from + index * width).toPrecision(3)).toString(),
    holds: (value) => typeof value === 'number' && bandOf(value, from, width) === index,
  }));
}

/** The values of a grid, which are few; of what was drawn from a span hardly two are the same. */
function triedOf(name: string, rows: readonly Scored[]): readonly unknown[] {
  const values = rows.flatMap(({ point }) => (name in point ? [point[name]] : []));
  return [...new Set(values)].sort((one, other) => Number(one) - Number(other));
}

/** The end of a span belongs to its last band. */
function bandOf(value: number, from: number, width: number): number {
  return Math.min(SPAN_CELLS - 1, Math.floor((value - from) / width));
}

function heatMap(right: Range, down: Range | undefined, rows: readonly Scored[]): string {
  const [columns, lines] = [bandsOf(right, rows), bandsOf(down, rows)];
  const cells = lines.map((line) =>
    columns.map((column) => {
      const inside = rows.filter(
        ({ point }) =>
          right.name in point &&
          column.holds(point[right.name]) &&
          (down === undefined || line.holds(point[down.name])),
      );
      return inside.length === 0 ? undefined : meanOf(inside.map((row) => row.usdcPerHour));
    }),
  );
  const known = cells.flat().filter((value) => value !== undefined);
  const ends = { low: Math.min(...known), high: Math.max(...known) };
  const { width, height, left, top } = CELL_PX;
  const drawn = cells.flatMap((line, y) => [
    label(left - 8, top + y * height + 20, lines[y]?.label ?? '', 'end'),
    ...line.flatMap((value, x) =>
      value === undefined ? [] : cell({ x: left + x * width, y: top + y * height }, value, ends),
    ),
  ]);
  const foot = top + lines.length * height + 16;
  const under = columns.map(({ label: text }, x) => label(left + (x + 0.5) * width, foot, text));
  const size = { width: left + columns.length * width + 10, height: foot + 10 };
  const name = down === undefined ? right.name : `${right.name} to the right, ${down.name} down`;
  return `<h3>${escaped(name)}</h3>${svg(size, [...drawn, ...under], name)}`;
}

type At = { readonly x: number; readonly y: number };

function cell({ x, y }: At, value: number, ends: { low: number; high: number }): string {
  const part = ends.high === ends.low ? 1 : (value - ends.low) / (ends.high - ends.low);
  const { width, height } = CELL_PX;
  // Light for little and dark for much, readable on a light and on a dark page.
  const fill = `hsl(152 55% ${(88 - 58 * part).toFixed(0)}%)`;
  const ink = part > 0.5 ? '#fff' : '#14181f';
  return [
    `<rect x="${x}" y="${y}" width="${width - 2}" height="${height - 2}" rx="3" fill="${fill}"/>`,
    `<text x="${x + width / 2 - 1}" y="${y + 19}" text-anchor="middle" font-size="12" fill="${ink}">${value.toFixed(2)}</text>`,
  ].join('');
}

function walked(walk: Walk | undefined): readonly string[] {
  if (walk === undefined) return [];
  const error = walk.error === undefined ? '' : ` ± ${walk.error.toFixed(2)}`;
  const most = Math.max(
    0.01,
    ...walk.steps.flatMap(({ after, base }) => [after, base].map(Math.abs)),
  );
  return [
    '<h2>Chosen as time went on</h2>',
    `<p>The best of all recordings before, tried on the next one: ${walk.gain.toFixed(2)}${error} USDC an hour more than the default.</p>`,
    ...walk.steps.map((step) => bars(step, most)),
    table(
      ['Recording', 'Chosen', 'Before', 'There', 'Default there'],
      walk.steps.map(({ recording, point, before, after, base }) => [
        escaped(recording),
        escaped(nameOf(point)),
        ...[before, after, base].map(amount),
      ]),
    ),
  ];
}

/** The chosen set above the default, to the right of the middle what was earned, to its left what was lost. */
function bars({ recording, after, base }: Walk['steps'][number], most: number): string {
  const { width, height, left } = BAR_PX;
  const middle = left + (width - left) / 2;
  const bar = (value: number, y: number, fill: string): string => {
    const long = (Math.abs(value) / most) * ((width - left) / 2);
    const x = value < 0 ? middle - long : middle;
    return `<rect x="${x.toFixed(1)}" y="${y}" width="${long.toFixed(1)}" height="${height / 2 - 2}" fill="${fill}"/>`;
  };
  const parts = [
    label(left - 8, 15, recording, 'end'),
    bar(after, 1, '#0a9b5c'),
    bar(base, height / 2 + 1, '#888'),
    `<line x1="${middle}" x2="${middle}" y1="0" y2="${height + 2}" stroke="currentColor"/>`,
  ];
  return svg({ width, height: height + 2 }, parts, `${recording}: chosen and default`);
}
