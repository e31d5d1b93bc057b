// Looks for a planted bug: seed after seed, profile after profile, until a run is violated.

import { lowUptime } from '../audit/uptime.ts';
import type { PaceName } from '../pace.ts';
import type { ProfileName } from '../profiles.ts';
import { type RunOptions, type RunResult, runSeed } from '../run.ts';
import type { Wanted } from '../world/controls.ts';
import { joined, type Mutation } from './mutation.ts';

export type Hunt = {
  readonly seedsMax: number;
  /** In place of those that the bug names. */
  readonly profiles?: readonly ProfileName[] | undefined;
  readonly hours: number;
  /** In place of the one that the bug names. */
  readonly pace?: PaceName | undefined;
};

export type Catch = {
  readonly seed: number;
  readonly profile: ProfileName;
  readonly rule: string;
  readonly detail: string;
  /** Runs until it was found, this one included. */
  readonly runs: number;
};

type Run = Pick<RunOptions, 'seed' | 'profile' | 'hours' | 'rest' | 'pace'>;

/** Runs without a bug, by what they are: many bugs are looked for in the same ones. */
export type CleanRuns = Map<string, Promise<RunResult>>;

/** Few seeds draw these: a bug that needs them sets them up. */
const AS_USUAL: Wanted = {
  limits: undefined,
  takes: undefined,
  lateMs: undefined,
  fees: undefined,
};

/** Code that throws gives itself away: that is no catch. */
const CRASH = 'core_broke';

/** @returns Where it was found first; `undefined` after all runs that it may take. */
export async function hunt(
  mutation: Mutation,
  within: Hunt,
  cleanRuns: CleanRuns = new Map(),
): Promise<Catch | undefined> {
  const { name, circumstance } = mutation;
  const { rules } = circumstance ?? {};
  const controls = { ...AS_USUAL, ...circumstance?.controls };
  const isDisturbing = disturbs(mutation);
  const planted = { ...mutation, ...joined(mutation, circumstance), rules, controls, isDisturbing };
  let runs = 0;
  for (let seed = 1; seed <= within.seedsMax; seed += 1) {
    for (const profile of within.profiles ?? mutation.lookIn) {
      runs += 1;
      const rest = mutation.atRest ? 'full' : 'none';
      const pace = within.pace ?? mutation.pace;
      const hours = Math.min(mutation.hours ?? within.hours, within.hours);
      const run = { seed, profile, hours, rest, pace } as const;
      const first = firstOf(await runSeed({ ...run, mutation: planted }), mutation);
      // A run that is violated without the bug says nothing about it.
      if (first === undefined || first.rule === CRASH) continue;
      if (!(await isClean(run, mutation, cleanRuns))) continue;
      return { seed, profile, rule: first.rule, detail: `${name}: ${first.detail}`, runs };
    }
  }
  return undefined;
}

async function isClean(run: Run, mutation: Mutation, known: CleanRuns): Promise<boolean> {
  const { circumstance, lookIn } = mutation;
  const { seed, profile, hours, rest, pace } = run;
  const { about = '', controls, ...change } = circumstance ?? {};
  const key = `${seed} ${profile} ${hours} ${rest} ${pace} ${about}`;
  const switched = { ...AS_USUAL, ...controls };
  const isDisturbing = disturbs(mutation);
  const none = { name: 'none', about, lookIn, isDisturbing } as const;
  const without: Mutation = { ...none, ...change, controls: switched };
  const result = known.get(key) ?? runSeed({ ...run, mutation: without });
  known.set(key, result);
  return firstOf(await result, mutation) === undefined;
}

function firstOf({ violations, profile, uptime }: RunResult, { isSeenInUptime }: Mutation) {
  const [first] = violations;
  return first ?? (isSeenInUptime ? lowUptime(profile, uptime) : undefined);
}

/** What a circumstance does to the daemon or the world may touch frames. */
function disturbs({ circumstance }: Mutation): boolean {
  return circumstance?.engine !== undefined || circumstance?.patch !== undefined;
}
