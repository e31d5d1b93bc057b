// The seeds that once found something, and planted bugs that take longer to show: runs of some seconds each.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Compiled, compiled } from '../compiled.ts';
import { KEPT_BRIEF, type KeptRun } from '../kept.ts';

// Each takes some seconds of a processor of its own, and the machine may have other work.
vi.setConfig({ testTimeout: 120_000 });

let sim: Compiled;

beforeAll(async () => {
  sim = await compiled();
});

/** `npm run sim -- --kept` repeats those that take longer. */
const REPEATED: readonly KeptRun[] = [
  { seed: 3, profile: 'stormy', hours: 0.03, pace: 'brisk' },
  ...KEPT_BRIEF,
];

describe('a seed that once found something', () => {
  it.each(REPEATED)('$profile $seed finds nothing any more', async (run) => {
    const { violations } = await sim.runSeed({ pace: 'steady', ...run, rest: 'none' });
    expect(violations).toEqual([]);
  });
});

/** `npm run sim -- --planted` looks for all of them. */
const SLOW = [
  { name: 'net-without-no', rule: 'limit' },
  { name: 'cancel-every-tick', rule: 'cancel_storm' },
  { name: 'settlement-of-the-other-token', rule: 'position_inexact' },
  { name: 'fee-forgotten', rule: 'profit_inexact' },
] as const;

describe('a planted bug', () => {
  it.each(SLOW)('$name is found as $rule', async ({ name, rule }) => {
    const mutation = sim.MUTATIONS.find((each) => each.name === name);
    if (!mutation) throw new Error('the bug is in the list');
    const found = await sim.hunt(mutation, { seedsMax: 1, hours: 0.1 });
    expect(found?.rule).toBe(rule);
  });

  it('is shown with the fewest troubles that it still takes', async () => {
    const mutation = sim.MUTATIONS.find(({ name }) => name === 'blind-resend');
    const sparse = { hours: 0.05, rest: 'none', pace: 'sparse', controls: 'plain' } as const;
    const run = { seed: 5, profile: 'stormy', ...sparse, mutation } as const;
    const { violations } = await sim.runSeed(run);
    expect(violations.map(({ rule }) => rule)).toContain('doubled');
    const plan = await sim.shrink(run, 'doubled');
    expect(plan.map(({ kind }) => kind)).toEqual(['errorsAfter']);
    const again = await sim.runSeed(run, plan);
    expect(again.violations.map(({ rule }) => rule)).toContain('doubled');
    expect((await sim.runSeed(run, [])).violations).toEqual([]);
  });
});
