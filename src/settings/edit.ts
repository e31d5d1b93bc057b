// Changes single values in the text of a configuration and nothing else in it: comments, order and layout stay as
// somebody wrote them. The parser says where a value stands, and the text is cut there.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap as isMapNode,
  isScalar,
  type Pair,
  stringify,
  type YAMLMap,
} from 'yaml';
import type { Change } from './diff.ts';
import { isMap } from './keys.ts';
import { type Path, type Problem, pathText, shown } from './problems.ts';
import { readYaml } from './yaml.ts';
import { readDocument, yamlExcess } from './yaml-document.ts';

/** One value that somebody wants otherwise. */
export type Edit = { readonly path: Path; readonly value: number | boolean | string };

export type Edited =
  | { readonly kind: 'edited'; readonly text: string; readonly changes: readonly Change[] }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** Names a text, so that nobody changes another one than was shown. */
export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * What may be changed one by one while the daemon runs: parameters of strategies and limits.
 * Everything else is a matter of the file as a whole.
 */
export function isEditable([section, ...rest]: Path): boolean {
  if (section === 'markets') {
    const [index, params, name, ...more] = rest;
    const isParam = typeof index === 'number' && params === 'params' && typeof name === 'string';
    return isParam && more.length === 0;
  }
  const names = rest[0] === 'loss' ? rest.slice(1) : rest;
  return section === 'risk' && names.length === 1 && typeof names[0] === 'string';
}

/** The text with these values; refused whole where one of them has no place of its own in it. */
export function editText(text: string, edits: readonly Edit[]): Edited {
  const odd = edits.find(({ path }) => !isEditable(path));
  if (odd !== undefined) return refused(odd.path, 'is not changed from here; edit the file');
  if (yamlExcess(text) !== undefined) return refused([], 'cannot be read; edit the file');
  const { document, faults } = readDocument(text);
  if (faults.length > 0) return refused([], 'is no valid YAML now; mend the file');
  const before: unknown = document.toJS();
  const expected = edits.reduce(
    (value, { path, value: next }) => withValue(value, path, next),
    before,
  );
  const next = spliced(text, splices(document, text, edits));
  const after = readYaml(next).value;
  // Whatever shares its place with something else, as an anchor, shows here.
  const isAsMeant =
    isDeepStrictEqual(after, expected) &&
    edits.every(({ path, value }) => valueAt(after, path) === value);
  if (!isAsMeant) {
    return refused(edits[0]?.path ?? [], 'has no place of its own here; edit the file');
  }
  return { kind: 'edited', text: next, changes: changesOf(before, edits) };
}

function refused(path: Path, message: string): Edited {
  return { kind: 'refused', problems: [{ path: pathText(path), line: undefined, message }] };
}

function changesOf(before: unknown, edits: readonly Edit[]): readonly Change[] {
  return edits.map(({ path, value }) => ({
    path: pathText(path),
    before: valueAt(before, path),
    after: value,
  }));
}

/** Old and new of each, on one line. */
export function changeText({ path, before, after }: Change): string {
  return `${path}: ${before === undefined ? 'not stated' : shown(before)} → ${shown(after)}`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at) && typeof key === 'number') return at[key];
    return isMap(at) && typeof key === 'string' && Object.hasOwn(at, key) ? at[key] : undefined;
  }, value);
}

function withValue(value: unknown, [key, ...rest]: Path, next: unknown): unknown {
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? withValue(item, rest, next) : item));
  }
  const map = isMap(value) ? value : {};
  return { ...map, [key]: withValue(Object.hasOwn(map, key) ? map[key] : undefined, rest, next) };
}

/** From `from` to `to` the text is replaced. */
type Splice = { readonly from: number; readonly to: number; readonly text: string };

function spliced(text: string, changes: readonly Splice[]): string {
  return [...changes]
    .sort((one, other) => other.from - one.from)
    .reduce(
      (result, { from, to, text: part }) => result.slice(0, from) + part + result.slice(to),
      text,
    );
}

