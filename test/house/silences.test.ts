// The table of silences in src/wire/README.md: each row has a choice and something that holds it, and the settings, the
// other answers and the tests that it names are there.

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeKeys } from '../../src/settings/describe.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { projectFiles, ROOT } from './project-files.ts';

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Row = {
  readonly number: number;
  readonly choice: string;
  readonly setting: string;
  readonly other: string;
  readonly confirmed: string;
};

const ROWS: readonly Row[] = text('src/wire/README.md')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [number, , choice = '', setting = '', other = '', confirmed = ''] = line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim());
    return { number: Number(number), choice, setting, other, confirmed };
  });

const FILES = projectFiles();
const CARDS = FILES.filter((path) => /^(test\/conformance\/cards|src\/cli\/doctor)\//.test(path));
const KEYS = new Set(
  describeKeys(new Map([[ladder.name, ladder as unknown as Strategy]])).map(({ path }) => path),
);
/** Where options of parts are declared, by the name that the table gives the part. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  choices: ['src/wire/choices.ts'],
  socket: ['src/venue/ws/socket.ts', 'src/venue/ws/connection.ts', 'src/venue/ws/subscriptions.ts'],
  limits: ['src/venue/http/lanes.ts'],
  dialect: ['src/paper/api/dialect.ts'],
  rules: ['src/paper/exchange/rules.ts'],
  sockets: ['src/paper/options.ts'],
};

const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

/** Whether an option is declared, in the configuration or in a part. */
function isOption(name: string): boolean {
  // `sets` stands in a market of the list.
  if (KEYS.has(name) || KEYS.has(`markets[].${name}`)) return true;
  const [part = '', option = ''] = name.split('.');
  const files = PARTS[part] ?? [];
  return files.some(
    (path) => FILES.includes(path) && new RegExp(`\\b${option}\\b`).test(text(path)),
  );
}

/** Whether what holds a row is there: a test by its path or its name, a card, a profile of the simulation. */
function isThere(name: string): boolean {
  if (name.endsWith('.test.ts')) {
    return name.includes('/')
      ? existsSync(join(ROOT, name))
      : FILES.some((path) => basename(path) === name);
  }
  return new RegExp(`\\b${name}\\b`).test(text('test/simulation/profiles.ts'));
}

describe('the table of silences', () => {
  it('is numbered without a gap', () => {
    const numbers = ROWS.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThanOrEqual(84);
  });

  it('has a choice in each row, and something that holds it', () => {
    const bare = ROWS.filter(({ choice, confirmed }) => choice === '' || confirmed === '');
    expect(bare.map(({ number }) => number)).toEqual([]);
  });

  it('names settings that there are', () => {
    const wrong = ROWS.flatMap(({ number, setting }) =>
      named(setting)
        .map((name) => name.replace(/:.*$/, ''))
        .filter((name) => !isOption(name))
        .map((name) => `${number}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names answers that the embedded venue can give', () => {
    const wrong = ROWS.flatMap(({ number, other }) =>
      named(other)
        .filter((name) => /^(dialect|rules|sockets|paper)\./.test(name) && !isOption(name))
        .map((name) => `${number}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names tests, cards and profiles that there are', () => {
    const cards = CARDS.map(text).join('\n');
    const wrong = ROWS.flatMap(({ number, confirmed }) => [
      ...named(confirmed)
        .filter((name) => !isThere(name))
        .map((name) => `${number}: ${name}`),
      ...[...confirmed.matchAll(/\bC-\d+\b/g)]
        .filter(([card]) => !cards.includes(`'${card}'`))
        .map(([card]) => `${number}: ${card}`),
    ]);
    expect(wrong).toEqual([]);
  });
});
