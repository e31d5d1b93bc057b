// Which card proves which line of the interface document, and what came of it.

import type { CardId } from '../../src/cli/doctor/card.ts';
import type { Card } from './bench/bench.ts';
import { type Row, rowsOf } from './document.ts';

export type Result =
  | { readonly kind: 'passed'; readonly found: string | undefined }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'skipped'; readonly detail: string };

export type Results = ReadonlyMap<CardId, Result>;

export type Coverage = {
  readonly rows: readonly { readonly row: Row; readonly cards: readonly CardId[] }[];
  /** Lines of the document that no card names. */
  readonly forgotten: readonly string[];
  /** Keys of cards that the document does not have. */
  readonly unknown: readonly string[];
};

/** Joins cards and document; a heading is proven by what stands below it. */
export function coverageOf(document: string, cards: readonly Card[]): Coverage {
  const rows = rowsOf(document);
  const byKey = new Map<string, CardId[]>();
  for (const { id, covers } of cards) {
    for (const key of covers) byKey.set(key, [...(byKey.get(key) ?? []), id]);
  }
  const covered = rows.map((row, index) => {
    const own = row.key.startsWith('heading ')
      ? below(rows, index).flatMap(({ key }) => byKey.get(key) ?? [])
      : (byKey.get(row.key) ?? []);
    return { row, cards: [...new Set(own)] };
  });
  const known = new Set(rows.map(({ key }) => key));
  return {
    rows: covered,
    forgotten: covered.filter((each) => each.cards.length === 0).map(({ row }) => place(row)),
    unknown: [...byKey.keys()].filter((key) => !known.has(key)),
  };
}

/** One line for each row: the row, its cards, and the worst of their results. */
export function coverageLines(coverage: Coverage, results: Results): readonly string[] {
  const width = Math.max(...coverage.rows.map(({ row }) => row.key.length));
  return coverage.rows.map(({ row, cards }) => {
    const verdict = verdictOf(cards, results);
    return `${row.key.padEnd(width)}  ${verdict.padEnd(7)}  ${shown(cards)}`;
  });
}

/** How many rows have which verdict. */
export function coverageFigures(coverage: Coverage, results: Results): string {
  const counts = new Map<string, number>();
  for (const { cards } of coverage.rows) {
    const verdict = verdictOf(cards, results);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdict}`);
  return `${coverage.rows.length} rows of the interface: ${parts.join(', ')}`;
}

function verdictOf(cards: readonly CardId[], results: Results): string {
  const kinds = new Set(cards.map((id) => results.get(id)?.kind ?? 'not run'));
  const worstFirst = ['failed', 'passed', 'skipped', 'not run'];
  return worstFirst.find((kind) => kinds.has(kind as Result['kind'])) ?? 'nothing';
}

/** The rows of a heading's own section and of those inside it. */
function below(rows: readonly Row[], index: number): readonly Row[] {
  const own = rows[index]?.key ?? '';
  const after = rows.slice(index + 1);
  const end = after.findIndex(
    ({ key }) => key.startsWith('heading ') && !key.startsWith(`${own} ›`),
  );
  return end < 0 ? after : after.slice(0, end);
}

const CARDS_SHOWN_MAX = 8;

function shown(cards: readonly CardId[]): string {
  const more = cards.length - CARDS_SHOWN_MAX;
  return `${cards.slice(0, CARDS_SHOWN_MAX).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function place({ key, line }: Row): string {
  return `line ${line}: ${key}`;
}
