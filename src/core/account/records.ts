// What the core asks to keep: everything that changed in a step, once, as it stands at its end. So a
// record never tells half of a change, and an order that moved three times is written once.

import { type IntentId, intentId, type MarketId, type OrderHash } from '../../domain/ids.ts';
import type { Leg } from '../../domain/market.ts';
import type { StoredFlows, StoredOrder } from '../../domain/record.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import { ticks } from '../../domain/ticks.ts';
import { flowNano } from '../kernel/nano.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { PositionStores } from '../positions/stores.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import type { KeptBaselines } from '../risk/controls.ts';
import type { MarketFlows } from '../risk/market.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { MarketState } from '../sending/market.ts';
import type { AccountStores } from './stores.ts';

/** Values that drift without an event of their own are compared this often. */
const SWEEP_MS = 1_000;
/** A crash forgets no more of a peak, or of a market's last price, than moved in this time; fills are kept sooner. */
const BASELINES_MS = 10_000;

/** The venue says of no fill who took: a quote that trades so soon may have met somebody on arrival. */
const ARRIVAL_MS = 1_000;

/** Shares of an own order traded; the running total names the fill. */
export function recordFill(stores: AccountStores, order: OwnOrder, quantity: MicroShares): void {
  const market = stores.markets.get(order.marketId);
  if (market === undefined) return;
  const { intentId, marketId, tokenId, side, price } = order;
  // What was reversed and traded once more is another fill, and has another name.
  const executed = clampShares(order.executed + order.failed);
  const { ticksPerUnit } = market.grid;
  const cashNano = flowNano(market.grid, order, quantity);
  const fill = { intentId, marketId, tokenId, side, price, ticksPerUnit, quantity };
  const isOnArrival = stores.nowMs - order.sentAtMs < ARRIVAL_MS;
  const aheadMicro = isOnArrival ? undefined : market.insight.queues.aheadAtRest(order);
  const record = { ...fill, executedAfter: executed, cashNano, atMs: stores.nowMs, aheadMicro };
  stores.outbox.record({ kind: 'fill', fill: record });
  stores.touched.flows.add(marketId);
  stores.touched.tokens.add(tokenId);
  // A next run that does not quote this market knows what is at stake there from the baselines alone.
  stores.written.baselinesAtMs = undefined;
}

/**
 * Shares that the venue's amount says came or went: a fill that nobody reported, at the price of the order
 * that it may be of, or else at the mark.
 */
export function recordInferred(
  stores: PositionStores,
  { market, leg }: { readonly market: MarketState; readonly leg: Leg },
  { shares, inferredNano: cashNano }: { readonly shares: number; readonly inferredNano: number },
): void {
  const quantity = clampShares(Math.abs(shares));
  const { nowMs } = stores;
  const { ticksPerUnit } = market.grid;
  const price = Math.round((Math.abs(cashNano) / quantity / 1_000) * ticksPerUnit);
  const fill = {
    intentId: intentId(`inferred-${stores.intentIds.next(stores.nowMs)}`),
    marketId: market.market.id,
    tokenId: market.tokenOf(leg),
    side: shares > 0 ? 'BUY' : 'SELL',
    price: ticks(market.grid, Math.min(Math.max(price, 1), ticksPerUnit - 1)),
    ticksPerUnit,
    quantity,
    executedAfter: quantity,
    cashNano,
    atMs: nowMs,
    isInferred: true,
  } as const;
  stores.outbox.record({ kind: 'fill', fill });
  stores.touched.flows.add(fill.marketId);
}

/** An order is new, or anything that is kept of it has changed. */
export function touchOrder({ workQueue, markets, touched }: AccountStores, order: OwnOrder): void {
  touched.orders.add(order);
  const market = markets.get(order.marketId);
  if (market !== undefined) workQueue.onTouched(market);
}

