// Tests run what `npm run sim` runs: plain compiled modules, which are several times as fast as those
// of a test runner's transform.

import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What the compiled simulation gives. */
export type Compiled = typeof import('./door.ts');

/** Compiles this folder and what it needs, and loads it without any transform. */
export async function compiled(): Promise<Compiled> {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const compiler = path('../../node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '--project', path('./tsconfig.json')]);
  const door = new URL('../../dist/sim/test/simulation/door.js', import.meta.url);
  return (await import(/* @vite-ignore */ door.href)) as Compiled;
}

/** What the command prints, in a process of its own. */
export async function printed(...args: readonly string[]): Promise<string> {
  const main = fileURLToPath(new URL('../../dist/sim/test/simulation/main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]);
  return stdout;
}
