// Single values changed in a text that somebody has written, and nothing else of it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStrategies } from '../../../src/app/strategies.ts';
import { type Edit, editText } from '../../../src/settings/edit.ts';
import { formOf } from '../../../src/settings/form.ts';
import { parseSettings } from '../../../src/settings/load.ts';

const STRATEGIES = await loadStrategies();
const CONFIG = fileURLToPath(new URL('../../../config/', import.meta.url));
const FILES = ['', 'presets'].flatMap((folder) =>
  readdirSync(join(CONFIG, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name)),
);
const textOf = (name: string) => readFileSync(join(CONFIG, name), 'utf8');

const size = (value: Edit['value'], at = 0): Edit => ({
  path: ['markets', at, 'params', 'size'],
  value,
});
const limit = (name: string, value: Edit['value']): Edit => ({ path: ['risk', name], value });

function edited(text: string, ...edits: readonly Edit[]): string {
  const result = editText(text, edits);
  if (result.kind === 'edited') return result.text;
  throw new Error(JSON.stringify(result.problems));
}

function refusal(text: string, ...edits: readonly Edit[]): string {
  const result = editText(text, edits);
  return result.kind === 'edited' ? 'edited' : result.problems.map((each) => each.message).join();
}

describe('a value that is stated', () => {
  it('is changed where it stands, and every comment, blank and quote around it stays', () => {
    const text = textOf('paper.yaml');
    const next = edited(text, size(75), limit('maxLossUsdc', 900.5));
    expect(next).toBe(
      text
        .replace('size: 50                # shares', 'size: 75                # shares')
        .replace('maxLossUsdc: 1500', 'maxLossUsdc: 900.5'),
    );
  });

  it.each([
    ['a flow map', 'markets: [{ event: a, params: { size: 5, x: 1 } }]\n', '{ size: 7, x: 1 }'],
    ['JSON', '{"markets":[{"event":"a","params":{"size":5}}]}', '"params":{"size":7}'],
    [
      'lines that end as on Windows',
      'markets:\r\n  - params:\r\n      size: 5 # x\r\n',
      'size: 7 # x\r\n',
    ],
  ])('is changed in %s', (_, text, part) => {
    expect(edited(text, size(7))).toContain(part);
  });

  it('is quoted where YAML would read a word as something else', () => {
    const text = "markets:\n  - params: { mode: 'off' }\n";
    const path = ['markets', 0, 'params', 'mode'];
    expect(edited(text, { path, value: 'true' })).toBe('markets:\n  - params: { mode: "true" }\n');
    expect(edited(text, { path, value: true })).toBe('markets:\n  - params: { mode: true }\n');
  });
});

describe('a value that is not stated', () => {
  it('comes in below the last one of its map, in its indentation, behind its comment', () => {
    const text = 'markets:\n  - event: a\n    params:\n      levels: 3   # quotes\nrisk: {}\n';
    expect(edited(text, size(7))).toBe(
      'markets:\n  - event: a\n    params:\n      levels: 3   # quotes\n      size: 7\nrisk: {}\n',
    );
  });

  it.each([
    [
      'a flow map',
      'risk: { maxOpenOrders: 5 } # x\n',
      'risk: { maxOpenOrders: 5, maxLossUsdc: 9 } # x\n',
    ],
    ['an empty map', 'risk: {} # x\n', 'risk: { maxLossUsdc: 9 } # x\n'],
    ['JSON', '{"risk":{"maxOpenOrders":5}}', '{"risk":{"maxOpenOrders":5, "maxLossUsdc": 9}}'],
    [
      'a file without the section',
      'markets: []\nhttp:\n  port: 1\n',
      'markets: []\nhttp:\n  port: 1\nrisk: { maxLossUsdc: 9 }\n',
    ],
    [
      'a map of maps',
      'risk:\n  loss:\n    dayUsdc: 1\n',
      'risk:\n  maxLossUsdc: 9\n  loss:\n    dayUsdc: 1\n',
    ],
  ])('comes into %s', (_, text, expected) => {
    const next = edited(text, limit('maxLossUsdc', 9));
    expect(parse(next)).toEqual(parse(expected));
    expect(next.split('\n').length).toBe(expected.split('\n').length);
  });

  it('brings the map around it along, with all that go into it', () => {
    const text = '- x\n'.replace(
      '- x',
      'markets:\n  - event: a\n    strategy: ladder # the plain one',
    );
    const levels = { path: ['markets', 0, 'params', 'levels'], value: 2 };
    expect(edited(text, size(7), levels)).toBe(
      'markets:\n  - event: a\n    strategy: ladder # the plain one\n    params: { size: 7, levels: 2 }\n',
    );
  });
});

