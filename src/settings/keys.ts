// The vocabulary of the schema: a key has a doc, a unit, a rule, a default and perhaps an
// environment name; sections and lists hold keys.

import { type Path, shown } from './problems.ts';

/** `live` keys take effect while the daemon runs, `restart` keys at the next start. */
export type Applies = 'live' | 'restart';

export type KeySpec<Value> = {
  readonly kind: 'key';
  readonly doc: string;
  readonly unit: string;
  /** What a right value is, for people: `from 1 to 200`. */
  readonly rule: string;
  /** The same for editors, as far as JSON Schema can say it. */
  readonly shape: Shape;
  readonly default: Value | undefined;
  /** The file must state it; there is no default. */
  readonly required: boolean;
  /** Throws an `Error` whose text says what would be right. */
  readonly format: (value: unknown) => void;
  /** Environment variable that overrides the file. */
  readonly env: string | undefined;
  readonly applies: Applies;
  /** When a change of a live key counts, where that is not at once. */
  readonly counts?: 'now' | 'requote';
};

/** A fragment of JSON Schema: `{ type: 'integer', minimum: 1 }`. */
export type Shape = Readonly<Record<string, unknown>>;

export type Keys = { readonly [key: string]: Entry };

export type SectionSpec<Own extends Keys> = {
  readonly kind: 'section';
  readonly doc: string;
  readonly keys: Own;
};

export type ListSpec<Item> = {
  readonly kind: 'list';
  readonly doc: string;
  readonly applies: Applies;
  readonly required: boolean;
  /** Bound on the number of items. */
  readonly lengthMax: number;
  /** Keys of one item, for the documentation. */
  readonly items: SectionSpec<Keys>;
  readonly read: ItemReader<Item>;
};

/** Reads one item, or reports what is wrong with it and answers `undefined`. */
export type ItemReader<Item> = (value: unknown, at: Path, reading: Reading) => Item | undefined;

export type Entry = KeySpec<unknown> | ListSpec<unknown> | SectionSpec<Keys>;

/** The values that a schema describes. */
export type ValuesOf<Spec> =
  Spec extends KeySpec<infer Value>
    ? Value
    : Spec extends ListSpec<infer Item>
      ? readonly Item[]
      : Spec extends SectionSpec<infer Own>
        ? { readonly [Key in keyof Own]: ValuesOf<Own[Key]> }
        : never;

