// `npm run sim -- --planted`: every planted bug must be found; the rows go to the README.md of this room.

import { type CleanRuns, type Hunt, hunt } from './hunt.ts';
import { MUTATIONS } from './list.ts';

/**
 * Looks for the planted bugs and prints a row for each.
 * @param names - Those to look for; all of them when absent.
 * @returns The exit code: 1 when one was not found.
 */
export async function findPlanted(
  within: Hunt,
  names: readonly string[] | undefined,
): Promise<number> {
  const cleanRuns: CleanRuns = new Map();
  let missed = 0;
  for (const mutation of MUTATIONS) {
    const { name, about } = mutation;
    if (names && !names.includes(name)) continue;
    const startedMs = performance.now();
    const found = await hunt(mutation, within, cleanRuns);
    if (!found) missed += 1;
    const where = found
      ? `\`${found.rule}\` (${found.profile} ${found.seed}, run ${found.runs})`
      : 'NOT FOUND';
    console.log(`| \`${name}\` | ${about} | ${where} |`);
    const tookSec = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.error(`${name}: ${tookSec} s, ${found?.detail ?? 'nothing'}`);
  }
  console.log(`not found ${missed}`);
  return missed > 0 ? 1 : 0;
}