/** Asks to keep what changed since the last call; the end of every step. */
export function flushRecords(stores: AccountStores): void {
  const { flows, tokens } = stores.touched;
  recordOrders(stores);
  sweep(stores);
  if (flows.size + tokens.size === 0) return;
  // Shares, the cash of the account and what was earned go together: a run that had one without the others would
  // count it again, or not know what became of it.
  if (stores.positions.isBaselined) recordAccount(stores);
  for (const marketId of flows) recordFlows(stores, marketId);
  flows.clear();
  for (const tokenId of tokens) {
    stores.outbox.record({ kind: 'token', token: stores.positions.stored(tokenId) });
  }
  tokens.clear();
}

/** Asks to keep the orders that changed: at the end of a step, or before their market goes. */
export function recordOrders(stores: AccountStores): void {
  const { orders } = stores.touched;
  // An empty set makes itself a new table when it is cleared, and most steps change nothing.
  if (orders.size === 0) return;
  for (const order of orders) recordOrder(stores, order);
  orders.clear();
}

/** First prices, cash and memories change without an event that is worth a write of its own. */
function sweep(stores: AccountStores): void {
  const { touched, written } = stores;
  const isDue = written.sweptAtMs === undefined || stores.nowMs - written.sweptAtMs >= SWEEP_MS;
  if (!isDue || !stores.positions.isBaselined) return;
  written.sweptAtMs = stores.nowMs;
  for (const [marketId, flows] of stores.flows) {
    if (hasChanged(flows, written.flows.get(marketId))) touched.flows.add(marketId);
  }
  recordAccount(stores);
  sweepBaselines(stores);
  sweepMemories(stores);
}

function recordAccount(stores: AccountStores): void {
  for (const tokenId of stores.positions.takeChanged()) stores.touched.tokens.add(tokenId);
  recordCash(stores);
}

function recordCash({ cash, written, outbox, nowMs }: AccountStores): void {
  const { bookNano: cashNano, adoptedNano, steady } = cash;
  if (steady !== undefined && steady !== written.steady) {
    written.steady = steady;
    outbox.record({ kind: 'cashSteady', steady });
  }
  if (adoptedNano !== written.adoptedNano) {
    written.adoptedNano = adoptedNano;
    outbox.record({ kind: 'cashAdopted', adoptedNano });
  }
  if (cashNano === undefined || cashNano === written.cashNano) return;
  written.cashNano = cashNano;
  outbox.record({ kind: 'cash', cashNano, atMs: nowMs });
}

/** A new day or session is kept at once; a peak, which moves with every tick, now and then. */
function sweepBaselines(stores: AccountStores): void {
  const { controls, risk, written, outbox, nowMs } = stores;
  const { baselines } = controls;
  const { current } = baselines;
  if (current === undefined) return;
  const isDue = nowMs - (written.baselinesAtMs ?? 0) >= BASELINES_MS;
  if (!isDue && !hasBegunAnew(current, written.baselines)) return;
  written.baselinesAtMs = nowMs;
  written.baselines = current;
  const held = risk.held(stores.positions);
  const left = risk.profits(stores.positions);
  const stored = { ...current, left, held, marks: marksOf(stores) };
  // A profit that is back where it was may have had a peak, and have other shares behind it.
  const text = JSON.stringify(stored);
  if (text === written.baselinesText) return;
  written.baselinesText = text;
  outbox.record({ kind: 'baselines', baselines: stored });
}

/** A day has begun, or an operator has seen a loss: it is measured from elsewhere, and no peak does that. */
function hasBegunAnew(current: KeptBaselines, written: KeptBaselines | undefined): boolean {
  return (
    current.day !== written?.day ||
    current.beginsAtHour !== written.beginsAtHour ||
    current.dayNano !== written.dayNano ||
    current.sessionNano !== written.sessionNano ||
    current.peakNano < written.peakNano
  );
}

/** Prices on which a profit hangs: as much of both outcomes comes to the same at every price. */
function marksOf({
  flows,
  markets,
  positions,
}: AccountStores): readonly (readonly [MarketId, number])[] {
  const marks: [MarketId, number][] = [];
  for (const [marketId, { markMilliUsdc, fills }] of flows) {
    const shares = markets.get(marketId)?.holdingsShares(positions);
    const matters = shares === undefined ? fills > 0 : shares.yes !== shares.no;
    if (markMilliUsdc !== undefined && matters) marks.push([marketId, markMilliUsdc]);
  }
  return marks;
}

