// What becomes of the complete sets of a market: free ones beyond a working size become cash again, missing ones are
// split from cash so that real sells can rest, winnings are redeemed. Markets are looked at in turn, and at most one
// chain action of the recycler is under way: cash confirms them by its sum, and two could not be told apart.
// @spec Endpoints › Conditional tokens (all Auth)

import { LEGS, type Leg, type TradingStatus } from '../../domain/market.ts';
import { RECYCLER, RECYCLER_DEFAULTS, type RecyclerSettings } from '../../domain/sets.ts';
import {
  formatShares,
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  NO_SHARES,
} from '../../domain/shares.ts';
import { NANO_PER_USDC, payoutNano } from '../kernel/nano.ts';
import { isExposed } from '../orders/own-order.ts';
import type { PositionStores } from '../positions/stores.ts';
import { capitalOf } from '../quoting/context.ts';
import type { QuotedMarket, ReasonText } from '../quoting/market.ts';
import { marketReason, stoppedReason } from '../quoting/reasons.ts';
import type { QuotingStores } from '../quoting/stores.ts';
import { clearsText, isAtLeast } from '../risk/latches.ts';
import { prefersSell } from '../risk/limits.ts';
import { RiskPass } from '../risk/risk-pass.ts';
import type { RiskStores } from '../risk/stores.ts';
import { isAnyUnderWay } from './confirm.ts';
import { onSetsOrder, roomForSets } from './sets.ts';
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
  return { kind: 'rest', reason: reason(code, detail, clears) };
}

