// What the user channel reported hashes that no answer has named: an unknown placement, or an external order.

import type { OrderHash } from '../../domain/ids.ts';
import type { ChainMessage } from '../../domain/message.ts';
import { isInFlight, type OrderReport, type OrderUpdate } from '../../domain/order.ts';
import { clampShares, microShares } from '../../domain/shares.ts';
import { mayArriveUntilMs } from '../orders/deadlines.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { type EarlyUpdates, reportUnknown } from '../orders/told.ts';
import { doubtTraded } from '../positions/doubt.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { noteCopy } from '../risk/divergence.ts';
import { doubtRefusedLike } from '../sending/refusals.ts';
import { answeredRestated, isAtPrice, onNamed } from './named-order.ts';
import { onFound } from './own-scope.ts';
import { keepHash } from './records.ts';
import type { AccountStores } from './stores.ts';

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
export function settleEarlyUpdates(stores: AccountStores, reports: readonly OrderReport[]): void {
  const listed = new Set<OrderHash>(reports.map(({ orderHash }) => orderHash));
  const answered = answeredRestated(stores);
  for (const early of stores.ledger.early.all()) {
    if (listed.has(early.orderHash)) continue;
    const order = answered.get(early.orderHash);
    if (order !== undefined && isAbout(order, early)) settleNamed(stores, order, early);
    else if (early.atMs < stores.nowMs - EARLY_MS) settle(stores, early);
  }
}

/**
 * An order that no answer will name rests or trades: a copy of one of ours, or somebody else's. What it traded is on this
 * account, so it is uncertain until a settlement or balances show it.
 * @returns Whether a list should be asked for.
 */
export function noteUnclaimed(stores: AccountStores, orderHash: OrderHash): boolean {
  const early = stores.ledger.early.of(orderHash);
  const [first] = early?.updates ?? [];
  if (early === undefined || first === undefined || isEndedHash(stores, orderHash)) return false;
  if (stores.batchOrderIds.has(orderHash) || placementsLike(stores, early).length > 0) return false;
  const original = noteCopy(stores, { ...first, quantity: quantityShown(early.updates) });
  if (original === undefined && cancelScopeOf(stores) === 'own') return false;
  const shown = Math.max(...early.updates.map(leastTraded));
  const traded = shown === 1 ? (original?.quantity ?? shown) : shown;
  if (traded > 0) doubtTraded(stores, first, microShares(traded));
  return true;
}

function isAbout({ tokenId, side }: OwnOrder, { updates }: EarlyUpdates): boolean {
  return updates[0]?.tokenId === tokenId && updates[0].side === side;
}

/** The answer to a placement named it: what it shows is what became of that, its quantity where it shows one. */
function settleNamed(
  stores: AccountStores,
  order: OwnOrder,
  { orderHash, updates }: EarlyUpdates,
): void {
  const [first] = updates;
  if (first === undefined) return;
  const shown = quantityShown(updates);
  const least = Math.max(order.quantity, ...updates.map(sumShown));
  const { side, price, ticksPerUnit, isOffGrid } = first;
  const quantity = clampShares(shown ?? least);
  onNamed(stores, order, { orderHash, side, price, ticksPerUnit, isOffGrid, quantity });
}

function settle(stores: AccountStores, early: EarlyUpdates): void {
  // An order that ended long ago, or one of ours of a previous run: it is no other one of ours.
  if (isEndedHash(stores, early.orderHash)) {
    forgetEnded(stores, early);
    return;
  }
  const alike = placementsLike(stores, early);
  if (alike.some((order) => isInFlight(order.state))) return;
  const unknown = alike.filter((order) => order.state === 'unknown');
  const isNamed = stores.batchOrderIds.has(early.orderHash);
  const claim = claimOf(unknown, early.updates, cancelScopeOf(stores) === 'own' && !isNamed);
  if (claim.kind === 'ours') onFound(stores, claim.order, early.orderHash);
  else if (claim.kind === 'nobody' && isNamed) forgetEnded(stores, early);
  else if (claim.kind === 'nobody') {
    doubtRefusedLike(stores, early);
    noteUnclaimed(stores, early.orderHash);
    forget(stores, early);
  }
}

