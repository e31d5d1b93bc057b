// One thing that is fuzzed: a source of cases, and what must be true of each.

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

/** @throws Unless it is so. */
export function must(isSo: boolean, statement: string): asserts isSo {
  if (!isSo) throw new Error(statement);
}
