// The single point from which orders leave: cancels at once, placements when a write is allowed.
// What goes into a write is decided here, at that moment, across all markets.
// @spec Architecture decision 7

import { assert } from '../domain/assert.ts';
import type { LimitOrder } from '../domain/order.ts';
import { microShares, NO_SHARES, subtractShares } from '../domain/shares.ts';
import { formatPrice } from '../domain/ticks.ts';
import { BATCH_CANCEL_MAX, BATCH_ORDERS_MAX } from './bounds.ts';
import type { MarketState } from './market.ts';
import { isExposed, type Leg, type OwnOrder, toAxis } from './orders/own-order.ts';
import type { Missing } from './orders/plan.ts';
import { type FreeShares, type RoutedOrder, routeQuote } from './orders/routing.ts';
import { backOff, crossesBook } from './quoter.ts';
import { addExposure, type Exposure, exposureOf, worstLossNano } from './risk/exposure.ts';
import { brokenLimit, type LimitName } from './risk/limits.ts';
import { costNano } from './risk/nano.ts';
import type { World } from './world.ts';

/** A limit that stopped a placement is looked at again this soon. */
const LIMIT_PAUSE_MS = 1_000;
/** First pause before a cancel that could not be proven is sent again; it doubles up to the last. */
const RECANCEL_MS_MIN = 250;
const RECANCEL_MS_MAX = 5_000;
/** A full batch goes at once; fewer wait for company this much longer when writes are scarce. */
const SCARCE_GATHER_MS = 250;

/** Sends cancels of these orders, 100 to a request; each order has one cancel under way at most. */
export function sendCancels(world: World, orders: readonly OwnOrder[]): void {
  const due = orders.filter((order) => isCancelDue(world, order));
  for (let start = 0; start < due.length; start += BATCH_CANCEL_MAX) {
    const chunk = due.slice(start, start + BATCH_CANCEL_MAX);
    const requestId = world.outbox.nextRequestId();
    const orderHashes = chunk.flatMap((order) => order.orderHash ?? []);
    for (const order of chunk) {
      order.cancelAttempts += 1;
      world.ledger.signal(order, 'cancelSent', world.nowMs);
    }
    world.pendingCancels.set(requestId, chunk);
    world.outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
  }
}

function isCancelDue(world: World, order: OwnOrder): boolean {
  if (order.orderHash === undefined) return false;
  if (order.cancelAttempts === 0) return true;
  const answeredAtMs = order.cancelAnsweredAtMs ?? order.stateSinceMs;
  const pauseMs = Math.min(RECANCEL_MS_MIN * 2 ** (order.cancelAttempts - 1), RECANCEL_MS_MAX);
  return world.nowMs - answeredAtMs >= pauseMs;
}

/** Sends as many placements as budget, limits and the gate allow right now. */
export function sendPlacements(world: World): void {
  while (world.budget.mayWrite(world.nowMs)) {
    const batch = gather(world);
    if (batch.length === 0) return;
    place(world, batch);
  }
}

type Candidate = { readonly market: MarketState; readonly missing: Missing };
type Placement = { readonly market: MarketState; readonly routed: RoutedOrder };

/** Up to 15 orders over all markets, the levels nearest to the middle first. */
function gather(world: World): readonly Placement[] {
  const candidates = dueCandidates(world);
  if (candidates.length === 0) return [];
  const risk = new RiskPass(world);
  const batch: Placement[] = [];
  for (const candidate of candidates) {
    const { market } = candidate;
    // A market that learns the code of a refusal has a write to itself.
    if (market.goesAlone && batch.length > 0) continue;
    const orders = routeCandidate(world, candidate, risk);
    const fitting = market.goesAlone ? orders.slice(0, 1) : orders;
    if (batch.length + fitting.length > BATCH_ORDERS_MAX) continue;
    for (const routed of fitting) batch.push({ market, routed });
    settleCandidate(candidate);
    if (isComplete(batch)) break;
  }
  return batch;
}

function isComplete(batch: readonly Placement[]): boolean {
  const [first] = batch;
  return batch.length === BATCH_ORDERS_MAX || (first?.market.goesAlone ?? false);
}

