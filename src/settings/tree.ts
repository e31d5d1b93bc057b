// Reads one tree of the configuration through `convict`: structure here, values there.

import convict from 'convict';
import type { Entry, ListSpec, Reading, SectionSpec, ValuesOf } from './keys.ts';
import { type Applies, type ItemReader, isMap, type KeySpec, type Keys } from './keys.ts';
import { type Path, shown } from './problems.ts';
import { unknownKey } from './suggest.ts';

/**
 * `convict` turns text into numbers and flags by its own rules (`"3x"` becomes 3, `"no"` becomes
 * true). Under a format of our own it leaves values as they are, and the key's rule decides.
 */
const FORMAT = 'bookend-checked';
convict.addFormat({
  name: FORMAT,
  validate: (value, schema) => schema['check'](value),
  coerce: (value) => value,
});

/**
 * Reads a section: unknown keys, missing keys and wrong values all become problems.
 *
 * @returns The values with defaults filled in, or `undefined` when there was any problem.
 */
export function readSection<Own extends Keys>(
  spec: SectionSpec<Own>,
  value: unknown,
  at: Path,
  reading: Reading,
): ValuesOf<SectionSpec<Own>> | undefined {
  const countBefore = reading.problems.count;
  const values = valuesOf(spec, leavesOf(spec, value, { at, below: [] }, reading), { at, reading });
  return isClean(spec, values, reading.problems.count === countBefore) ? values : undefined;
}

/** `convict` throws over what it takes for a path, as a key with a dot in a map of somebody else's keys. */
function valuesOf(
  spec: SectionSpec<Keys>,
  leaves: readonly Leaf[],
  { at, reading }: { readonly at: Path; readonly reading: Reading },
): unknown {
  // One `convict` for each of hundreds of markets takes the loop of a trader a second, and is no use: no variable
  // overrides an item of a list.
  if (at.some((part) => typeof part === 'number')) {
    const stated = new Map(leaves.map(({ name, value }) => [name, value]));
    return itemOf(spec, stated, { at, below: [] }, reading);
  }
  try {
    const config = convict(convictSection(spec, at, reading), { env: reading.env, args: [] });
    for (const leaf of leaves) config.set(leaf.name, leaf.value);
    // Loading nothing lets the environment have the last word.
    config.load({});
    config.validate({ allowed: 'strict' });
    return config.getProperties();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    reading.problems.add(at, `must have no key with a dot in its name: ${why}`);
    return undefined;
  }
}

function itemOf(
  { keys }: SectionSpec<Keys>,
  stated: ReadonlyMap<string, unknown>,
  { at, below }: Place,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(keys).map(([name, entry]) => {
      const path = [...below, name];
      if (entry.kind === 'section')
        return [name, itemOf(entry, stated, { at, below: path }, reading)];
      const leaf = path.join('.');
      if (entry.kind === 'list') return [name, stated.get(leaf) ?? []];
      const value = stated.has(leaf) ? stated.get(leaf) : copied(entry.default);
      // A default is checked as well: where it is no right value, one has to be stated.
      if (stated.has(leaf) || value !== undefined)
        complainOf(entry, value, { at, below: path }, reading);
      return [name, value];
    }),
  );
}

function complainOf(
  spec: KeySpec<unknown>,
  value: unknown,
  { at, below }: Place,
  { problems }: Reading,
) {
  const wrong = complaint(spec, value);
  if (wrong !== undefined) problems.add([...at, ...below], wrong);
  // As `convict` would say, for which it is a path.
  const isDotted = isMap(value) && Object.keys(value).some((key) => key.includes('.'));
  if (isDotted) problems.add(at, 'must have no key with a dot in its name');
}

/** Settings are frozen, and a default stays its owner's. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}

/** A list whose items are sections. */
export function list<Own extends Keys>(
  spec: ListOptions & { readonly items: SectionSpec<Own> },
): ListSpec<ValuesOf<SectionSpec<Own>>> {
  return listBy(spec, (value, at, reading) => readSection(spec.items, value, at, reading));
}

type ListOptions = {
  readonly doc: string;
  readonly applies: Applies;
  readonly required: boolean;
  readonly lengthMax: number;
};

/** A list whose items need a reader of their own. */
export function listBy<Item>(
  spec: ListOptions & { readonly items: SectionSpec<Keys> },
  read: ItemReader<Item>,
): ListSpec<Item> {
  const { doc, applies, required, lengthMax, items } = spec;
  return { kind: 'list', doc, applies, required, lengthMax, items, read };
}

