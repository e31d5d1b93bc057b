// One thing that is fuzzed: a source of cases, and what must be true of each.

import process from 'node:process';
import fc from 'fast-check';

export type Target<Case = unknown> = {
  readonly name: string;
  readonly cases: fc.Arbitrary<Case>;
  /** @throws When a case breaks what must hold. */
  readonly check: (given: Case) => Promise<void> | void;
  /** After the last case: it still works. @throws */
  readonly finish?: () => Promise<void> | void;
};

/** A target with its state, made anew for each run; the type of its cases is its own business. */
export type Fuzz = () => Running;

export type Running = {
  readonly name: string;
  /** Runs one block of cases from a seed; how many they were. @throws {FuzzFailure} */
  block(seed: number, count: number): Promise<number>;
  finish(): Promise<void>;
};

export class FuzzFailure extends Error {
  override readonly name = 'FuzzFailure';
}

const SHOWN_MAX = 600;

export function running<Case>(target: Target<Case>): Running {
  return {
    name: target.name,
    block: async (seed, count) => {
      for (const [place, given] of fc.sample(target.cases, { seed, numRuns: count }).entries()) {
        await checked(target, given, `seed ${seed}, case ${place}`);
      }
      return count;
    },
    finish: async () => {
      await target.finish?.();
    },
  };
}

async function checked<Case>(target: Target<Case>, given: Case, place: string): Promise<void> {
  try {
    await target.check(given);
  } catch (error) {
    const why = error instanceof Error ? error.stack : String(error);
    const shown = (JSON.stringify(given) ?? String(given)).slice(0, SHOWN_MAX);
    throw new FuzzFailure(`${target.name}, ${place}: ${why}\n  given ${shown}`, { cause: error });
  }
}

/** What may come on the socket, and what a body may cost, of which there are far fewer. */
export const FRAME_MS_MAX = 5;
export const BODY_MS_MAX = 50;
/** What others run beside us only ever adds time, so the fastest of some runs is what the input costs. */
const RUNS = 9;
/** A host that is busy all through some runs, and not through the yardstick, is seldom so three times. */
const ROUNDS = 3;

/** Milliseconds that the yardstick takes where the bounds above were set: a slower processor is no slower input. */
const YARDSTICK_MS = 1;
/** However slow it is, what takes four times as long is too long. */
const SLOWER_MAX = 4;
const YARDSTICK = JSON.stringify(
  Array.from({ length: 2_000 }, (_, index) => ({ price: `0.${index}`, size: index, side: 'bid' })),
);

/**
 * Runs something that may take so long and no longer.
 * @throws Where even the fastest of several runs took longer.
 */
export function inTime<Value>(msMax: number, run: () => Value): Value {
  const first = tookOf(run);
  if (first.tookMs <= msMax) return first.value;
  let fastest = first.tookMs;
  let allowed = msMax;
  for (let round = 0; round < ROUNDS && fastest > allowed; round += 1) {
    fastest = Math.min(fastest, fastestOf(run));
    const slower = fastestOf(() => JSON.stringify(JSON.parse(YARDSTICK))) / YARDSTICK_MS;
    allowed = msMax * Math.min(SLOWER_MAX, Math.max(1, slower));
  }
  const said = `took ${fastest.toFixed(1)} ms of processor time, ${allowed.toFixed(1)} are allowed`;
  must(fastest <= allowed, said);
  return first.value;
}

function fastestOf(run: () => unknown): number {
  return Math.min(...Array.from({ length: RUNS - 1 }, () => tookOf(run).tookMs));
}

/** Time of the processor and not of the clock: what others run beside us is not the input's. */
function tookOf<Value>(run: () => Value): { readonly tookMs: number; readonly value: Value } {
  const before = process.cpuUsage();
  const start = performance.now();
  const value = run();
  const clockMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  // Helpers of the engine count as processor time, too.
  return { tookMs: Math.min(clockMs, (user + system) / 1_000), value };
}

/** @throws Unless it is so. */
export function must(isSo: boolean, statement: string): asserts isSo {
  if (!isSo) throw new Error(statement);
}
