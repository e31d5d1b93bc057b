// `npm run mutants`: changes the guard, the journal and the kill path in small ways, a sample of all, and runs the tests
// of the room with each change. Exit code 1 when too many go unnoticed. With `--defences` it takes out what holds each
// weakness that was found once, and runs the one test that has to notice.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFENCES, mutantOf } from './defences.ts';
import { isEquivalent } from './equivalents.ts';
import { type Mutant, mutantsOf, mutantText } from './mutate.ts';
import { optionsOf, USAGE } from './options.ts';
import { Reach } from './reach.ts';
import { type Room, rooms } from './rooms.ts';
import { Sandbox } from './sandbox.ts';

const SCORE_MIN = 0.9;
const ROOT = process.cwd();

type Judged = { found: number; survivors: Mutant[]; equal: number; all: number };

process.exitCode = await main();

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return 0;
  }
  const wrong = 'fault' in options ? options.fault : strangeRoom(options.room);
  if ('fault' in options || wrong !== undefined) {
    console.error(`${wrong}\n${USAGE}`);
    return 2;
  }
  if (options.defences) return (await areHeld(options.file)) ? 0 : 1;
  const { each, from, seed, jobs, minutes, file, room: wanted } = options;
  const chosen = rooms(ROOT).filter(({ name }) => wanted?.includes(name) ?? true);
  const untilMs = Date.now() + minutes * 60_000;
  let isGood = true;
  console.log(`node ${process.version}, seed ${seed}`);
  for (const room of chosen) {
    const sample = sampleOf(room, { each, from, seed, part: file });
    const judged = await judge(room, sample, { jobs, untilMs });
    isGood = say(room, judged) && isGood;
  }
  return isGood ? 0 : 1;
}

/** Whether each defence is missed by its own test, which passes where it is there. */
async function areHeld(part: string): Promise<boolean> {
  const sandbox = new Sandbox(ROOT);
  const passed = new Map<string, boolean>();
  let isGood = true;
  try {
    for (const defence of DEFENCES.filter(({ file }) => file.includes(part))) {
      const { test, weakness, file } = defence;
      const mutant = mutantOf(defence, readFileSync(join(ROOT, file), 'utf8'));
      const isPassed = passed.get(test) ?? (await sandbox.judge(undefined, [test])) === 'survived';
      passed.set(test, isPassed);
      const isMissed = isPassed && (await sandbox.judge(mutant, [test])) !== 'survived';
      isGood &&= isMissed;
      const verdict = isMissed ? 'missed' : isPassed ? 'NOT MISSED' : 'FAILS WITH IT';
      console.log(`${weakness} ${verdict}: ${mutantText(mutant)}  (${test})`);
    }
  } finally {
    sandbox.close();
  }
  return isGood;
}

function strangeRoom(wanted: readonly string[] = []): string | undefined {
  const names = rooms(ROOT).map(({ name }) => name);
  const strange = wanted.find((name) => !names.includes(name));
  return strange === undefined ? undefined : `--room ${strange} is none of ${names.join(', ')}`;
}

function sampleOf(
  { files }: Room,
  { each, from, seed, part }: { each: number; from: number; seed: number; part: string },
): readonly Mutant[] {
  const all = files
    .filter((file) => file.includes(part))
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
  const random = randomOf(seed);
  return all
    .map((mutant) => ({ mutant, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .slice(from, each)
    .map(({ mutant }) => mutant);
}

async function judge(
  room: Room,
  sample: readonly Mutant[],
  { jobs, untilMs }: { jobs: number; untilMs: number },
): Promise<Judged> {
  const judged: Judged = { found: 0, survivors: [], equal: 0, all: sample.length };
  const waiting = sample.filter((mutant) => !isEquivalent(mutant));
  judged.equal = sample.length - waiting.length;
  const reach = new Reach(ROOT);
  const files = new Set(sample.map(({ file }) => file));
  const testsOf = new Map([...files].map((file) => [file, reach.testsOf(file, room.tests)]));
  const needed = [...new Set([...testsOf.values()].flat())];
  const work = async (job: number) => {
    const sandbox = new Sandbox(ROOT);
    // The copies are alike: each runs its share of them.
    const own = needed.filter((_, at) => at % jobs === job);
    const mustPass = async (when: string) => {
      const verdict = await sandbox.judge(undefined, own);
      if (verdict === 'survived') return;
      throw new Error(`${room.name}, ${when} the others: fails without a mutant: ${verdict.by}`);
    };
    try {
      await mustPass('before');
      for (let next = waiting.shift(); next && Date.now() < untilMs; next = waiting.shift()) {
        const tests = testsOf.get(next.file) ?? [];
        const verdict = tests.length === 0 ? 'survived' : await sandbox.judge(next, tests);
        if (verdict === 'survived') judged.survivors.push(next);
        else judged.found += 1;
        const how = verdict === 'survived' ? 'SURVIVED' : 'found   ';
        const by = verdict === 'survived' ? '' : `  (${verdict.by})`;
        console.error(`${how} ${mutantText(next)}${by}`);
      }
      await mustPass('behind');
    } finally {
      sandbox.close();
    }
  };
  await Promise.all(Array.from({ length: jobs }, async (_, job) => await work(job)));
  return judged;
}

/** @returns Whether enough of them were noticed. */
function say({ name }: Room, { found, survivors, equal, all }: Judged): boolean {
  const tried = found + survivors.length;
  const score = tried === 0 ? 1 : found / tried;
  const rest = all - tried - equal;
  console.log(
    `${name}: ${found} of ${tried} found, ${(score * 100).toFixed(1)} %` +
      `${equal > 0 ? `, ${equal} change nothing` : ''}${rest > 0 ? `, ${rest} not tried in time` : ''}`,
  );
  for (const survivor of survivors) console.log(`  survived: ${mutantText(survivor)}`);
  return score >= SCORE_MIN && rest === 0;
}

/** Mulberry32: the same seed gives the same sample. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