describe('what cannot be changed by itself', () => {
  it.each([
    [
      'shares an anchor with another market',
      'markets:\n  - params: &p\n      size: 5\n  - params: *p\n',
    ],
    ['is an alias', 'x: &five 5\nmarkets:\n  - params: { size: *five }\n'],
    ['is an anchor', 'markets:\n  - params: { size: &five 5 }\n  - params: { size: *five }\n'],
    ['stands in no market of the list', 'markets: []\n'],
    ['has a map where a value belongs', 'markets:\n  - params: { size: { a: 1 } }\n'],
    ['stands in a file that is no YAML', 'markets: [\n'],
    ['has no place in a text', 'just words'],
  ])('is refused where it %s', (_, text) => {
    expect(refusal(text, size(7))).toMatch(/edit the file|mend the file/);
  });

  it.each([
    [['http', 'host']],
    [['journal', 'path']],
    [['markets', 0, 'strategy']],
    [['markets', 0, 'params', 'a', 'b']],
    [['markets', '0', 'params', 'size']],
    [['risk', 'loss', 'a', 'b']],
    [['risk']],
    [[]],
    [['__proto__', 'x']],
  ])('is refused by its place: %j', (path) => {
    const text = 'markets:\n  - params: { size: 5 }\nhttp: { host: a }\n';
    expect(refusal(text, { path, value: 1 })).toBe('is not changed from here; edit the file');
  });

  it('keeps all of the others as they are', () => {
    const text = 'markets:\n  - params: { size: 5 }\n';
    expect(refusal(text, size(7), { path: ['http', 'host'], value: 'a' })).not.toBe('edited');
  });
});

it('says what each was and what it becomes', () => {
  const result = editText('risk: { maxOpenOrders: 5 }\n', [
    limit('maxOpenOrders', 6),
    limit('maxLossUsdc', 7),
  ]);
  expect(result).toMatchObject({
    changes: [
      { path: 'risk.maxOpenOrders', before: 5, after: 6 },
      { path: 'risk.maxLossUsdc', before: undefined, after: 7 },
    ],
  });
});

describe.each(FILES)('%s', (name) => {
  const text = textOf(name);
  const source = { file: name, env: {}, strategies: STRATEGIES };
  const { markets, limits } = formOf(parseSettings(text, source), STRATEGIES);
  const fields = [...markets.flatMap((market) => market.fields), ...limits];

  it('takes any values of its form, all at once, and every other line stays', () => {
    const values = fields.map(({ path, kind, min = 0, max = 9, words = [] }) => {
      if (kind === 'flag') return fc.record({ path: fc.constant(path), value: fc.boolean() });
      if (kind === 'word')
        return fc.record({ path: fc.constant(path), value: fc.constantFrom(...words) });
      const value = fc.integer({
        min: Math.ceil(min),
        max: Math.floor(Math.max(max, Math.ceil(min))),
      });
      return fc.record({ path: fc.constant(path), value });
    });
    const edits = fc.tuple(...values).chain((all) => fc.subarray<Edit>(all, { minLength: 1 }));
    const comments = text.match(/#.*/g) ?? [];
    fc.assert(
      fc.property(edits, (chosen) => {
        const next = edited(text, ...chosen);
        for (const { path, value } of chosen) {
          expect(path.reduce((at, key) => Reflect.get(Object(at), key), parse(next))).toEqual(
            value,
          );
        }
        expect(next.match(/#.*/g) ?? []).toEqual(comments);
      }),
      { numRuns: 25 },
    );
  });
});
