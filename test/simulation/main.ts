// `npm run sim`: runs seeds and says what happened; exit code 1 when anything was violated.

import { parseArgs } from 'node:util';
import { runAll } from './jobs.ts';
import { findPlanted } from './mutations/command.ts';
import { widenNursery } from './nursery.ts';
import { isPaceName, type PaceName } from './pace.ts';
import { describeTrouble } from './plan.ts';
import { isProfileName, PROFILES, type ProfileName } from './profiles.ts';
import { type RunOptions, type RunResult, shrink } from './run.ts';
import { Tally } from './world/tally.ts';
import { isRestName, type RestName } from './world/world.ts';

type Options = {
  readonly seeds: readonly number[];
  readonly profiles: readonly ProfileName[];
  readonly isProfileGiven: boolean;
  readonly hours: number;
  readonly pace: PaceName;
  /** How the runs end; `none` leaves out the rest and its checks. */
  readonly rest: RestName;
  /** Processes that run at once. */
  readonly jobs: number;
  readonly isTraced: boolean;
  readonly isShrunk: boolean;
  /** Nothing is switched on that a seed would draw. */
  readonly isPlain: boolean;
  readonly isPlanted: boolean;
  /** Planted bugs by name, with commas between them; all of them when absent. */
  readonly bug: string | undefined;
};

/** Seeds where nobody says how many, of every profile. */
const SEEDS = 3;
/** Every planted bug is found within these. */
const HUNT = { seeds: 6, hours: 0.2 };

const USAGE =
  'npm run sim -- [--seeds N] [--seed S] [--hours H] [--profile P] [--pace brisk|steady|sparse] [--rest none|brief|full] [--jobs N] [--trace] [--as-is] [--plain] [--planted] [--bug NAME]';

widenNursery();

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(`${USAGE}\nprofiles: ${Object.keys(PROFILES).join(', ')}`);
    return 2;
  }
  if (options.isPlanted) {
    const { seeds, profiles, isProfileGiven, hours, bug } = options;
    const only = isProfileGiven ? profiles : undefined;
    return await findPlanted({ seedsMax: seeds.length, profiles: only, hours }, bug?.split(','));
  }
  const startedMs = performance.now();
  const totals = { faults: new Tally(), marks: new Tally(), simulatedMs: 0, cpuMs: 0, violated: 0 };
  const digests: string[] = [];
  for await (const { run, result, cpuMs } of runAll([...runsOf(options)], options.jobs)) {
    totals.cpuMs += cpuMs;
    totals.simulatedMs += result.simulatedMs;
    totals.faults.addAll(result.faults);
    totals.marks.addAll(result.marks);
    digests.push(result.digest);
    console.log(lineOf(result, cpuMs));
    if (result.violations.length > 0) {
      totals.violated += 1;
      await explain(run, result, options);
    }
  }
  const realMs = performance.now() - startedMs;
  const hours = totals.simulatedMs / 3_600_000;
  printTally('faults fired', totals.faults);
  printTally('marks reached', totals.marks);
  console.log(`\nsimulated ${hours.toFixed(2)} h in ${(realMs / 1_000).toFixed(1)} s`);
  const speed = (ms: number): number => Math.round(totals.simulatedMs / ms);
  console.log(
    `speed ${speed(realMs)} times real time, ${speed(totals.cpuMs)} times the processor's`,
  );
  console.log(`digest ${digests.map((digest) => digest.slice(0, 16)).join(' ')}`);
  console.log(`violations ${totals.violated}`);
  return totals.violated > 0 ? 1 : 0;
}

function* runsOf(options: Options): Generator<RunOptions> {
  const { seeds, profiles, hours, pace, rest, isTraced, isPlain } = options;
  const controls = isPlain ? 'plain' : undefined;
  const trace = isTraced ? (line: string) => console.log(line) : undefined;
  for (const seed of seeds) {
    for (const profile of profiles) yield { seed, profile, hours, pace, rest, trace, controls };
  }
}

function lineOf(
  { seed, profile, simulatedMs, digest, controls, violations }: RunResult,
  cpuMs: number,
): string {
  const hours = (simulatedMs / 3_600_000).toFixed(2);
  const verdict = violations.length === 0 ? 'ok' : `VIOLATED ${violations[0]?.rule}`;
  const what = `seed ${seed} ${profile.padEnd(10)} ${hours} h ${Math.round(simulatedMs / cpuMs)} x`;
  return `${what} ${digest.slice(0, 16)} ${verdict} (${controls})`;
}

async function explain(
  run: RunOptions,
  { violations }: RunResult,
  { isShrunk }: Options,
): Promise<void> {
  for (const { rule, detail, atMs } of violations) console.log(`  ${rule} at ${atMs}: ${detail}`);
  const [first] = violations;
  if (!first || !isShrunk) return;
  const plan = await shrink({ ...run, trace: undefined }, first.rule);
  console.log(`  it takes ${plan.length} troubles:`);
  for (const trouble of plan) console.log(`    ${describeTrouble(trouble)}`);
  console.log(
    `  again: npm run sim -- --seed ${run.seed} --profile ${run.profile} --hours ${run.hours} --pace ${run.pace}`,
  );
}

function printTally(title: string, tally: Tally): void {
  console.log(`\n${title}`);
  for (const [name, count] of tally.entries())
    console.log(`  ${String(count).padStart(8)}  ${name}`);
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      hours: { type: 'string' },
      profile: { type: 'string' },
      pace: { type: 'string', default: 'steady' },
      rest: { type: 'string', default: 'full' },
      jobs: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      plain: { type: 'boolean', default: false },
      'as-is': { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      bug: { type: 'string' },
    },
  });
  const { profile, pace, rest } = values;
  const isPlanted = values.planted || values.bug !== undefined;
  const usual = isPlanted ? HUNT : { seeds: SEEDS, hours: 0.5 };
  const count = Number(values.seeds ?? (values.seed === undefined ? usual.seeds : 1));
  const first = Number(values.seed ?? 1);
  const hours = Number(values.hours ?? usual.hours);
  const jobs = Number(values.jobs);
  const isUsable =
    [count, first, jobs].every((each) => Number.isSafeInteger(each)) && hours > 0 && jobs >= 1;
  if (
    !isUsable ||
    !isPaceName(pace) ||
    !isRestName(rest) ||
    (profile !== undefined && !isProfileName(profile))
  )
    return undefined;
  return {
    seeds: Array.from({ length: count }, (_, index) => first + index),
    profiles: profile === undefined ? Object.keys(PROFILES).filter(isProfileName) : [profile],
    isProfileGiven: profile !== undefined,
    hours,
    pace,
    rest,
    // What a run tells on the way is told by this process.
    jobs: values.trace ? 1 : jobs,
    isTraced: values.trace,
    isShrunk: !values['as-is'],
    isPlain: values.plain,
    isPlanted,
    bug: values.bug,
  };
}
