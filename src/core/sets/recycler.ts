// What becomes of the complete sets of one market: free ones beyond a working size become cash again,
// missing ones are split from cash so that real sells can rest, winnings are redeemed. Pure: it looks
// at one moment of one market and says what to do, or why nothing.
// @spec Endpoints › Conditional tokens (all Auth)

import { LEGS, type Leg, type TradingStatus } from '../../domain/market.ts';
import { RECYCLER_DEFAULTS, type RecyclerSettings } from '../../domain/sets.ts';
import {
  formatShares,
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  NO_SHARES,
} from '../../domain/shares.ts';
import type { MarketSetsView } from '../../domain/view.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { QuotedMarket, ReasonText } from '../quoting/market.ts';
import { freeSets } from './sets.ts';
import type { Claim, SetsStores } from './stores.ts';

/** All counts are micro-shares; sets are counted like shares. */
export type SetsSituation = {
  readonly status: TradingStatus;
  /** Settled sets that no sell holds, live or matched. */
  readonly free: number;
  /** Sets in the whole position, those that sells hold and matched shares included. */
  readonly owned: number;
  /** Settled shares of both tokens, for a market that is resolved. */
  readonly settled: { readonly yes: number; readonly no: number };
  /** Orders that may still trade, or matches that have not settled. */
  readonly isPending: boolean;
  /** The last redeem is confirmed: what is left has lost. */
  readonly isRedeemed: boolean;
  /** What the venue says of winnings that are not redeemed. */
  readonly claim: Claim;
  /** Why the market is not quoted; sets are split only to be offered. */
  readonly unquoted: ReasonText | undefined;
  /** Whether sells are what an ask of settled shares is meant to become. */
  readonly sells: boolean;
  /** Sets that free cash and the market's part of the capital pay for. */
  readonly affordable: number;
  /** Shares that both tokens may still take under the position limit. */
  readonly room: number;
};

type SetsVerdict =
  | {
      readonly kind: 'act';
      readonly action: 'split' | 'merge' | 'redeem';
      /** Whole sets; none for a redeem. */
      readonly amount: MicroShares | undefined;
      readonly detail: string;
    }
  | { readonly kind: 'rest'; readonly reason: ReasonText };

/** What to do about the sets of a market at this moment. */
export function recycle(at: SetsSituation, settings: RecyclerSettings): SetsVerdict {
  if (at.status === 'resolved') return redeem(at, settings);
  if (at.status === 'unknown') {
    return rest('market_unknown', 'the venue says something unknown of the market', 'it explains');
  }
  // A market that will not trade again needs no working size.
  const keep = at.status === 'closed' ? 0 : settings.workingMax;
  const excess = wholeSets(at.free - keep * MICRO_PER_SHARE);
  if (excess >= leastChange(settings)) {
    return act('merge', excess, `${formatShares(microShares(at.free))} free, ${keep} are kept`);
  }
  const missing = wholeSets(settings.workingMin * MICRO_PER_SHARE - at.owned);
  if (at.status !== 'open' || missing < leastChange(settings)) return WORKING_SIZE;
  return split(at, settings, missing);
}

function redeem(at: SetsSituation, { redeems }: RecyclerSettings): SetsVerdict {
  const { yes, no } = at.settled;
  if (yes + no === 0) return rest('nothing_held', 'resolved, and nothing is held', 'nothing');
  const held = `${text(yes)} YES and ${text(no)} NO are held`;
  if (!redeems) return rest('redeem_off', held, 'sets.redeems is switched on, or `redeem`');
  if (at.isRedeemed) return rest('nothing_claimable', `${held} that have lost`, 'nothing');
  if (at.isPending) return rest('unsettled', 'orders or matches have not ended', 'they settle');
  if (at.claim === 'asking') return rest('resolution_asked', held, 'the venue says who won');
  if (at.claim === 'nothing') {
    return rest('nothing_claimable', `${held}, and the venue lists nothing to claim`, 'it does');
  }
  return { kind: 'act', action: 'redeem', amount: undefined, detail: held };
}

function split(at: SetsSituation, settings: RecyclerSettings, missing: number): SetsVerdict {
  if (!at.sells) {
    return rest(
      'no_sells',
      'asks rest as bids of the complement',
      '`preferSell` of the market or of `orders` is on',
    );
  }
  if (at.unquoted !== undefined) {
    const { code, clears } = at.unquoted;
    return rest('not_quoted', `sets are split to be offered, and ${code} stands`, clears);
  }
  const amount = wholeSets(Math.min(missing, at.affordable, at.room));
  if (amount >= leastChange(settings)) {
    return act('split', amount, `${text(at.owned)} held, ${settings.workingMin} are wanted`);
  }
  return at.room < at.affordable
    ? rest('max_position_shares', 'a split would break the position limit', 'shares are sold')
    : rest('cash', 'the cash that no order holds does not pay for it', 'cash comes free');
}

function act(action: 'split' | 'merge', amount: number, detail: string): SetsVerdict {
  return { kind: 'act', action, amount: microShares(amount), detail };
}

function rest(code: string, detail: string, clears: string): SetsVerdict {
  return { kind: 'rest', reason: { code, detail, clears } };
}

const WORKING_SIZE = rest('working_size', 'as many sets as are wanted', 'fills change that');

function leastChange({ changeMin }: RecyclerSettings): number {
  return Math.max(1, changeMin) * MICRO_PER_SHARE;
}

/** Whole sets only: whether the venue counts amounts in sets or parts of them is not shown. */
function wholeSets(micro: number): number {
  return Math.max(0, Math.floor(micro / MICRO_PER_SHARE)) * MICRO_PER_SHARE;
}

function text(micro: number): string {
  return formatShares(microShares(micro));
}

// What could be turned into cash: complete sets by a merge, winnings by a redeem.

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
