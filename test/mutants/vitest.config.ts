// Runs the tests of one room in a copy of the project, the quick ones first, until one of them fails.

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { plantedBugs } from '../support/planted.ts';
import { BUGS } from '../unit/guard/planted/bugs.ts';

/** They start processes, or wait for a disk. */
const SLOW = ['lock.test', 'planted', 'ledger', 'silence.test'];

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      SLOW.findIndex((name) => moduleId.includes(name));
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  plugins: [plantedBugs(BUGS)],
  test: {
    include: ['test/unit/**/*.test.ts', 'test/house/patterns.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    env: { FC_SEED: '1' },
    bail: 1,
    testTimeout: 30_000,
    // What a planted bug changes is text that a mutant may have changed already: it would be found for nothing.
    testNamePattern: /^(?!.*(?:a guard that .* is found$|a planted bug is found))/,
    expect: { requireAssertions: true },
    isolate: false,
    maxWorkers: 1,
    sequence: { sequencer: QuickFirst },
  },
});
