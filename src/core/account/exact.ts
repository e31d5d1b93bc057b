// Nothing is in flight, and cash and locks agree with the books to the micro-dollar: then what is uncertain
// did not happen; or the only uncertain item did, where cash differs by exactly its cost. No other sums.

import type { TokenId } from '../../domain/ids.ts';
import { isOnBook, type OrderReport } from '../../domain/order.ts';
import type { StoredEarly, StoredPending } from '../../domain/record.ts';
import { NO_SHARES, subtractShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { touchToken } from '../kernel/market.ts';
import { costNano } from '../kernel/nano.ts';
import { isExposed, type OwnOrder, remaining } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { EPSILON_NANO } from '../positions/cash.ts';
import type { Uncertain } from '../positions/positions.ts';
import type { PositionStores } from '../positions/stores.ts';
import { takeEarly } from '../positions/token-position.ts';
import {
  cashOf,
  type Fill,
  isAtPrice,
  isBeyondPending,
  isTakenBack,
} from '../positions/unsettled.ts';
import { holdToLimits } from '../risk/beyond-limits.ts';
import { expectedFeeNano } from '../risk/exposure.ts';
import { forgetRestored, reverseFailed } from './busts.ts';
import { mayBeOf, SETTLED_BY_MS } from './fills.ts';
import type { AccountStores, Locked } from './stores.ts';
import { addFlow } from './trade-tokens.ts';

/** Fills of a token, from the oldest on. */
type Oldest = { readonly tokenId: TokenId; readonly count: number };

/**
 * Fills that settled unreported: cash lacks just what the oldest of them cost, and they lock nothing
 * any more. Balances show their shares as late as any others.
 */
export function settledUnreported(stores: AccountStores, askedAtMs: UnixMs): readonly Oldest[] {
  const { cash } = stores;
  if (cash.agrees || isAnyInFlight(stores, askedAtMs)) return [];
  const locked = lockedBy(stores);
  const counts = new Map<TokenId, number>();
  let { matchedNano } = locked;
  let restNano = cash.breakNano;
  let unnamed: Unnamed = stores.unnamedSettlements;
  for (const { tokenId, fill } of lateFills(stores, askedAtMs)) {
    // What has settled without a token is paid, and no part of what cash lacks.
    const { left, rest } = openOf(fill, unnamed);
    unnamed = rest;
    const costNano = cashOf(fill, left);
    restNano -= costNano;
    if (fill.side === 'BUY') matchedNano += costNano;
    counts.set(tokenId, (counts.get(tokenId) ?? 0) + 1);
    if (Math.abs(restNano) <= EPSILON_NANO && isCashLocked(stores, { ...locked, matchedNano }))
      return [...counts].map(([id, count]) => ({ tokenId: id, count }));
  }
  return [];
}

/** Fills that should have settled by the time of a read, oldest first. */
function lateFills(stores: AccountStores, askedAtMs: UnixMs) {
  return pendingFills(stores).filter(({ fill }) => askedAtMs - fill.atMs > SETTLED_BY_MS);
}

/** Oldest first. */
function pendingFills({ positions, byToken }: AccountStores) {
  const all = [...byToken.keys()].flatMap((tokenId) =>
    positions.pending(tokenId).map((fill) => ({ tokenId, fill })),
  );
  return all.sort((one, other) => one.fill.atMs - other.fill.atMs);
}

/** Cash differs, and just as it does where a venue moves it with the match, or as late as shares. */
export function isOfAnotherMoment(stores: AccountStores): boolean {
  const { cash } = stores;
  if (cash.agrees) return false;
  const costs = pendingFills(stores).map(({ fill }) => cashOf(fill, fill.quantity));
  return cash.isOfAnotherMoment(costs);
}

export function closeExact(stores: AccountStores, askedAtMs: UnixMs): void {
  const { positions, locks, cash } = stores;
  if (isAnyInFlight(stores, askedAtMs)) return;
  const locked = lockedBy(stores);
  if (positions.uncertainTokens.size === 0 && cash.agrees && locks.mayLearn) learn(stores, locked);
  if (!isCashLocked(stores, locked)) {
    reverseUnlocked(stores, locked, askedAtMs);
    return;
  }
  locks.unlockedSinceMs = undefined;
  cash.onExactRead(askedAtMs);
  const open: Uncertain[] = [];
  for (const each of [...positions.allUncertain()]) {
    if (!mayClose(stores, each, askedAtMs) || !areSharesLocked(stores, each.tokenId)) continue;
    if (!cash.agrees && !wasSentLater(stores, each)) open.push(each);
    else {
      positions.closeSettled(each.tokenId, each.item);
      onClosed(stores, each);
    }
  }
  closeOnly(stores, open);
}

/**
 * Buys that should have settled: cash agrees without them, and no lock is left of any of them where a match keeps
 * its lock until it settles. They failed, whichever a failure was reported of.
 */
function reverseUnlocked(stores: AccountStores, locked: Locked, askedAtMs: UnixMs): void {
  const { cash, locks } = stores;
  const late = lateFills(stores, askedAtMs).filter(
    ({ fill }) => fill.side === 'BUY' && !hasUnnamed(stores, fill),
  );
  let { matchedNano } = locked;
  for (const { fill } of late) matchedNano += cashOf(fill, fill.quantity);
  const isUnpaid = late.every(({ fill }) => cash.hasAgreedSince(fill.atMs)) && late.length > 0;
  const isSo = isUnpaid && locks.keepsMatched === true;
  if (!isSo || !isCashLocked(stores, { ...locked, matchedNano })) {
    locks.unlockedSinceMs = undefined;
    return;
  }
  locks.unlockedSinceMs ??= askedAtMs;
  // An order of that cost that has gone unreported would look the same: a list says first that all of them rest.
  if (stores.listAskedAtMs <= locks.unlockedSinceMs) return;
  for (const { missingLists } of stores.ledger.exposed()) if (missingLists > 0) return;
  for (const { tokenId, fill } of late) reverseFailed(stores, tokenId, fill);
}

/** Cash that agrees without fills says that they have not settled, but for what settlements without a token are of. */
export function mayHaveSettled(stores: AccountStores, fills: readonly Fill[]): boolean {
  let unnamed: Unnamed = stores.unnamedSettlements;
  return fills.every((fill) => {
    const { left, rest } = openOf(fill, unnamed);
    unnamed = rest;
    return left === 0 || !stores.cash.hasAgreedSince(fill.atMs);
  });
}

type Unnamed = readonly StoredEarly[];

/** What settlements without a token leave of a fill, and what it leaves of them for others. */
function openOf(fill: Fill, unnamed: Unnamed, isFor = mayBeOf) {
  const fits = (each: StoredEarly) => isFor(fill, each);
  let left = fill.quantity;
  const rest = takeEarly(unnamed, { side: fill.side, quantity: left, fits }, (part) => {
    left = subtractShares(left, part);
  });
  return { left, rest };
}

function hasUnnamed({ unnamedSettlements }: AccountStores, fill: Fill): boolean {
  return unnamedSettlements.some((each) => mayBeOf(fill, each));
}

function learn({ locks, cash, outbox }: AccountStores, locked: Locked): void {
  locks.onRead(cash.onHoldNano - locked.restingNano, locked);
  const { keepsMatched } = locks;
  if (keepsMatched !== undefined) outbox.record({ kind: 'locks', locks: { keepsMatched } });
}

/**
 * Where a match keeps its lock until it settles, cash and locks speak for what matched a moment ago. Where it
 * does not, they speak only for what would have settled by now; and where nobody knows yet, an unbroken user
 * channel speaks for the last moments.
 */
function mayClose(stores: AccountStores, { item }: Uncertain, askedAtMs: UnixMs): boolean {
  if (!isBeyondPending(item) || item.cause === 'balances_differ') return false;
  const { locks, settings, connection } = stores;
  // Late or failed moves no cash alike: only a lock that a late one would keep tells them apart.
  if (item.isOwed === true) return locks.keepsMatched === true;
  const wasUp = connection.isAuthenticated && connection.authenticatedSinceMs < item.sinceMs;
  const isPrompt = locks.keepsMatched ?? wasUp;
  const arrivedMs = item.cause === 'may_arrive' ? (settings?.timing.unknownHorizonMs ?? 0) : 0;
  return askedAtMs - item.sinceMs > (isPrompt ? 0 : SETTLED_BY_MS) + arrivedMs;
}

/** Cash lacks now what it lacked before the order was sent: it has not traded unreported. */
function wasSentLater({ cash: { steady } }: PositionStores, { item }: Uncertain): boolean {
  const { sentAtMs, sinceMs } = item;
  if (steady === undefined || sentAtMs === undefined) return false;
  return steady.sinceMs < sentAtMs && sentAtMs <= sinceMs;
}

function onClosed(stores: AccountStores, { tokenId, item }: Uncertain): void {
  if (item.cause === 'order_restored') forgetRestored(stores, item);
  touchToken(stores, tokenId);
}

/** The only item there is, and cash differs by exactly its cost: it happened, and has settled. */
function closeOnly(stores: AccountStores, closable: readonly Uncertain[]): void {
  const { positions, cash, nowMs } = stores;
  const [only] = closable;
  // What an index took back is paid, and explains no cash.
  const others = [...positions.allUncertain()].filter(({ item }) => !isTakenBack(item));
  const isOnly = closable.length === 1 && others.length === 1;
  if (only === undefined || !isOnly) return;
  const { tokenId, item } = only;
  if (Math.abs(cash.breakNano - item.cashNano) > EPSILON_NANO) return;
  // A fill of that cost may have settled unreported: two explanations are none.
  if (positions.isCostOfPending(item.cashNano)) return;
  positions.onTraded(tokenId, item, nowMs);
  holdToLimits(stores, tokenId);
  onClosed(stores, only);
  addFlow(stores, tokenId, item.cashNano);
  cash.explain(item.cashNano);
}

/** A request without an answer, or an answer younger than the read: the read may show it or not. */
function isAnyInFlight({ ledger }: OrderStores, askedAtMs: UnixMs): boolean {
  for (const order of ledger.notEnded()) {
    const { state, confirmedAtMs, executedAtMs, stateSinceMs } = order;
    if (isCommittedBefore(order, askedAtMs)) continue;
    const isKnown = isOnBook(state) && confirmedAtMs !== undefined && confirmedAtMs < askedAtMs;
    if (!isKnown || (executedAtMs ?? 0) >= askedAtMs || stateSinceMs >= askedAtMs) return true;
  }
  return ledger.endedSince(askedAtMs).length > 0;
}

function isCommittedBefore(order: OwnOrder, askedAtMs: UnixMs): boolean {
  return !isExposed(order) && order.stateSinceMs < askedAtMs;
}

function lockedBy(stores: AccountStores): Locked {
  let restingNano = stores.locks.elsewhereNano;
  for (const order of stores.ledger.exposed()) {
    const market = stores.markets.get(order.marketId);
    if (market === undefined || order.side !== 'BUY') continue;
    const rest = remaining(order);
    restingNano += costNano(market.grid, order.price, rest) + expectedFeeNano(market, order, rest);
  }
  let matchedNano = 0;
  let unnamed: Unnamed = stores.unnamedSettlements;
  for (const tokenId of stores.byToken.keys()) {
    for (const fill of stores.positions.pending(tokenId)) {
      if (fill.side !== 'BUY') continue;
      const { left, rest } = openOf(fill, unnamed, hasLetGo);
      unnamed = rest;
      matchedNano -= cashOf(fill, left);
    }
  }
  return { restingNano, matchedNano };
}

/** It named no token, and has let go of its cash all the same: one of before the match was of somebody else's. */
function hasLetGo(fill: StoredPending, settled: StoredEarly): boolean {
  return settled.atMs >= fill.atMs && isAtPrice(fill, settled);
}

/** After a list: cash that buys on markets which are not quoted lock. */
export function noteElsewhere(stores: AccountStores, reports: readonly OrderReport[]): void {
  let nano = 0;
  for (const { tokenId, side, price, ticksPerUnit, quantity, executed } of reports) {
    if (side !== 'BUY' || stores.byToken.get(tokenId)?.market !== undefined) continue;
    nano += price * (1_000 / (ticksPerUnit ?? 1_000)) * (quantity - executed);
  }
  stores.locks.elsewhereNano = nano;
}

/** The shares that the venue locks are those of resting sells but for `absent`, and of matched ones where they keep their lock. */
function areSharesLocked(stores: AccountStores, tokenId: TokenId, absent = 0): boolean {
  const shown = stores.balancesRead?.locked.get(tokenId) ?? NO_SHARES;
  const market = stores.byToken.get(tokenId)?.market;
  if (market === undefined) return false;
  let resting = -absent;
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.tokenId === tokenId && order.side === 'SELL' && isExposed(order))
      resting += remaining(order);
  }
  const matched = stores.positions.pendingOf(tokenId, 'SELL');
  return stores.locks.isLocked(shown - resting, matched);
}