/** What reading a configuration needs beside the text. */
export type Reading = {
  readonly problems: { readonly count: number; add(path: Path, message: string): void };
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Common = { readonly doc: string; readonly applies: Applies; readonly env?: string };
type Bounds = Common & {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
};

/** A whole number within bounds. */
export function whole(spec: Bounds): KeySpec<number> {
  return bounded(spec, { isKind: Number.isSafeInteger, kind: 'a whole number', type: 'integer' });
}

/** A finite number within bounds. */
export function number(spec: Bounds): KeySpec<number> {
  return bounded(spec, { isKind: Number.isFinite, kind: 'a number', type: 'number' });
}

/** A finite number within bounds that may be left out. */
export function optionalNumber(spec: Omit<Bounds, 'default'>): KeySpec<number | undefined> {
  const { format, ...rest } = bounded(
    { ...spec, default: spec.min },
    { isKind: Number.isFinite, kind: 'a number', type: 'number' },
  );
  return { ...rest, format, default: undefined };
}

/** `true` or `false`. */
export function flag(spec: Common & { readonly default: boolean }): KeySpec<boolean> {
  return key(spec, {
    unit: 'yes or no',
    rule: 'true or false',
    shape: { type: 'boolean' },
    isRight: (value) => typeof value === 'boolean',
  });
}

/** One of a few words. */
export function oneOf<const Word extends string>(
  spec: Common & { readonly words: readonly Word[]; readonly default: Word },
): KeySpec<Word> {
  const words: readonly unknown[] = spec.words;
  const rule = `one of ${spec.words.map(quotedNumber).join(', ')}`;
  return key(spec, {
    unit: 'word',
    rule,
    shape: { enum: spec.words },
    isRight: (value) => words.includes(value),
  });
}

/** YAML takes `0.01` for a number, and only quotes make it a word. */
function quotedNumber(word: string): string {
  return /^[\d.]+$/.test(word) ? JSON.stringify(word) : word;
}

/** No text of a configuration may be longer, whatever its pattern would say. */
const TEXT_LENGTH_MAX = 4_000;

type TextRule = {
  readonly unit: string;
  readonly rule: string;
  readonly pattern: Pick<RegExp, 'test'>;
};

/** Text that the file must state. */
export function requiredText(spec: Common & TextRule): KeySpec<string> {
  return { ...key({ ...spec, default: undefined }, textRule(spec)), required: true };
}

/** Text with a default. */
export function text(spec: Common & TextRule & { readonly default: string }): KeySpec<string> {
  return key(spec, textRule(spec));
}

/** Text that may be left out. */
export function optionalText(spec: Common & TextRule): KeySpec<string | undefined> {
  return key<string | undefined>({ ...spec, default: undefined }, textRule(spec));
}

/** A list of short texts. */
export function texts(
  spec: Common & TextRule & { readonly lengthMax: number },
): KeySpec<readonly string[]> {
  const { isRight: isText, shape } = textRule(spec);
  return key<readonly string[]>(
    { ...spec, default: [] },
    {
      unit: spec.unit,
      rule: `a list of at most ${spec.lengthMax} items, each ${spec.rule}`,
      shape: { type: 'array', maxItems: spec.lengthMax, items: shape },
      isRight: (value) =>
        Array.isArray(value) && value.length <= spec.lengthMax && value.every(isText),
    },
  );
}

/** A map whose keys somebody else checks. */
export function freeMap(spec: Common): KeySpec<Readonly<Record<string, unknown>>> {
  return key<Readonly<Record<string, unknown>>>(
    { ...spec, default: {} },
    { unit: 'map', rule: 'a map of keys and values', shape: { type: 'object' }, isRight: isMap },
  );
}

export function section<const Own extends Keys>(doc: string, keys: Own): SectionSpec<Own> {
  return { kind: 'section', doc, keys };
}

/**
 * A map of the file, as opposed to a list, a text, a number or nothing. What a tag makes, as the `Map` of `!!omap`, is
 * none: it has no key that anybody would see, and limits in it would fall back to their defaults.
 */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const kind: unknown = Object.getPrototypeOf(value);
  return kind === Object.prototype || kind === null;
}

type Rule = {
  readonly unit: string;
  readonly rule: string;
  readonly shape: Shape;
  readonly isRight: (value: unknown) => boolean;
};

/** A key from a rule that answers yes or no. */
export function key<Value>(
  spec: Common & { readonly default: Value | undefined },
  rule: Rule,
): KeySpec<Value> {
  return {
    kind: 'key',
    doc: spec.doc,
    unit: rule.unit,
    rule: rule.rule,
    shape: rule.shape,
    default: spec.default,
    required: false,
    format: (value) => {
      if (!rule.isRight(value)) throw new Error(`must be ${rule.rule}, not ${shown(value)}`);
    },
    env: spec.env,
    applies: spec.applies,
  };
}

type NumberKind = {
  readonly isKind: (value: unknown) => boolean;
  readonly kind: string;
  readonly type: 'integer' | 'number';
};

function bounded(spec: Bounds, { isKind, kind, type }: NumberKind): KeySpec<number> {
  return key(spec, {
    unit: spec.unit,
    rule: `${kind} from ${spec.min} to ${spec.max} (${spec.unit})`,
    shape: { type, minimum: spec.min, maximum: spec.max },
    isRight: (value) =>
      typeof value === 'number' && isKind(value) && value >= spec.min && value <= spec.max,
  });
}

function textRule(spec: TextRule): Rule {
  const isRight = (value: unknown): boolean =>
    typeof value === 'string' && value.length <= TEXT_LENGTH_MAX && spec.pattern.test(value);
  // A rule that is more than a pattern is checked by the daemon alone.
  const pattern = spec.pattern instanceof RegExp ? { pattern: spec.pattern.source } : {};
  const shape = { type: 'string', maxLength: TEXT_LENGTH_MAX, ...pattern };
  return { unit: spec.unit, rule: spec.rule, shape, isRight };
}
