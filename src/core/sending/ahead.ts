// Orders that are decided on before a book moves: what takes the place of quotes whose cancel is armed, for each
// middle near the one of now. Targets are assumed to follow the middle; a decision that wants others says so.
// @spec Architecture decision 16

import type { AheadOrder, ArmedPlacement, FiredPlacement } from '../../domain/arms.ts';
import { assert } from '../../domain/assert.ts';
import type { RequestId } from '../../domain/ids.ts';
import { isOnBook } from '../../domain/order.ts';
import { ticks } from '../../domain/ticks.ts';
import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import { isExposed, type OwnOrder } from '../orders/own-order.ts';
import { renewalOf } from '../orders/taught.ts';
import type { Sketch } from '../quoting/arms.ts';
import type { Missing, Target } from '../quoting/market.ts';
import { planMarket } from '../quoting/plan.ts';
import { isPlenty } from '../quoting/requote.ts';
import { areCopiesLikely } from '../risk/divergence.ts';
import { RiskPass } from '../risk/risk-pass.ts';
import { isAsking } from './budget.ts';
import { isGoingAlone } from './candidates.ts';
import type { MarketState, Placement } from './market.ts';
import { bornAs, crossesOwn, limitOrderOf, place, routedOf } from './place.ts';
import type { MarketAhead, SendingStores } from './stores.ts';

/** What has dates is armed anew so often: its orders are dated when they are armed. */
const FRESH_MS = 2_000;

/** A touch that has not moved for so long is not planned for: of a thousand markets few move, and each plan is dear. */
const MOVING_MS = 5_000;

/** At twenty turns a second some parts of a hundred of the time; the others have their turn with their next look. */
const MARKETS_OF_TURN_MAX = 2;

/** Half ticks of the middle, up and down, that orders are decided on for: what one frame mostly moves it by. */
const HALF_TICKS_MAX = 4;

/**
 * Anything that is kept has changed since placements were admitted, or a book has and its strategy waits for its turn:
 * none of them may leave any more.
 */
export function voidAhead({ outbox, ahead, workQueue, nowMs }: SendingStores): void {
  ahead.left = MARKETS_OF_TURN_MAX;
  const isOld = [...workQueue.dirty].some(
    ({ market, plannedAtMs }) => plannedAtMs !== nowMs && ahead.byMarket.has(market.id),
  );
  if (!ahead.isVoid(outbox.changes) && !isOld) return;
  if (ahead.byMarket.size > 0) outbox.disarmPlacements();
  ahead.byMarket.clear();
}

/** @returns One batch for each middle near the one of now at which armed cancels leave something missing. */
export function planAhead(
  stores: SendingStores,
  market: MarketState,
  at: Sketch & { readonly before: readonly ArmedPlacement[] | undefined },
): readonly ArmedPlacement[] {
  const { id } = market.market;
  const { targets } = market.desk;
  const known = stores.ahead.byMarket.get(id);
  const mayPlan = mayPlanAhead(stores, market);
  if (mayPlan && at.before && known && areSame(known.targets, targets) && isFresh(stores, known))
    return at.before;
  if (!mayPlan || stores.ahead.left === 0) {
    stores.ahead.byMarket.delete(id);
    return [];
  }
  stores.ahead.left -= 1;
  const batches = new Map<RequestId, readonly Placement[]>();
  stores.ahead.byMarket.set(id, { targets, batches, sinceMs: stores.nowMs });
  const placements: ArmedPlacement[] = [];
  for (let by = -HALF_TICKS_MAX; by <= HALF_TICKS_MAX; by += 1) {
    const middle = at.bid + at.ask + by;
    const gone = goneAt(at, middle);
    if (gone.size === 0) continue;
    const batch = batchAt(stores, market, { from: at.bid + at.ask, middle, gone });
    if (batch.length === 0) continue;
    const placement = armed(stores, market, { middle, batch });
    batches.set(placement.requestId, batch);
    placements.push(placement);
  }
  return placements;
}

/** Dates grow old, and nothing else does that nobody is told of. */
function isFresh({ settings, nowMs }: SendingStores, { sinceMs }: MarketAhead): boolean {
  return renewalOf(settings).timeInForce === 'GTC' || nowMs - sinceMs < FRESH_MS;
}

