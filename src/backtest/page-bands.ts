// What strategies earned over many runs of one world: a table with errors, and profit as it went on, the mean of
// all runs with a band of its standard error.

import { type Estimate, pairedDifference, profitPerHour } from './compare.ts';
import { errorOf, meanOf } from './mean.ts';
import { escaped, label, svg, table } from './page-parts.ts';
import type { RunResult } from './result.ts';

/** Runs that differ in their seed only. */
export type RunGroup = {
  /** World or recording, and queue model. */
  readonly world: string;
  readonly strategy: string;
  readonly results: readonly RunResult[];
};

/** Moments of a path; the band is no wider than a screen. */
const STEPS = 120;
const SIZE = { width: 900, height: 260, left: 70, foot: 24, top: 8 };
/** Told apart by those who see no red and green, too (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#666666'];

/** Nothing where no world was met more than once. */
export function comparison(groups: readonly RunGroup[]): string {
  if (groups.every(({ results }) => results.length < 2) && groups.length < 2) return '';
  const worlds = [...new Set(groups.map(({ world }) => world))];
  const parts = worlds.map((world) => {
    const of = groups.filter((group) => group.world === world);
    return [`<h3>${escaped(world)}</h3>`, figures(of), chart(of)].join('\n');
  });
  const note =
    'USDC an hour with its standard error over runs; against the first strategy on the same paths at the middle, from resampled blocks of ten minutes. Lines are the mean profit at the middle of all runs, bands one standard error to either side.';
  return ['<h2>Compared</h2>', `<p>${note}</p>`, ...parts].join('\n');
}

function figures(groups: readonly RunGroup[]): string {
  const [first] = groups;
  return table(
    ['Strategy', 'Runs', 'USDC an hour', `More than ${escaped(first?.strategy ?? '')}`],
    groups.map((group) => {
      const more =
        group === first || !first ? undefined : pairedDifference(group.results, first.results);
      const runs = String(group.results.length);
      return [escaped(group.strategy), runs, textOf(profitPerHour(group.results)), textOf(more)];
    }),
  );
}

function textOf(estimate: Estimate | undefined): string {
  if (estimate === undefined) return '';
  const { mean, error } = estimate;
  return error === undefined ? mean.toFixed(2) : `${mean.toFixed(2)} ± ${error.toFixed(2)}`;
}

type Step = { readonly mean: number; readonly error: number };

/** Mean and error of all runs at equal parts of their length. */
export function pathOf(results: readonly RunResult[]): readonly Step[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const profits = results.map((run) => profitAt(run, step / STEPS));
    return { mean: meanOf(profits), error: errorOf(profits) ?? 0 };
  });
}

/** At the middle, over all markets, when this part of the run had passed. */
function profitAt({ markets, fromMs, toMs }: RunResult, part: number): number {
  const atMs = fromMs + part * (toMs - fromMs);
  return markets.reduce(
    (sum, { points }) => sum + (points.findLast((point) => point.atMs <= atMs)?.pnlUsdc ?? 0),
    0,
  );
}

function chart(groups: readonly RunGroup[]): string {
  const paths = groups.map(({ results }) => pathOf(results));
  const all = paths.flat().flatMap(({ mean, error }) => [mean - error, mean + error]);
  const [low, high] = [Math.min(0, ...all), Math.max(0.01, ...all)];
  const { width, height, left, foot, top } = SIZE;
  const xOf = (step: number): string => (left + (step / STEPS) * (width - left)).toFixed(1);
  const yOf = (usdc: number): string =>
    (top + ((high - usdc) / (high - low)) * (height - top - foot)).toFixed(1);
  const line = (path: readonly Step[], of: (step: Step) => number): readonly string[] =>
    path.map((step, index) => `${xOf(index)},${yOf(of(step))}`);
  const drawn = paths.flatMap((path, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const upper = line(path, ({ mean, error }) => mean + error);
    const lower = line(path, ({ mean, error }) => mean - error).toReversed();
    return [
      `<polygon points="${[...upper, ...lower].join(' ')}" fill="${colour}" opacity="0.18"/>`,
      `<polyline points="${line(path, ({ mean }) => mean).join(' ')}" fill="none" stroke="${colour}" stroke-width="1.6"/>`,
      `<rect x="${left + 10 + index * 150}" y="${height - 15}" width="10" height="10" fill="${colour}"/>`,
      label(left + 26 + index * 150, height - 6, groups[index]?.strategy ?? '', 'start'),
    ];
  });
  const axis = [low, 0, high].map((usdc) =>
    label(left - 6, Number(yOf(usdc)) + 4, usdc.toFixed(1), 'end'),
  );
  const zero = `<line x1="${left}" x2="${width}" y1="${yOf(0)}" y2="${yOf(0)}" stroke="currentColor" opacity="0.4"/>`;
  return svg({ width, height }, [zero, ...drawn, ...axis], `profit of ${groups[0]?.world ?? ''}`);
}
