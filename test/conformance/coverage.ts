// Which card confirms which line of the interface document, of whom, and what came of it.

import type { CardId } from '../../src/cli/doctor/card.ts';
import { type Card, NEEDS, type Need, type Party } from './bench/bench.ts';
import { type Row, rowsOf } from './document.ts';

export type Result =
  | { readonly kind: 'passed'; readonly found: string | undefined }
  /** `isVerdict`: the card says so; otherwise something threw. */
  | { readonly kind: 'failed'; readonly detail: string; readonly isVerdict: boolean }
  | { readonly kind: 'skipped'; readonly detail: string };

export type Results = ReadonlyMap<CardId, Result>;

export type CoveredRow = {
  readonly row: Row;
  /** Cards that confirm it, by whom they confirm it of. */
  readonly by: Readonly<Record<Party, readonly CardId[]>>;
  /** Cards that see no more than that something is there. */
  readonly touched: readonly CardId[];
};

export type Coverage = {
  readonly rows: readonly CoveredRow[];
  /** Lines of the document that no card names. */
  readonly forgotten: readonly string[];
  /** Keys of cards that the document does not have. */
  readonly unknown: readonly string[];
};

export const PARTIES: readonly Party[] = ['client', 'venue', 'daemon'];

/** Joins cards and document; a heading is confirmed where each line below it is. */
export function coverageOf(document: string, cards: readonly Card[]): Coverage {
  const rows = rowsOf(document);
  const covered = rows.map((row, index) => coveredRow(row, linesOf(rows, index), cards));
  const known = new Set(rows.map(({ key }) => key));
  const named = cards.flatMap(({ covers, touches = [] }) => [...covers, ...touches]);
  return {
    rows: covered,
    forgotten: covered.filter((each) => cardsOf(each).length === 0).map(({ row }) => place(row)),
    unknown: [...new Set(named)].filter((key) => !known.has(key)),
  };
}

/** One line for each row: the row, the worst of its results, whom it is confirmed of, and its cards. */
export function coverageLines(coverage: Coverage, results: Results): readonly string[] {
  const width = Math.max(...coverage.rows.map(({ row }) => row.key.length));
  return coverage.rows.map((each) => {
    const verdict = verdictOf(each, results);
    return `${each.row.key.padEnd(width)}  ${verdict.padEnd(20)}  ${shown(cardsOf(each))}`;
  });
}

/** Of how many rows who is confirmed, and how many are seen to be there and no more. */
export function coverageFigures(coverage: Coverage, results: Results): string {
  const { rows } = coverage;
  const count = (isSo: (row: CoveredRow) => boolean): number => rows.filter(isSo).length;
  const sides = PARTIES.map((side) => `${side} ${count((row) => isConfirmed(row, side, results))}`);
  const verdict = (wanted: string) => count((row) => verdictOf(row, results) === wanted);
  const others = ['failed', 'skipped', 'not run'].filter((word) => verdict(word) > 0);
  const rest = [
    `nominal ${verdict('nominal')}`,
    ...others.map((word) => `${word} ${verdict(word)}`),
  ];
  return `${sides.join(', ')} of ${rows.length}; ${rest.join(', ')}`;
}

/** How many cards run against any venue, and what the others need. */
export function anywhereLines(cards: readonly Card[]): readonly string[] {
  const count = (isSo: (card: Card) => boolean): number => cards.filter(isSo).length;
  const anywhere = count(({ kind }) => kind !== 'embedded');
  const pairs = count((card) => card.kind !== 'embedded' && card.needsSecond === true);
  const needs = Object.keys(NEEDS).filter((need): need is Need => need in NEEDS);
  return [
    `${anywhere} of ${cards.length} cards run against any venue, ${pairs} of them with a second account`,
    ...needs.map((need) => {
      const needing = count((card) => card.kind === 'embedded' && card.needs === need);
      return `${needing} need ${NEEDS[need]}`;
    }),
  ];
}

/** Rows that are confirmed of the client and the daemon alone, or of the venue alone, with who lacks. */
export function oneSided(coverage: Coverage, results: Results): readonly string[] {
  return coverage.rows.flatMap((row) => {
    const isOfVenue = isConfirmed(row, 'venue', results);
    const isOfUs = isConfirmed(row, 'client', results) || isConfirmed(row, 'daemon', results);
    if (isOfVenue === isOfUs || row.row.key.startsWith('heading ')) return [];
    return [`${row.row.key} (${isOfVenue ? 'venue' : 'client'} only)`];
  });
}

function coveredRow(row: Row, lines: readonly Row[], cards: readonly Card[]): CoveredRow {
  const of = (side: Party) =>
    lines.map(({ key }) =>
      cards.filter((card) => partiesOf(card).includes(side) && card.covers.includes(key)),
    );
  const by = (side: Party): readonly CardId[] => {
    const confirming = of(side);
    // One line below it without a card of somebody leaves a heading unconfirmed.
    return confirming.every((some) => some.length > 0) ? idsOf(confirming.flat()) : [];
  };
  const keys = lines.map(({ key }) => key);
  const touching = cards.filter(({ covers, touches = [] }) =>
    [...covers, ...touches].some((key) => keys.includes(key)),
  );
  return {
    row,
    by: { client: by('client'), venue: by('venue'), daemon: by('daemon') },
    touched: idsOf(touching),
  };
}

function partiesOf(card: Card): readonly Party[] {
  return card.kind === 'embedded' ? (card.of ?? ['venue']) : ['venue'];
}

function idsOf(cards: readonly Card[]): readonly CardId[] {
  return [...new Set(cards.map(({ id }) => id))];
}

function isConfirmed({ by }: CoveredRow, side: Party, results: Results): boolean {
  return by[side].some((id) => results.get(id)?.kind === 'passed');
}

function verdictOf(row: CoveredRow, results: Results): string {
  const cards = cardsOf(row);
  const kinds = new Set(cards.map((id) => results.get(id)?.kind ?? 'not run'));
  if (kinds.has('failed')) return 'failed';
  const sides = PARTIES.filter((side) => isConfirmed(row, side, results));
  if (sides.length > 0) return sides.join(' ');
  // Each line below a heading says for itself what it lacks.
  if (row.row.key.startsWith('heading ')) return 'in part';
  if (kinds.has('passed')) return 'nominal';
  return kinds.has('skipped') ? 'skipped' : 'not run';
}

function cardsOf({ by, touched }: CoveredRow): readonly CardId[] {
  return [...new Set([...PARTIES.flatMap((side) => by[side]), ...touched])];
}

/** A row itself, or what stands below a heading and is none. */
function linesOf(rows: readonly Row[], index: number): readonly Row[] {
  const row = rows[index];
  if (row === undefined) return [];
  if (!row.key.startsWith('heading ')) return [row];
  const after = rows.slice(index + 1);
  const end = after.findIndex(
    ({ key }) => key.startsWith('heading ') && !key.startsWith(`${row.key} ›`),
  );
  const below = end < 0 ? after : after.slice(0, end);
  return below.filter(({ key }) => !key.startsWith('heading '));
}

const CARDS_SHOWN_MAX = 8;

function shown(cards: readonly CardId[]): string {
  const more = cards.length - CARDS_SHOWN_MAX;
  return `${cards.slice(0, CARDS_SHOWN_MAX).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function place({ key, line }: Row): string {
  return `line ${line}: ${key}`;
}
