// An operator stops and resumes single markets. A stop cancels what rests there and keeps quotes away; orders of
// other markets are not touched, nor are their placements held up.
// @spec Architecture decision 11

import type { MarketId } from '../../domain/ids.ts';
import type { MarketOrder, OperatorOrder } from '../../domain/input.ts';
import type { Market } from '../../domain/market.ts';
import { isCommitted } from '../../domain/order.ts';
import type { StoppedMarketView } from '../../domain/view.ts';
import { touchMarket } from '../kernel/market.ts';
import { mayArriveUntilMs } from '../orders/deadlines.ts';
import { isCancellable, isExposed, type OwnOrder, staysPut } from '../orders/own-order.ts';
import type { LateOrder } from '../orders/restored.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { MARKET_STOPS_MAX, type MarketStop } from '../risk/controls.ts';
import type { RiskStores } from '../risk/stores.ts';
import { liftMarket } from '../risk/trip.ts';
import type { SendingStores } from '../sending/stores.ts';
import { sendCancelMarket } from '../sending/writer.ts';
import type { EngineStores } from './session.ts';

type StopOrder = Extract<MarketOrder, { kind: 'stopMarket' }>;
/** What an operator asks for, of the account or of one market. */
export function onOperator(stores: EngineStores, order: OperatorOrder): void {
  if (order.kind === 'stopMarket' || order.kind === 'resumeMarket') onMarketOrder(stores, order);
  else stores.session.onOperator(order);
}

function onMarketOrder(stores: EngineStores, order: MarketOrder): void {
  const { reads } = stores;
  const { by, marketId } = order;
  const isStop = order.kind === 'stopMarket';
  const accepted = isStop ? stopMarket(stores, order) : resumeMarket(stores, order);
  const what = isStop ? order.stop : 'resume';
  stores.outbox.report({ event: 'operator.market_order', order: what, by, marketId, accepted });
  touchMarket(stores, marketId);
  reads.hasten('orders', stores.nowMs);
}

/** Notes which stopped markets have nothing of ours left, and says so of those that were killed. */
export function watchMarketStops(stores: SendingStores): void {
  const { marketStops } = stores.controls;
  if (marketStops.size === 0) return;
  for (const stop of marketStops.all()) {
    noteAnswered(stores, stop);
    if (stop.isConfirmed || !isClear(stores, stop)) continue;
    stop.isConfirmed = true;
    const { marketId, by, sinceMs } = stop;
    const tookMs = stores.nowMs - sinceMs;
    if (stop.stop === 'kill')
      stores.outbox.report({ event: 'market.kill_confirmed', marketId, by, tookMs });
  }
}

export function stoppedMarkets(stores: RiskStores): readonly StoppedMarketView[] {
  return [...stores.controls.marketStops.all()].map(
    ({ marketId, stop, by, sinceMs, isConfirmed }) => ({
      ...{ marketId, stop, by, sinceMs, isConfirmed },
    }),
  );
}

/** A market that is not quoted here is not stopped: a name that was mistyped would stop nothing. */
function stopMarket(stores: EngineStores, { marketId, by, stop }: StopOrder): boolean {
  const { marketStops } = stores.controls;
  const known = marketStops.of(marketId);
  // A pause makes no less of a kill. A kill is begun anew: what it cancelled may rest again.
  if (known !== undefined && stop === 'pause') return false;
  const mayAdd = stores.markets.has(marketId) && marketStops.size < MARKET_STOPS_MAX;
  if (known === undefined && !mayAdd) return false;
  const tokenId = stores.markets.get(marketId)?.market.yes.tokenId ?? known?.tokenId;
  const begun = marketStops.set({ marketId, tokenId, by, stop, sinceMs: stores.nowMs });
  if (stop === 'kill') begun.cancel = cancelMarket(stores, marketId);
  keep(stores);
  return true;
}

