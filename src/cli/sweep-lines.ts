// What a sweep says on a terminal, and its results as a table for programs.

import type { SweepRow } from '../app/sweep.ts';
import { type Point, pointText } from '../backtest/sweep.ts';
import type { Walk } from '../backtest/walk-forward.ts';
import { csvCell } from './past-options.ts';
import { type Column, tableLines } from './table.ts';

const SHOWN_MAX = 20;

export function rankedLines(rows: readonly SweepRow[], width: number): readonly string[] {
  const worlds = Object.keys(rows[0]?.byWorld ?? {});
  const columns: Column[] = [
    { title: 'PARAMETERS', align: 'left', shrinks: true },
    ...[
      'USDC/H',
      ...worlds.map((world) => world.toUpperCase()),
      'FILLS',
      'INV RMS',
      'DRAWDOWN',
    ].map((title): Column => ({ title, align: 'right' })),
  ];
  const cells = rows
    .slice(0, SHOWN_MAX)
    .map((row) =>
      [
        nameOf(row.point),
        perHour(row),
        ...worlds.map((world) => (row.byWorld[world] ?? 0).toFixed(2)),
        String(row.fills),
        row.inventoryRmsShares.toFixed(0),
        row.drawdownUsdc.toFixed(2),
      ].map((text) => ({ text })),
    );
  return tableLines({ columns, rows: cells }, { width });
}

export function testLines(tested: readonly SweepRow[]): readonly string[] {
  if (tested.length === 0) return [];
  return [
    '',
    'on what chose nothing:',
    ...tested.map((row) => `  ${nameOf(row.point)}: ${perHour(row)}`),
  ];
}

/** What would have been chosen each time, and what it then earned. */
export function walkLines(walk: Walk | undefined, width: number): readonly string[] {
  if (walk === undefined) return [];
  const titles = ['BEFORE', 'THERE', 'DEFAULT'].map((title): Column => ({ title, align: 'right' }));
  const columns: Column[] = [
    { title: 'RECORDING', align: 'left', shrinks: true },
    { title: 'CHOSEN BEFORE IT', align: 'left', shrinks: true },
    ...titles,
  ];
  const rows = walk.steps.map(({ recording, point, before, after, base }) =>
    [recording, nameOf(point), ...[before, after, base].map((usdc) => usdc.toFixed(2))].map(
      (text) => ({ text }),
    ),
  );
  const gain = { usdcPerHour: walk.gain, error: walk.error };
  return [
    '',
    ...tableLines({ columns, rows }, { width }),
    `the best of what came before, on what came next: ${perHour(gain)} USDC an hour more than the default`,
  ];
}

const FIGURES = ['fills', 'inventoryRmsShares', 'drawdownUsdc'] as const;

/** Parameters that are numbers in every set are numbers; an absent one is that of the configuration. */
export function resultTable(rows: readonly SweepRow[]) {
  const names = [...new Set(rows.flatMap(({ point }) => Object.keys(point)))].sort();
  const worlds = Object.keys(rows[0]?.byWorld ?? {});
  const isNumber = (name: string): boolean =>
    rows.every(({ point }) => point[name] === undefined || typeof point[name] === 'number');
  const number = (name: string) => ({ name, kind: 'number' as const });
  const figureNames = ['usdcPerHour', 'error', ...worlds, ...FIGURES];
  // A parameter may have the name of a figure.
  const titleOf = (name: string) => (figureNames.includes(name) ? `params.${name}` : name);
  const columns = [
    ...names.map((name) =>
      isNumber(name) ? number(titleOf(name)) : { name: titleOf(name), kind: 'text' as const },
    ),
    ...figureNames.map(number),
  ];
  const texts = rows.map((row) => {
    const { usdcPerHour, error, byWorld, point } = row;
    const figures = { usdcPerHour, error, ...byWorld };
    const own = { ...figures, ...Object.fromEntries(FIGURES.map((name) => [name, row[name]])) };
    const params = Object.entries(point).map(([name, value]) => [titleOf(name), value] as const);
    const cells = [...Object.entries(own), ...params];
    return Object.fromEntries(cells.map(([name, value]) => [name, String(value ?? '')]));
  });
  return { columns, texts };
}

export function csvLines(rows: readonly SweepRow[]): readonly string[] {
  const { columns, texts } = resultTable(rows);
  const lines = texts.map((row) => columns.map(({ name }) => csvCell(row[name] ?? '')).join(','));
  return [columns.map(({ name }) => name).join(','), ...lines];
}

export function nameOf(point: Point): string {
  const text = pointText(point);
  return text === '' ? 'default' : text;
}

export function perHour({ usdcPerHour, error }: Pick<SweepRow, 'usdcPerHour' | 'error'>): string {
  const text = usdcPerHour.toFixed(2);
  return error === undefined ? text : `${text} ± ${error.toFixed(2)}`;
}
