// A short run of every profile, and planted bugs that show within moments; `npm run test:long` has it, and the seeds that
// once found something; `npm run sim` runs more of all of them, and to the end.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Stepper } from '../../src/app/loop.ts';
import type { Engine } from '../../src/core/engine.ts';
import { type Compiled, compiled, printed } from './compiled.ts';
import { isProfileName, PROFILES } from './profiles.ts';

// Each takes some seconds of a processor of its own, and the machine may have other work.
vi.setConfig({ testTimeout: 120_000 });

let sim: Compiled;

beforeAll(async () => {
  sim = await compiled();
});

/** As dense as a live market: most happens in the least time. */
const BRISK = { pace: 'brisk' } as const;
const SHORT = { hours: 0.01, rest: 'none', ...BRISK } as const;

describe.each(Object.keys(PROFILES).filter(isProfileName))('a %s world', (profile) => {
  it('breaks no rule', async () => {
    const { violations, marks } = await sim.runSeed({ seed: 1, profile, ...SHORT });
    expect(violations).toEqual([]);
    expect(marks.of('venue:accepted intent')).toBeGreaterThan(20);
    expect(marks.of('order.filled')).toBeGreaterThan(0);
  });
});

describe('a calm world that comes to rest', () => {
  it('is trusted to be what it is', async () => {
    const { violations, marks } = await sim.runSeed({
      seed: 2,
      profile: 'calm',
      hours: 0.01,
      rest: 'brief',
      ...BRISK,
    });
    expect(violations).toEqual([]);
    expect(marks.of('trade.settled')).toBeGreaterThan(0);
  });
});

describe('a ledger that is gathered', () => {
  it('is what the file is', async () => {
    const run = { seed: 46, profile: 'crashy', hours: 0.03, rest: 'none', ...BRISK } as const;
    const gathered = await sim.runSeed({ ...run, disk: 'gathered' });
    const file = await sim.runSeed({ ...run, disk: 'file' });
    expect(gathered.marks.of('restored:orders')).toBeGreaterThan(0);
    expect(file.violations).toEqual([]);
    expect(file.digest).toBe(gathered.digest);
  });
});

describe('one seed', () => {
  it('gives the same bytes twice, in fresh processes, alone or as one of several jobs', async () => {
    const what = ['--seed', '7', '--profile', 'everything', '--hours', '0.01'];
    const digest = async (...more: readonly string[]): Promise<string | undefined> => {
      const text = await printed(...what, '--pace', 'brisk', '--rest', 'none', ...more);
      return /^digest \w+$/m.exec(text)?.[0];
    };
    const [alone, amongJobs] = await Promise.all([digest(), digest('--jobs', '2')]);
    expect(alone).toBeDefined();
    expect(amongJobs).toBe(alone);
  });

  it('gives other bytes than another', async () => {
    const run = { profile: 'calm', hours: 0.003, rest: 'none', ...BRISK } as const;
    const one = await sim.runSeed({ seed: 8, ...run });
    const other = await sim.runSeed({ seed: 9, ...run });
    expect(other.digest).not.toBe(one.digest);
  });
});

/** Each shows within moments; those of `long/` take longer, and `npm run sim -- --planted` looks for all of them. */
const QUICK = [
  { name: 'blind-resend', rule: 'doubled' },
  { name: 'unknown-is-refused', rule: 'disowned' },
] as const;

describe('a core that throws', () => {
  it('is found as core_broke, and the run ends there', async () => {
    let inputs = 0;
    const breaks = (engine: Engine): Stepper => ({
      step: (input) => {
        inputs += 1;
        if (inputs === 100) throw new Error('out of its grid');
        return engine.step(input);
      },
    });
    const mutation = { name: 'throws', about: 'throws', lookIn: ['calm'], engine: breaks } as const;
    const run = { seed: 1, profile: 'calm', ...SHORT, mutation } as const;
    const { violations } = await sim.runSeed(run);
    expect(violations.map(({ rule }) => rule)).toEqual(['core_broke']);
    expect(violations[0]?.detail).toContain('out of its grid');
    expect(await sim.hunt(mutation, { seedsMax: 1, hours: 0.01 })).toBeUndefined();
  });
});

describe('a planted bug', () => {
  it.each(QUICK)('$name is found as $rule', async ({ name, rule }) => {
    const mutation = sim.MUTATIONS.find((each) => each.name === name);
    if (!mutation) throw new Error('the bug is in the list');
    const found = await sim.hunt(mutation, { seedsMax: 1, hours: 0.1 });
    expect(found?.rule).toBe(rule);
  });

  it('has a name of its own', () => {
    const names = sim.MUTATIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(30);
  });
});