function sweepMemories(stores: AccountStores): void {
  const written = stores.written.memories;
  const kept = stores.memories.all();
  for (const [key, memory] of Object.entries(kept)) {
    if (written.get(key) === memory) continue;
    written.set(key, memory);
    stores.outbox.record({ kind: 'memory', key, memory });
  }
  for (const key of written.keys()) {
    if (Object.hasOwn(kept, key)) continue;
    written.delete(key);
    stores.outbox.record({ kind: 'forgotten', key });
  }
}

function recordFlows(stores: AccountStores, marketId: MarketId): void {
  const flows = stores.flows.get(marketId);
  if (flows === undefined) return;
  const { cashNano, fills, start, startValueNano } = flows;
  const stored = { marketId, cashNano, fills, start, startValueNano };
  stores.written.flows.set(marketId, stored);
  stores.outbox.record({ kind: 'flows', flows: stored });
}

function hasChanged(flows: MarketFlows, written: StoredFlows | undefined): boolean {
  if (written === undefined) return flows.start !== undefined;
  return (
    flows.cashNano !== written.cashNano ||
    flows.fills !== written.fills ||
    flows.start !== written.start ||
    flows.startValueNano !== written.startValueNano
  );
}

function recordOrder(stores: AccountStores, order: OwnOrder): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const named = storedOrder(order, grid.ticksPerUnit, isNobodys(stores, order));
  const stored = { ...named, orderHash: order.orderHash ?? answeredHash(stores, order) };
  stores.outbox.record({ kind: 'order', order: stored });
}

/**
 * Where others trade, what the answer to a placement named is ours for a guard and a next run, too. All of
 * the account is ours anyway, and a placement without a hash is waited for until it can arrive no more.
 */
function answeredHash(stores: RiskStores, order: OwnOrder): OwnOrder['answeredHash'] {
  return cancelScopeOf(stores) === 'own' ? order.answeredHash : undefined;
}

/** Where others trade, one that is taken for ours by likeness is ours for a guard and a next run, too. */
export function isNobodys(stores: RiskStores, { isExternal, isOfOthers }: OwnOrder): boolean {
  return isExternal && (cancelScopeOf(stores) === 'account' || isOfOthers);
}

/** The intent of one that is there beside the order that its placement is known by. */
export function intentBeside({ intentId: sent }: OwnOrder, orderHash: OrderHash): IntentId {
  return intentId(`${sent}-${orderHash}`);
}

/** An answer to a placement named another order: its hash is ours for whoever comes after us. */
export function keepHash(stores: AccountStores, order: OwnOrder, orderHash: OrderHash): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const stored = storedOrder(order, grid.ticksPerUnit);
  const id = intentBeside(order, orderHash);
  const ended = { ...stored, intentId: id, orderHash, state: 'absent' } as const;
  stores.outbox.record({ kind: 'order', order: ended });
}

/** An order as a ledger keeps it. */
export function storedOrder(
  order: OwnOrder,
  ticksPerUnit: StoredOrder['ticksPerUnit'],
  isExternal = order.isExternal,
): StoredOrder {
  return {
    intentId: order.intentId,
    marketId: order.marketId,
    tokenId: order.tokenId,
    leg: order.leg,
    side: order.side,
    price: order.price,
    ticksPerUnit,
    quantity: order.quantity,
    sentAtMs: order.sentAtMs,
    isExternal,
    isTake: order.isTake,
    orderHash: order.orderHash,
    state: order.state,
    stateSinceMs: order.stateSinceMs,
    executed: order.executed,
    failed: order.failed,
    confirmedAtMs: order.confirmedAtMs,
    settingsVersion: order.settingsVersion,
    expiresAtMs: order.expiresAtMs,
    // One that was refused and rests all the same is no refusal.
    refusalCode: order.state === 'refused' ? order.refusalCode : undefined,
  };
}
