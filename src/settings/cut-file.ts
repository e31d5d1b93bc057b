// A file cut short, as by a full disk or a copy under way, may still be a whole configuration, in which what
// is missing falls back to defaults that are wider than what was in force.

import { isMap } from './keys.ts';
import type { Problem } from './problems.ts';
import { sectionsOfRight } from './yaml.ts';

/** Sections and keys that are not dropped while running: limits, and whose orders are cancelled. */
const HELD = [['risk'], ['orders', 'scope']] as const;
/** Each helps to see what happened, and all of a long section help no more. */
const NAMED_MAX = 10;

const MISSING =
  'stood in the file that is in force and is missing now, as in a file cut short; ' +
  'put it back, or restart to go on without it';
const ENDS_EARLY =
  'is the file that is in force, cut short in the middle of a line; write it whole, or restart';

/** What speaks against a text that comes after another one, both of them right by themselves. */
export function cutProblems(before: string, after: string): readonly Problem[] {
  if (isCutInLine(before, after)) return [{ path: '', line: undefined, message: ENDS_EARLY }];
  const known = heldPaths(after);
  const missing = heldPaths(before).filter((path) => !known.includes(path));
  return missing
    .filter((path) => !missing.some((other) => path.startsWith(`${other}.`)))
    .slice(0, NAMED_MAX)
    .map((path) => ({ path, line: undefined, message: MISSING }));
}

/** A number that lost its last digits is another one. */
function isCutInLine(before: string, after: string): boolean {
  const isCut = after !== '' && after.length < before.length && before.startsWith(after);
  return isCut && !after.endsWith('\n') && before[after.length] !== '\n';
}

/** Sections before what stands in them. */
function heldPaths(text: string): readonly string[] {
  const value = sectionsOfRight(
    text,
    HELD.map(([name]) => name),
  );
  return HELD.flatMap((path) => pathsBelow(inside(value, path), path.join('.')));
}

function inside(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at: unknown, key) => (isMap(at) ? at[key] : undefined), value);
}

function pathsBelow(value: unknown, path: string): readonly string[] {
  if (value === undefined) return [];
  if (!isMap(value)) return [path];
  return [path, ...Object.keys(value).flatMap((key) => pathsBelow(value[key], `${path}.${key}`))];
}
