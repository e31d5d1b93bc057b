// The charts of one market, and the few lines that draw them in a browser.

import { CURVE_SEC } from './markouts.ts';
import type { MarketResult } from './result.ts';

type Line = { readonly label: string; readonly stroke: string; readonly isDots: boolean };

export type Chart = {
  /** Place of its market on the page. */
  readonly place: number;
  readonly title: string;
  readonly height: number;
  readonly lines: readonly Line[];
  /** Seconds, then the values of each line at them. */
  readonly columns: readonly (readonly (number | null)[])[];
  /** Instead of seconds, places with these names: 0 is the first one. */
  readonly names?: readonly string[];
};

/** Price with own quotes and fills, inventory and profit, and how the market moved after fills. */
export function chartsOf(
  { points, shownFills, curves }: Pick<MarketResult, 'points' | 'shownFills' | 'curves'>,
  place: number,
): readonly Chart[] {
  const times = points.map(({ atMs }) => atMs / 1_000);
  return [
    priceChart({ points, shownFills }, place),
    {
      ...{ place, title: 'Net shares', height: 140, lines: [line('net', '#8957e5')] },
      columns: [times, points.map(({ netShares }) => netShares)],
    },
    {
      ...{ place, title: 'Profit at the middle, USDC', height: 160 },
      lines: [line('profit', '#0a9b5c')],
      columns: [times, points.map(({ pnlUsdc }) => pnlUsdc)],
    },
    ...markoutCharts(curves, place),
  ];
}

/** Sides in the colours of the price chart; rows of the queue from light to dark. */
const CURVE_STROKES = [
  '#2f81f7',
  '#d29922',
  '#c4b5fd',
  '#a78bfa',
  '#8b5cf6',
  '#6d28d9',
  '#5b21b6',
  '#4c1d95',
];
const AT_THE_FILL = 'at the fill';

/** The times are far apart, so that they stand side by side as if they were not. */
function markoutCharts(all: MarketResult['curves'], place: number): readonly Chart[] {
  const curves = all
    .map(({ name, usdc }, at) => ({ line: line(name, CURVE_STROKES[at] ?? '#888'), usdc }))
    .filter(({ usdc }) => usdc.some((each) => each !== undefined));
  if (curves.length === 0) return [];
  const chart = {
    ...{ place, title: 'After fills, cents a share in our favour', height: 200 },
    lines: curves.map((each) => each.line),
    columns: [
      CURVE_SEC.map((_, at) => at),
      ...curves.map(({ usdc }) => usdc.map((each) => (each === undefined ? null : 100 * each))),
    ],
    names: CURVE_SEC.map((sec) => (sec === 0 ? AT_THE_FILL : `${sec} s`)),
  };
  return [chart];
}

function priceChart(
  { points, shownFills }: Pick<MarketResult, 'points' | 'shownFills'>,
  place: number,
): Chart {
  // Fills stand between the points of the lines, which go on at their last value there.
  const fills = shownFills.map(({ atMs, side, price }) => ({ atMs, side, price }));
  const rows = [...points, ...fills].toSorted((a, b) => a.atMs - b.atMs);
  const columns: (number | null)[][] = [[], [], [], [], [], []];
  let last: readonly (number | null)[] = [null, null, null];
  for (const row of rows) {
    const isFill = 'side' in row;
    if (!isFill) last = [row.middle ?? null, row.bid ?? null, row.ask ?? null];
    const bought = isFill && row.side === 'BUY' ? row.price : null;
    const sold = isFill && row.side === 'SELL' ? row.price : null;
    [row.atMs / 1_000, ...last, bought, sold].forEach((value, index) => {
      columns[index]?.push(value);
    });
  }
  const lines = [
    line('middle', '#888'),
    line('own bid', '#2f81f7'),
    line('own ask', '#d29922'),
    dots('bought', '#0a9b5c'),
    dots('sold', '#e5484d'),
  ];
  const [times = [], ...values] = columns;
  // Of what nobody has written down there is no line.
  const known = lines.flatMap((each, index) => {
    const column = values[index] ?? [];
    return column.some((value) => value !== null) ? [{ line: each, column }] : [];
  });
  return {
    ...{ place, title: 'Price of YES', height: 260, lines: known.map((each) => each.line) },
    columns: [times, ...known.map(({ column }) => column)],
  };
}

function line(label: string, stroke: string): Line {
  return { label, stroke, isDots: false };
}

function dots(label: string, stroke: string): Line {
  return { label, stroke, isDots: true };
}

/** The parts of a browser that are used. */
type Page = {
  querySelector(
    selector: string,
  ): { readonly clientWidth: number; append(child: unknown): void } | null;
  createElement(name: string): { className: string };
};
type Plot = {
  new (options: unknown, columns: unknown, target: unknown): unknown;
  tzDate(date: Date, zone: string): Date;
};

/** Runs in the browser: its text is put into the page as it is, so it uses nothing from outside. */
export function drawCharts(UPlot: Plot, charts: readonly Chart[], page: Page): void {
  for (const { place, title, height, lines, columns, names } of charts) {
    const target = page.querySelector(`[data-market="${place}"]`);
    if (target === null) continue;
    const holder = page.createElement('div');
    holder.className = 'chart';
    target.append(holder);
    const width = Math.max(320, target.clientWidth);
    const series = lines.map(({ label, stroke, isDots }) =>
      isDots
        ? { label, stroke, paths: () => null, points: { show: true, size: 6, fill: stroke } }
        : { label, stroke, width: 1.25 },
    );
    // As the tables beside it: UTC, of twenty-four hours, and the day where one begins.
    const clock = (sec: number, everySec: number): string => {
      const text = new Date(sec * 1_000).toISOString();
      if (everySec >= 86_400 || sec % 86_400 === 0) return text.slice(5, 10);
      return text.slice(11, everySec < 60 ? 19 : 16);
    };
    const values = (_: unknown, at: readonly number[]) => {
      const [first = 0, second = 0] = at;
      if (names !== undefined) return at.map((each) => names[each] ?? '');
      return at.map((sec) => clock(sec, second - first));
    };
    const axes = [
      { stroke: '#888', values },
      { stroke: '#888', size: 64 },
    ];
    const cursor = names === undefined ? { sync: { key: `market-${place}` } } : {};
    const tzDate = (sec: number): Date => UPlot.tzDate(new Date(sec * 1_000), 'Etc/UTC');
    const fixed = { title, width, height, cursor, axes, tzDate };
    const named = (_: unknown, at: number | null) => (at === null ? '--' : (names?.[at] ?? ''));
    const value = names === undefined ? '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' : named;
    const scales = { x: { time: names === undefined } };
    const label = names === undefined ? 'Time' : 'after';
    const options = { ...fixed, scales, series: [{ label, value }, ...series] };
    new UPlot(options, columns, holder);
  }
}
