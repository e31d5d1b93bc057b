// Every regular expression of the project, as its parser sees them.

import { parseAst } from 'vitest/node';

export type Pattern = { readonly source: string; readonly flags: string };

/**
 * The expressions of a source file. One that is put together from parts counts with a word in the place of
 * each part.
 * @throws {Error} For one whose text stands nowhere in the file.
 */
export function patternsOf(code: string): readonly Pattern[] {
  const found: Pattern[] = [];
  collect(parseAst(code, { lang: 'ts' }), found);
  return found;
}

type Node = Readonly<Record<string, unknown>>;

function collect(value: unknown, found: Pattern[]): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, found);
    return;
  }
  if (!isNode(value)) return;
  const { type, regex, callee } = value;
  if (type === 'Literal' && isNode(regex)) {
    found.push({ source: String(regex['pattern']), flags: String(regex['flags']) });
    return;
  }
  const isMade = type === 'NewExpression' || type === 'CallExpression';
  if (isMade && isNode(callee) && callee['name'] === 'RegExp') found.push(madeOf(value));
  for (const each of Object.values(value)) collect(each, found);
}

function madeOf({ arguments: given }: Node): Pattern {
  const [template, flags] = Array.isArray(given) ? given : [];
  const quasis: unknown = isNode(template) ? template['quasis'] : undefined;
  if (!Array.isArray(quasis)) throw new Error('a RegExp that is made of no template');
  const parts = quasis.map((quasi) => Reflect.get(Object(quasi.value), 'cooked'));
  const isPlain = isNode(flags) && typeof flags['value'] === 'string';
  return { source: parts.join('word'), flags: isPlain ? String(flags['value']) : '' };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
