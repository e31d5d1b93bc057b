// One run from one seed, and the smallest plan that still fails.

import { seededRandom } from '../../src/paper/crowd/random.ts';
import type { Violation } from './audit/room.ts';
import type { Uptime } from './audit/uptime.ts';
import type { Mutation } from './mutations/mutation.ts';
import type { PaceName } from './pace.ts';
import { drawPlan, type Plan } from './plan.ts';
import { type ProfileName, sceneOf } from './profiles.ts';
import { type Controls, drawControls, PLAIN, type Wanted } from './world/controls.ts';
import type { DiskMode } from './world/disk.ts';
import type { Tally } from './world/tally.ts';
import { type RestName, World } from './world/world.ts';

export type RunOptions = {
  readonly seed: number;
  readonly profile: ProfileName;
  readonly hours: number;
  /** `none` leaves the rest at the end and its checks out. */
  readonly rest?: RestName | undefined;
  readonly pace?: PaceName | undefined;
  readonly disk?: DiskMode | 'none' | undefined;
  readonly mutation?: Mutation | undefined;
  /** In place of what the seed would switch on. */
  readonly controls?: Wanted | 'plain' | undefined;
  readonly trace?: ((line: string) => void) | undefined;
};

export type RunResult = {
  readonly seed: number;
  readonly profile: ProfileName;
  readonly simulatedMs: number;
  readonly digest: string;
  /** What was switched on, on one line. */
  readonly controls: string;
  readonly violations: readonly Violation[];
  readonly faults: Tally;
  readonly marks: Tally;
  /** Of the plan's time, without the rest. */
  readonly uptime: Uptime;
};

/** Runs that the search for a smaller plan may take. */
const SHRINK_RUNS_MAX = 60;

export function planOf({ seed, profile, hours }: RunOptions): Plan {
  return drawPlan(seed, profile, hours * 3_600_000);
}

export async function runSeed(options: RunOptions, plan = planOf(options)): Promise<RunResult> {
  const { seed, profile, hours, ...others } = options;
  const controls = controlsOf(options);
  const world = new World({
    seed,
    plan,
    scene: sceneOf(profile),
    durationMs: hours * 3_600_000,
    ...others,
    controls,
  });
  const { simulatedMs, digest, uptime } = await world.run();
  const { faults, marks, auditor } = world;
  const { violations } = auditor;
  const { text } = controls;
  return { seed, profile, simulatedMs, digest, controls: text, violations, faults, marks, uptime };
}

/** What the seed switches on in this profile. */
function controlsOf({ seed, profile, controls, mutation }: RunOptions): Controls {
  if (controls === 'plain') return PLAIN;
  const random = seededRandom(`${seed}/controls/${profile}`);
  const always = sceneOf(profile).mayBeLate ? {} : { lateMs: undefined };
  return drawControls(random, { ...always, ...controls, ...mutation?.controls });
}

/** Leaves out troubles, half of them at first, as long as the same rule is still broken. */
export async function shrink(options: RunOptions, rule: string): Promise<Plan> {
  let plan = planOf(options);
  let runs = 0;
  for (let size = Math.ceil(plan.length / 2); size >= 1 && runs < SHRINK_RUNS_MAX; ) {
    const smaller = await firstFailing(without(plan, size), options, rule);
    runs += Math.ceil(plan.length / size);
    if (smaller) plan = smaller;
    else size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return plan;
}

async function firstFailing(
  plans: readonly Plan[],
  options: RunOptions,
  rule: string,
): Promise<Plan | undefined> {
  for (const plan of plans) {
    const { violations } = await runSeed({ ...options, trace: undefined }, plan);
    if (violations.some((violation) => violation.rule === rule)) return plan;
  }
  return undefined;
}

/** The plan without each block of a size. */
function without(plan: Plan, size: number): readonly Plan[] {
  const plans: Plan[] = [];
  for (let start = 0; start < plan.length; start += size) {
    plans.push([...plan.slice(0, start), ...plan.slice(start + size)]);
  }
  return plans;
}
