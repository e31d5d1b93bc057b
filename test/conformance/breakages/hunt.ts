// Every breakage in a process of its own: its card must fail there, as a verdict, and pass without it.

import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CardId } from '../../../src/cli/doctor/card.ts';
import type { Breakage } from './breakage.ts';
import type { Failed } from './here.ts';

const run = promisify(execFile);
/** A process with a breakage that hangs it is one without a verdict. */
const PROCESS_MS_MAX = 120_000;
/** Cards wait for much of their time. */
const AT_ONCE = 3;

export type Found = {
  readonly breakage: Breakage;
  readonly isCaught: boolean;
  readonly why: string;
};

export type HuntOptions = {
  readonly onFound?: (found: Found) => void;
  /** The compiled program of one breakage, where this one is not compiled itself. */
  readonly program?: string;
};

/** Looks for breakages, a few at once. */
export async function hunt(
  breakages: readonly Breakage[],
  options: HuntOptions = {},
): Promise<readonly Found[]> {
  const program = options.program ?? fileURLToPath(new URL('./one.js', import.meta.url));
  const cards = [...new Set(breakages.map(({ card }) => card))];
  const anyway = new Map((await failedIn(program, 'none', cards)).map((each) => [each.card, each]));
  const left = [...breakages];
  const found: Found[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const without = anyway.get(next.card);
      const one = without
        ? { breakage: next, isCaught: false, why: `fails without it too: ${without.detail}` }
        : await catchOf(program, next);
      found.push(one);
      options.onFound?.(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function catchOf(program: string, breakage: Breakage): Promise<Found> {
  try {
    const [failed] = await failedIn(program, breakage.name, [breakage.card]);
    if (failed === undefined) return { breakage, isCaught: false, why: 'its card passes' };
    // Code that throws gives itself away: that is no catch.
    return { breakage, isCaught: failed.isVerdict, why: failed.detail };
  } catch (error) {
    return {
      breakage,
      isCaught: false,
      why: error instanceof Error ? error.message : String(error),
    };
  }
}

async function failedIn(
  program: string,
  name: string,
  cards: readonly CardId[],
): Promise<readonly Failed[]> {
  const { stdout } = await run(process.execPath, [program, name, cards.join()], {
    timeout: PROCESS_MS_MAX,
    maxBuffer: 10_000_000,
  });
  return JSON.parse(stdout);
}
