// One YAML document of anybody: what the parser behind it needs ever more time for is refused by a look at
// the characters, before it is asked.

import { type Document, isScalar, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml';

/** Far above the configuration of a thousand markets; more than this is another file by mistake. */
export const YAML_LENGTH_MAX = 262_144;
/** Brackets within brackets, and dashes or question marks before one another in a line. */
const BRACKETS_MAX = 32;
const MARKS_MAX = 8;
/** Columns before the first character of a line. */
const INDENT_MAX = 200;
/** For each alias the parser looks through the whole document. */
const ALIASES_MAX = 100;

export type YamlFault = { readonly code: string; readonly at: number };
export type ReadDocument = {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** Errors, warnings and keys that stand twice, by their place in the text. */
  readonly faults: readonly YamlFault[];
};

/** Why a text is not even parsed, as the end of a sentence; `undefined` for one that is. */
export function yamlExcess(text: string): string | undefined {
  if (text.length > YAML_LENGTH_MAX) return `is longer than ${YAML_LENGTH_MAX} characters`;
  if (isDeepInBrackets(text)) return `has more than ${BRACKETS_MAX} brackets within each other`;
  if (hasDeepLine(text))
    return `has a line that begins with more than ${INDENT_MAX} blanks or ${MARKS_MAX} dashes`;
  const aliases = text.match(/(?<=[\s,:[{-])\*\w/g)?.length ?? 0;
  return aliases > ALIASES_MAX ? `has more than ${ALIASES_MAX} aliases (*)` : undefined;
}

/** Parses a text that `yamlExcess` says nothing against; it never throws. */
export function readDocument(text: string): ReadDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'error',
    // The parser would compare each key with all before it; in a map of thousands that is minutes.
    uniqueKeys: false,
  });
  const faults = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
    code: String(code),
    at: pos[0],
  }));
  return { document, lines, faults: [...faults, ...keysTwice(document)] };
}

function keysTwice(document: Document.Parsed): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  visit(document, {
    Map: (_, map) => {
      faults.push(...twiceIn(map));
    },
  });
  return faults;
}

function twiceIn(map: YAMLMap): readonly YamlFault[] {
  const seen = new Set<unknown>();
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const isTwice = seen.has(key.value);
    seen.add(key.value);
    return isTwice ? [{ code: 'DUPLICATE_KEY', at: key.range?.[0] ?? 0 }] : [];
  });
}

/** Brackets in words and comments count, too: a configuration has few of them. */
function isDeepInBrackets(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > BRACKETS_MAX) return true;
  }
  return false;
}

function hasDeepLine(text: string): boolean {
  return text.split('\n').some((line) => {
    const words = line.trimStart();
    return line.length - words.length > INDENT_MAX || marksOf(words) > MARKS_MAX;
  });
}

/** How many of `-`, `?` and `:` with a blank behind it a line begins with: each is a level. */
function marksOf(line: string): number {
  let count = 0;
  for (let index = 0; index < line.length && count <= MARKS_MAX; index += 1) {
    const character = line[index] ?? '';
    if ('-?:'.includes(character)) count += 1;
    else if (character !== ' ' && character !== '\t') break;
  }
  return count;
}
