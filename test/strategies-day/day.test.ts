import { describe, expect, it } from 'vitest';
import { runDay } from './day.ts';
import { LINEUP, type Runner, settingsOf } from './lineup.ts';

/** Some of the roughest crowd; a day of each is `npm run strategies:day`. */
const SECONDS = { hours: 1 / 90, crowd: 'jumpy', seed: 3 } as const;

/** A few seconds where nothing else runs; a busy machine takes its time. */
const PATIENCE_MS = 120_000;

describe('forty seconds on the embedded venue', () => {
  it.each(LINEUP.map((runner) => [runner.strategy.name, runner] as const))(
    '%s breaks no limit, takes nothing in sight and stays within its writes',
    async (_, runner) => {
      const result = await runDay({ runner, ...SECONDS });
      expect(result.violations).toEqual([]);
      expect(result.failures).toEqual([]);
      const { risk, orders } = settingsOf(runner);
      expect(result.largestNet).toBeLessThanOrEqual(risk.maxPositionShares);
      expect(result.mostWritesIn10s).toBeLessThanOrEqual(orders.writesPer10s);
      if (runner.strategy.takes !== true) {
        expect(result.takenKnownShares).toBe(0);
        expect(result.writes).toBeGreaterThan(0);
      }
    },
    PATIENCE_MS,
  );

  it('set-arb takes both halves where strays offer them, and gains', async () => {
    const runner = LINEUP.find(({ strategy }) => strategy.takes === true);
    if (runner === undefined) throw new Error('nobody takes');
    const result = await runDay({ runner, crowd: 'calm', seed: 3, hours: 1 / 20 });
    expect(result.violations).toEqual([]);
    expect(result.fills).toBeGreaterThanOrEqual(4);
    expect(result.takenShares).toBe(result.shares);
    expect(result.gainUsdc).toBeGreaterThan(0);
    // Both halves of a round arrive within a moment of each other, ten shares at most apart.
    expect(result.largestNet).toBeLessThanOrEqual(10);
  });

  it(
    'are the same for the same seed',
    async () => {
      const [first] = LINEUP;
      const run = async (runner: Runner) => (await runDay({ runner, ...SECONDS })).digest;
      if (first === undefined) throw new Error('nobody runs');
      expect(await run(first)).toBe(await run(first));
    },
    PATIENCE_MS,
  );
});
