// A copy of the project in which one file after the other is changed, so that tests that start processes see the change.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutant, mutated } from './mutate.ts';

const COPIED = [
  ...['src', 'strategies', 'config', 'test'],
  ...['package.json', 'tsconfig.json', '.gitignore'],
];
const LINKED = ['node_modules', 'ops'];
/** A mutant that keeps a room busy for longer, which takes ten seconds, is one that was noticed. */
const RUN_MS_MAX = 120_000;

export type Verdict = 'found' | 'survived';

export class Sandbox {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bookend-mutants-'));

  constructor(root: string) {
    const project = join(this.#folder, 'project');
    for (const name of COPIED) {
      cpSync(join(root, name), join(project, name), { recursive: true });
    }
    for (const name of LINKED) symlinkSync(join(root, name), join(project, name));
    symlinkSync(join(root, '../shared'), join(this.#folder, 'shared'));
  }

  /** Whether any of these tests fails with this change in the program. */
  async judge(mutant: Mutant | undefined, tests: readonly string[]): Promise<Verdict> {
    if (mutant === undefined) return await this.#run(tests);
    const path = join(this.#folder, 'project', mutant.file);
    const code = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(code, mutant));
    try {
      return await this.#run(tests);
    } finally {
      writeFileSync(path, code);
    }
  }

  async #run(tests: readonly string[]): Promise<Verdict> {
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const config = join('test', 'mutants', 'vitest.config.ts');
    const child = spawn(
      process.execPath,
      [vitest, 'run', '--config', config, '--root', '.', ...tests],
      {
        cwd: join(this.#folder, 'project'),
        // A group of its own: what a test has started ends with it.
        detached: true,
        stdio: 'ignore',
        env: { ...process.env, TMPDIR: this.#folder },
      },
    );
    const end = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nothing of the group is left.
      }
    };
    const deadline = setTimeout(end, RUN_MS_MAX);
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        clearTimeout(deadline);
        end();
        resolve(code === 0 ? 'survived' : 'found');
      });
    });
  }

  /** A disk that a test has made, and was ended before it took it away, stays: no result is lost for it. */
  close(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch (error) {
      console.error(`${this.#folder} stays: ${String(error)}`);
    }
  }
}
