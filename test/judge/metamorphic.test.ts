// What must hold of any honest judge, whatever the figures are: who quotes earns where nobody knows more, and loses
// where everybody does; more risk aversion holds less; a finer tick changes prices and not whether anybody trades.
// That a market whose outcomes change names is quoted in mirror image: `test/unit/strategy/engine-rules.test.ts`.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loadStrategies } from '../../src/app/strategies.ts';
import { REGIMES, type RegimeName, regimePlan } from '../../src/backtest/regimes.ts';
import type { RunResult } from '../../src/backtest/result.ts';
import { runBacktest } from '../../src/backtest/run.ts';
import { SyntheticWorld } from '../../src/backtest/synthetic-world.ts';
import type { MarketProfile } from '../../src/paper/crowd/profile.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { CONDITIONS, SETTINGS } from '../unit/backtest/support.ts';

// A second or two of a processor of its own; a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

let strategies: ReadonlyMap<string, Strategy>;
beforeAll(async () => {
  strategies = await loadStrategies();
});

type Play = {
  readonly strategy: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly world: RegimeName;
  readonly profile?: Partial<MarketProfile>;
  readonly hours?: number;
};

async function play({ strategy, params, world, profile, hours = 0.12 }: Play): Promise<RunResult> {
  const plan = regimePlan(world, { hours, seed: 1, activity: 1 });
  const profiles = Object.fromEntries(
    plan.events.map(({ slug }) => [slug, { ...REGIMES[world], ...profile }]),
  );
  const synthetic = new SyntheticWorld({ ...plan, profiles });
  const market = { market: undefined, strategy, params: paramsOf(strategy, params) };
  return await runBacktest({
    world: synthetic,
    conditions: { ...CONDITIONS, queue: 'conservative' },
    settings: { ...SETTINGS, markets: plan.events.map(({ slug }) => ({ ...market, event: slug })) },
    strategies,
    wallMs: () => 0,
  });
}

function paramsOf(name: string, stated: Play['params'] = {}): Record<string, unknown> {
  const schema = Object.entries<{ readonly default: unknown }>(strategies.get(name)?.params ?? {});
  return { ...Object.fromEntries(schema.map(([key, spec]) => [key, spec.default])), ...stated };
}

/** Their distances once were cents, which are ten ticks there; `check` looks at the others. */
const FINE = ['bands', 'avellaneda-stoikov', 'glft', 'logit-inventory', 'lmsr'] as const;

describe('a judge', () => {
  it.each(['auto', 'bands'])(
    'lets %s earn where nothing is ever learnt, all of it spread',
    async (strategy) => {
      const { total } = await play({ strategy, world: 'null' });
      expect(total.fills).toBeGreaterThan(3);
      expect(total.pnlUsdc).toBeGreaterThan(0);
      expect(total.parts.spread).toBeGreaterThan(0);
    },
  );

  it.each(['auto', 'bands'])(
    'lets %s earn nothing where every taker knows better, and no price from outside helps',
    async (strategy) => {
      const profile = { ...REGIMES.informed, noiseTakersPerSec: 0, informedTakersPerSec: 3 };
      const { total } = await play({ strategy, world: 'informed', profile });
      expect(total.fills).toBeGreaterThan(3);
      // A minute after the fills; what is held after that may be lucky.
      const { spread, adverse } = total.parts;
      expect(spread + adverse.reduce((sum, each) => sum + each, 0)).toBeLessThan(0);
    },
  );

  it.each([
    // By price alone: shares that move first leave the price little to do.
    {
      strategy: 'auto',
      param: 'leanPart',
      less: 0.1,
      more: 2,
      beside: { sizeLean: 0, sweptCents: 0 },
    },
    { strategy: 'avellaneda-stoikov', param: 'riskAversion', less: 0.001, more: 1, beside: {} },
  ])(
    'lets $strategy hold less with more $param',
    async ({ strategy, param, less, more, beside }) => {
      const held = async (value: number) => {
        const params = { ...beside, [param]: value };
        const { total } = await play({ strategy, world: 'calm', params });
        return total.inventoryRmsShares;
      };
      expect(await held(more)).toBeLessThan(0.8 * (await held(less)));
    },
  );

  it.each(FINE)('fills %s as it comes at 0.30 on a tick of 0.001', async (strategy) => {
    const { total } = await play({ strategy, world: 'fine', hours: 0.15 });
    expect(total.fills).toBeGreaterThan(0);
  });
});
