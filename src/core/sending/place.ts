// The single point from which orders leave. @spec Architecture decision 7

import { assert } from '../../domain/assert.ts';
import type { RequestId } from '../../domain/ids.ts';
import type { Lifetime, LimitOrder } from '../../domain/order.ts';
import { subtractShares, withDecimals } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { Take } from '../../strategy/index.ts';
import { changesAtMs, enterOwnSize, syncOwnSizes } from '../book/own-sizes.ts';
import type { BookStores } from '../book/stores.ts';
import { BATCH_ORDERS_MAX } from '../kernel/bounds.ts';
import { takerFeeNano } from '../kernel/nano.ts';
import {
  isExposed,
  type OwnOrder,
  orderOf,
  type RoutedOrder,
  routeQuote,
  toAxis,
} from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { renewalOf } from '../orders/taught.ts';
import type { Missing } from '../quoting/market.ts';
import { onOrdersSent } from '../risk/breakers.ts';
import { areCopiesLikely, countCopy } from '../risk/divergence.ts';
import { sellsOwnShares } from '../risk/limits.ts';
import { type Approved, RiskPass } from '../risk/risk-pass.ts';
import type { RiskStores } from '../risk/stores.ts';
import { asks } from './budget.ts';
import { isLastAlone, isOutdated, isProbing } from './candidates.ts';
import type { MarketState, Placement } from './market.ts';
import type { SendingStores } from './stores.ts';

/** What has left already, under these names. */
export type Sent = { readonly requestId: RequestId; readonly orders: readonly LimitOrder[] };

const RESTING: Lifetime = { timeInForce: 'GTC' };
const TAKING: Lifetime = { timeInForce: 'FAK' };

/**
 * Sends one batch, which costs one write; every order is in the ledger before it leaves.
 * @param sent - Absent, it leaves with this step.
 */
export function place(
  stores: SendingStores,
  batch: readonly Placement[],
  purpose: 'rest' | 'take' = 'rest',
  sent?: Sent,
): readonly OwnOrder[] {
  assert(batch.length <= BATCH_ORDERS_MAX, 'a batch holds at most 15 orders');
  // What has left is taken in whatever has happened to gate, budget and clock since.
  assert(sent !== undefined || stores.gate.isOpen, 'nothing is placed behind a closed gate');
  const requestId = sent?.requestId ?? stores.outbox.nextRequestId();
  const orders: LimitOrder[] = [];
  const placed: OwnOrder[] = [];
  for (const market of new Set(batch.map(({ approved }) => approved.market))) {
    syncOwnSizes(market, stores.ledger, stores);
    stores.workQueue.onSynced(market, changesAtMs(market));
  }
  for (const placement of batch) {
    const { market } = placement.approved;
    const isTake = purpose === 'take';
    const as = sent?.orders[placed.length];
    const order = bornAs(stores, placement, { requestId, as, isTake });
    stores.ledger.add(order);
    if (areCopiesLikely(stores)) countCopy(stores, order);
    enterOwnSize(market, order);
    watchUnified(stores, market, order);
    stores.arms.touched.add(market);
    placed.push(order);
    stores.placed[placement.writeClass ?? 'take'] += 1;
    orders.push(limitOrderOf(order, market.grid));
    if (isProbing(market)) onProbed(market, stores);
    if (isLastAlone(stores, market, order)) market.goesAlone = undefined;
    market.desk.waiting[order.axisSide] = undefined;
  }
  stores.leaving = [...stores.leaving, ...placed];
  if (placed.some((order) => asks(stores, order))) stores.controls.restriction.askedIn = requestId;
  if (sent === undefined) stores.budget.onSent(requestId, stores.nowMs);
  else stores.budget.count(requestId, stores.nowMs);
  onOrdersSent(stores, batch.length);
  if (sent === undefined) stores.outbox.send({ kind: 'placeOrders', requestId, orders });
  return placed;
}

/** An order as it is about to leave; in no ledger yet. */
export function bornAs(
  stores: SendingStores,
  { approved: { market, routed } }: Placement,
  of: {
    readonly requestId: RequestId;
    /** What has left already, under its name and with its date. */
    readonly as?: LimitOrder | undefined;
    readonly isTake?: boolean;
  },
): OwnOrder {
  const { requestId, as, isTake = false } = of;
  const lifetime = as?.lifetime ?? (isTake ? TAKING : restingLifetime(stores));
  return orderOf(market.grid, {
    leg: routed.leg,
    side: routed.side,
    price: routed.price,
    quantity: routed.quantity,
    intentId: as?.intentId ?? stores.intentIds.next(stores.nowMs),
    requestId,
    marketId: market.market.id,
    tokenId: market.tokenOf(routed.leg),
    sentAtMs: stores.nowMs,
    datedByMs: stores.clock.offsetMs ?? 0,
    expiresAtMs: lifetime.timeInForce === 'GTD' ? lifetime.expiresAtMs : undefined,
    settingsVersion: stores.settingsVersion,
    isExternal: false,
    isTake,
    state: 'intended',
    stateSinceMs: stores.nowMs,
  });
}

