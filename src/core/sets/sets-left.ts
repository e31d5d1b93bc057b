// What could be turned into cash: complete sets by a merge, winnings by a redeem.

import { RECYCLER_DEFAULTS } from '../../domain/sets.ts';
import { formatShares, NO_SHARES } from '../../domain/shares.ts';
import type { MarketSetsView } from '../../domain/view.ts';
import type { MarketState } from '../market.ts';
import type { Leg } from '../orders/own-order.ts';
import type { World } from '../world.ts';
import { freeSets } from './sets.ts';

const LEGS: readonly Leg[] = ['yes', 'no'];

/** What status shows of the sets of a market. */
export function marketSetsView(world: World, market: MarketState): MarketSetsView {
  const { request, reason } = market.desk.sets;
  return {
    mode: (market.choice.sets ?? RECYCLER_DEFAULTS).mode,
    free: formatShares(market.status === 'resolved' ? NO_SHARES : freeSets(world, market)),
    claim: claimOf(world, market),
    request,
    reason,
  };
}

/** At the end of a run: what a person may want to turn into cash by hand. */
export function reportSetsLeft(world: World): void {
  for (const market of world.markets.values()) {
    const { free, claim } = marketSetsView(world, market);
    if (free === '0' && claim === undefined) continue;
    world.outbox.report({
      event: 'sets.left',
      marketId: market.market.id,
      mergeable: free,
      claimableYes: claim?.yes ?? '0',
      claimableNo: claim?.no ?? '0',
    });
  }
}

/** Settled shares of a resolved market that no redeem has settled yet. */
function claimOf(world: World, market: MarketState): MarketSetsView['claim'] {
  if (market.status !== 'resolved' || world.sets.hasRedeemed(market.market.id)) return undefined;
  const settled = (leg: Leg) => world.positions.confirmed(market.tokenOf(leg));
  if (!LEGS.some((leg) => settled(leg) > 0)) return undefined;
  return { yes: formatShares(settled('yes')), no: formatShares(settled('no')) };
}
