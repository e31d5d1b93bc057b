// What the processes of a daemon hold while its network fails in every way, minute after minute.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
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
/** Memory of its own in MB, by process; files that it shares with others do not count. */
export type MemorySample = { readonly atMs: number; readonly fault: string | undefined } & Readonly<
  Record<Part, number>
>;

export type Growth = {
  /** Of the first and of the last quarter behind the warm-up. */
  readonly firstMb: number;
  readonly lastMb: number;
  /** By a line through all samples behind the warm-up, in half an hour. */
  readonly slopeMbPer30Min: number;
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
const SAMPLE_MS = 2_000;
/** Code is compiled and pools fill; every fault has been there once or twice. */
const WARM_UP_PART = 0.3;

export async function measureMemory(plan: MemoryPlan): Promise<MemoryFigures> {
  const venue = await RigVenue.start(plan.markets);
  const proxy = new FaultProxy(venue.venue);
  await proxy.start();
  const daemon = new RigDaemon(venue, { ...plan, address: proxy.address });
  try {
    await eventually('the first quotes', () => (venue.openCount() > 0 ? true : undefined));
    const first = daemon.traderPid;
    const samples = await sampled(daemon, proxy, plan);
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

async function sampled(
  daemon: RigDaemon,
  proxy: FaultProxy,
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
    const sample = {
      ...{ atMs, fault: proxy.fault },
      guard: ownMb(daemon.guardPid),
      trader: ownMb(daemon.traderPid),
      http: ownMb(http),
    };
    samples.push(sample);
    onSample?.(sample);
    await sleep(SAMPLE_MS);
  }
  return samples;
}

function ownMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

function growthOf(all: readonly MemorySample[], part: Part): Growth {
  const samples = all.slice(Math.floor(all.length * WARM_UP_PART));
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const values = samples.map((sample) => sample[part]);
  const slopePerMs = slopeOf(samples.map((sample) => [sample.atMs, sample[part]] as const));
  return {
    firstMb: median(values.slice(0, quarter)),
    lastMb: median(values.slice(-quarter)),
    slopeMbPer30Min: slopePerMs * 30 * 60_000,
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