function reason(code: string, detail: string, clears: string): ReasonText {
  return { code, detail, clears };
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

// The recycler at work.

/** Markets looked at in one tick: a thousand of them take seconds, and no tick feels it. */
const LOOKS_PER_TICK = 8;
/** A market is looked at this often at most; sets come from fills that settle for 15 s. */
const LOOK_MS = 2_000;
/** Failures in a row double the pause up to this. */
const PAUSE_MS_MAX = 3_600_000;

/** Looks at the next markets. @returns Whether a chain action was sent. */
export function recycleSets(stores: SetsStores): boolean {
  const { recycling, markets } = stores;
  for (let looks = Math.min(LOOKS_PER_TICK, markets.size); looks > 0; looks -= 1) {
    const market = recycling.next(markets);
    if (market === undefined) return false;
    const settings = market.choice.sets ?? RECYCLER_DEFAULTS;
    if (settings.mode === 'off') {
      market.desk.sets.clear();
      continue;
    }
    const { nowMs } = stores;
    if (nowMs - (market.desk.sets.lookedAtMs ?? 0) < LOOK_MS) continue;
    market.desk.sets.lookedAtMs = nowMs;
    if (look(stores, market, settings)) return true;
  }
  return false;
}

function look(stores: SetsStores, market: QuotedMarket, settings: RecyclerSettings): boolean {
  const { desk } = market;
  const held = heldBack(stores, market, settings);
  if (held !== undefined) {
    desk.sets.rest(held, stores.nowMs);
    return false;
  }
  const verdict = recycle(situationOf(stores, market), settings);
  if (verdict.kind === 'rest') {
    desk.sets.rest(verdict.reason, stores.nowMs);
    return false;
  }
  const { action, amount, detail } = verdict;
  const request = { action, amount: formatShares(amount ?? NO_SHARES) };
  if (settings.mode === 'dry-run') {
    desk.sets.rest(DRY_RUN, stores.nowMs, request);
    if (desk.sets.isNew(request, { nowMs: stores.nowMs, pauseMs: settings.pauseMs })) {
      const marketId = market.market.id;
      stores.outbox.report({ event: 'sets.advised', marketId, ...request, detail });
    }
    return false;
  }
  desk.sets.rest(underWay(action), stores.nowMs, request);
  const { id: marketId } = market.market;
  // It never comes again: a market is looked at once in a millisecond.
  const id = `${RECYCLER}-${stores.nowMs}-${marketId}`;
  onSetsOrder(stores, { id, by: RECYCLER, marketId, action, amount });
  return true;
}

/** Why a market is left alone whatever its sets are. */
function heldBack(
  stores: QuotingStores,
  market: QuotedMarket,
  settings: RecyclerSettings,
): ReasonText | undefined {
  if (!stores.gate.isOpen || !stores.positions.isBaselined) return NOT_QUOTING;
  const { id } = market.market;
  if (market.isLeaving) return LEAVING;
  const stop = stores.controls.marketStops.of(id);
  if (stop !== undefined) return stoppedReason(stop);
  const latch = stores.controls.latches.binding(id);
  if (latch !== undefined && isAtLeast(latch.level, 'stop-adding')) {
    const { control, level, detail, resumes } = latch;
    return reason(control, `${level}: ${detail}`, clearsText(resumes, stores.nowMs));
  }
  const own = stores.sets.underWay(id);
  if (own !== undefined) return underWay(own.order.action);
  if (LEGS.some((leg) => stores.positions.width(market.tokenOf(leg)) > 0)) return UNCERTAIN;
  if (isAnyUnderWay(stores, stores.nowMs)) return ANOTHER;
  return pausing(stores, market, settings);
}

/** A pause after each chain action, longer after each that failed. */
function pausing(
  stores: PositionStores,
  market: QuotedMarket,
  { pauseMs }: RecyclerSettings,
): ReasonText | undefined {
  const past = stores.sets.recycled(market.market.id);
  const last = past.at(-1);
  if (last === undefined) return undefined;
  // Failures since the last one that worked; beyond the longest pause they need no counting.
  const worked = past.findLastIndex(({ state }) => state === 'confirmed');
  const failed = Math.min(past.length - 1 - worked, 20);
  const lengthMs = Math.min(pauseMs * 2 ** failed, Math.max(pauseMs, PAUSE_MS_MAX));
  const leftMs = last.sentAtMs + lengthMs - stores.nowMs;
  if (leftMs <= 0) return undefined;
  const end = last.state === 'confirmed' ? 'confirmed' : `${last.state}: ${last.detail}`;
  return reason(
    failed === 0 ? 'pausing' : 'pausing_after_failure',
    `the last ${last.order.action} is ${end}`,
    `looked at again in ${Math.ceil(leftMs / 1_000)} s`,
  );
}

function situationOf(stores: SetsStores, market: QuotedMarket): SetsSituation {
  const { id } = market.market;
  const risk = new RiskPass(stores);
  const free = risk.free(market);
  const { yes, no } = market.holdingsShares(stores.positions);
  const settled = (leg: Leg) => stores.positions.confirmed(market.tokenOf(leg));
  return {
    status: market.status,
    free: Math.min(free.yes, free.no),
    owned: Math.max(0, Math.min(yes, no)),
    settled: { yes: Math.max(0, settled('yes')), no: Math.max(0, settled('no')) },
    isPending: hasPending(stores, market),
    isRedeemed: stores.sets.hasRedeemed(id),
    claim: stores.resolutions.claimOf(id, stores.nowMs),
    unquoted: marketReason(stores, market) ?? pulledBy(market),
    sells: prefersSell({ settings: stores.settings, choice: market.choice }),
    affordable: affordable(stores, market, risk),
    room: roomForSets(stores, market),
  };
}

function hasPending(stores: PositionStores, market: QuotedMarket): boolean {
  for (const order of stores.ledger.ofMarket(market.market.id)) if (isExposed(order)) return true;
  return LEGS.some((leg) => stores.positions.pending(market.tokenOf(leg)).length > 0);
}

/** A guard that has taken all quotes away. */
function pulledBy(market: QuotedMarket): ReasonText | undefined {
  return market.desk.guards.find(({ effect, side }) => effect === 'pulled' && side === 'both');
}

/** Sets that cash pays for after holds, within the market's part of the capital. */
function affordable(stores: RiskStores, market: QuotedMarket, risk: RiskPass): number {
  const { allocatedUsdc, boundUsdc } = capitalOf(stores, market);
  const isShared = stores.settings?.capital?.policy !== 'weighted';
  const partNano = isShared
    ? Number.POSITIVE_INFINITY
    : (allocatedUsdc - boundUsdc) * NANO_PER_USDC;
  const availableNano = (stores.cash.availableNano ?? 0) - stores.sets.reservedCashNano();
  const nano = Math.min(risk.freeCashNano ?? 0, availableNano, partNano);
  return Math.max(0, Math.floor(nano / payoutNano(microShares(1))));
}

const NOT_QUOTING = reason(
  'not_quoting',
  'no chain action while the daemon does not quote',
  'it quotes again',
);
const LEAVING = reason(
  'not_configured',
  'the market was taken out of the configuration',
  'put it back under `markets`',
);
const UNCERTAIN = reason(
  'position_uncertain',
  'shares may have traded without a report',
  'reports, cash or balances say what traded',
);
const ANOTHER = reason(
  'another_under_way',
  'a chain action of another market is not confirmed yet',
  'balances show it',
);
const DRY_RUN = reason('dry_run', 'it only says what it would do', '`sets.mode` is on');

function underWay(action: string): ReasonText {
  return reason('under_way', `a ${action} of this market is not confirmed yet`, 'balances show it');
}
