// What the user channel reported hashes that no answer has named: an unknown placement, or an external order.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import { isInFlight, type OrderReport, type OrderUpdate } from '../../domain/order.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import type { EarlyUpdates } from '../orders/early-reports.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { doubtOrder } from '../positions/doubt.ts';
import { noteCopy } from '../risk/copies.ts';
import { doubtRefusedLike } from '../sending/rejected-without-code.ts';
import type { World } from '../world.ts';
import { onFound } from './possible-duplicates.ts';
import { answeredRestated, onNamed } from './restated.ts';

/** An update for a hash that nobody has claimed after this long was about somebody else's order. */
const EARLY_MS = 5_000;

/** Whose order updates speak of; `nobody`: of none that we sent, `unclear`: only a list or time can tell. */
type Claim = { readonly kind: 'ours'; readonly order: OwnOrder } | { readonly kind: OtherClaim };
type OtherClaim = 'nobody' | 'unclear';

/**
 * Updates about hashes that no answer has named: they belong to an unknown placement of the same
 * kind, or to somebody else on this account. A hash that the list shows is the list's to name, since it
 * tells the quantity; all others come before the list, which would call what has traded whole absent.
 */
export function settleEarlyUpdates(world: World, reports: readonly OrderReport[]): void {
  const listed = new Set<OrderHash>(reports.map(({ orderHash }) => orderHash));
  const answered = answeredRestated(world);
  for (const early of world.ledger.earlyUpdates(Number.POSITIVE_INFINITY)) {
    if (listed.has(early.orderHash)) continue;
    const order = answered.get(early.orderHash);
    if (order !== undefined && isAbout(order, early)) settleNamed(world, order, early);
    else if (early.atMs < world.nowMs - EARLY_MS) settle(world, early);
  }
}

/**
 * An order that no answer will name rests or trades: a copy of one of ours, or somebody else's. What it traded is on this
 * account, so it is uncertain until a settlement or balances show it.
 * @returns Whether a list should be asked for.
 */
export function noteUnclaimed(world: World, orderHash: OrderHash): boolean {
  const early = world.ledger.early(orderHash);
  const [first] = early?.updates ?? [];
  if (early === undefined || first === undefined || world.isEndedHash(orderHash)) return false;
  if (world.batchOrderIds.has(orderHash) || placementsLike(world, early).length > 0) return false;
  const original = noteCopy(world, first);
  if (original === undefined && world.cancelScope === 'own') return false;
  const shown = Math.max(...early.updates.map(leastTraded));
  const traded = shown === 1 ? (original?.quantity ?? shown) : shown;
  if (traded > 0) doubtTraded(world, first, microShares(traded));
  return true;
}

function isAbout({ tokenId, side }: OwnOrder, { updates }: EarlyUpdates): boolean {
  return updates[0]?.tokenId === tokenId && updates[0].side === side;
}

/** The answer to a placement named it: what it shows is what became of that, its quantity where it shows one. */
function settleNamed(world: World, order: OwnOrder, { orderHash, updates }: EarlyUpdates): void {
  const [first] = updates;
  if (first === undefined) return;
  const shown = quantityShown(updates);
  const least = Math.max(order.quantity, ...updates.map(sumShown));
  const { side, price, ticksPerUnit, isOffGrid } = first;
  const quantity = microShares(shown ?? least);
  onNamed(world, order, { orderHash, side, price, ticksPerUnit, isOffGrid, quantity });
}

function settle(world: World, early: EarlyUpdates): void {
  // An order that ended long ago, or one of ours of a previous run: it is no other one of ours.
  if (world.isEndedHash(early.orderHash)) {
    forgetEnded(world, early);
    return;
  }
  const alike = placementsLike(world, early);
  if (alike.some((order) => isInFlight(order.state))) return;
  const unknown = alike.filter((order) => order.state === 'unknown');
  const isNamed = world.batchOrderIds.has(early.orderHash);
  const claim = claimOf(unknown, early.updates, world.cancelScope === 'own' && !isNamed);
  if (claim.kind === 'ours') onFound(world, claim.order, early.orderHash);
  else if (claim.kind === 'nobody' && isNamed) forgetEnded(world, early);
  else if (claim.kind === 'nobody') {
    doubtRefusedLike(world, early);
    noteUnclaimed(world, early.orderHash);
    forget(world, early);
  }
}

function placementsLike(world: World, { atMs, updates }: EarlyUpdates): readonly OwnOrder[] {
  const [first] = updates;
  if (first === undefined) return [];
  return [...world.ledger.exposed()].filter(
    (order) =>
      order.orderHash === undefined &&
      // What was heard before it left is about another order like it.
      order.sentAtMs <= atMs &&
      order.tokenId === first.tokenId &&
      order.side === first.side &&
      isAtPrice(world, order, first),
  );
}

