// A limit holds at the venue whatever the network does to placements and their answers: what counts is what the account
// has traded there, second copies that nobody asked for included.

import { expect, it } from 'vitest';
import type { Plan } from '../plan.ts';
import { type EpisodeKind, sceneOf } from '../profiles.ts';
import { PLAIN } from '../world/controls.ts';
import { World } from '../world/world.ts';

/** As the settings of the simulation have it. */
const POSITION_SHARES_MAX = 250;
const FOR_MS = 120_000;

/** Copies come from the first quotes on; whatever else is to come does once one of them was seen. */
function always(kinds: readonly EpisodeKind[]): Plan {
  return kinds.map((kind) => {
    const isFirst = kind === 'duplicates';
    const [atMs, strength] = isFirst ? [15_000, 1] : [45_000, 0.5];
    return { kind, atMs, durationMs: FOR_MS, strength, name: kind };
  });
}

/** The largest holding of a token that the account ever had at the venue. */
async function largestHolding(seed: number, kinds: readonly EpisodeKind[]): Promise<number> {
  let most = 0;
  const world: World = new World({
    ...{ seed, durationMs: FOR_MS, rest: 'none', pace: 'brisk' },
    ...{ scene: sceneOf('stormy'), controls: PLAIN, plan: always(kinds) },
    trace: () => {
      const { facts } = world.auditor;
      for (const tokenId of facts.tokens()) most = Math.max(most, facts.totalMicro(tokenId) / 1e6);
    },
  });
  await world.run();
  return most;
}

it.each<{ readonly what: string; readonly seed: number; readonly kinds: readonly EpisodeKind[] }>([
  { what: 'every request is delivered twice', seed: 2, kinds: ['duplicates'] },
  {
    what: 'all of it comes at once',
    seed: 2,
    kinds: ['duplicates', 'garbage', 'answersLost', 'halfBatches'],
  },
])('a position stays within its limit at the venue where $what', async ({ seed, kinds }) => {
  const shares = await largestHolding(seed, kinds);
  expect(shares).toBeGreaterThan(0);
  expect(shares).toBeLessThanOrEqual(POSITION_SHARES_MAX);
});