/** Where the scope is our own the plan names each order, and a mass cancel under way means everything. */
function cancelMarket(stores: EngineStores, marketId: MarketId): MarketStop['cancel'] {
  if (
    cancelScopeOf(stores) === 'own' ||
    stores.session.isStarting ||
    stores.session.isMassCancelling
  )
    return undefined;
  return sendCancelMarket(stores, marketId, [...stores.ledger.ofMarket(marketId)].filter(isNamed));
}

/** One that is named in a cancel under way is answered for there. */
function isNamed(order: OwnOrder): boolean {
  return isCancellable(order) && order.state !== 'cancelling';
}

/** A kill that is not confirmed is not resumed from: quotes would be placed into its cancels. */
function resumeMarket(stores: SendingStores, { marketId, by }: MarketOrder): boolean {
  const { marketStops } = stores.controls;
  const stop = marketStops.of(marketId);
  if (stop?.stop === 'kill' && !mayResume(stores, stop)) return false;
  const lifted = liftMarket(stores, marketId, by);
  if (stop === undefined) return lifted.length > 0;
  marketStops.lift(marketId);
  keep(stores);
  return true;
}

/** What the venue refuses to cancel is not waited for: it may rest for good. */
function mayResume(stores: SendingStores, stop: MarketStop): boolean {
  noteAnswered(stores, stop);
  return stop.isConfirmed || isClear(stores, stop, true);
}

function noteAnswered(stores: SendingStores, stop: MarketStop): void {
  if (stop.cancel === undefined || stores.pendingCancels.has(stop.cancel)) return;
  stop.cancel = undefined;
  stop.clearFromMs = stores.nowMs;
}

/** A list that was asked for since then shows nothing of ours, and nothing may still arrive. */
function isClear(
  stores: RiskStores,
  { marketId, cancel, clearFromMs }: MarketStop,
  mayStay = false,
): boolean {
  if (cancel !== undefined || stores.listAskedAtMs <= clearFromMs) return false;
  for (const order of stores.ledger.ofMarket(marketId)) {
    if (isExposed(order) && !order.isOfOthers && !(mayStay && staysPut(order))) return false;
  }
  for (const order of stores.restored.all()) {
    // Its market may have another id by now, and has its tokens.
    const id = stores.byToken.get(order.tokenId)?.market.market.id ?? order.marketId;
    if (id === marketId && mayRest(stores, order, mayStay)) return false;
  }
  return true;
}

/**
 * One of a previous run that waits for its market, or of a market that has another grid by now; or a placement without
 * an answer that may still arrive.
 */
function mayRest(stores: RiskStores, order: LateOrder, mayStay: boolean): boolean {
  const { orderHash, state, isExternal } = order;
  if (isCommitted(state) || (isExternal && cancelScopeOf(stores) === 'own')) return false;
  if (orderHash === undefined) return mayArriveUntilMs(stores, order) >= stores.listAskedAtMs;
  return !(mayStay && stores.restored.staying.has(orderHash));
}

/**
 * A market comes to be quoted. Whoever stopped it meant its quotes, whatever it was called then: its tokens say which
 * it is, also where the venue did not list it for a while, or nobody was there to see it.
 */
export function takeUpStops(stores: RiskStores, { id, yes, no }: Market): void {
  const { marketStops } = stores.controls;
  let hasChanged = false;
  for (const stop of [...marketStops.all()]) {
    if (stop.marketId !== id && (stop.tokenId === yes.tokenId || stop.tokenId === no.tokenId)) {
      marketStops.lift(stop.marketId);
      // A pause makes no less of a kill.
      if (marketStops.of(id)?.stop !== 'kill') marketStops.set({ ...stop, marketId: id });
      hasChanged = true;
    }
  }
  const own = marketStops.of(id);
  // One of an earlier version did not say it, and a market may have other tokens by now.
  if (own !== undefined && own.tokenId !== yes.tokenId) {
    own.tokenId = yes.tokenId;
    hasChanged = true;
  }
  if (hasChanged) keep(stores);
}

function keep(stores: RiskStores): void {
  stores.outbox.record({ kind: 'marketStops', stops: stores.controls.marketStops.stored() });
}
