// A configuration that is one flow map, `{venue: {…}, …}`, and no YAML as a whole: the text of those of its
// sections that a mistake elsewhere leaves as they are.

import { isMap, isNode, isScalar, type Pair, visit, type YAMLMap } from 'yaml';
import { readDocument } from './yaml-document.ts';

/** A section by itself, as texts of which one at the most can be read. */
export type Section = {
  readonly name: string;
  readonly texts: readonly string[];
};

/** A line before the bracket: nothing, a comment, or the mark of a document. */
const PREAMBLE = /^(?:#.*|---)?$/;

export function isFlowMap(text: string): boolean {
  return openingOf(text) !== undefined;
}

/** The text up to its bracket and with it, where nothing but comments stands before that. */
function openingOf(text: string): string | undefined {
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const line = (end < 0 ? text.slice(from) : text.slice(from, end)).trim();
    if (line.startsWith('{')) return text.slice(0, text.indexOf('{', from) + 1);
    if (end < 0 || !PREAMBLE.test(line)) return undefined;
    from = end + 1;
  }
  return undefined;
}

/**
 * The sections that are asked for, each once and to its end; empty where that is not certain of all of them,
 * since one that goes unseen would fall back to its defaults.
 */
export function flowSections(text: string, names: readonly string[]): readonly Section[] {
  const found = linedUp(text, names) ?? beforeFault(text, names) ?? [];
  const isOnce = new Set(found.map(({ name }) => name)).size === found.length;
  return isOnce ? found : [];
}

const KEY = /^["']?([A-Za-z]\w*)["']?\s*:/;
const CLOSING = /^[\s\]},]*(?:#.*)?$/;

/** Each section begins a line, one below the other: a bracket that is missing in one ends with it. */
function linedUp(text: string, names: readonly string[]): readonly Section[] | undefined {
  const opening = openingOf(text) ?? '';
  const blank = ' '.repeat(opening.length - opening.lastIndexOf('\n') - 1);
  const before = opening.split('\n').length - 1;
  const lines = (blank + text.slice(opening.length)).split(/\r?\n/);
  const first = lines.findIndex((line) => !CLOSING.test(line));
  const column = lines[first]?.search(/\S/) ?? -1;
  if (column < 0 || !lines.every((line) => CLOSING.test(line) || line.search(/\S/) >= column)) {
    return undefined;
  }
  const keys = lines.map((line) =>
    line.search(/\S/) === column ? KEY.exec(line.slice(column))?.[1] : undefined,
  );
  const starts = keys.flatMap((name, line) => (name === undefined ? [] : [{ name, line }]));
  const blocks = starts.map(({ name, line }, index) => {
    const next = starts[index + 1]?.line;
    return { name, line, isLast: next === undefined, text: lines.slice(line, next).join('\n') };
  });
  if (starts[0]?.line !== first) return undefined;
  // One that shares its line with another section would go unseen.
  if (blocks.some(({ text }) => isNaming(text.slice(column).replace(KEY, ''), names))) {
    return undefined;
  }
  const sections = blocks
    .filter(({ name }) => names.includes(name))
    .map(({ name, line, isLast, text }) => {
      const inside = `${'\n'.repeat(before + line)}{${text}`;
      // The last one may bring the bracket that ends the whole.
      return { name, texts: isLast ? [`${inside}\n}`, inside] : [`${inside}\n}`] };
    });
  return sections.length > 0 && sections.every(isAlone) ? sections : undefined;
}

/** It is read, as a map, and is the only one in its lines. */
function isAlone({ name, texts }: Section): boolean {
  return texts.some((text) => {
    const { faults, document } = readDocument(text);
    const { contents } = document;
    if (faults.length > 0 || !isMap(contents)) return false;
    return contents.items.length === 1 && isMap(contents.get(name)) && hasPlainKeys(contents);
  });
}

/** A bracket too many makes a map a key of another one, which nobody writes. */
function hasPlainKeys(contents: YAMLMap): boolean {
  let isPlain = true;
  visit(contents, {
    Pair: (_, { key }) => {
      isPlain &&= isScalar(key);
    },
  });
  return isPlain;
}

/**
 * With its colon or, where a key stands, without. A count may be named like a section, as the limit of orders is.
 */
function isNaming(text: string, names: readonly string[]): boolean {
  // One blank for many: a pattern over runs of them would try each run from each of its blanks.
  const plain = text.replaceAll(/[ \t\r]+/g, ' ');
  return names.some((name) => {
    const isKey = new RegExp(`\\b${name}["']? ?:(?! ?\\d)`).test(plain);
    return isKey || new RegExp(`[{,\\n] ?["']?${name}\\b(?!["']? ?:)`).test(plain);
  });
}

/** What stands before the first fault is as it is, whatever follows; nothing else may name one of them. */
function beforeFault(text: string, names: readonly string[]): readonly Section[] | undefined {
  const { faults, document } = readDocument(text);
  const { contents } = document;
  if (!isMap(contents)) return undefined;
  const faultAt = faults.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const found = contents.items
    .flatMap((pair) => placeOf(pair) ?? [])
    .filter(({ name, to }) => names.includes(name) && to <= faultAt);
  // Where a bracket is missing before it, a section is inside another one.
  const inside = found.map(({ from, to }) => text.slice(from, to));
  const outside = found.reduceRight((rest, { at, to }) => rest.slice(0, at) + rest.slice(to), text);
  if ([outside, ...inside].some((part) => isNaming(part, names))) return undefined;
  const sections = found.map(({ name, from }, index) => {
    const before = '\n'.repeat(text.slice(0, from).split('\n').length - 1);
    return { name, texts: [`${before}{"${name}": ${inside[index]}\n}`] };
  });
  return sections.every(isAlone) ? sections : undefined;
}

function placeOf({ key, value }: Pair) {
  if (!isScalar(key) || typeof key.value !== 'string' || !isNode(value)) return undefined;
  const [at] = key.range ?? [];
  const [from, to] = value.range ?? [];
  if (at === undefined || from === undefined || to === undefined) return undefined;
  return { name: key.value, at, from, to };
}
