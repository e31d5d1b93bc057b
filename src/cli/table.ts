// Text tables for a terminal or a pipe, in a given width.

import { type Paint, PLAIN } from './paint.ts';
import { columns, fitted, harmless } from './text.ts';

export type Column = {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** The one column that gives way when the table is wider than the terminal. */
  readonly shrinks?: boolean;
};

export type Cell = { readonly text: string; readonly paint?: (text: string) => string };

const GAP = '  ';
/** A shrinking column keeps this much, so that rows stay tellable apart. */
const SHRUNK_MIN = 10;

/** Lines of a table, title line first; cells are made harmless. */
export function tableLines(
  of: { readonly columns: readonly Column[]; readonly rows: readonly (readonly Cell[])[] },
  shown: { readonly width: number; readonly paint?: Paint },
): readonly string[] {
  const rows = of.rows.map((row) => row.map(cleaned));
  const widths = columnWidths(of.columns, rows, shown.width);
  const titles = of.columns.map((column): Cell => ({ text: column.title }));
  const paint = shown.paint ?? PLAIN;
  const line = (cells: readonly Cell[]) => rowLine(of.columns, widths, cells);
  return [paint.dim(line(titles)), ...rows.map(line)];
}

function cleaned(cell: Cell): Cell {
  return { ...cell, text: harmless(cell.text) };
}

function rowLine(
  kinds: readonly Column[],
  widths: readonly number[],
  cells: readonly Cell[],
): string {
  const parts = kinds.flatMap((column, index) => {
    const width = widths[index] ?? 0;
    if (width === 0) return [];
    const cell = cells[index] ?? { text: '' };
    const text = fitted(cell.text, width, column.align);
    return [cell.paint ? cell.paint(text) : text];
  });
  return parts.join(GAP).trimEnd();
}

function columnWidths(
  kinds: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): readonly number[] {
  // Row by row: there may be more of them than a call takes arguments.
  const natural = kinds.map(({ title }, index) =>
    rows.reduce((most, row) => Math.max(most, columns(row[index]?.text ?? '')), columns(title)),
  );
  const excess = Math.max(0, sum(natural) + GAP.length * (kinds.length - 1) - width);
  const shrunk = natural.map((one, index) =>
    kinds[index]?.shrinks ? Math.max(Math.min(one, SHRUNK_MIN), one - excess) : one,
  );
  return withinWidth(shrunk, width);
}

/** A terminal too narrow for all columns shows the first of them; the rest are left out. */
function withinWidth(widths: readonly number[], width: number): readonly number[] {
  let room = width;
  return widths.map((one) => {
    const given = Math.max(0, Math.min(one, room));
    room -= given + GAP.length;
    return given;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
