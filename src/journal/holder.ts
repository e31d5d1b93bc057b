// Who holds a lock, and whether that process still runs. A pid alone says little: it is used again
// after a reboot, and in a container it is 1 every time.

import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode } from './files.ts';

export type Holder = {
  readonly pid: number;
  /** Start of the process in ticks since boot; `undefined` where the system does not tell. */
  readonly startTicks: string | undefined;
  readonly bootId: string | undefined;
  /** The pid means a process only in here. */
  readonly pidNamespace: string | undefined;
  readonly host: string;
  readonly at: string;
};

/** `unknown`: the process cannot be seen from here, as in another container. */
export type Liveness = 'alive' | 'dead' | 'unknown';

export async function ownHolder(at: string): Promise<Holder> {
  return {
    pid: process.pid,
    startTicks: await ownStartTicks(),
    ...(await surroundings()),
    host: hostname(),
    at,
  };
}

/** Whether the process that wrote `holder` still runs. */
export async function livenessOf(holder: Holder): Promise<Liveness> {
  const here = await surroundings();
  if (here.bootId === undefined || here.pidNamespace === undefined) return livenessByPid(holder);
  const isSeen = holder.bootId === here.bootId && holder.pidNamespace === here.pidNamespace;
  if (!isSeen) return 'unknown';
  const stat = await processStat(holder.pid);
  if (stat === 'unknown') return 'unknown';
  if (stat === undefined || stat.isGone) return 'dead';
  if (holder.startTicks === undefined) return 'unknown';
  // Another start time is another process under the same number.
  return stat.startTicks === holder.startTicks ? 'alive' : 'dead';
}

/** Without `/proc`, a pid that nobody has confirms an end, and nothing confirms a run. */
function livenessByPid(holder: Holder): Liveness {
  if (holder.host !== hostname()) return 'unknown';
  try {
    process.kill(holder.pid, 0);
    return 'unknown';
  } catch (error) {
    return errorCode(error) === 'ESRCH' ? 'dead' : 'unknown';
  }
}

type Surroundings = {
  readonly bootId: string | undefined;
  readonly pidNamespace: string | undefined;
};

async function surroundings(): Promise<Surroundings> {
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined);
  const pidNamespace = await readlink('/proc/self/ns/pid').catch(() => undefined);
  return { bootId: bootId?.trim(), pidNamespace };
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ESRCH']);

type Stat = { readonly startTicks: string; readonly isGone: boolean };

async function ownStartTicks(): Promise<string | undefined> {
  const stat = await processStat(process.pid);
  return stat === 'unknown' ? undefined : stat?.startTicks;
}

/** `undefined` when there is no such process; a system without a file to spare tells nothing of it. */
async function processStat(pid: number): Promise<Stat | 'unknown' | undefined> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    return GONE.has(errorCode(error)) ? undefined : 'unknown';
  }
  // The name of a program stands in parentheses and may have blanks and parentheses in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTicks = fields[19];
  if (state === undefined || startTicks === undefined) return undefined;
  // A process that ended and was not yet collected by its parent holds nothing any more.
  return { startTicks, isGone: state === 'Z' || state === 'X' };
}
