// YAML text to plain values, with every complaint in words of ours: a parser's own texts quote the
// source, and the source may hold a credential that stands there by mistake.

import { isNode } from 'yaml';
import { isMap } from './keys.ts';
import type { Path, Problem } from './problems.ts';
import { readDocument, yamlExcess } from './yaml-document.ts';
import { flowSections, isFlowMap, type Section } from './yaml-flow.ts';

export type YamlText = {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly lineOf: (path: Path) => number | undefined;
};

const COMPLAINTS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the same key stands twice in one map',
  TAB_AS_INDENT: 'a tab is used for indentation; use spaces',
  MULTIPLE_DOCS: 'more than one document in the file; remove the --- between them',
  BAD_INDENT: 'the indentation does not fit the lines above, or a bracket is not closed',
  MISSING_CHAR: 'a quote, bracket or comma is missing',
  BLOCK_AS_IMPLICIT_KEY: 'a colon stands inside a value; put quotes around the value',
  MULTILINE_IMPLICIT_KEY: 'a key runs over more than one line; is a colon missing?',
  UNEXPECTED_TOKEN: 'something stands where it cannot be read; is a quote or a comma missing?',
  TAG_RESOLVE_FAILED: 'a tag (!) is not understood; remove it',
};

/** Reads one document whose root is a map; never throws. */
export function readYaml(text: string): YamlText {
  const excess = yamlExcess(text);
  if (excess !== undefined) return refused(excess);
  const { document, lines, faults: found } = readDocument(text);
  const lineOf = (path: Path): number | undefined => {
    const node = path.length === 0 ? undefined : document.getIn(path, true);
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? undefined : lines.linePos(start).line;
  };
  const faults = found.map(({ code, at }) => ({
    path: '',
    line: lines.linePos(at).line,
    message: COMPLAINTS[code] ?? `is not valid YAML (${code})`,
  }));
  return faults.length > 0
    ? { value: undefined, problems: eachOnce(faults), lineOf }
    : plain(() => document.toJS(), lineOf);
}

/**
 * Reads some of the root's sections. Where the document as a whole is broken, a section that stands in lines of
 * its own is read by itself, and in a flow map one that the mistake cannot have touched: a mistake in one that is
 * not asked for is somebody else's.
 * @returns What speaks against the whole document where one that is asked for is broken, too, or stands twice.
 */
export function readYamlSections(text: string, names: readonly string[]): YamlText {
  const whole = readYaml(text);
  if (whole.problems.length === 0 || yamlExcess(text) !== undefined) return whole;
  // Some editors begin a file with a mark of its own, and the key behind it is read all the same.
  const unmarked = text.replace(/^\uFEFF/, '');
  const sections = isFlowMap(unmarked)
    ? flowSections(unmarked, names)
    : blockSections(unmarked, names);
  const parts = sections.map(({ texts }) => firstRead(texts));
  if (parts.length === 0 || parts.some(({ problems }) => problems.length > 0)) return whole;
  const values = parts.map(({ value }) => (isMap(value) ? value : {}));
  const lineOf = (path: Path): number | undefined =>
    parts.map((part) => part.lineOf(path)).find((line) => line !== undefined);
  return { value: Object.assign({}, ...values), problems: [], lineOf };
}

/**
 * Sections of a text that is right as a whole: where each stands in lines of its own no more is read, since a list of
 * hundreds of markets takes its time.
 */
export function sectionsOfRight(text: string, names: readonly string[]): unknown {
  const unmarked = text.replace(/^\uFEFF/, '');
  const isInBlocks = unmarked
    .split(/\r?\n/)
    .every((line) => /^(?:[\s#-]|$)/.test(line) || SECTION.test(line));
  const blocks = blocksOf(unmarked).filter(({ name }) => names.includes(name));
  const parts = isInBlocks ? blocks.map(({ lines }) => readYaml(lines.join('\n'))) : [];
  // As of an alias whose anchor is elsewhere.
  if (!isInBlocks || parts.some(({ problems }) => problems.length > 0)) return readYaml(text).value;
  return Object.assign({}, ...parts.map(({ value }) => value));
}

function firstRead(texts: readonly string[]): YamlText {
  const reads = texts.map(readYaml);
  return reads.find(({ problems }) => problems.length === 0) ?? reads[0] ?? refused('is empty');
}

/** Empty where one stands twice, or may be meant by a line that begins none. */
function blockSections(text: string, names: readonly string[]): readonly Section[] {
  const blocks = blocksOf(text).filter(({ name }) => names.includes(name));
  if (new Set(blocks.map(({ name }) => name)).size < blocks.length) return [];
  if (text.split(/\r?\n/).some((line) => isMeantFor(line, names))) return [];
  return blocks.map(({ name, lines, before }) => ({
    name,
    texts: ['\n'.repeat(before) + lines.join('\n')],
  }));
}

/** As one that lost its colon, or stands a blank too far: unseen, it would fall back to its defaults. */
function isMeantFor(line: string, names: readonly string[]): boolean {
  if (SECTION.test(line)) return false;
  return names.some((name) => new RegExp(`^ ?["']?${name}\\b(?!["']?\\s*:\\s*\\d)`).test(line));
}

type Block = { readonly name: string; readonly before: number; readonly lines: string[] };

const SECTION = /^["']?([A-Za-z]\w*)["']?\s*:/;

/** From each line that begins with a key to the next such line. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const [before, line] of text.split(/\r?\n/).entries()) {
    const name = SECTION.exec(line)?.[1];
    if (name !== undefined) blocks.push({ name, before, lines: [line] });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}

/** A parser that lost its way says the same of one line again and again. */
function eachOnce(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [`${each.line} ${each.message}`, each])).values()];
}

function plain(toValue: () => unknown, lineOf: YamlText['lineOf']): YamlText {
  let value: unknown;
  try {
    value = toValue();
    // One that stands within its own anchor has no end: JSON has none of these.
    JSON.stringify(value);
  } catch {
    return refused(
      'an alias (*) names no anchor (&), or one that it stands in, or there are too many of them',
    );
  }
  if (value === null || value === undefined) return refused('is empty');
  return isMap(value) ? { value, problems: [], lineOf } : refused('must be a map of sections');
}

function refused(message: string): YamlText {
  const problem = { path: '', line: undefined, message };
  return { value: undefined, problems: [problem], lineOf: () => undefined };
}
