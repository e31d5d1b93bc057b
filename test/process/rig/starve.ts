// A trader beside more work than the machine can do, which goes first: it gets next to no processor for a while.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { RigDaemon, type RigPlan } from './daemon.ts';
import { RigVenue } from './venue.ts';

export type Starved = {
  readonly deaths: number;
  /** Times at which its guard pulled its quotes, and those at which it was heard again. */
  readonly pulls: number;
  readonly awakes: number;
  readonly silentMsMax: number;
  /** From the end of the work beside it until seven in ten of its orders rest. */
  readonly backMs: number;
  /** Milliseconds from a blocked event loop to an account without orders, amid such work; absent where not asked for. */
  readonly blockedZeroMs?: number;
};

export type StarveOptions = {
  readonly plan: RigPlan;
  readonly forMs: number;
};

const MOST = 0.7;
const QUOTES_MS_MAX = 120_000;
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

/** Linux lets anybody put a process of his behind all others, and everybody put it back who may. */
export function setBehind(pid: number, isBehind: boolean): void {
  execFileSync('chrt', ['-a', isBehind ? '--idle' : '--other', '-p', '0', String(pid)]);
}

/** Starves the trader of a daemon for so long and lets it go on; whatever happens, nothing of it is left. */
export async function measureStarvation({ plan, forMs }: StarveOptions): Promise<Starved> {
  const venue = await RigVenue.start(plan.markets);
  const daemon = new RigDaemon(venue, plan);
  const most = Math.floor(plan.markets * plan.levels * 2 * MOST);
  try {
    await untilOpen(venue, most, daemon);
    // Its first seconds are behind it.
    await sleep(2_000);
    const loops = new BusyLoops(2);
    setBehind(daemon.traderPid, true);
    await sleep(forMs);
    loops.end();
    const endedAtMs = Date.now();
    setBehind(daemon.traderPid, false);
    await untilOpen(venue, most, daemon);
    const backMs = Date.now() - endedAtMs;
    return { ...countsOf(daemon.log), backMs };
  } finally {
    await daemon.end();
    await venue.stop();
  }
}

function countsOf(log: string): Omit<Starved, 'backMs'> {
  const count = (event: string) => log.split(`"event":"${event}"`).length - 1;
  const silences = [...log.matchAll(/"silentMs":(\d+)/g)].map(([, ms]) => Number(ms));
  return {
    deaths: count('guard.trader_died'),
    pulls: count('guard.starved'),
    awakes: count('guard.awake'),
    silentMsMax: Math.max(0, ...silences),
  };
}

async function untilOpen(venue: RigVenue, count: number, daemon: RigDaemon): Promise<void> {
  const untilMs = Date.now() + QUOTES_MS_MAX;
  while (venue.openCount() < count) {
    if (Date.now() > untilMs)
      throw new Error(`no quotes; the log ends:\n${daemon.log.slice(-5_000)}`);
    await sleep(LOOK_MS);
  }
}

async function sleep(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
