// Under which settings a market is looked at: those in force, or those that somebody asks about.

import type { CoreSettings, MarketChoice } from '../../domain/input.ts';
import { MICRO_PER_SHARE } from '../../domain/shares.ts';
import type { Strategy } from '../../strategy/index.ts';
import type { RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';

export type Terms = {
  readonly settings: CoreSettings | undefined;
  readonly choice: MarketChoice;
  readonly strategy: Strategy;
  /** Part of the capital that the market may bind, 0 to 1. */
  readonly capitalShare: number;
};

/** What is in force. */
export function termsOf(stores: RiskStores, market: RiskMarket): Terms {
  const { settings } = stores;
  const { choice, strategy } = market;
  return { settings, choice, strategy, capitalShare: capitalShare(stores, market) };
}

/** Shared: any market may use all of it. Weighted: each has its part of all weights. */
export function capitalShare(stores: RiskStores, market: RiskMarket): number {
  if (stores.settings?.capital?.policy !== 'weighted') return 1;
  return partOf(market.choice, weightSum(stores));
}

/** The part of one choice where the weights of all quoted markets add up to `sum`. */
export function partOf(choice: MarketChoice, sum: number): number {
  return sum > 0 ? weightOf(choice) / sum : 0;
}

export function weightOf({ capitalWeight }: MarketChoice): number {
  return capitalWeight ?? 1;
}

/** Of all markets; walked anew only when a market or the settings have changed. */
function weightSum(stores: RiskStores): number {
  const key = `${stores.marketsVersion} ${stores.settingsVersion}`;
  return stores.capital.weightSum(key, () => {
    let sum = 0;
    for (const each of stores.markets.values()) sum += weightOf(each.choice);
    return sum;
  });
}

/** Only a real SELL serves market buyers of its token, and it frees capital; the market may differ. */
export function prefersSell({ settings, choice }: Pick<Terms, 'settings' | 'choice'>): boolean {
  return choice.preferSell ?? settings?.orders.preferSell ?? true;
}

/** A BUY of the complement makes complete sets: once they fill half of the position limit, own shares are sold. */
export function sellsOwnShares(
  stores: RiskStores,
  market: RiskMarket,
  of: Pick<Terms, 'settings' | 'choice'> = { settings: stores.settings, choice: market.choice },
): boolean {
  const { yes, no } = market.holdingsShares(stores.positions);
  const max = (of.settings?.risk.maxPositionShares ?? 0) * MICRO_PER_SHARE;
  return prefersSell(of) || 2 * Math.min(yes, no) >= max;
}
