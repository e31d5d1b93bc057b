// What the core asks to keep: everything that changed in a step, once, as it stands at its end. So a
// record never tells half of a change, and an order that moved three times is written once.

import type { MarketId, OrderHash } from '../domain/ids.ts';
import type { StoredFlows, StoredOrder } from '../domain/record.ts';
import { type MicroShares, microShares } from '../domain/shares.ts';
import { intentBeside } from './answers/named-order.ts';
import type { KeptBaselines } from './halts/baselines.ts';
import type { MarketFlows } from './market.ts';
import type { OwnOrder } from './orders/own-order.ts';
import { costNano } from './risk/nano.ts';
import type { World } from './world.ts';

/** Values that drift without an event of their own are compared this often. */
const SWEEP_MS = 1_000;
/** A crash forgets no more of a peak, or of a market's last price, than moved in this time; fills are kept sooner. */
const BASELINES_MS = 10_000;

/** Shares of an own order traded; the running total names the fill. */
export function recordFill(world: World, order: OwnOrder, quantity: MicroShares): void {
  const market = world.markets.get(order.marketId);
  if (market === undefined) return;
  const { intentId, marketId, tokenId, side, price } = order;
  // What was reversed and traded once more is another fill, and has another name.
  const executed = microShares(order.executed + order.failed);
  const { ticksPerUnit } = market.grid;
  const cost = costNano(market.grid, price, quantity);
  const cashNano = side === 'BUY' ? -cost : cost;
  const fill = { intentId, marketId, tokenId, side, price, ticksPerUnit, quantity };
  const record = { ...fill, executedAfter: executed, cashNano, atMs: world.nowMs };
  world.outbox.record({ kind: 'fill', fill: record });
  world.touched.flows.add(marketId);
  world.touched.tokens.add(tokenId);
  // A next life that does not quote this market knows what is at stake there from the baselines alone.
  world.touched.baselinesAtMs = undefined;
}

/** An order is new, or anything that is kept of it has changed. */
export function touchOrder({ agenda, markets, touched }: World, order: OwnOrder): void {
  touched.orders.add(order);
  const market = markets.get(order.marketId);
  if (market !== undefined) agenda.onTouched(market);
}

/** Asks to keep what changed since the last call; the end of every step. */
export function flushRecords(world: World): void {
  const { flows, tokens } = world.touched;
  recordOrders(world);
  sweep(world);
  if (flows.size + tokens.size === 0) return;
  // Shares, the cash of the account and what was earned go together: a life that had one without the others would
  // count it again, or not know what became of it.
  if (world.inventory.isBaselined) recordAccount(world);
  for (const marketId of flows) recordFlows(world, marketId);
  flows.clear();
  for (const tokenId of tokens) {
    world.outbox.record({ kind: 'token', token: world.inventory.stored(tokenId) });
  }
  tokens.clear();
}

/** Asks to keep the orders that changed: at the end of a step, or before their market goes. */
export function recordOrders(world: World): void {
  const { orders } = world.touched;
  // An empty set makes itself a new table when it is cleared, and most steps change nothing.
  if (orders.size === 0) return;
  for (const order of orders) recordOrder(world, order);
  orders.clear();
}

/** First prices, cash and memories change without an event that is worth a write of its own. */
function sweep(world: World): void {
  const { touched } = world;
  const isDue = touched.sweptAtMs === undefined || world.nowMs - touched.sweptAtMs >= SWEEP_MS;
  if (!isDue || !world.inventory.isBaselined) return;
  touched.sweptAtMs = world.nowMs;
  for (const [marketId, flows] of world.flows) {
    if (hasChanged(flows, touched.writtenFlows.get(marketId))) touched.flows.add(marketId);
  }
  recordAccount(world);
  sweepBaselines(world);
  sweepMemories(world);
}

function recordAccount(world: World): void {
  for (const tokenId of world.inventory.takeChanged()) world.touched.tokens.add(tokenId);
  recordCash(world);
}

function recordCash(world: World): void {
  const { account, touched } = world;
  const cashNano = account.explainedNano;
  if (cashNano === undefined) return;
  recordUnexplained(world);
  if (cashNano === touched.writtenCashNano) return;
  touched.writtenCashNano = cashNano;
  world.outbox.record({ kind: 'cash', cashNano, atMs: world.nowMs });
}

/** As a rule there is none of it. */
function recordUnexplained({ account, outbox, touched }: World): void {
  const { unexplained } = account;
  const text = unexplained && JSON.stringify(unexplained);
  if (text === touched.writtenUnexplainedText) return;
  touched.writtenUnexplainedText = text;
  outbox.record({ kind: 'unexplained', unexplained });
}

