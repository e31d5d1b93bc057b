// What the machine gave a process: Linux says for each thread how long it ran, for how long it was ready and got no
// processor, and what it does now. Elsewhere nothing is known, and the time on the wall counts.

import { readdirSync, readFileSync } from 'node:fs';

/**
 * `wants`: it runs, or would if it got a processor or its disk answered; `sleeps`: it waits for something else, as
 * for input; `stopped`: somebody has suspended it.
 */
export type Doing = 'wants' | 'sleeps' | 'stopped';

/** Sums since the start of the process. */
export type Schedule = {
  readonly doing: Doing;
  readonly ranMs: number;
  /** Ready to run without a processor. It is counted when the thread runs again, not while it waits. */
  readonly waitedMs: number;
  readonly processor: string;
  /** What a hypervisor took from that processor. */
  readonly stolenMs: number;
};

const PROC = '/proc';
const NANOS_PER_MS = 1_000_000;
/** The kernel tells times of processors in hundredths of a second wherever Node runs. */
const TICK_MS = 10;
/** Fields of `/proc/PID/stat` behind the name, which stands in brackets and may be anything. */
const STATE = 0;
const PROCESSOR = 36;
/** Of a line of `/proc/stat`, whose first field is its name. */
const STEAL = 8;

/**
 * The first thread, which is Node's own; `undefined` where the machine does not say. While it sleeps and another
 * one wants to run, it waits for that one: the garbage may be collected by several.
 */
export function scheduleOf(pid: number | undefined, proc = PROC): Schedule | undefined {
  try {
    const main = mainThreadOf(`${proc}/${pid}/task/${pid}`, `${proc}/stat`);
    const waits = main.doing === 'sleeps' && hasHelperThatWants(`${proc}/${pid}/task`, pid);
    return waits ? { ...main, doing: 'wants' } : main;
  } catch {
    return undefined;
  }
}

/** Somebody has suspended it, as far as the machine says: it would do nothing that it is told. */
export function isStopped(pid: number | undefined, proc = PROC): boolean {
  try {
    return doingOf(statOf(`${proc}/${pid}`)) === 'stopped';
  } catch {
    return false;
  }
}

function mainThreadOf(folder: string, processors: string): Schedule {
  const stat = statOf(folder);
  const [ran = Number.NaN, waited = Number.NaN] = read(`${folder}/schedstat`)
    .split(' ')
    .map(Number);
  // A kernel that keeps no such times says 0 for each.
  if (!(ran > 0)) throw new Error('no times are kept');
  const processor = stat[PROCESSOR] ?? '';
  return {
    doing: doingOf(stat),
    ranMs: ran / NANOS_PER_MS,
    waitedMs: waited / NANOS_PER_MS,
    processor,
    stolenMs: stolenMs(processors, processor),
  };
}

function hasHelperThatWants(folder: string, pid: number | undefined): boolean {
  const ids = readdirSync(folder).filter((id) => id !== String(pid));
  return ids.some((id) => doingOf(statOf(`${folder}/${id}`)) === 'wants');
}

function statOf(folder: string): readonly string[] {
  const text = read(`${folder}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function doingOf(stat: readonly string[]): Doing {
  switch (stat[STATE]) {
    case 'R':
    case 'D':
      return 'wants';
    case 'T':
    case 't':
      return 'stopped';
    default:
      return 'sleeps';
  }
}

function stolenMs(file: string, processor: string): number {
  const line = read(file)
    .split('\n')
    .find((each) => each.startsWith(`cpu${processor} `));
  return line === undefined ? 0 : Number(line.split(' ')[STEAL]) * TICK_MS;
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
