// The synthetic worlds of a backtest by name: who trades in them, and how well they know what YES is worth.

import { HONEST_PROFILES, type MarketProfile } from '../paper/crowd/profile.ts';
import { plannedEvent } from '../paper/exchange/plan.ts';
import type { SyntheticPlan } from './synthetic-world.ts';

const { calm, informed, jumpy } = HONEST_PROFILES;

export const REGIMES = {
  /** Nothing is ever learnt, and nobody knows more than the book: whoever quotes must earn here. */
  null: { ...calm, variancePerHour: 0, informedTakersPerSec: 0, noiseTakersPerSec: 0.2 },
  calm,
  /** Half of the flow knows better than the makers. */
  informed,
  /** The price jumps a few times an hour. */
  jumpy,
  /** The makers stand far apart. */
  wide: { ...calm, makerHalfSpreadTicks: 4, makerError: 0.08 },
  /** The calm world at 0.30 on the fine grid: what is a tick there is a tenth of one here. */
  fine: { ...calm, startProbability: 0.3 },
  /** One maker with little to offer, and hardly any flow. */
  thin: { ...calm, makers: 1, makerLevels: 3, makerLevelShares: 10, noiseTakersPerSec: 0.02 },
} as const satisfies Readonly<Record<string, MarketProfile>>;

export type RegimeName = keyof typeof REGIMES;

export const REGIME_NAMES = ['null', 'calm', 'informed', 'jumpy', 'wide', 'fine', 'thin'] as const;

/** One market with the crowd of that name. */
export function regimePlan(
  name: RegimeName,
  run: { readonly hours: number; readonly seed: number; readonly activity: number },
): SyntheticPlan {
  const event = plannedEvent({
    slug: `world-${name}`,
    title: `A ${name} world`,
    category: 'synthetic',
    tickSize: name === 'fine' ? '0.001' : '0.01',
    markets: [{ slug: '0', title: `A ${name} world` }],
  });
  return { name, events: [event], profiles: { [event.slug]: REGIMES[name] }, ...run };
}
