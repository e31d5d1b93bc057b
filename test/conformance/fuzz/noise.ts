// What strangers send: values, objects, texts and mutations of what is right.

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
  return fc.tuple(fc.nat(), NASTY, fc.nat(3)).map(([at, value, how]) => {
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