function areSame(one: readonly Target[], other: readonly Target[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
}

function isSame(one: Target, other: Target | undefined): boolean {
  const isSamePrice = one.price === other?.price && one.worst === other.worst;
  return isSamePrice && one.side === other.side && one.quantity === other.quantity;
}

/** Nothing of the market or the account is under way, doubtful or short: what is decided now holds then. */
function mayPlanAhead(stores: SendingStores, market: MarketState): boolean {
  if (!mayAnyLeave(stores) || isAsking(stores) || isGoingAlone(stores, market)) return false;
  const { nowMs, ledger } = stores;
  const { desk, strategy } = market;
  if (strategy.scope === 'event' || desk.planned === undefined) return false;
  const { movedAtMs, placementsPausedUntilMs } = desk.aim;
  if (nowMs - movedAtMs > MOVING_MS || nowMs < placementsPausedUntilMs) return false;
  if (desk.takes.length > 0) return false;
  for (const order of ledger.ofMarket(market.market.id)) {
    if (isExposed(order) && !isOnBook(order.state)) return false;
  }
  return true;
}

function mayAnyLeave(stores: SendingStores): boolean {
  const { settings, budget, nowMs, bulkCancels } = stores;
  if (settings?.orders.armedPlacements !== true || bulkCancels.size > 0) return false;
  return budget.mayWrite(nowMs) && isPlenty({ budget, nowMs }) && !areCopiesLikely(stores);
}

function goneAt({ bid, ask, bids, asks }: Sketch, middle: number): ReadonlySet<string> {
  const wrong =
    middle < bid + ask
      ? bids.filter(({ rightTo }) => middle < rightTo)
      : asks.filter(({ rightTo }) => middle > rightTo);
  return new Set(middle === bid + ask ? [] : wrong.map(({ orderHash }) => orderHash));
}

type Move = {
  readonly from: number;
  readonly middle: number;
  readonly gone: ReadonlySet<string>;
};

/** What a decision would place if its targets had followed the middle, as far as every limit lets it. */
function batchAt(stores: SendingStores, market: MarketState, move: Move): readonly Placement[] {
  const { targets, tolerance } = market.desk.planned ?? { targets: [], tolerance: undefined };
  const moved = targets.flatMap((target) => movedBy(market, target, move));
  if (tolerance === undefined || moved.length < targets.length) return [];
  const staying: OwnOrder[] = [];
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.orderHash === undefined || !move.gone.has(order.orderHash)) staying.push(order);
  }
  const risk = new RiskPass(stores);
  const batch: Placement[] = [];
  for (const missing of planMarket(moved, staying, tolerance).missing.toSorted(byRank)) {
    const orders = admitted(stores, market, { missing, risk });
    if (batch.length + orders.length <= BATCH_ORDERS_MAX) batch.push(...orders);
  }
  return batch;
}

function byRank(one: Missing, other: Missing): number {
  return one.rank - other.rank;
}

/** Whole ticks: a middle on a half tick rounds bids down and asks up, as strategies do. */
function movedBy({ grid }: MarketState, target: Target, { from, middle }: Move): Target[] {
  const whole = (twice: number) =>
    target.side === 'bid' ? Math.floor(twice / 2) : Math.ceil(twice / 2);
  const byTicks = whole(middle) - whole(from);
  const isLegal = (price: number) => price > 0 && price < grid.ticksPerUnit;
  const price = target.price + byTicks;
  const worst = target.worst === undefined ? undefined : target.worst + byTicks;
  if (!isLegal(price) || (worst !== undefined && !isLegal(worst))) return [];
  const moved = { ...target, price: ticks(grid, price) };
  return [worst === undefined ? moved : { ...moved, worst: ticks(grid, worst) }];
}

function admitted(
  stores: SendingStores,
  market: MarketState,
  { missing, risk }: { readonly missing: Missing; readonly risk: RiskPass },
): readonly Placement[] {
  // A side that rests after a refusal or a limit rests here, too.
  if (stores.nowMs < (market.backoff[missing.side]?.untilMs ?? 0)) return [];
  // The orders that go are in the way until their cancel is confirmed, too.
  if (crossesOwn(stores, market, missing)) return [];
  return routedOf(stores, market, missing, risk).flatMap((order) => {
    const verdict = risk.admit(market, order, missing);
    return typeof verdict === 'string'
      ? []
      : [{ approved: verdict, writeClass: missing.writeClass }];
  });
}

/** Names the request and its orders: they may leave under these names, once. */
function armed(
  stores: SendingStores,
  market: MarketState,
  { middle, batch }: { readonly middle: number; readonly batch: readonly Placement[] },
): ArmedPlacement {
  const requestId = stores.outbox.nextRequestId();
  let bidMax = 0;
  let askMin: number = market.grid.ticksPerUnit;
  const orders = batch.map((placement): AheadOrder => {
    const order = bornAs(stores, placement, { requestId });
    if (order.axisSide === 'bid') bidMax = Math.max(bidMax, order.axisPrice);
    else askMin = Math.min(askMin, order.axisPrice);
    const { ticksPerUnit } = market.grid;
    return { ...limitOrderOf(order, market.grid), ticksPerUnit, leg: order.leg };
  });
  return { middle, requestId, orders, bidMax, askMin };
}

/** They have left by themselves: from here on they are orders as any others. */
export function onPlacedAhead(
  stores: SendingStores,
  { marketId, requestId, orders }: Pick<FiredPlacement, 'marketId' | 'requestId' | 'orders'>,
): void {
  const batches = stores.ahead.byMarket.get(marketId)?.batches;
  const batch = batches?.get(requestId);
  const market = stores.markets.get(marketId);
  assert(batch !== undefined && market !== undefined, 'only what was armed leaves ahead');
  batches?.delete(requestId);
  market.desk.aim.placed = place(stores, batch, 'rest', { requestId, orders });
  market.isDirty = true;
}
