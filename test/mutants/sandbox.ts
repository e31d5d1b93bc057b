// A copy of the project in which one file after the other is changed, so that tests that start processes see the change.

import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutated } from './mutate.ts';
import type { RunnerAnswer, RunnerTask } from './runner.ts';

const COPIED = [
  ...['src', 'strategies', 'config', 'test'],
  ...['package.json', 'tsconfig.json', '.gitignore'],
];
const RUNNER = fileURLToPath(new URL('./runner.js', import.meta.url));
const LINKED = ['node_modules', 'ops'];
/** A mutant that keeps a room busy for longer, which takes seconds to a minute, is one that was noticed. */
const RUN_MS_MAX = 300_000;

/** By which test it was found, or that none failed. */
export type Verdict = { readonly by: string } | 'survived';

export class Sandbox {
  #runner: ChildProcess | undefined;
  /** What was put back as it was, and nobody has said so yet. */
  #changed: string | undefined;
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
      return await this.#run(tests, [path]);
    } finally {
      writeFileSync(path, code);
      this.#changed = path;
    }
  }

  async #run(tests: readonly string[], changed: string[] = []): Promise<Verdict> {
    if (this.#changed !== undefined) changed.push(this.#changed);
    this.#changed = undefined;
    const runner = this.#runner ?? this.#started();
    this.#runner = runner;
    const task: RunnerTask = { changed, tests };
    return await new Promise((resolve, reject) => {
      const over = (verdict: Verdict | Error) => {
        clearTimeout(deadline);
        runner.removeAllListeners();
        if (verdict instanceof Error) reject(verdict);
        else resolve(verdict);
      };
      const deadline = setTimeout(() => {
        this.#end();
        over({ by: `no end within ${RUN_MS_MAX / 1_000} s` });
      }, RUN_MS_MAX);
      runner.once('error', over);
      runner.once('exit', (code) => over(new Error(`the runner of tests has ended with ${code}`)));
      runner.once('message', (said: RunnerAnswer) => {
        if ('fault' in said) over(new Error(said.fault));
        else over(said.failed === undefined ? 'survived' : { by: said.failed });
      });
      runner.send(task);
    });
  }

  #started(): ChildProcess {
    return fork(RUNNER, [], {
      cwd: join(this.#folder, 'project'),
      // A group of its own: what a test has started ends with it.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, TMPDIR: this.#folder },
    });
  }

  #end(): void {
    const { pid } = this.#runner ?? {};
    this.#runner = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing of the group is left.
    }
  }

  /** A disk that a test has made, and was ended before it took it away, stays: no result is lost for it. */
  close(): void {
    this.#end();
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch (error) {
      console.error(`${this.#folder} stays: ${String(error)}`);
    }
  }
}
