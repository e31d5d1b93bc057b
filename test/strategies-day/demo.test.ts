// What the demo of `npm start` earns. It is the first figure that anybody sees, and one that nobody could earn says that the
// crowd gives money away (it once did: 713 USDC in seven and a half minutes). The bounds are those of the figures in
// strategies/README.md for its three strategies with their crowds: `auto` in calm, 33 to 100 USDC an hour by its place in the
// queue, `ladder` in informed, 6 ± 8, and `inventory-skew` in jumpy, 12 ± 4, with what single hours differ by.

import { describe, expect, it } from 'vitest';
import { CONFIG_WORLD, plannedRuns } from '../../src/app/backtest.ts';
import { strategiesFor } from '../../src/app/strategies.ts';
import type { RunResult } from '../../src/backtest/result.ts';
import { parseSettings, readSettingsText } from '../../src/settings/load.ts';

const FILE = 'config/paper.yaml';
const SEEDS = 2;
const USDC_AN_HOUR = { min: -100, max: 270 };
const FILLS_A_MINUTE = { min: 2, max: 15 };
const PATIENCE_MS = 600_000;

/** Its configuration with the crowd of the embedded venue, on virtual time. */
async function demo(hours: number, change: (text: string) => string = (text) => text) {
  const strategies = await strategiesFor(FILE);
  const source = { file: FILE, env: {}, strategies };
  const text = change(readSettingsText(FILE));
  const choice = {
    ...{ recordings: [], worlds: [CONFIG_WORLD], strategies: [], params: {}, marketsMax: 20 },
    ...{ from: undefined, hours, seeds: SEEDS, firstSeed: undefined, queue: undefined },
  };
  const config = { settings: parseSettings(text, source), text, source, strategies };
  const results: RunResult[] = [];
  for (const { run } of await plannedRuns(choice, config)) {
    results.push(
      await run(
        async () => {},
        () => 0,
      ),
    );
  }
  return {
    results,
    earned: sum(results, ({ total }) => total.pnlUsdc) / (hours * SEEDS),
    fills: sum(results, ({ total }) => total.fills) / (hours * SEEDS * 60),
  };
}

function sum(results: readonly RunResult[], of: (result: RunResult) => number): number {
  return results.reduce((total, result) => total + of(result), 0);
}

describe('the demo', () => {
  it(
    'earns about what its strategies earn in their worlds, by a few fills a minute',
    async () => {
      const { results, earned, fills } = await demo(0.5);
      expect(results.flatMap(({ failure }) => failure ?? [])).toEqual([]);
      expect(earned).toBeGreaterThan(USDC_AN_HOUR.min);
      expect(earned).toBeLessThan(USDC_AN_HOUR.max);
      expect(fills).toBeGreaterThan(FILLS_A_MINUTE.min);
      expect(fills).toBeLessThan(FILLS_A_MINUTE.max);
    },
    PATIENCE_MS,
  );

  it(
    'would earn far more from the crowd that is called generous',
    async () => {
      const { earned } = await demo(0.1, (text) =>
        text.replace('crowd: honest', 'crowd: generous'),
      );
      expect(earned).toBeGreaterThan(USDC_AN_HOUR.max);
    },
    PATIENCE_MS,
  );
});
