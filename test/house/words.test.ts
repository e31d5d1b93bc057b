// Words that the project leaves behind may only become fewer. `words.json` has how many each place still has.
//
// To lower a count: say what `NOT_BUT` in words.ts says instead, then `WORDS=lower npx vitest run test/house/words.test.ts`
// writes the lower numbers. It raises none: a new use is renamed, not counted.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, ROOT } from './project-files.ts';
import { NOT_BUT, placeOf, type WordUse, wordUses } from './words.ts';

const DATA = 'test/house/words.json';
/** The list itself, its data, and what others wrote. */
const NOT_READ = new Set([
  DATA,
  // Made of the docs of src/settings, which are counted there.
  'config/schema.json',
  // Its steps are never edited.
  'src/journal/ledger/schema.ts',
  'test/house/words.ts',
  'test/house/words.test.ts',
  'package-lock.json',
  'LICENSE',
]);
const READ = /\.(?:ts|md|ya?ml|json)$/;

type Counts = Readonly<Record<string, number>>;

const ALLOWED = JSON.parse(readFileSync(join(ROOT, DATA), 'utf8')) as Counts;
const FOUND = found();

function found(): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const path of projectFiles()) {
    if (!READ.test(path) || NOT_READ.has(path)) continue;
    const uses = wordUses(path, readFileSync(join(ROOT, path), 'utf8'));
    if (uses.length === 0) continue;
    const lines = places.get(placeOf(path)) ?? [];
    places.set(placeOf(path), lines);
    for (const use of uses) lines.push(textOf(path, use));
  }
  return places;
}

function textOf(path: string, { word, line }: WordUse): string {
  return `${path}:${line} "${word}": say ${NOT_BUT.get(word)}`;
}

function lowered(): Counts {
  const rows = [...FOUND].map(([place, uses]) => {
    return [place, Math.min(uses.length, ALLOWED[place] ?? 0)] as const;
  });
  const kept = rows.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept);
}

if (process.env['WORDS'] === 'lower') {
  writeFileSync(join(ROOT, DATA), `${JSON.stringify(lowered(), null, 2)}\n`);
}

describe('words that the project leaves behind', () => {
  it('become no more anywhere, and a new file has none', () => {
    const more = [...FOUND].filter(([place, uses]) => uses.length > (ALLOWED[place] ?? 0));
    const texts = more.map(([place, uses]) => {
      const latest = uses.slice(0, 20).join('\n  ');
      return `${place} has ${uses.length}, ${ALLOWED[place] ?? 0} allowed:\n  ${latest}`;
    });
    expect(texts).toEqual([]);
  });

  it('are counted for places that exist', () => {
    const places = new Set(projectFiles().map(placeOf));
    expect(Object.keys(ALLOWED).filter((place) => !places.has(place))).toEqual([]);
  });

  it.each([
    ['const noteStranger = 1;', ['stranger']],
    ["state === 'on_its_way'", ['on its way']],
    ['isOnItsWay(order)', ['on its way']],
    ['// An earlier life was proven.', ['life', 'proven']],
    ['lifecycle, healthy, improve, wishbone, tornado, keepers', []],
  ] as const)('are found in %s', (text, words) => {
    expect(wordUses('a.ts', text).map(({ word }) => word)).toEqual(words);
  });

  it('are found in the name of a file', () => {
    expect(wordUses('src/canary-watch.ts', '')).toEqual([{ word: 'canary', line: 0 }]);
  });
});
