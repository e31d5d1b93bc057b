// Splits, merges and redeems as commands of the core: sent once, and what they cost stays reserved until balances
// show them, whatever the venue answered. And what could be turned into cash, with who won.
// @spec Endpoints › Conditional tokens (all Auth)

import type { RequestId } from '../../domain/ids.ts';
import { LEGS, type Leg } from '../../domain/market.ts';
import type { MessageOf, SetsOutcome } from '../../domain/message.ts';
import { RECYCLER_DEFAULTS, type SetsOrder, type SetsState } from '../../domain/sets.ts';
import {
  clampShares,
  formatShares,
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  NO_SHARES,
} from '../../domain/shares.ts';
import { addMs } from '../../domain/time.ts';
import type { MarketSetsView } from '../../domain/view.ts';
import { payoutNano } from '../kernel/nano.ts';
import { failureText } from '../kernel/stores.ts';
import { remaining } from '../orders/own-order.ts';
import { type SetsRequest, setsView } from '../positions/sets-book.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { QuotedMarket } from '../quoting/market.ts';
import { sumUpRisk } from '../risk/divergence.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { SetsStores } from './stores.ts';

/** Sends a request once, or says why not; a request of the same id changes nothing. */
export function onSetsOrder(stores: SetsStores, order: SetsOrder): void {
  if (stores.sets.has(order.id)) return;
  const market = stores.markets.get(order.marketId);
  const fault = faultOf(stores, market, order);
  const isSent = market !== undefined && fault === undefined;
  const requestId = isSent ? stores.outbox.nextRequestId() : undefined;
  const request: SetsRequest = {
    order,
    amount: order.amount ?? NO_SHARES,
    requestId,
    sentAtMs: stores.nowMs,
    state: isSent ? 'sent' : 'refused',
    detail: fault ?? '',
    isPaid: false,
    breakNano: stores.cash.breakNano,
    shown: { yes: false, no: false },
  };
  stores.sets.add(request);
  // On record before it leaves: a later run must not take it for a new request.
  report(stores, request);
  if (!isSent || requestId === undefined) return;
  // And so is what was held before it, nothing too: balances that show it would be what one starts with.
  for (const leg of LEGS) stores.touched.tokens.add(market.tokenOf(leg));
  const { marketId, action } = order;
  const change =
    action === 'redeem'
      ? ({ kind: action, marketId } as const)
      : ({ kind: action, eventId: market.event.id, marketId, amount: request.amount } as const);
  stores.outbox.send({ kind: 'changeSets', requestId, change });
}

export function onSetsAnswer(
  stores: PositionStores,
  requestId: RequestId,
  outcome: SetsOutcome,
): void {
  for (const request of stores.sets.live()) {
    if (request.requestId !== requestId || request.state !== 'sent') continue;
    const isUnknown = outcome.kind === 'unknown';
    if (outcome.kind === 'accepted') move(stores, request, 'accepted', outcome.txHash);
    else move(stores, request, isUnknown ? 'unknown' : 'refused', failureText(outcome));
  }
}

function faultOf(
  stores: RiskStores,
  market: QuotedMarket | undefined,
  order: SetsOrder,
): string | undefined {
  if (market === undefined) return 'the market is not one of ours';
  if (!stores.positions.isBaselined) return 'balances are not known yet';
  const other = stores.sets.underWay(order.marketId);
  if (other) return `a ${other.order.action} of this market is not confirmed yet`;
  if (order.action === 'redeem') {
    return market.status === 'resolved' ? undefined : 'the market is not resolved';
  }
  const { amount } = order;
  if (amount === undefined || amount <= 0) return 'the amount must be above zero';
  if (order.action === 'split') {
    const freeNano = (stores.cash.availableNano ?? 0) - stores.sets.reservedCashNano();
    if (payoutNano(amount) > freeNano) return 'it costs more than the free cash';
    const room = roomForSets(stores, market);
    if (amount <= room) return undefined;
    return `max_position_shares leaves room for ${formatShares(room)} beside what is held and bid for`;
  }
  const free = freeSets(stores, market);
  return amount <= free ? undefined : `only ${formatShares(free)} complete sets are free`;
}

/**
 * Complete sets that the position limit leaves room for: it is one of each token, and counts shares that
 * belong to sets, and those that a live bid or one without an answer may bring.
 */
export function roomForSets(stores: RiskStores, market: QuotedMarket): MicroShares {
  const max = (stores.settings?.risk.maxPositionShares ?? 0) * MICRO_PER_SHARE;
  const held = market.holdingsShares(stores.positions);
  sumUpRisk(stores);
  const { buying } = stores.risk.exposure(market);
  const room = LEGS.map((leg) => max - held[leg] - buying[leg]);
  return clampShares(Math.max(0, Math.min(...room)));
}