/** What the venue is asked for. */
export function limitOrderOf(order: OwnOrder, { ticksPerUnit }: TickGrid): LimitOrder {
  const { intentId, tokenId, side, price, quantity, expiresAtMs, isTake } = order;
  const dated =
    expiresAtMs === undefined ? RESTING : ({ timeInForce: 'GTD', expiresAtMs } as const);
  const lifetime = isTake ? TAKING : dated;
  return { intentId, tokenId, side, price, ticksPerUnit, quantity, lifetime };
}

/** The one order of it has left: the rest waits for its answer. */
function onProbed(market: MarketState, stores: SendingStores): void {
  stores.probedAtMs = stores.nowMs;
  market.live.onProbed(stores.nowMs);
  market.missing = [];
  market.isDirty = true;
}

/** Whether the venue shows one book twice is only asked where the settings leave it open. */
function watchUnified(
  { settings, trust, ledger }: BookStores,
  market: MarketState,
  order: OwnOrder,
) {
  if (settings?.book.unified !== 'auto') return;
  trust.unified.watch(market.book, order, ledger.ofMarket(market.market.id));
}

function restingLifetime({ settings, expiry, nowMs }: OrderStores): Lifetime {
  const renewal = renewalOf(settings);
  return renewal.timeInForce === 'GTD' ? expiry.next(renewal.gtd, nowMs) : RESTING;
}

/** The orders that carry what is missing, by what is free to be sold. */
export function routedOf(
  stores: RiskStores,
  market: MarketState,
  missing: Missing,
  risk: RiskPass,
): readonly RoutedOrder[] {
  const policy = { preferSell: sellsOwnShares(stores, market), decimals: market.quantityDecimals };
  return routeQuote(market.grid, missing, risk.free(market), policy);
}

/** Own live orders must never meet: own YES bid + own NO bid < 1, over cancels under way too. */
export function crossesOwn(
  stores: OrderStores,
  market: MarketState,
  quote: { readonly side: 'bid' | 'ask'; readonly price: number },
): boolean {
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (!isExposed(order) || order.axisSide === quote.side) continue;
    const meets =
      quote.side === 'bid' ? quote.price >= order.axisPrice : quote.price <= order.axisPrice;
    if (meets) return true;
  }
  return false;
}

// Orders meant to take, for strategies whose purpose includes it. All legs go together or none does,
// one round at a time per market, with the fee counted and every limit held.

/** A refused or unfinished round is not tried again sooner: the book must have had time to change. */
const ROUND_PAUSE_MS = 1_000;

/** Sends the takes that markets target quotes and that may go now. */
export function sendTakes(stores: SendingStores): void {
  for (const market of stores.workQueue.taking) {
    const { takes } = market.desk;
    // A target quote is for this moment; the next decision wants again if it still holds.
    market.desk.takes = [];
    stores.workQueue.taking.delete(market);
    if (takes.length === 0 || isOutdated(market, stores)) continue;
    if (stores.nowMs < market.desk.takesPauseUntilMs || !stores.budget.mayWrite(stores.nowMs))
      continue;
    if (isUnderWay(stores, market)) continue;
    const round = admitted(stores, market, takes);
    if (typeof round === 'string') {
      const { id: marketId } = market.market;
      const detail = 'a round of takes was not sent';
      stores.outbox.report({ event: 'risk.refused', marketId, limit: round, detail });
    } else place(stores, round, 'take');
    market.desk.takesPauseUntilMs = stores.nowMs + ROUND_PAUSE_MS;
  }
}

/** The last round may still trade; what of it matched is in what we hold. */
function isUnderWay(stores: OrderStores, market: MarketState): boolean {
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.isTake === true && isExposed(order)) return true;
  }
  return false;
}

/** The round, or which gate stopped it. */
function admitted(
  stores: RiskStores,
  market: MarketState,
  takes: readonly Take[],
): readonly Placement[] | string {
  const rate = market.choice.takerFeeRate;
  if (rate === undefined) return 'taker_fee_unknown';
  const risk = new RiskPass(stores);
  const round: Placement[] = [];
  for (const wanted of takes) {
    const take = { ...wanted, quantity: withDecimals(wanted.quantity, market.quantityDecimals) };
    const approved = approve(stores, market, { take, rate, risk });
    if (typeof approved === 'string') return approved;
    round.push({ approved });
  }
  return round;
}

function approve(
  stores: OrderStores,
  market: MarketState,
  of: { readonly take: Take; readonly rate: number; readonly risk: RiskPass },
): Approved<MarketState> | string {
  const { take, rate, risk } = of;
  const { leg, side, price, quantity } = take;
  if (!meetsMinNotional(market.grid, price, quantity)) return 'below_min_notional';
  const { axisSide, axisPrice } = toAxis(market.grid, take);
  if (crossesOwn(stores, market, { side: axisSide, price: axisPrice }))
    return 'own_order_in_the_way';
  if (side === 'SELL' && risk.free(market)[leg] < quantity) return 'insufficient_shares';
  const routed = { leg, side, price, quantity };
  const verdict = risk.admit(market, routed, { side: axisSide, price: axisPrice, isTake: true });
  if (typeof verdict === 'string') return verdict;
  if (side === 'SELL') {
    const free = risk.free(market);
    free[leg] = subtractShares(free[leg], quantity);
  }
  const fee = takerFeeNano(rate, { grid: market.grid, price, quantity });
  return risk.reserve(fee) ? verdict : 'cash';
}
