// What external orders send: values, objects, texts and mutations of what is right.

import fc from 'fast-check';

/** Values that anybody may put anywhere. */
export const NASTY: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, false, '', ' ', '0', '-1', 'NaN', 'Infinity', '1e999', '0x', '0xg1'],
    ...['__proto__', 'constructor', 'toString', '\u0000', '\u202e', '💥', '../../etc', '%00', '%'],
    ...[-0, 0.29, 1e308, 1e-308, 5e-324, 2 ** 53, -(2 ** 53), 0.1 + 0.2, 1e21, 1e-7],
    ...['9'.repeat(70), 'a'.repeat(600), '2030-13-45T99:99:99Z', '9999-12-31T23:59:59Z'],
    ...[[], {}, [[]], [null], { toString: 5 }, { length: -1 }, { __proto__: null }],
  ),
  fc.double(),
  fc.integer(),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);

/** Values as long as somebody can make them; few of them, since each takes its time. */
export const LONG: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...['9'.repeat(60_000), `${'0'.repeat(60_000)}E`, `0x${'a'.repeat(60_000)}`, ' '.repeat(60_000)],
  ...['x'.repeat(200_000), '2026-11-21T10:00:00.'.padEnd(60_000, '0'), 'a-'.repeat(30_000)],
  ...[
    Array(60_000).fill(0),
    Array(20_000).fill({}),
    Array(20_000).fill('x'),
    nested(30),
    nested(3_000),
  ],
);

/** Texts of one character again and again, at the edge of what is read and far beyond it. */
export function longTexts(lengthMax: number): fc.Arbitrary<string> {
  const units = [
    '[',
    '{"a":',
    '[[],',
    '{},',
    '"\\\\',
    '\\',
    '9',
    ' ',
    '"',
    '0x1 ',
    '"orderbook.delta"',
  ];
  const repeated = fc
    .tuple(fc.constantFrom(...units), fc.constantFrom(1, 2), fc.constantFrom('', '['))
    .map(([unit, times, before]) => {
      return before + unit.repeat(Math.floor((lengthMax * times - 1) / unit.length));
    });
  const items = ['0', '{}', '[]', '""', '[[[[]]]]', '{"type":"ping"}', '{"type":7}'];
  const listed = fc
    .constantFrom(...items)
    .map((item) => `[${`${item},`.repeat(Math.floor(lengthMax / (item.length + 1)) - 1)}0]`);
  return fc.oneof(repeated, listed);
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** An object of known names and any values, some levels deep. */
export function shaped(names: readonly string[]): fc.Arbitrary<object> {
  const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 6, arbitrary: NASTY },
      { weight: 1, arbitrary: tie('object') },
      { weight: 1, arbitrary: fc.array(tie('object'), { maxLength: 2 }) },
    ),
    object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 7 }),
  }));
  return object;
}

/** A good value with one thing inside replaced, removed or doubled. */
export function mutated(good: unknown): fc.Arbitrary<unknown> {
  const value = fc.oneof({ weight: 20, arbitrary: NASTY }, { weight: 1, arbitrary: LONG });
  return fc.tuple(fc.nat(), value, fc.nat(3)).map(([at, value, how]) => {
    const copy = structuredClone(good);
    const places = placesIn(copy);
    places[at % Math.max(places.length, 1)]?.(how, value);
    return copy;
  });
}

/** Texts that are no JSON, or JSON of a kind nobody expects. */
export const BROKEN_TEXT: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['', '{', '[', '"', 'null', 'undefined', '{"a":1,}', '[1,2', '{"a":1}{"b":2}', '\ufeff{}'],
    ...['1e400', '-', '{"__proto__":{"polluted":true}}', '{"type":"ping","type":"auth"}'],
    ...['['.repeat(5_000), `${'{"a":'.repeat(2_000)}1`, `"${'x'.repeat(20_000)}"`],
  ),
  fc.string({ unit: 'binary' }),
  fc.json(),
);

type Change = (how: number, value: unknown) => void;

function placesIn(node: unknown): readonly Change[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => [
    (how, value) => change(node, key, { how, value }),
    ...placesIn(child),
  ]);
}

function change(node: object, key: string, to: { readonly how: number; readonly value: unknown }) {
  if (to.how === 0) Reflect.deleteProperty(node, key);
  else if (to.how === 1 && Array.isArray(node)) node.push(...node.slice(0, 3));
  else Reflect.set(node, key, to.value);
}