/** A tick size that changes is known to whoever reads frames a moment before it is known here. */
function isAtPrice(world: World, order: OwnOrder, update: OrderUpdate): boolean {
  const grid = world.marketOf(order.tokenId)?.grid;
  if (grid === undefined || update.isOffGrid === true) return false;
  const { price, ticksPerUnit = grid.ticksPerUnit } = update;
  return order.price * ticksPerUnit === price * grid.ticksPerUnit;
}

/**
 * The unknown placement that updates speak of: the oldest of just the quantity they show. Of another
 * size it is another order, and what it trades is no fill of ours. Where they show no quantity it is the
 * only one that is large enough, unless others trade on this account too.
 */
function claimOf(
  unknown: readonly OwnOrder[],
  updates: readonly OrderUpdate[],
  hasExternal: boolean,
): Claim {
  const quantity = quantityShown(updates);
  if (quantity !== undefined) {
    const exact = unknown.find((order) => order.quantity === quantity);
    return exact ? { kind: 'ours', order: exact } : { kind: 'nobody' };
  }
  const least = Math.max(...updates.map(sumShown));
  const large = unknown.filter((order) => order.quantity >= least);
  const [only] = large;
  if (only === undefined) return { kind: 'nobody' };
  const isClear = large.length === 1 && !hasExternal;
  return isClear ? { kind: 'ours', order: only } : { kind: 'unclear' };
}

/** The whole quantity of an order, as far as its updates show one. */
function quantityShown(updates: readonly OrderUpdate[]): number | undefined {
  const isSettledOnly = updates.some(hidesMatched);
  const shown = updates.filter((update) => showsWhole(update, isSettledOnly)).map(sumShown);
  return shown.length === 0 ? undefined : Math.max(...shown);
}

/**
 * Whether what has traded and what is left are all of it. `filledQuantity` may count only what has
 * settled, and `remaining` of what was ended may be nothing, or what never traded.
 */
function showsWhole(update: OrderUpdate, isSettledOnly: boolean): boolean {
  const { status, filledQuantity, remaining = 0 } = update;
  switch (status) {
    case 'OPEN':
      return remaining > 0;
    case 'FILLED':
      return filledQuantity > 0;
    case 'MATCHED':
      return filledQuantity > 0 && !isSettledOnly;
    case 'PARTIALLY_FILLED':
    case 'CANCELLED':
    case 'EXPIRED':
      return remaining > 0 && !isSettledOnly;
  }
}

/** It has traded and shows nothing filled: this venue counts what has settled. */
function hidesMatched({ status, filledQuantity }: OrderUpdate): boolean {
  const hasTraded = status === 'PARTIALLY_FILLED' || status === 'MATCHED';
  return hasTraded && filledQuantity <= 0;
}

function sumShown({ filledQuantity, remaining }: OrderUpdate): number {
  return filledQuantity + (remaining ?? 0);
}

/** What it tells to have traded beyond what is known, only balances can confirm. */
function forgetEnded(world: World, { orderHash, updates }: EarlyUpdates): void {
  world.ledger.forgetEarly(orderHash);
  const [first] = updates;
  const traded = microShares(Math.max(0, ...updates.map(leastTraded)));
  if (first === undefined || !world.ledger.isNewlyTraded(orderHash, traded)) return;
  doubtTraded(world, first, traded);
  const whose = world.ledger.isOwnHash(orderHash) ? 'which we sent and which' : 'which';
  const detail = `${first.status} of ${orderHash}, ${whose} had ended: it may have traded more`;
  const signal = 'open';
  world.outbox.report({ event: 'order.anomaly', orderHash, state: 'unknownOrder', signal, detail });
}

/** Shares that an update says have traded, where nobody knows of how many; one at least, by its word. */
function leastTraded({ status, filledQuantity }: OrderUpdate): number {
  const saysSo = status === 'PARTIALLY_FILLED' || status === 'MATCHED' || status === 'FILLED';
  return saysSo ? Math.max(filledQuantity, 1) : filledQuantity;
}

function forget(world: World, { orderHash, updates }: EarlyUpdates): void {
  world.ledger.forgetEarly(orderHash);
  // Somebody else trades here too, and the list tells of his orders.
  if (world.cancelScope === 'own') return;
  const detail = `${updates[0]?.status} of ${orderHash}, which we did not send`;
  world.outbox.report({
    event: 'order.anomaly',
    orderHash,
    state: 'unknownOrder',
    signal: 'open',
    detail,
  });
}

/** An order whose end was counted traded so much by then or since: nobody says how much of it is new. */
function doubtTraded(world: World, update: OrderUpdate, quantity: MicroShares): void {
  const { tokenId, orderHash, side, price, ticksPerUnit } = update;
  const grid = world.marketOf(tokenId)?.grid;
  if (grid === undefined) return;
  const order = { tokenId, intentId: intentId(`ended-${orderHash}`), side, price };
  const of = { ticksPerUnit: ticksPerUnit ?? grid.ticksPerUnit };
  doubtOrder(world, order, { cause: 'order_end', grid: of, quantity });
}
