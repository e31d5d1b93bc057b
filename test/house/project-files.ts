// Every file of the project, committed or about to be, without asking git: an unpacked archive has
// none.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Of a run: another test has its folder of strategies in the project while it compiles them. */
const PASSING = /\.(log|tsbuildinfo)$|^\.readme-/;

/** Paths from the root, what `.gitignore` names left out. */
export function projectFiles(): readonly string[] {
  const ignored = new Set(['.git', ...ignoredNames()]);
  const walk = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (ignored.has(entry.name) || PASSING.test(entry.name)) return [];
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
    });
  return walk('');
}

function ignoredNames(): readonly string[] {
  const lines = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
  // A name without a slash is a folder here, and may be a link elsewhere.
  return lines.filter((line) => /^[^*]+$/.test(line)).map((line) => line.replace(/\/$/, ''));
}
