// What limits read of the positions of one market: the end of each interval that hurts.
// @spec Architecture decision 8

import { LEGS } from '../../domain/market.ts';
import { clampShares, MICRO_PER_SHARE } from '../../domain/shares.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import { exposureOf, lossPair, type NetRange, type UncertainShares } from './exposure.ts';
import type { RiskMarket } from './market.ts';
import type { MarketRisks } from './risk-book.ts';
import type { RiskStores } from './stores.ts';

const NONE: readonly UncertainShares[] = Object.freeze([]);

/** Uncertain shares of both tokens of a market. */
export function uncertainOf(
  stores: PositionStores,
  market: RiskMarket,
): readonly UncertainShares[] {
  const { uncertainTokens } = stores.positions;
  if (uncertainTokens.size === 0) return NONE;
  return LEGS.flatMap((leg) =>
    stores.positions.bounded(market.tokenOf(leg)).map((item) => ({ leg, item })),
  );
}

/** The net position of a market, whatever became of what is uncertain. */
export function netRange({ positions }: PositionStores, market: RiskMarket): NetRange {
  const yes = market.tokenOf('yes');
  const no = market.tokenOf('no');
  return {
    least: clampShares(positions.low(yes) - positions.high(no)),
    expected: clampShares(positions.expected(yes) - positions.expected(no)),
    most: clampShares(positions.high(yes) - positions.low(no)),
  };
}

/** Cash of matched buys of a market that has not left the account yet, in nano-USDC. */
export function pendingBuysNano({ positions }: PositionStores, market: RiskMarket): number {
  return LEGS.reduce((nano, leg) => nano + positions.pendingCostNano(market.tokenOf(leg)), 0);
}

/** The report of an end comes within moments of the answer to its cancel: until then it is no doubt. */
const REPORTED_BY_MS = 2_000;

/** By how many micro-shares the wider of a market's positions is uncertain, reports under way left out. */
export function widthOf({ positions, nowMs }: PositionStores, market: RiskMarket): number {
  const sinceMs = nowMs - REPORTED_BY_MS;
  return Math.max(...LEGS.map((leg) => positions.width(market.tokenOf(leg), sinceMs)));
}

/** How uncertain a position may be before its market stops adding to it, in micro-shares. */
export function uncertainMax({ settings }: KernelStores): number {
  const { maxPositionShares = 0, maxUncertainShares = 0 } = settings?.risk ?? {};
  return (maxUncertainShares || maxPositionShares / 2) * MICRO_PER_SHARE;
}

/** Placements that gave their slot back and may still come to rest. */
export function arriving({ positions }: PositionStores): number {
  let count = 0;
  for (const { item } of positions.allUncertain()) if (item.cause === 'may_arrive') count += 1;
  return count;
}

// What each market risks, from its orders and shares.

/** Brings the sums of what markets risk up to date; those that changed, and no others. */
export function sumUpRisk(stores: RiskStores): void {
  stores.risk.updateExposure(stores.workQueue.exposed, (market) => risksOf(stores, market));
}

export function risksOf(stores: PositionStores, market: RiskMarket): MarketRisks {
  const { id } = market.market;
  const { ledger, positions, refusals, copies } = stores;
  const open = uncertainOf(stores, market);
  const orders = ledger.ofMarket(id);
  const mayRest = { mayRest: refusals.ofMarket(id), copies: copies.ofMarket(id) };
  const exposure = exposureOf(market, orders, open, mayRest);
  return {
    exposure,
    loss: lossPair(market.holdings(positions), exposure),
    holdNano: exposure.holdNano + pendingBuysNano(stores, market),
  };
}
