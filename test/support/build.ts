// End-to-end tests run what a user runs: the compiled program, made anew when a source is newer.

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './processes.ts';

const run = promisify(execFile);

/** Compiles unless everything compiled is newer than every source; `npm test` does so before. */
export async function ensureBuilt(): Promise<void> {
  const builtAtMs = await modifiedAtMs(join(ROOT, 'dist/src/main.js'));
  const sources = [...(await filesIn('src')), ...(await filesIn('strategies'))];
  const changed = await Promise.all(sources.map(modifiedAtMs));
  if (Math.max(...changed) < builtAtMs) return;
  await run('npm', ['run', '--silent', 'build'], { cwd: ROOT });
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
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