type Leaf = { readonly name: string; readonly value: unknown };
/** `at` is the place in the file, `below` the keys under the section that is being read. */
type Place = { readonly at: Path; readonly below: readonly string[] };

/** To look for what was meant by each of thousands takes seconds: a map of those is another file. */
const UNKNOWN_NAMED_MAX = 50;

function leavesOf(
  spec: SectionSpec<Keys>,
  value: unknown,
  place: Place,
  reading: Reading,
): readonly Leaf[] {
  if (!isMap(value)) {
    reading.problems.add(place.at, `must be a map of keys, not ${shown(value)}`);
    return [];
  }
  const known = Object.keys(spec.keys);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, UNKNOWN_NAMED_MAX)) {
    reading.problems.add([...place.at, name], unknownKey(name, known));
  }
  const more = unknown.length - UNKNOWN_NAMED_MAX;
  if (more > 0) reading.problems.add(place.at, `has ${more} more keys that are none`);
  return Object.entries(spec.keys).flatMap(([name, entry]) => {
    const inner = { at: [...place.at, name], below: [...place.below, name] };
    return Object.hasOwn(value, name)
      ? leaves(entry, value[name], inner, reading)
      : missing(entry, inner, reading);
  });
}

function leaves(entry: Entry, value: unknown, place: Place, reading: Reading): readonly Leaf[] {
  switch (entry.kind) {
    case 'section':
      return leavesOf(entry, value, place, reading);
    case 'list':
      return [{ name: place.below.join('.'), value: readItems(entry, value, place.at, reading) }];
    case 'key':
      return keyLeaf(entry, value, place, reading);
  }
}

/** `convict` looks into maps for keys of its own, so a map where a value belongs stays out. */
function keyLeaf(
  spec: KeySpec<unknown>,
  value: unknown,
  place: Place,
  reading: Reading,
): readonly Leaf[] {
  if (isMap(value) && !isMap(spec.default)) {
    reading.problems.add(place.at, complaint(spec, value) ?? 'must not be a map');
    return [];
  }
  return [{ name: place.below.join('.'), value }];
}

function missing(entry: Entry, place: Place, reading: Reading): readonly Leaf[] {
  const isRequired = entry.kind !== 'section' && entry.required;
  if (isRequired) {
    const right = entry.kind === 'key' ? entry.rule : 'a list, [] for none';
    reading.problems.add(place.at, `is missing; it must be ${right}`);
  }
  return [];
}

function readItems(
  spec: ListSpec<unknown>,
  value: unknown,
  at: Path,
  reading: Reading,
): readonly unknown[] {
  if (!Array.isArray(value)) {
    reading.problems.add(at, `must be a list, not ${shown(value)}`);
    return [];
  }
  if (value.length > spec.lengthMax) {
    reading.problems.add(at, `must have at most ${spec.lengthMax} items, not ${value.length}`);
    return [];
  }
  return value.map((item, index) => spec.read(item, [...at, index], reading));
}

function convictSection(
  spec: SectionSpec<Keys>,
  at: Path,
  reading: Reading,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(spec.keys).map(([name, entry]) => [
      name,
      convictEntry(entry, [...at, name], reading),
    ]),
  );
}

function convictEntry(entry: Entry, at: Path, reading: Reading): object {
  switch (entry.kind) {
    case 'section':
      return convictSection(entry, at, reading);
    case 'list':
      // The items are read one by one before `convict` sees them.
      return { doc: entry.doc, default: [], format: FORMAT, check: () => undefined };
    case 'key':
      return convictKey(entry, at, reading);
  }
}

function convictKey(spec: KeySpec<unknown>, at: Path, reading: Reading): object {
  const fromEnv = spec.env !== undefined && reading.env[spec.env] !== undefined;
  return {
    doc: spec.doc,
    default: spec.default,
    format: FORMAT,
    ...(spec.env === undefined ? {} : { env: spec.env }),
    // Collected and not thrown, so that one wrong value hides no other.
    check: (value: unknown) => {
      const wrong = complaint(spec, value);
      if (wrong === undefined) return;
      reading.problems.add(at, fromEnv ? `${wrong} (from ${spec.env})` : wrong);
    },
  };
}

function complaint(spec: KeySpec<unknown>, value: unknown): string | undefined {
  try {
    spec.format(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The values fit the schema when reading them found nothing wrong. */
function isClean<Own extends Keys>(
  _spec: SectionSpec<Own>,
  _values: unknown,
  foundNothing: boolean,
): _values is ValuesOf<SectionSpec<Own>> {
  return foundNothing;
}
