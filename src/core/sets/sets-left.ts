// What could be turned into cash: complete sets by a merge, winnings by a redeem.

import type { Leg } from '../../domain/market.ts';
import { RECYCLER_DEFAULTS } from '../../domain/sets.ts';
import { formatShares, NO_SHARES } from '../../domain/shares.ts';
import type { MarketSetsView } from '../../domain/view.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { QuotedMarket } from '../quoting/market.ts';
import { freeSets } from './sets.ts';
import type { SetsStores } from './stores.ts';

const LEGS: readonly Leg[] = ['yes', 'no'];

/** What status shows of the sets of a market. */
export function marketSetsView(stores: PositionStores, market: QuotedMarket): MarketSetsView {
  const { request, reason } = market.desk.sets;
  return {
    mode: (market.choice.sets ?? RECYCLER_DEFAULTS).mode,
    free: formatShares(market.status === 'resolved' ? NO_SHARES : freeSets(stores, market)),
    claim: claimOf(stores, market),
    request,
    reason,
  };
}

/** At the end of a run: what a person may want to turn into cash by hand. */
export function reportSetsLeft(stores: SetsStores): void {
  for (const market of stores.markets.values()) {
    const { free, claim } = marketSetsView(stores, market);
    if (free === '0' && claim === undefined) continue;
    stores.outbox.report({
      event: 'sets.left',
      marketId: market.market.id,
      mergeable: free,
      claimableYes: claim?.yes ?? '0',
      claimableNo: claim?.no ?? '0',
    });
  }
}

/** Settled shares of a resolved market that no redeem has settled yet. */
function claimOf(stores: PositionStores, market: QuotedMarket): MarketSetsView['claim'] {
  if (market.status !== 'resolved' || stores.sets.hasRedeemed(market.market.id)) return undefined;
  const settled = (leg: Leg) => stores.positions.confirmed(market.tokenOf(leg));
  if (!LEGS.some((leg) => settled(leg) > 0)) return undefined;
  return { yes: formatShares(settled('yes')), no: formatShares(settled('no')) };
}