/** A new day or session is kept at once; a peak, which moves with every tick, now and then. */
function sweepBaselines(world: World): void {
  const { controls, risk, touched, outbox, nowMs } = world;
  const { baselines } = controls;
  const { current } = baselines;
  if (current === undefined) return;
  const isDue = nowMs - (touched.baselinesAtMs ?? 0) >= BASELINES_MS;
  if (!isDue && !hasBegunAnew(current, touched.writtenBaselines)) return;
  touched.baselinesAtMs = nowMs;
  touched.writtenBaselines = current;
  const held = risk.held(world.inventory);
  const left = risk.profits(world.inventory);
  const stored = { ...current, left, held, marks: marksOf(world) };
  // A profit that is back where it was may have had a peak, and have other shares behind it.
  const text = JSON.stringify(stored);
  if (text === touched.writtenBaselinesText) return;
  touched.writtenBaselinesText = text;
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
function marksOf({ flows, markets, inventory }: World): readonly (readonly [MarketId, number])[] {
  const marks: [MarketId, number][] = [];
  for (const [marketId, { markMilliUsdc, fills }] of flows) {
    const shares = markets.get(marketId)?.holdingsShares(inventory);
    const matters = shares === undefined ? fills > 0 : shares.yes !== shares.no;
    if (markMilliUsdc !== undefined && matters) marks.push([marketId, markMilliUsdc]);
  }
  return marks;
}

function sweepMemories(world: World): void {
  const written = world.touched.writtenMemories;
  for (const [key, memory] of Object.entries(world.memories.all())) {
    if (written.get(key) === memory) continue;
    written.set(key, memory);
    world.outbox.record({ kind: 'memory', key, memory });
  }
}

function recordFlows(world: World, marketId: MarketId): void {
  const flows = world.flows.get(marketId);
  if (flows === undefined) return;
  const { cashNano, fills, start, startValueNano, adopted } = flows;
  const isUnproven = flows.unprovenSinceMs !== undefined;
  const stored = { marketId, cashNano, fills, start, startValueNano, adopted, isUnproven };
  world.touched.writtenFlows.set(marketId, stored);
  world.outbox.record({ kind: 'flows', flows: stored });
}

function hasChanged(flows: MarketFlows, written: StoredFlows | undefined): boolean {
  if (written === undefined) return flows.start !== undefined;
  const isUnproven = flows.unprovenSinceMs !== undefined;
  return (
    isUnproven !== written.isUnproven ||
    flows.cashNano !== written.cashNano ||
    flows.fills !== written.fills ||
    flows.start !== written.start ||
    flows.adopted !== written.adopted ||
    flows.startValueNano !== written.startValueNano
  );
}

function recordOrder(world: World, order: OwnOrder): void {
  const grid = world.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const named = storedOrder(order, grid.ticksPerUnit, isNobodys(world, order));
  const stored = { ...named, orderHash: order.orderHash ?? answeredHash(world, order) };
  world.outbox.record({ kind: 'order', order: { ...stored, ...endOf(world, order) } });
}

/** Nobody has said what it traded before it ended: a new life must ask, or count it, as this one would have. */
function endOf({ ledger }: World, order: OwnOrder): Pick<StoredOrder, 'state' | 'isUnproven'> {
  if (ledger.ends.isUnseen(order)) return { state: 'cancelUnproven' };
  return { state: order.state, isUnproven: ledger.ends.isUnproven(order) ? true : undefined };
}

/**
 * Where others trade, what the answer to a placement named is ours for a guard and a next life, too. All of
 * the account is ours anyway, and a placement without a hash is waited for until it can arrive no more.
 */
function answeredHash({ cancelScope }: World, order: OwnOrder): OwnOrder['answeredHash'] {
  return cancelScope === 'own' ? order.answeredHash : undefined;
}

/** Where others trade, one that is taken for ours by likeness is ours for a guard and a next life, too. */
export function isNobodys({ cancelScope }: World, { isOrphan, isForeign }: OwnOrder): boolean {
  return isOrphan && (cancelScope === 'account' || isForeign);
}

/** An answer to a placement named another order: its hash is ours for whoever comes after us. */
export function keepHash(world: World, order: OwnOrder, orderHash: OrderHash): void {
  const grid = world.markets.get(order.marketId)?.grid;
  if (grid === undefined) return;
  const stored = storedOrder(order, grid.ticksPerUnit);
  const id = intentBeside(order, orderHash);
  const ended = { ...stored, intentId: id, orderHash, state: 'absent' } as const;
  world.outbox.record({ kind: 'order', order: ended });
}

/** An order as a ledger keeps it. */
export function storedOrder(
  order: OwnOrder,
  ticksPerUnit: StoredOrder['ticksPerUnit'],
  isOrphan = order.isOrphan,
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
    isOrphan,
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
