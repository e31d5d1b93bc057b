// One vitest that stays, in a copy of the project: it is told which files have changed, and answers whether tests pass.

import process from 'node:process';
import { createVitest, type TestCase, type Vitest } from 'vitest/node';

export type RunnerTask = { readonly changed: readonly string[]; readonly tests: readonly string[] };
/** `fault`: it could not be tried, which says nothing of any change. */
export type RunnerAnswer = { readonly isPassed: boolean } | { readonly fault: string };

const vitest: Promise<Vitest> = createVitest('test', {
  root: process.cwd(),
  config: 'test/mutants/vitest.config.ts',
  watch: false,
  reporters: [{ onTestCaseResult: (test) => void endIfFailed(test) }],
});

/** One that fails is enough. */
async function endIfFailed(test: TestCase): Promise<void> {
  if (test.result().state === 'failed') await (await vitest).cancelCurrentRun('test-failure');
}

async function arePassed({ changed, tests }: RunnerTask): Promise<boolean> {
  const runner = await vitest;
  for (const file of changed) runner.invalidateFile(file);
  const found = await Promise.all(tests.map((test) => runner.globTestSpecifications([test])));
  const specifications = found.flat();
  if (specifications.length < tests.length) throw new Error(`no tests in ${tests.join(' ')}`);
  const { testModules, unhandledErrors } = await runner.runTestSpecifications(specifications);
  const areAll = testModules.length >= specifications.length;
  return areAll && unhandledErrors.length === 0 && testModules.every(isGood);
}

/** One whose tests are all left out, as those of planted bugs, has passed. */
function isGood(module: { readonly state: () => string }): boolean {
  return module.state() === 'passed' || module.state() === 'skipped';
}

process.on('message', (task: RunnerTask) => {
  const answer = (said: RunnerAnswer) => process.send?.(said);
  arePassed(task).then(
    (isPassed) => answer({ isPassed }),
    (error: unknown) => answer({ fault: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
