// An operator stops and resumes single markets. A stop cancels what rests there and keeps quotes away; orders of
// other markets are not touched, nor are their placements held up.
// @spec Architecture decision 11

import type { MarketId } from '../../domain/ids.ts';
import type { MarketOrder, OperatorOrder } from '../../domain/input.ts';
import type { StoppedMarketView } from '../../domain/view.ts';
import type { Reads } from '../account/reads.ts';
import { isCancellable, isExposed, type OwnOrder, staysPut } from '../orders/own-order.ts';
import { MARKET_STOPS_MAX, type MarketStop } from '../risk/market-stops.ts';
import { liftMarket } from '../risk/trip.ts';
import { sendCancelMarket } from '../sending/writer.ts';
import type { World } from '../world.ts';
import type { Session } from './session.ts';

type StopOrder = Extract<MarketOrder, { kind: 'stopMarket' }>;
type Parts = { readonly world: World; readonly session: Session; readonly reads: Reads };

/** What an operator asks for, of the account or of one market. */
export function onOperator(parts: Parts, order: OperatorOrder): void {
  if (order.kind === 'stopMarket' || order.kind === 'resumeMarket') onMarketOrder(parts, order);
  else parts.session.onOperator(order);
}

function onMarketOrder(parts: Parts, order: MarketOrder): void {
  const { world, reads } = parts;
  const { by, marketId } = order;
  const isStop = order.kind === 'stopMarket';
  const accepted = isStop ? stopMarket(parts, order) : resumeMarket(world, order);
  const what = isStop ? order.stop : 'resume';
  world.outbox.report({ event: 'operator.market_order', order: what, by, marketId, accepted });
  const market = world.markets.get(marketId);
  if (market !== undefined) market.isDirty = true;
  reads.hasten('orders', world.nowMs);
}

/** Notes which stopped markets have nothing of ours left, and says so of those that were killed. */
export function watchMarketStops(world: World): void {
  const { marketStops } = world.controls;
  if (marketStops.size === 0) return;
  for (const stop of marketStops.all()) {
    noteAnswered(world, stop);
    if (stop.isConfirmed || !isClear(world, stop)) continue;
    stop.isConfirmed = true;
    const { marketId, by, sinceMs } = stop;
    const tookMs = world.nowMs - sinceMs;
    if (stop.stop === 'kill')
      world.outbox.report({ event: 'market.kill_confirmed', marketId, by, tookMs });
  }
}

export function stoppedMarkets(world: World): readonly StoppedMarketView[] {
  return [...world.controls.marketStops.all()].map(
    ({ marketId, stop, by, sinceMs, isConfirmed }) => ({
      ...{ marketId, stop, by, sinceMs, isConfirmed },
    }),
  );
}

/** A market that is not quoted here is not stopped: a name that was mistyped would stop nothing. */
function stopMarket(parts: Parts, { marketId, by, stop }: StopOrder): boolean {
  const { world } = parts;
  const { marketStops } = world.controls;
  const known = marketStops.of(marketId);
  // A pause makes no less of a kill. A kill is begun anew: what it cancelled may rest again.
  if (known !== undefined && stop === 'pause') return false;
  const mayAdd = world.markets.has(marketId) && marketStops.size < MARKET_STOPS_MAX;
  if (known === undefined && !mayAdd) return false;
  const begun = marketStops.set({ marketId, by, stop, sinceMs: world.nowMs });
  if (stop === 'kill') begun.cancel = cancelMarket(parts, marketId);
  keep(world);
  return true;
}

/** Where the scope is our own the plan names each order, and a mass cancel under way means everything. */
function cancelMarket({ world, session }: Parts, marketId: MarketId): MarketStop['cancel'] {
  if (world.cancelScope === 'own' || session.isStarting || session.isMassCancelling)
    return undefined;
  return sendCancelMarket(world, marketId, [...world.ledger.ofMarket(marketId)].filter(isNamed));
}

/** One that is named in a cancel under way is answered for there. */
function isNamed(order: OwnOrder): boolean {
  return isCancellable(order) && order.state !== 'cancelling';
}

/** A kill that is not confirmed is not resumed from: quotes would be placed into its cancels. */
function resumeMarket(world: World, { marketId, by }: MarketOrder): boolean {
  const { marketStops } = world.controls;
  const stop = marketStops.of(marketId);
  if (stop?.stop === 'kill' && !mayResume(world, stop)) return false;
  const lifted = liftMarket(world, marketId, by);
  if (stop === undefined) return lifted.length > 0;
  marketStops.lift(marketId);
  keep(world);
  return true;
}

/** What the venue refuses to cancel is not waited for: it may rest for good. */
function mayResume(world: World, stop: MarketStop): boolean {
  noteAnswered(world, stop);
  return stop.isConfirmed || isClear(world, stop, (order) => !staysPut(order));
}

function noteAnswered(world: World, stop: MarketStop): void {
  if (stop.cancel === undefined || world.pendingCancels.has(stop.cancel)) return;
  stop.cancel = undefined;
  stop.clearFromMs = world.nowMs;
}

/** A list that was asked for since then shows nothing of ours, and nothing may still arrive. */
function isClear(
  world: World,
  { marketId, cancel, clearFromMs }: MarketStop,
  counts: (order: OwnOrder) => boolean = () => true,
): boolean {
  if (cancel !== undefined || world.listAskedAtMs <= clearFromMs) return false;
  for (const order of world.ledger.ofMarket(marketId)) {
    if (isExposed(order) && !order.isOfOthers && counts(order)) return false;
  }
  for (const late of world.restored.unanswered()) {
    const { sentAtMs, datedByMs, refusedAtMs } = late;
    const untilMs = world.mayArriveUntilMs({ sentAtMs, datedByMs, refusedAtMs });
    if (late.marketId === marketId && untilMs >= world.listAskedAtMs) return false;
  }
  return true;
}

function keep(world: World): void {
  world.outbox.record({ kind: 'marketStops', stops: world.controls.marketStops.stored() });
}
