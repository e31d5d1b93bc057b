// Under which settings a market is looked at: those in force, or those that somebody asks about.

import type { CoreSettings, MarketChoice } from '../../domain/input.ts';
import type { Strategy } from '../../strategy/index.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';

export type Terms = {
  readonly settings: CoreSettings | undefined;
  readonly choice: MarketChoice;
  readonly strategy: Strategy;
  /** Part of the capital that the market may bind, 0 to 1. */
  readonly capitalShare: number;
};

/** What is in force. */
export function termsOf(world: World, market: MarketState): Terms {
  const { settings } = world;
  const { choice, strategy } = market;
  return { settings, choice, strategy, capitalShare: capitalShare(world, market) };
}

/** Shared: any market may use all of it. Weighted: each has its part of all weights. */
export function capitalShare(world: World, market: MarketState): number {
  if (world.settings?.capital?.policy !== 'weighted') return 1;
  return partOf(market.choice, weightSum(world));
}

/** The part of one choice where the weights of all quoted markets add up to `sum`. */
export function partOf(choice: MarketChoice, sum: number): number {
  return sum > 0 ? weightOf(choice) / sum : 0;
}

export function weightOf({ capitalWeight }: MarketChoice): number {
  return capitalWeight ?? 1;
}

/** Of all markets; walked anew only when a market or the settings have changed. */
function weightSum(world: World): number {
  const key = `${world.marketsVersion} ${world.settingsVersion}`;
  return world.capital.weightSum(key, () => {
    let sum = 0;
    for (const each of world.markets.values()) sum += weightOf(each.choice);
    return sum;
  });
}
