// The schema that editors read: what is shipped fits it, and it refuses what `check` refuses, as far as it can say.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStrategies } from '../../src/app/strategies.ts';
import { type FirstAnswers, firstFile } from '../../src/settings/first-file.ts';
import { isMap } from '../../src/settings/keys.ts';
import { ROOT } from './project-files.ts';

const SCHEMA = join(ROOT, 'config/schema.json');
const isRight = new Ajv({ allErrors: true, strict: true, strictRequired: false }).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')),
);
const STRATEGIES = await loadStrategies();

const FOLDERS = ['config', 'config/presets'];
const FILES = [
  'ops/bookend.yaml',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Places and words of what the schema says against a value. */
function complaints(value: unknown): readonly string[] {
  if (isRight(value)) return [];
  return (isRight.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('the schema of the configuration', () => {
  it.each(FILES)('takes %s, which names it in its first line', (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect(complaints(parse(text))).toEqual([]);
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? 'nothing';
    expect(resolve(ROOT, dirname(file), named)).toBe(SCHEMA);
  });

  it.each([...STRATEGIES.keys()])('takes what `init` writes for %s', (strategy) => {
    const answers: FirstAnswers = {
      venue: { kind: 'paper', crowd: 'honest' },
      events: ['rain', 'snow'],
      strategy,
      maxLossUsdc: 200,
    };
    const text = firstFile(answers, STRATEGIES, { schema: './schema.json', journal: 'data/a.db' });
    expect(complaints(parse(text))).toEqual([]);
  });

  it('takes what `init` writes for whoever may lose as much as there is a limit for', () => {
    const venue = { kind: 'paper', crowd: 'honest' } as const;
    const answers = { venue, events: ['rain'], strategy: 'auto', maxLossUsdc: 10_000_000 };
    const text = firstFile(answers, STRATEGIES, { schema: './schema.json', journal: 'data/a.db' });
    expect(complaints(parse(text))).toEqual([]);
  });

  it.each([
    ['a key that is none', { markets: [], rsk: {} }, ' must NOT have additional properties'],
    ['no markets', {}, " must have required property 'markets'"],
    ['a number out of bounds', { markets: [], http: { port: -1 } }, '/http/port must be >= 0'],
    [
      'a fraction where a whole number belongs',
      { markets: [], risk: { maxOpenOrders: 1.5 } },
      '/risk/maxOpenOrders must be integer',
    ],
    [
      'a word that is none',
      { markets: [], orders: { timeInForce: 'FOK' } },
      '/orders/timeInForce must be equal to one of the allowed values',
    ],
    [
      'a parameter of another strategy',
      { markets: [{ event: 'e', strategy: 'ladder', params: { gamma: 1 } }] },
      '/markets/0/params must NOT have additional properties',
    ],
    [
      'a parameter out of bounds',
      { markets: [{ event: 'e', strategy: 'ladder', params: { levels: 0 } }] },
      '/markets/0/params/levels must be >= 1',
    ],
    [
      'a strategy that is none',
      { markets: [{ event: 'e', strategy: 'lader' }] },
      '/markets/0/strategy must match a schema in anyOf',
    ],
  ])('refuses %s', (_, value, complaint) => {
    expect(complaints(value)).toContain(complaint);
  });

  it('leaves the parameters of a module to the module', () => {
    const markets = [{ event: 'e', strategy: './own.js', params: { anything: 1 } }];
    expect(complaints({ markets })).toEqual([]);
  });

  it('describes every key, with what is right and when it counts', () => {
    const schema: unknown = JSON.parse(readFileSync(SCHEMA, 'utf8'));
    const bare = propertiesOf(schema, '').filter(({ description }) => description.length < 10);
    expect(bare).toEqual([]);
  });
});

type Property = { readonly path: string; readonly description: string };

function propertiesOf(schema: unknown, path: string): readonly Property[] {
  if (!isMap(schema)) return [];
  const own = isMap(schema['properties']) ? Object.entries(schema['properties']) : [];
  const found = own.flatMap(([name, entry]) => [
    { path: `${path}/${name}`, description: isMap(entry) ? String(entry['description']) : '' },
    ...propertiesOf(entry, `${path}/${name}`),
  ]);
  return [...found, ...propertiesOf(schema['items'], `${path}/[]`)];
}