/** What is missing and may be sent now: not resting after a refusal, and gathered long enough. */
function dueCandidates(world: World): readonly Candidate[] {
  const candidates: Candidate[] = [];
  let isAnyDue = false;
  const gatherMs = gatherTimeMs(world);
  for (const market of world.markets.values()) {
    if (market.missing.length === 0) continue;
    const waitedMs = world.nowMs - (market.missingSinceMs ?? world.nowMs);
    if (waitedMs >= gatherMs) isAnyDue = true;
    for (const missing of market.missing) {
      const until = market.backoff[missing.side]?.untilMs;
      if (until === undefined || world.nowMs >= until) candidates.push({ market, missing });
    }
  }
  if (!isAnyDue && candidates.length < BATCH_ORDERS_MAX) return [];
  return candidates.sort(byRankThenAge);
}

/** Inner levels first; among equals the market that has waited longest, so that none starves. */
function byRankThenAge(a: Candidate, b: Candidate): number {
  const age = (each: Candidate) => each.market.missingSinceMs ?? 0;
  return a.missing.rank - b.missing.rank || age(a) - age(b);
}

function gatherTimeMs(world: World): number {
  const configured = world.settings?.orders.gatherMs ?? 0;
  const used = world.budget.usedInWindow(world.nowMs);
  const isScarce = used * 2 > world.budget.perWindow;
  return isScarce ? Math.max(configured, SCARCE_GATHER_MS) : configured;
}

function settleCandidate({ market, missing }: Candidate): void {
  market.missing = market.missing.filter((each) => each !== missing);
  if (market.missing.length === 0) market.missingSinceMs = undefined;
}

/** Routes one candidate and holds it against every gate; empty when it may not go now. */
function routeCandidate(world: World, candidate: Candidate, risk: RiskPass): RoutedOrder[] {
  const { market, missing } = candidate;
  if (crossesBook(market, missing) || crossesOwn(world, market, missing)) {
    // What stands in the way is moving: the next tick plans again.
    settleCandidate(candidate);
    market.isDirty = true;
    return [];
  }
  const free = risk.free(market);
  const policy = { preferSell: world.settings?.orders.preferSell ?? true };
  const quote = { side: missing.side, price: missing.price, quantity: missing.quantity };
  const routed = routeQuote(market.grid, quote, free, policy);
  if (routed.length === 0) {
    const text = `${formatPrice(market.grid, missing.price)} buys less than 1.00 USDC`;
    pause(world, candidate, 'below_min_notional', text);
    return [];
  }
  const allowed: RoutedOrder[] = [];
  for (const order of routed) {
    const broken = risk.admit(market, order, missing);
    if (broken === undefined) allowed.push(order);
    else onLimit(world, candidate, broken);
  }
  return allowed;
}

function onLimit(world: World, candidate: Candidate, limit: LimitName): void {
  const { market, missing } = candidate;
  const detail = `${missing.side} at ${formatPrice(market.grid, missing.price)} would break it`;
  world.outbox.report({ event: 'risk.refused', marketId: market.market.id, limit, detail });
  pause(world, candidate, limit, detail);
}

/** Only the first level shows a reason and holds its side back; deeper levels just wait. */
function pause(world: World, candidate: Candidate, code: string, detail: string): void {
  settleCandidate(candidate);
  const { market, missing } = candidate;
  if (missing.rank > 0) return;
  backOff(world, market, missing.side, { code, detail, forMs: LIMIT_PAUSE_MS });
}

/** Own live orders must never meet: own YES bid + own NO bid < 1, over cancels under way too. */
function crossesOwn(world: World, market: MarketState, quote: Missing): boolean {
  for (const order of world.ledger.ofMarket(market.market.id)) {
    if (!isExposed(order) || order.axisSide === quote.side) continue;
    const meets =
      quote.side === 'bid' ? quote.price >= order.axisPrice : quote.price <= order.axisPrice;
    if (meets) return true;
  }
  return false;
}

function place(world: World, batch: readonly Placement[]): void {
  assert(batch.length <= BATCH_ORDERS_MAX, 'a batch holds at most 15 orders');
  assert(world.isGateOpen, 'nothing is placed behind a closed gate');
  const requestId = world.outbox.nextRequestId();
  const orders: LimitOrder[] = [];
  for (const { market, routed } of batch) {
    const order = newOrder(world, market, routed);
    order.requestId = requestId;
    world.ledger.add(order);
    orders.push({
      intentId: order.intentId,
      tokenId: order.tokenId,
      side: order.side,
      price: order.price,
      quantity: order.quantity,
      lifetime: { timeInForce: 'GTC' },
    });
    market.goesAlone = false;
  }
  world.budget.onSent(world.nowMs);
  world.outbox.send({ kind: 'placeOrders', requestId, orders });
}

