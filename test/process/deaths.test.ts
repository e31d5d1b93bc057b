// The short form of `npm run deaths`: each death once, judged by the venue's records.

import { beforeAll, describe, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { DEATHS, measureDeaths } from './rig/deaths.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

describe.concurrent('a daemon with resting orders', () => {
  it.for(DEATHS)(
    'leaves none of them after the death `%s`, and quotes again if it can',
    async (kind, { expect }) => {
      const plan = { markets: 3, levels: 5 };
      const { zeroMs, misses, firstQuoteMs } = await measureDeaths(kind, {
        times: 1,
        plan,
        waitMsMax: 200,
        // Most of it is a program that starts, beside those of other tests.
        takeOverMsMax: 60_000,
      });
      expect(misses).toEqual([]);
      // A busy machine is slow; the figures are in README.md.
      expect(zeroMs[0]).toBeLessThan(5_000);
      expect(firstQuoteMs).toHaveLength(kind === 'parent' ? 0 : 1);
    },
  );
});
