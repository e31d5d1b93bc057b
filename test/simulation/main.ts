// `npm run sim`: runs seeds and says what happened; exit code 1 when anything was violated.

import { lowUptime, percentOf, summed, type Uptime, uptimeLines } from './audit/uptime.ts';
import { runAll } from './jobs.ts';
import { findPlanted } from './mutations/command.ts';
import { MUTATIONS } from './mutations/list.ts';
import { widenNursery } from './nursery.ts';
import { type Options, readOptions } from './options.ts';
import { describeTrouble } from './plan.ts';
import type { ProfileName } from './profiles.ts';
import { type RunOptions, type RunResult, shrink } from './run.ts';
import { againLine, runsOf } from './runs.ts';
import { Tally } from './world/tally.ts';

widenNursery();

process.exitCode = await main();

async function main(): Promise<number> {
  const asked = readOptions(process.argv.slice(2), {
    writeOut: (text) => void process.stdout.write(text),
    writeErr: (text) => void process.stderr.write(text),
    bugs: MUTATIONS.map(({ name }) => name),
  });
  if (asked.kind === 'over') return asked.exitCode;
  const { options } = asked;
  if (options.isPlanted) {
    const { seeds, profiles, isProfileGiven, hours, bugs } = options;
    const only = isProfileGiven ? profiles : undefined;
    return await findPlanted({ seedsMax: seeds.length, profiles: only, hours }, bugs);
  }
  const startedMs = performance.now();
  const totals = { faults: new Tally(), marks: new Tally(), simulatedMs: 0, cpuMs: 0, violated: 0 };
  const digests: string[] = [];
  const uptimes = new Map<ProfileName, Uptime[]>();
  for await (const { run, result, cpuMs } of runAll([...runsOf(options)], options.jobs)) {
    totals.cpuMs += cpuMs;
    totals.simulatedMs += result.simulatedMs;
    totals.faults.addAll(result.faults);
    totals.marks.addAll(result.marks);
    digests.push(result.digest);
    uptimes.set(result.profile, [...(uptimes.get(result.profile) ?? []), result.uptime]);
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
  const isLow = printUptime(uptimes) && options.uptime === 'hold';
  return totals.violated > 0 || isLow ? 1 : 0;
}

/** @returns Whether a profile is below its floor. */
function printUptime(uptimes: ReadonlyMap<ProfileName, readonly Uptime[]>): boolean {
  console.log('\nquoting uptime');
  let isLow = false;
  for (const [profile, all] of uptimes) {
    const uptime = summed(all);
    isLow ||= lowUptime(profile, uptime) !== undefined;
    for (const line of uptimeLines(profile, uptime)) console.log(`  ${line}`);
  }
  return isLow;
}

function lineOf(
  { seed, profile, simulatedMs, digest, controls, violations, uptime }: RunResult,
  cpuMs: number,
): string {
  const hours = (simulatedMs / 3_600_000).toFixed(2);
  const verdict = violations.length === 0 ? 'ok' : `VIOLATED ${violations[0]?.rule}`;
  const what = `seed ${seed} ${profile.padEnd(10)} ${hours} h ${Math.round(simulatedMs / cpuMs)} x`;
  const quoted = `quoting ${percentOf(uptime)?.toFixed(2) ?? '-'} %`;
  return `${what} ${digest.slice(0, 16)} ${verdict}, ${quoted} (${controls})`;
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
  console.log(`  again: ${againLine(run)}`);
}

function printTally(title: string, tally: Tally): void {
  console.log(`\n${title}`);
  for (const [name, count] of tally.entries())
    console.log(`  ${String(count).padStart(8)}  ${name}`);
}