function splices(document: Document, text: string, edits: readonly Edit[]): readonly Splice[] {
  const stated = edits.flatMap(({ path, value }) => {
    const range = rangeOf(document, path);
    return range === undefined ? [] : [{ from: range[0], to: range[1], text: scalar(value) }];
  });
  const missing = edits.filter(({ path }) => rangeOf(document, path) === undefined);
  // Those of one map go in together.
  const parents = new Map(
    missing.map(({ path }) => [pathText(path.slice(0, -1)), path.slice(0, -1)]),
  );
  const inserted = [...parents].flatMap(([name, parent]) => {
    const own = missing.filter(({ path }) => pathText(path.slice(0, -1)) === name);
    const pairs = own.map(({ path, value }) => [String(path.at(-1)), scalar(value)] as const);
    return insertion(document, text, { parent, pairs }) ?? [];
  });
  return [...stated, ...inserted];
}

function rangeOf(document: Document, path: Path): readonly [number, number] | undefined {
  const node = nodeAt(document, path);
  const range = isScalar(node) && node.anchor === undefined ? node.range : undefined;
  return range ? [range[0], range[1]] : undefined;
}

/** An alias on the way has no place of its own. */
function nodeAt(document: Document, path: Path): unknown {
  try {
    return document.getIn(path, true);
  } catch {
    return undefined;
  }
}

type Insertion = { readonly parent: Path; readonly pairs: readonly (readonly [string, string])[] };

function insertion(
  document: Document,
  text: string,
  { parent, pairs }: Insertion,
): Splice | undefined {
  const map = parent.length === 0 ? document.contents : nodeAt(document, parent);
  if (isMapNode(map)) return intoMap(map, text, pairs);
  if (map !== undefined || parent.length === 0) return undefined;
  // The map itself is not stated: it becomes a value of the one around it.
  const inner = `{ ${pairs.map(([name, value]) => `${name}: ${value}`).join(', ')} }`;
  const around = { parent: parent.slice(0, -1), pairs: [[String(parent.at(-1)), inner]] as const };
  return insertion(document, text, around);
}

function intoMap(map: YAMLMap, text: string, pairs: Insertion['pairs']): Splice | undefined {
  const first = map.items[0];
  if (first === undefined) return intoEmpty(map, pairs);
  const startsAt = isScalar(first.key) ? first.key.range?.[0] : undefined;
  if (startsAt === undefined) return undefined;
  const isFlow = map.flow === true;
  const column = startsAt - (text.lastIndexOf('\n', startsAt - 1) + 1);
  const between = isFlow ? ', ' : `\n${' '.repeat(column)}`;
  const isQuoted = text[startsAt] === '"';
  const lines = pairs.map(([name, value]) => `${isQuoted ? JSON.stringify(name) : name}: ${value}`);
  const behind = placeBehind(map, text, isFlow);
  if (behind !== undefined) {
    return { from: behind, to: behind, text: lines.map((line) => between + line).join('') };
  }
  return { from: startsAt, to: startsAt, text: lines.map((line) => line + between).join('') };
}

function intoEmpty(map: YAMLMap, pairs: Insertion['pairs']): Splice | undefined {
  const { range } = map;
  if (!range) return undefined;
  const text = `{ ${pairs.map(([name, value]) => `${name}: ${value}`).join(', ')} }`;
  return { from: range[0], to: range[1], text };
}

/** Behind the last value that ends in the line it begins in, and behind its comment. */
function placeBehind(map: YAMLMap, text: string, isFlow: boolean): number | undefined {
  const ends = map.items.flatMap((pair: Pair) => {
    const range = isScalar(pair.value) ? pair.value.range : undefined;
    return range && range[1] > range[0] && !text.slice(range[0], range[1]).includes('\n')
      ? [range[1]]
      : [];
  });
  const last = ends.at(-1);
  if (last === undefined || isFlow) return last;
  const line = text.indexOf('\n', last);
  const end = line < 0 ? text.length : line;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** A value on one line, in quotes where YAML needs them. */
function scalar(value: Edit['value']): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}