/** The same of cash and resting buys. */
function isCashLocked({ cash, locks }: AccountStores, locked: Locked, absentNano = 0): boolean {
  return locks.explains(cash.onHoldNano - locked.restingNano + absentNano, locked);
}

/** A list that lacks what balances lock counts after so long, whatever they say. */
const LOCKED_MS_MAX = 60_000;

/**
 * Lists lack an order, and balances that were asked for since lock exactly what all known orders lock, this one
 * among them: the list is wrong, and another order in its place would be a second one. Where they are as well
 * explained without it, as by a match that has not settled, they say nothing of it.
 */
export function isStillLocked(stores: AccountStores, order: OwnOrder): boolean {
  const { balancesRead, nowMs } = stores;
  const { sentAtMs, confirmedAtMs, side, tokenId } = order;
  const sinceMs = Math.max(sentAtMs, confirmedAtMs ?? 0);
  if (balancesRead === undefined || balancesRead.askedAtMs <= sinceMs) return false;
  if (nowMs - sinceMs > LOCKED_MS_MAX) return false;
  const rest = remaining(order);
  if (side === 'SELL')
    return areSharesLocked(stores, tokenId) && !areSharesLocked(stores, tokenId, rest);
  const market = stores.markets.get(order.marketId);
  if (market === undefined) return false;
  const locked = lockedBy(stores);
  const ownNano = costNano(market.grid, order.price, rest) + expectedFeeNano(market, order, rest);
  return isCashLocked(stores, locked) && !isCashLocked(stores, locked, ownNano);
}