/** Sets of settled shares that no live or matched sell holds. */
export function freeSets(stores: PositionStores, market: QuotedMarket): MicroShares {
  const free = LEGS.map((leg) => {
    let shares: number = stores.positions.sellable(market.tokenOf(leg));
    for (const order of stores.ledger.ofMarket(market.market.id)) {
      if (order.leg === leg && order.side === 'SELL') shares -= remaining(order);
    }
    return Math.max(0, shares);
  });
  return microShares(Math.min(...free));
}

export function move(
  stores: PositionStores,
  request: SetsRequest,
  state: SetsState,
  detail: string,
): void {
  stores.sets.move(request, state, detail);
  report(stores, request);
}

export function report(stores: PositionStores, request: SetsRequest): void {
  stores.outbox.record({ kind: 'sets', requests: stores.sets.stored() });
  stores.outbox.report({ event: 'sets.changed', ...setsView(request) });
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

// What the venue says of markets that are over: who won decides the last profit and loss, and what is claimable
// whether a redeem is sent. Where it says neither, shares are redeemed as ever, and cash tells who won.

/** Markets are looked at for one that is over this often. */
const LOOK_MS = 1_000;
/** Questions of one look. */
const ASKED_AT_ONCE = 4;
/** What is not claimable yet may only not be indexed: asked again so late at first, then ever more slowly. */
const AGAIN_MS_MIN = 60_000;
const AGAIN_MS_MAX = 600_000;

/** Asks about markets that are over, at a pace. */
export function askResolutions(stores: SetsStores): void {
  const { nowMs, resolutions } = stores;
  if (nowMs - resolutions.lookedAtMs < LOOK_MS) return;
  resolutions.lookedAtMs = nowMs;
  for (const id of resolutions.asked.keys()) {
    if (!stores.markets.has(id)) resolutions.asked.delete(id);
  }
  let left = ASKED_AT_ONCE;
  for (const market of stores.markets.values()) {
    if (left === 0) return;
    if (isOpenQuestion(stores, market) && ask(stores, market)) left -= 1;
  }
}

/** Takes in an answer; one that failed says nothing. */
export function onResolution(
  stores: SetsStores,
  { requestId, marketId, outcome }: MessageOf<'resolutionRead'>,
): void {
  const asked = stores.resolutions.asked.get(marketId);
  const market = stores.markets.get(marketId);
  if (asked === undefined || market === undefined || asked.requestId !== requestId) return;
  asked.requestId = undefined;
  if (outcome.kind !== 'ok') {
    if (asked.claim === 'asking') asked.claim = 'unsaid';
    const detail = failureText(outcome);
    stores.outbox.report({ event: 'venue.read_failed', what: 'resolution', detail });
    return;
  }
  const { isClaimable, winner } = outcome.value;
  if (isClaimable === undefined) asked.claim = 'unsaid';
  else asked.claim = isClaimable ? 'claimable' : 'nothing';
  const leg = LEGS.find((each) => market.tokenOf(each) === winner);
  if (leg === undefined) return;
  // Shares of the other outcome alone pay nothing, whatever is claimable.
  if (stores.positions.confirmed(market.tokenOf(leg)) <= 0) asked.claim = 'nothing';
  market.onWinner(leg);
  stores.touched.flows.add(marketId);
}

function ask(stores: SetsStores, market: QuotedMarket): boolean {
  const { id } = market.market;
  const { nowMs, resolutions } = stores;
  const asked = resolutions.asked.get(id);
  if (asked !== undefined && nowMs < addMs(asked.askedAtMs, asked.againMs)) return false;
  const requestId = stores.outbox.nextRequestId();
  resolutions.asked.set(id, {
    requestId,
    sinceMs: asked?.sinceMs ?? nowMs,
    askedAtMs: nowMs,
    againMs: asked === undefined ? AGAIN_MS_MIN : Math.min(2 * asked.againMs, AGAIN_MS_MAX),
    claim: asked?.claim ?? 'asking',
  });
  stores.outbox.send({
    kind: 'readResolution',
    requestId,
    eventId: market.event.id,
    marketId: id,
  });
  return true;
}

/** It is over, and something of it is held that no redeem has settled. */
function isOpenQuestion(stores: PositionStores, market: QuotedMarket): boolean {
  if (market.status !== 'resolved' || stores.sets.hasRedeemed(market.market.id)) return false;
  if (!stores.positions.isBaselined) return false;
  return LEGS.some((leg) => stores.positions.confirmed(market.tokenOf(leg)) > 0);
}
