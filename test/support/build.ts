// End-to-end tests run what a user runs: the compiled program, made anew when a source is newer.

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './processes.ts';

const run = promisify(execFile);

/** Compiles unless everything compiled is newer than every source; `npm test` does so before. */
export async function ensureBuilt(): Promise<void> {
  if (!(await isBuilt())) await run('npm', ['run', '--silent', 'build'], { cwd: ROOT });
}

/** What a build is made of beside the sources, and how. */
const RECIPE = ['rolldown.config.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

export async function isBuilt(root = ROOT): Promise<boolean> {
  const builtAtMs = await modifiedAtMs(join(root, 'dist/src/main.js'));
  const folders = await Promise.all(['src', 'strategies'].map((name) => filesIn(join(root, name))));
  const sources = [...folders.flat(), ...RECIPE.map((name) => join(root, name))];
  const changed = await Promise.all(sources.map(modifiedAtMs));
  return Math.max(...changed) < builtAtMs;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function modifiedAtMs(file: string): Promise<number> {
  return await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
