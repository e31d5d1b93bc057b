// Runs fuzz targets in blocks, each from a seed of its own, and watches memory.

import {
  hostileAnswers,
  hostileBodies,
  hostileMessages,
  hostilePayloads,
  hostileVenueFrames,
} from './client.ts';
import {
  hostileConfigs,
  hostileOrders,
  hostileStatements,
  hostileWaits,
  hostileWords,
} from './edges.ts';
import { hostileBytes } from './network.ts';
import type { Fuzz } from './target.ts';
import { hostileFrames, hostileRequests } from './venue.ts';

export const TARGETS: readonly Fuzz[] = [
  hostileRequests,
  hostileFrames,
  hostileBytes,
  hostilePayloads,
  hostileVenueFrames,
  hostileBodies,
  hostileAnswers,
  hostileMessages,
  hostileConfigs,
  hostileStatements,
  hostileOrders,
  hostileWaits,
  hostileWords,
];

export type Figures = {
  readonly name: string;
  readonly cases: number;
  readonly tookMs: number;
  /** Megabytes in use after the first block and after the last. */
  readonly heapMb: readonly [first: number, last: number];
};

export type FuzzOptions = {
  readonly seed: number;
  readonly blockCases: number;
  /** Whether another block is due, for a target that has run for so long. */
  readonly goesOn: (blocks: number, tookMs: number) => boolean;
};

/** @throws {FuzzFailure} With the seed and the case that broke something. */
export async function runFuzz(fuzz: Fuzz, options: FuzzOptions): Promise<Figures> {
  const target = fuzz();
  const startMs = performance.now();
  const tookMs = () => Math.round(performance.now() - startMs);
  let cases = 0;
  let blocks = 0;
  let firstMb = 0;
  do {
    cases += await target.block(options.seed + blocks, options.blockCases);
    blocks += 1;
    if (blocks === 1) firstMb = heapMb();
  } while (options.goesOn(blocks, tookMs()));
  const lastMb = heapMb();
  await target.finish();
  return { name: target.name, cases, tookMs: tookMs(), heapMb: [firstMb, lastMb] };
}

/** Garbage is left out where the process may collect it, by `node --expose-gc`. */
function heapMb(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}

export function figureLine({ name, cases, tookMs, heapMb: [first, last] }: Figures): string {
  const count = String(cases).padStart(9);
  return `${name.padEnd(26)}${count} cases in ${tookMs} ms, heap ${first} → ${last} MB`;
}
