// How lively a market is, who trades on it, and how well they know what it is worth.

import type { BeliefParams } from './belief.ts';

export type MarketProfile = BeliefParams & {
  /** Fair value of YES at the start; without it, drawn from the seed. */
  readonly startProbability: number | undefined;

  /** Accounts that quote ladders on both tokens. */
  readonly makers: number;
  /**
   * Distance of the boldest maker's best quote from its view, in ticks of 0.01; on a grid of 0.001
   * it is twice as many of the finer ticks.
   */
  readonly makerHalfSpreadTicks: number;
  /** Standard deviation of a maker's error about the fair value, in log-odds; it lasts half a minute. */
  readonly makerError: number;
  /** Makers see the fair value this late. */
  readonly makerLagMs: number;
  /** Price levels of a maker's ladder on each side. */
  readonly makerLevels: number;
  /** Median size in the middle of a ladder; the best level has less, the last has more. */
  readonly makerLevelShares: number;

  /** Takers who know nothing, per second. */
  readonly noiseTakersPerSec: number;
  /** A hurried one pays up to this many ticks of 0.01 beyond the best price. */
  readonly noiseReachTicks: number;
  /** Takers who know the fair value and trade towards it, per second. */
  readonly informedTakersPerSec: number;
  /** Edge in probability without which an informed taker stays away. */
  readonly informedEdge: number;
  /** Median size of a taker's order. */
  readonly takerShares: number;
};

/** At this pace the fair value moves a cent in about twenty seconds. */
const CALM: MarketProfile = {
  startProbability: undefined,
  variancePerHour: 0.3,
  jumpsPerHour: 0,
  jumpVariance: 0,
  resolvesAfterMs: undefined,
  makers: 3,
  makerHalfSpreadTicks: 3,
  makerError: 0.05,
  makerLagMs: 400,
  makerLevels: 6,
  makerLevelShares: 120,
  noiseTakersPerSec: 1.2,
  noiseReachTicks: 3,
  informedTakersPerSec: 0.15,
  informedEdge: 0.008,
  takerShares: 30,
};

export const PROFILES = {
  calm: CALM,
  /** The makers err by cents, and half of the flow knows better. */
  informed: {
    ...CALM,
    variancePerHour: 0.6,
    makerError: 0.12,
    makerLagMs: 2_000,
    noiseTakersPerSec: 0.7,
    informedTakersPerSec: 0.5,
  },
  /** News every few minutes: about nine cents at once where the outcome is open. */
  jumpy: { ...CALM, jumpsPerHour: 15, jumpVariance: 0.15, informedTakersPerSec: 0.4 },
} as const satisfies Readonly<Record<string, MarketProfile>>;

export type ProfileName = keyof typeof PROFILES;

/** Makers a tick from a view that is hardly wrong, and little flow that knows nothing. */
const GIVES_LITTLE_AWAY: Partial<MarketProfile> = {
  makers: 2,
  makerLevels: 4,
  makerHalfSpreadTicks: 1,
  makerError: 0.02,
  noiseTakersPerSec: 0.07,
  noiseReachTicks: 1,
  informedEdge: 0.005,
  makerLevelShares: 40,
  takerShares: 30,
};

/**
 * The same three tempers with a crowd that gives little away: more flow knows than knows nothing, and somebody
 * always watches. A quote that is off by the edge is hit within `1 / informedTakersPerSec` seconds on average,
 * and after a jump that is sooner than any cancel arrives.
 */
export const HONEST_PROFILES: Readonly<Record<ProfileName, MarketProfile>> = {
  calm: honest('calm', { variancePerHour: 0.1, makerLagMs: 4_000, informedTakersPerSec: 1 }),
  informed: honest('informed', {
    variancePerHour: 0.6,
    makerLagMs: 10_000,
    informedTakersPerSec: 2,
  }),
  jumpy: honest('jumpy', {
    variancePerHour: 0.1,
    makerLagMs: 2_000,
    jumpsPerHour: 8,
    informedTakersPerSec: 4,
  }),
};

function honest(name: ProfileName, temper: Partial<MarketProfile>): MarketProfile {
  return { ...PROFILES[name], ...GIVES_LITTLE_AWAY, ...temper };
}

/** A profile by name, or changes to the calm one. */
export type ProfileChoice = ProfileName | Partial<MarketProfile>;

/** The first choice that is made: for the market by id, for its event by slug, else calm. */
export function profileOf(
  choices: Readonly<Record<string, ProfileChoice>>,
  market: { readonly id: string; readonly eventSlug: string },
): MarketProfile {
  const choice = choices[market.id] ?? choices[market.eventSlug] ?? 'calm';
  return typeof choice === 'string' ? PROFILES[choice] : { ...CALM, ...choice };
}
