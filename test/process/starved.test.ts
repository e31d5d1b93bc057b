// A trader beside more work than the machine can do: it loses its quotes for a while, and never its run.

import { beforeAll, describe, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { canSetBehind, measureStarvation } from './rig/starve.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

const HANG_MS = 10_000;

describe.runIf(canSetBehind())('a trader that gets next to no processor', () => {
  it('runs, quotes again behind it, and dies in time where it is its own loop that blocks', async ({
    expect,
  }) => {
    const starved = await measureStarvation({
      plan: { markets: 3, levels: 5 },
      forMs: 5_000,
      behind: 'idle',
    });
    expect(starved.deaths).toBe(0);
    expect(starved.pulls).toBeGreaterThan(0);
    expect(starved.blockedZeroMs).toBeLessThan(HANG_MS);
  });
});
