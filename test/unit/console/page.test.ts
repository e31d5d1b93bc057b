// What the page makes of figures; its modules are the files that a browser loads.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const PAGE = join(import.meta.dirname, '../../../src/console/page');
const from = async (name: string) => await import(pathToFileURL(join(PAGE, name)).href);

const format = await from('format.js');
const { levelsOf } = await from('ladder.js');
const { textOf } = await from('events.js');
const { visible } = await from('dom.js');

it.each([
  ['money', '1234.5', '1,234.50'],
  ['money', '-0.126', '−0.13'],
  ['money', undefined, '—'],
  ['signed', '12', '+12.00'],
  ['signed', '-12', '−12.00'],
  ['signed', '-0.001', '0.00'],
  ['quantity', '50.000000', '50'],
  ['quantity', '12.345678', '12.35'],
  ['quantity', 'no number', '—'],
  ['signedQuantity', '7', '+7'],
  ['percent', 1, '100 %'],
  ['percent', 0.99999, '99.99 %'],
  ['percent', 0.5, '50.0 %'],
  ['percent', undefined, '—'],
  ['duration', 999, '999 ms'],
  ['duration', 61_000, '1 min 1 s'],
  ['duration', 90_061_000, '1 d 1 h'],
  ['duration', Number.NaN, '—'],
  ['digitsOf', '0.001', 3],
  ['toneOf', '-3', 'bad'],
  ['toneOf', '0.001', ''],
  ['nameOf', { title: 'Ann wins', eventSlug: 'race' }, 'Ann wins'],
  ['nameOf', { title: '', eventSlug: 'race' }, 'race'],
] as const)('%s of %s is %s', (name, value, text) => {
  expect(format[name](value)).toBe(text);
});

it('the band of a fair value stays inside its range', () => {
  const [low, high] = format.bandOf(0.98, 1);
  expect(low).toBeCloseTo(0.947, 3);
  expect(high).toBeCloseTo(0.9926, 3);
});

it('a ladder has each price once, the highest first, what lies between, and fair where it belongs', () => {
  const own = new Map([[48, '50']]);
  const bids = new Map([
    [48, '10'],
    [46, '5'],
  ]);
  const asks = new Map([[51, '7']]);
  const levels = levelsOf([undefined, own, bids, undefined, asks, undefined, undefined], 49.4);
  expect(levels.map(({ kind, tick }: { kind: string; tick: number }) => [kind, tick])).toEqual([
    ...[51, 50].map((tick) => ['level', tick]),
    ['fair', 49.4],
    ...[49, 48, 46].map((tick) => ['level', tick]),
  ]);
});

it('a ladder with a wide gap, with one side, or with nothing is no longer for it', () => {
  const far = levelsOf([
    undefined,
    undefined,
    new Map([[1, '1']]),
    undefined,
    new Map([[999, '1']]),
  ]);
  expect(far).toHaveLength(2);
  expect(levelsOf([undefined, undefined, new Map([[1, '1']])])).toHaveLength(1);
  expect(levelsOf([], 50)).toEqual([]);
});

it('an event says its fields, long hashes by their ends', () => {
  const line = {
    number: 3,
    atMs: 1,
    event: 'x',
    level: 'info',
    marketId: 'm',
    side: 'BUY',
    left: '',
  };
  expect(textOf({ ...line, orderHash: `0x${'a'.repeat(60)}f00d` })).toBe(
    'side=BUY orderHash=0xaaaa…f00d',
  );
});

it('a text shows what would steer its reader as an escape, and nothing else of it is another', () => {
  expect(visible('Rain\u202e?\u009b2J\u0007 \u{e0041}')).toBe(
    'Rain\\u202e?\\u009b2J\\u0007 \\udb40\\udc41',
  );
  const plain = 'Łódź – 雨 🌧 «x»\n\tat a.ts';
  expect(visible(plain)).toBe(plain);
});
