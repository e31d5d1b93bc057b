// What each market risks, from its orders and shares.

import type { PositionStores } from '../positions/stores.ts';
import { exposureOf, lossPair } from './exposure.ts';
import type { RiskMarket } from './market.ts';
import type { MarketRisks } from './risk-book.ts';
import type { RiskStores } from './stores.ts';
import { pendingBuysNano, uncertainOf } from './uncertain.ts';

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