function placementsLike(
  stores: AccountStores,
  { atMs, updates }: EarlyUpdates,
): readonly OwnOrder[] {
  const [first] = updates;
  const market = first && stores.byToken.get(first.tokenId)?.market;
  if (first === undefined || market === undefined) return [];
  // Of its market alone: somebody else's news comes by the thousand, and all that rests here is as many orders.
  return [...stores.ledger.ofMarket(market.market.id)].filter(
    (order) =>
      order.orderHash === undefined &&
      // What was heard before it left is about another order like it.
      order.sentAtMs <= atMs &&
      order.tokenId === first.tokenId &&
      order.side === first.side &&
      isAtPrice(market.grid, order, first),
  );
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
function forgetEnded(stores: AccountStores, { orderHash, updates }: EarlyUpdates): void {
  stores.ledger.early.take(orderHash);
  const [first] = updates;
  const traded = microShares(Math.max(0, ...updates.map(leastTraded)));
  if (first === undefined || !stores.ledger.hashes.isNewlyTraded(orderHash, traded)) return;
  doubtTraded(stores, first, traded);
  const whose = stores.ledger.isOwnHash(orderHash) ? 'which we sent and which' : 'which';
  const detail = `${first.status} of ${orderHash}, ${whose} had ended: it may have traded more`;
  reportUnknown(stores, orderHash, detail);
}

/** Shares that an update says have traded, where nobody knows of how many; one at least, by its word. */
function leastTraded({ status, filledQuantity }: OrderUpdate): number {
  const saysSo = status === 'PARTIALLY_FILLED' || status === 'MATCHED' || status === 'FILLED';
  return saysSo ? Math.max(filledQuantity, 1) : filledQuantity;
}

function forget(stores: AccountStores, { orderHash, updates }: EarlyUpdates): void {
  stores.ledger.early.take(orderHash);
  // Somebody else trades here too, and the list tells of his orders.
  if (cancelScopeOf(stores) === 'own') return;
  reportUnknown(stores, orderHash, `${updates[0]?.status} of ${orderHash}, which we did not send`);
}

// What the chain says before the catalogue is known: a run that took over orders and matches hears of
// them at once, and only their market says what shares cost and which position was there before them.

/** All matches that the full write budget brings in half a minute without a catalogue. */
const KEPT_MAX = 10_000;

/** @returns Whether it waits for the catalogue; the oldest beyond the bound show in positions. */
export function waitsForMarkets(stores: AccountStores, message: ChainMessage): boolean {
  if (stores.catalogue !== undefined) return false;
  // When it was told is now, whenever it is counted.
  if (message.kind === 'tradeSettled') stores.history.onTold(message, stores.nowMs);
  stores.earlyChain.push(message);
  if (stores.earlyChain.length > KEPT_MAX) stores.earlyChain.shift();
  return true;
}

// The answer to a batch names orders and does not say which of them is whose. They are ours, for lists,
// kills, guards and next runs: a list that shows one has it taken for the placement without an answer that
// it is like, and cancelled where there is none.

/** The answer to the batch of a placement names these, and one of them may be it. */
export function onBatchOrderIds(
  stores: AccountStores,
  order: OwnOrder,
  orderHashes: readonly OrderHash[],
): void {
  const { ledger, batchOrderIds } = stores;
  for (const orderHash of orderHashes) {
    const known = ledger.byHash(orderHash);
    // A list was faster: it counts already.
    if (known?.isExternal === true) ledger.onOurs(known);
    if (known !== undefined || ledger.isOwnHash(orderHash)) continue;
    batchOrderIds.add(orderHash, mayArriveUntilMs(stores, order));
    ledger.hashes.addOwn(orderHash);
    keepHash(stores, order, orderHash);
  }
}

/** Whether a hash is of an order that ended, and so of no placement that waits for its answer. */
export function isEndedHash({ ledger, batchOrderIds }: OrderStores, orderHash: OrderHash): boolean {
  return ledger.isKnownHash(orderHash) && !batchOrderIds.has(orderHash);
}
