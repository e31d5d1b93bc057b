// One vitest that stays, in a copy of the project: it is told which files have changed, and answers whether tests pass.

import process from 'node:process';
import { createVitest, type TestCase, type TestModule, type Vitest } from 'vitest/node';

export type RunnerTask = { readonly changed: readonly string[]; readonly tests: readonly string[] };
/** `failed`: the first test that failed. `fault`: it could not be tried, which says nothing of any change. */
export type RunnerAnswer = { readonly failed: string | undefined } | { readonly fault: string };

/** What has happened in this run; vitest itself keeps what earlier ones came to, of files that this one leaves out. */
let failed: string | undefined;
let modulesEnded = 0;

const vitest: Promise<Vitest> = createVitest('test', {
  root: process.cwd(),
  config: 'test/mutants/vitest.config.ts',
  watch: false,
  reporters: [{ onTestCaseResult: (test) => void onTest(test), onTestModuleEnd: onModule }],
});

/** One that fails is enough. */
async function onTest(test: TestCase): Promise<void> {
  if (test.result().state !== 'failed') return;
  failed ??= test.fullName;
  await (await vitest).cancelCurrentRun('test-failure');
}

/** One whose tests are all left out, as those of planted bugs, has passed; one that does not load has failed. */
function onModule(module: TestModule): void {
  modulesEnded += 1;
  if (module.state() === 'failed') failed ??= module.relativeModuleId;
}

async function failureOf({ changed, tests }: RunnerTask): Promise<string | undefined> {
  const runner = await vitest;
  failed = undefined;
  modulesEnded = 0;
  for (const file of changed) runner.invalidateFile(file);
  const found = await Promise.all(tests.map((test) => runner.globTestSpecifications([test])));
  const specifications = found.flat();
  if (specifications.length < tests.length) throw new Error(`no tests in ${tests.join(' ')}`);
  const { unhandledErrors } = await runner.runTestSpecifications(specifications);
  const [error] = unhandledErrors;
  if (error !== undefined) failed ??= `nobody caught ${String(error)}`;
  if (failed === undefined && modulesEnded < specifications.length) {
    throw new Error(`${modulesEnded} of ${specifications.length} files of tests have ended`);
  }
  return failed;
}

process.on('message', (task: RunnerTask) => {
  const answer = (said: RunnerAnswer) => process.send?.(said);
  failureOf(task).then(
    (name) => answer({ failed: name }),
    (error: unknown) => answer({ fault: String(error) }),
  );
});
// With all that its tests have started, which a test that was cut short leaves behind.
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
