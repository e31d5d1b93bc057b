// What the processes of a daemon hold while its network fails in every way, minute after minute.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { childrenOf, eventually } from '../../support/processes.ts';
import { RigDaemon, type RigPlan } from './daemon.ts';
import { FAULTS, FaultProxy } from './fault-proxy.ts';
import { RigVenue } from './venue.ts';

export type MemoryPlan = RigPlan & {
  readonly forMs: number;
  readonly onSample?: (sample: MemorySample) => void;
  /** These faults alone; all of them where absent. */
  readonly faults?: readonly string[];
};

export const PARTS = ['guard', 'trader', 'http'] as const;
export type Part = (typeof PARTS)[number];
/** In MB. */
export type Held = {
  /** What is left when its garbage was collected. */
  readonly heldMb: number;
  /** Memory of its own before that; files that it shares with others do not count. */
  readonly ownMb: number;
};
export type MemorySample = { readonly atMs: number; readonly fault: string | undefined } & Readonly<
  Record<Part, Held>
>;

export type Growth = {
  /** Held in the first and in the last quarter behind the warm-up, the median of each. */
  readonly firstMb: number;
  readonly lastMb: number;
  /** By a line through all samples behind the warm-up, in half an hour. */
  readonly slopeMbPer30Min: number;
  readonly ownMbMax: number;
};

export type MemoryFigures = {
  readonly samples: number;
  readonly faulted: number;
  /** Traders that were started behind the first. */
  readonly deaths: number;
  readonly growth: Readonly<Record<Part, Growth>>;
};

const FAULT_MS = 4_000;
const CALM_MS = 3_000;
/** Each sample collects garbage, which takes some milliseconds. */
const SAMPLE_MS = 5_000;
const LOOK_MS = 500;
/** Code is compiled and pools fill; every fault has been there once or twice. */
const WARM_UP_PART = 0.3;

export async function measureMemory(plan: MemoryPlan): Promise<MemoryFigures> {
  const venue = await RigVenue.start(plan.markets);
  const proxy = new FaultProxy(venue.venue);
  await proxy.start();
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(resolve('test/process/held.js')).href}`,
  };
  const daemon = new RigDaemon(venue, { ...plan, env, address: proxy.address });
  try {
    await eventually('the first quotes', () => (venue.openCount() > 0 ? true : undefined));
    const first = daemon.traderPid;
    const samples = await sampled({ daemon, proxy }, plan);
    return {
      samples: samples.length,
      faulted: proxy.faulted,
      deaths: daemon.traderPid === first ? 0 : 1,
      growth: {
        guard: growthOf(samples, 'guard'),
        trader: growthOf(samples, 'trader'),
        http: growthOf(samples, 'http'),
      },
    };
  } finally {
    await daemon.end();
    proxy.stop();
    await venue.stop();
  }
}

type Scene = { readonly daemon: RigDaemon; readonly proxy: FaultProxy };

async function sampled(
  { daemon, proxy }: Scene,
  { forMs, onSample, faults = FAULTS }: MemoryPlan,
): Promise<readonly MemorySample[]> {
  const [http = 0] = await eventually('the process that serves HTTP', async () => {
    const found = await childrenOf(daemon.guardPid, 'http');
    return found.length > 0 ? found : undefined;
  });
  const samples: MemorySample[] = [];
  const startMs = performance.now();
  for (let atMs = 0; atMs < forMs; atMs = performance.now() - startMs) {
    const turn = Math.floor(atMs / (FAULT_MS + CALM_MS));
    const isCalm = atMs % (FAULT_MS + CALM_MS) > FAULT_MS;
    proxy.fault = isCalm ? undefined : faults[turn % faults.length];
    if (samples.length * SAMPLE_MS <= atMs) {
      const [guard, trader, server] = await Promise.all(
        [daemon.guardPid, daemon.traderPid, http].map(async (pid) => await heldBy(pid, daemon)),
      );
      if (guard === undefined || trader === undefined || server === undefined) continue;
      const sample = { atMs, fault: proxy.fault, guard, trader, http: server };
      samples.push(sample);
      onSample?.(sample);
    }
    await sleep(LOOK_MS);
  }
  return samples;
}

/** `undefined` for one that is gone. */
async function heldBy(pid: number, { heldBytes }: RigDaemon): Promise<Held | undefined> {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const ownMb = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
    heldBytes.delete(pid);
    process.kill(pid, 'SIGUSR2');
    const bytes = await eventually('what is held', () => heldBytes.get(pid), { withinMs: 5_000 });
    return { ownMb, heldMb: bytes / 1_048_576 };
  } catch {
    return undefined;
  }
}

function growthOf(all: readonly MemorySample[], part: Part): Growth {
  const samples = all.slice(Math.floor(all.length * WARM_UP_PART));
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const values = samples.map((sample) => sample[part].heldMb);
  const slopePerMs = slopeOf(samples.map((sample) => [sample.atMs, sample[part].heldMb] as const));
  return {
    firstMb: median(values.slice(0, quarter)),
    lastMb: median(values.slice(-quarter)),
    slopeMbPer30Min: slopePerMs * 30 * 60_000,
    ownMbMax: Math.max(...all.map((sample) => sample[part].ownMb)),
  };
}

/** Of the line with the least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point[0]), mean((point) => point[1])];
  const spread = mean((point) => (point[0] - x) ** 2);
  return spread === 0 ? 0 : mean((point) => (point[0] - x) * (point[1] - y)) / spread;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