function newOrder(world: World, market: MarketState, routed: RoutedOrder): OwnOrder {
  return {
    ...routed,
    ...toAxis(market.grid, routed),
    intentId: world.nextIntentId(),
    marketId: market.market.id,
    tokenId: market.tokenOf(routed.leg),
    sentAtMs: world.nowMs,
    isOrphan: false,
    requestId: undefined,
    orderHash: undefined,
    state: 'submitting',
    stateSinceMs: world.nowMs,
    executed: NO_SHARES,
    lastExecuted: NO_SHARES,
    executedAtMs: undefined,
    confirmedAtMs: undefined,
    cancelAnsweredAtMs: undefined,
    cancelAttempts: 0,
    missingLists: 0,
  };
}

type MarketRisk = { exposure: Exposure; readonly free: FreeShares };

/** Exposure over one gathering: what is admitted counts for what comes after it. */
class RiskPass {
  readonly #world: World;
  readonly #markets = new Map<MarketState, MarketRisk>();
  #openOrders: number;
  #lossNano = 0;
  #freeCashNano: number | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#openOrders = world.ledger.exposedCount;
    let holdNano = 0;
    for (const market of world.markets.values()) {
      const exposure = exposureOf(market.grid, world.ledger.ofMarket(market.market.id));
      this.#markets.set(market, { exposure, free: freeShares(world, market, exposure) });
      this.#lossNano += worstLossNano(market.holdings(world.inventory), exposure);
      holdNano += exposure.holdNano + pendingBuysNano(world, market);
    }
    const cash = world.account.cashNano;
    this.#freeCashNano = cash === undefined ? undefined : cash - holdNano;
  }

  free(market: MarketState): FreeShares {
    return this.#of(market).free;
  }

  /** Counts an order in, or names the limit that it would break. */
  admit(market: MarketState, routed: RoutedOrder, quote: Missing): LimitName | undefined {
    const { settings, inventory } = this.#world;
    const risk = this.#of(market);
    const order = { ...routed, axisSide: quote.side, axisPrice: quote.price };
    const holdings = market.holdings(inventory);
    const after = copied(risk.exposure);
    addExposure(after, market.grid, order, routed.quantity);
    const lossNano = worstLossNano(holdings, risk.exposure);
    const limits = settings?.risk;
    assert(limits !== undefined, 'limits are known before anything is placed');
    const broken = brokenLimit(
      order,
      { grid: market.grid, holdings, exposure: risk.exposure, after },
      {
        openOrders: this.#openOrders,
        otherLossNano: this.#lossNano - lossNano,
        freeCashNano: this.#freeCashNano,
      },
      { ...limits, maxOpenOrders: this.#world.openOrdersMax },
    );
    if (broken !== undefined) return broken;
    this.#openOrders += 1;
    this.#lossNano += worstLossNano(holdings, after) - lossNano;
    if (this.#freeCashNano !== undefined && routed.side === 'BUY') {
      this.#freeCashNano -= costNano(market.grid, routed.price, routed.quantity);
    }
    risk.exposure = after;
    return undefined;
  }

  #of(market: MarketState): MarketRisk {
    const risk = this.#markets.get(market);
    assert(risk !== undefined, 'a candidate belongs to a known market');
    return risk;
  }
}

function copied(exposure: Exposure): Exposure {
  return {
    ...exposure,
    buying: { ...exposure.buying },
    selling: { ...exposure.selling },
  };
}

/** Settled shares minus matched sells minus live sells; none while the venue refused to sell. */
function freeShares(world: World, market: MarketState, exposure: Exposure): FreeShares {
  const free = (leg: Leg) => {
    if (world.nowMs < market.sellBlockedUntilMs[leg]) return NO_SHARES;
    const settled = world.inventory.sellable(market.tokenOf(leg));
    const left = subtractShares(settled, microShares(exposure.selling[leg]));
    return left > 0 ? left : NO_SHARES;
  };
  return { yes: free('yes'), no: free('no') };
}

/** Cash of matched buys that has not left the account yet. */
export function pendingBuysNano(world: World, market: MarketState): number {
  let nano = 0;
  for (const leg of ['yes', 'no'] as const) {
    for (const fill of world.inventory.pendingFills(market.tokenOf(leg))) {
      if (fill.side === 'BUY') nano += (-fill.cashNano * fill.quantity) / fill.original;
    }
  }
  return nano;
}

/** When a retry of this back-off ends, for callers that count refusals. */
export function refusalPauseMs(refusals: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, refusals - 1), 60_000);
}
