// The benchmarks run what users run: plain compiled modules. Test transforms put a getter between
// modules, which costs code of many small modules more than the loops it is compared with.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

type Compiled = {
  readonly contenders: typeof import('./contenders.ts');
  readonly workload: typeof import('./workload.ts');
};

/** Compiles this folder and what it needs, and loads it without any transform. */
export function compiled(): Compiled {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const compiler = path('../../node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '--project', path('./tsconfig.json')]);
  const load = createRequire(path('../../dist/bench/test/bench/'));
  return { contenders: load('./contenders.js'), workload: load('./workload.js') };
}
