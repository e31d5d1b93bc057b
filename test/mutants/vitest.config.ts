// Runs the tests that are asked for in a copy of the project, in their order, until one of them fails.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { plantedBugs } from '../support/planted.ts';
import { BUGS } from '../unit/guard/planted/bugs.ts';

class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

export default defineConfig({
  plugins: [plantedBugs(BUGS)],
  test: {
    include: ['test/unit/**/*.test.ts', 'test/house/patterns.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    env: { FC_SEED: '1' },
    testTimeout: 30_000,
    // What a planted bug changes is text that a mutant may have changed already: it would be found for nothing.
    testNamePattern: /^(?!.*(?:a guard that .* is found$|a planted bug is found))/,
    expect: { requireAssertions: true },
    isolate: false,
    maxWorkers: 1,
    sequence: { sequencer: AsAsked },
    // What did not change is compiled once.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(tmpdir(), 'compiled') },
  },
});
