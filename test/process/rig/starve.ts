// A trader beside more work than the machine can do, which goes first: it gets next to no processor for a while.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { cpus, setPriority } from 'node:os';
import { RigDaemon, type RigPlan } from './daemon.ts';
import { RigVenue } from './venue.ts';

export type Starved = {
  readonly deaths: number;
  /** Of them those by `guard.hangMs`: it got nothing for all of that time. */
  readonly hangs: number;
  /** Times at which its guard pulled its quotes, and those at which it was heard again. */
  readonly pulls: number;
  readonly awakes: number;
  readonly silentMsMax: number;
  /** From the end of the work beside it until seven in ten of its orders rest. */
  readonly backMs: number;
  /** From a blocked event loop, amid such work, until the venue shows no order of the account. */
  readonly blockedZeroMs: number;
};

export type StarveOptions = {
  readonly plan: RigPlan;
  readonly forMs: number;
  readonly behind: Behind;
};

const MOST = 0.7;
const WAIT_MS_MAX = 120_000;
const LOOK_MS = 10;

/** Programs that do nothing and take all they get; as many for each processor as a loaded host has. */
export class BusyLoops {
  readonly #children: readonly ChildProcess[];

  constructor(perProcessor: number) {
    const count = cpus().length * perProcessor;
    const start = () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    this.#children = Array.from({ length: count }, start);
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

/** How far behind all others a trader stands: it runs when nobody else wants to, or with this niceness. */
export type Behind = 'idle' | number;

/** Each of its threads; the way back takes the right to it. */
export function setBehind(pid: number, behind: Behind): void {
  const policy = behind === 'idle' ? '--idle' : '--other';
  execFileSync('chrt', ['-a', policy, '-p', '0', String(pid)]);
  if (behind === 'idle') return;
  for (const id of readdirSync(`/proc/${pid}/task`)) setPriority(Number(id), behind);
}

/** Whether this machine, and whoever runs this, can. */
export function canSetBehind(): boolean {
  try {
    setBehind(process.pid, 0);
    return process.platform === 'linux' && process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** Starves the trader of a daemon for so long and lets it go on; whatever happens, nothing of it is left. */
export async function measureStarvation(options: StarveOptions): Promise<Starved> {
  const { plan, forMs, behind } = options;
  const venue = await RigVenue.start(plan.markets);
  const daemon = new RigDaemon(venue, plan);
  const most = Math.floor(plan.markets * plan.levels * 2 * MOST);
  try {
    await untilOpen(venue, most, daemon);
    // Its first seconds are behind it.
    await sleep(2_000);
    const loops = new BusyLoops(2);
    setBehind(daemon.traderPid, behind);
    await sleep(forMs);
    const counts = countsOf(daemon.log);
    setBehind(daemon.traderPid, 0);
    loops.end();
    const endedAtMs = Date.now();
    await untilOpen(venue, most, daemon);
    const backMs = Date.now() - endedAtMs;
    return { ...counts, backMs, blockedZeroMs: await blockedZeroMs(venue, daemon) };
  } finally {
    await daemon.end();
    await venue.stop();
  }
}

/** Amid the same work, and with no claim behind it: nobody takes a blocked loop for a starved one. */
async function blockedZeroMs(venue: RigVenue, daemon: RigDaemon): Promise<number> {
  const loops = new BusyLoops(2);
  try {
    await sleep(500);
    const blockedAtMs = Date.now();
    writeFileSync(`${daemon.spinFile}.new`, '60000');
    renameSync(`${daemon.spinFile}.new`, daemon.spinFile);
    await until('an account without orders', () => venue.openCount() === 0, daemon);
    return Date.now() - blockedAtMs;
  } finally {
    loops.end();
  }
}

function countsOf(
  log: string,
): Pick<Starved, 'deaths' | 'hangs' | 'pulls' | 'awakes' | 'silentMsMax'> {
  const count = (event: string) => log.split(`"event":"${event}"`).length - 1;
  const silences = [...log.matchAll(/"silentMs":(\d+)/g)].map(([, ms]) => Number(ms));
  return {
    deaths: count('guard.trader_died'),
    hangs: log.split('"reason":"starved"').length - 1,
    pulls: count('guard.starved'),
    awakes: count('guard.awake'),
    silentMsMax: Math.max(0, ...silences),
  };
}

async function untilOpen(venue: RigVenue, count: number, daemon: RigDaemon): Promise<void> {
  await until('quotes', () => venue.openCount() >= count, daemon);
}

async function until(what: string, isSo: () => boolean, daemon: RigDaemon): Promise<void> {
  const untilMs = Date.now() + WAIT_MS_MAX;
  while (!isSo()) {
    if (Date.now() > untilMs)
      throw new Error(`no ${what}; the log ends:\n${daemon.log.slice(-5_000)}`);
    await sleep(LOOK_MS);
  }
}

async function sleep(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
