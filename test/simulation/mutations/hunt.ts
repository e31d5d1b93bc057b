// Looks for a planted bug: seed after seed, profile after profile, until a run is violated.

import type { ProfileName } from '../profiles.ts';
import { runSeed } from '../run.ts';
import type { Mutation } from './mutation.ts';

export type Hunt = {
  readonly seedsMax: number;
  readonly profiles: readonly ProfileName[];
  readonly hours: number;
};

export type Catch = {
  readonly seed: number;
  readonly profile: ProfileName;
  readonly rule: string;
  /** Runs until it was found, this one included. */
  readonly runs: number;
};

export async function hunt(mutation: Mutation, within: Hunt): Promise<Catch | undefined> {
  let runs = 0;
  for (let seed = 1; seed <= within.seedsMax; seed += 1) {
    for (const profile of within.profiles) {
      runs += 1;
      const run = { seed, profile, hours: within.hours };
      const { violations } = await runSeed({ ...run, mutation });
      const [first] = violations;
      if (first === undefined) continue;
      // A run that is violated without the bug says nothing about it.
      const healthy = await runSeed(run);
      if (healthy.violations.length === 0) return { seed, profile, rule: first.rule, runs };
    }
  }
  return undefined;
}
