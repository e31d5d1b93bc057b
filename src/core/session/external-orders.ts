// Orders on the venue that we cannot name: counted, reported once, and cancelled unless they may stay.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import type { VenueMessage } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { countedAt } from '../account/list-grid.ts';
import { isMeant } from '../account/meant.ts';
import { keepDuplicate } from '../account/possible-duplicates.ts';
import type { MarketState } from '../market.ts';
import { isCancellable, type OwnOrder, orderOf } from '../orders/own-order.ts';
import { doubtOrder } from '../positions/doubt.ts';
import { sendCancels } from '../sending/writer.ts';
import type { World } from '../world.ts';
import type { Session } from './session.ts';

/** Matching takes moments: what was sent to take and is listed so long after it was confirmed has stayed. */
export const TAKE_MATCHED_BY_MS = 5_000;

type Cancelled = Extract<VenueMessage, { kind: 'cancelled' }>;
type ExternalParts = { readonly world: World; readonly session: Session };

/** An order on the venue that we cannot name counts as exposure until it is gone. */
export function onExternalOrder(parts: ExternalParts, report: OrderReport): void {
  const { world, session } = parts;
  // It is ours, and comes back with its market; a list may be faster than the catalogue.
  if (isWaiting(world, report)) {
    noteWaiting(world, report);
    return;
  }
  doubtTraded(world, report);
  // The list was asked for before it ended: it shows what was, and nobody has to name that.
  if (world.ledger.hasEndedSince(report.orderHash, world.listAskedAtMs)) return;
  const isOfOthers = !isMeant(world, report);
  // A mass cancel cancels what is meant by itself; what is somebody else's counts from the first list on.
  if (session.isMassCancelling && !isOfOthers && !session.isRefused(report.orderHash)) return;
  const market = world.marketOf(report.tokenId);
  if (isOfOthers && market === undefined) {
    noteExternal(world, report);
    return;
  }
  if (market === undefined) {
    noteUnquoted(world, report);
    return;
  }
  // A list may have reported it before the catalogue did.
  if (!world.externals.before.has(report.orderHash)) reportExternal(world, report);
  const order = { ...externalOf(world, market, report), isOfOthers };
  world.ledger.add(order);
  // What was reported for its hash is about this order, and not about an unknown one that is like it.
  world.ledger.applyEarly(order, world.nowMs);
  cancelIfUnwanted(world, order);
  market.isDirty = true;
}

function isWaiting(world: World, report: OrderReport): boolean {
  return world.restored.onListed(report, {
    isKnownHash: world.ledger.isKnownHash(report.orderHash),
    clockOffsetMs: world.lowestOffsetMs,
    onFound: (order) => keepDuplicate(world, order),
  });
}

/**
 * A start clears it, once it has a socket, a ledger and all else that it waits for: without one of these
 * what a previous run left on a market that is quoted no more would rest for as long.
 */
function noteWaiting(world: World, report: OrderReport): void {
  if (isMeant(world, report)) world.externalCancels.onListed(report.orderHash, world.listAskedAtMs);
}

/** One that ended shows more traded than is known: nobody says how much of it is counted. */
function doubtTraded(world: World, report: OrderReport): void {
  const { orderHash, executed, tokenId, side, price, ticksPerUnit } = report;
  const { ledger } = world;
  if (ledger.byHash(orderHash) !== undefined || !ledger.isKnownHash(orderHash)) return;
  const grid = world.marketOf(tokenId)?.grid;
  if (grid === undefined || !ledger.isNewlyTraded(orderHash, executed)) return;
  const order = { tokenId, intentId: intentId(`ended-${orderHash}`), side, price };
  const of = { ticksPerUnit: ticksPerUnit ?? grid.ticksPerUnit };
  doubtOrder(world, order, { cause: 'order_end', grid: of, quantity: executed });
}

function reportExternal(world: World, { orderHash, tokenId }: OrderReport): void {
  world.outbox.report({ event: 'order.external', orderHash, tokenId });
}

/** Somebody else's order on a market that we do not quote: counted while it is listed, reported once. */
function noteExternal(world: World, report: OrderReport): void {
  const { now, before } = world.externals;
  now.add(report.orderHash);
  if (!before.has(report.orderHash)) reportExternal(world, report);
}

/**
 * Unless the settings let it stay where a target quote wants it; it is asked again as long as it is seen. Where its
 * market has left nobody wants anything, and an order that rests again there is in no plan; nor is one that
 * was meant to take, once the venue has had the time to match it.
 */
export function cancelIfUnwanted(world: World, order: OwnOrder): void {
  const { externalOrders, scope } = world.settings?.orders ?? {};
  const isStray = order.isExternal && (externalOrders !== 'adopt' || scope === 'own');
  const hasLeft = order.isOfOthers !== true && !world.markets.has(order.marketId);
  const isUnplanned = isStray || hasLeft || hasStayed(world, order);
  if (isUnplanned && isCancellable(order)) sendCancels(world, [order]);
}

/** The venue's answer to a placement tells nothing of its matching: a list in between shows it open. */
function hasStayed({ listAskedAtMs }: World, order: OwnOrder): boolean {
  const { isTake, confirmedAtMs, sentAtMs } = order;
  return isTake === true && listAskedAtMs - (confirmedAtMs ?? sentAtMs) >= TAKE_MATCHED_BY_MS;
}

/** On a market that we do not quote there is no ledger to keep it in; reported once, and asked for again while it is listed. */
function noteUnquoted(world: World, report: OrderReport): void {
  const isNew = world.externalCancels.onListed(report.orderHash, world.listAskedAtMs);
  if (isNew && !world.externals.before.has(report.orderHash)) reportExternal(world, report);
}

/** Sends what the newest list shows on markets that we do not quote. A mass cancel that is up cancels by itself. */
export function cancelUnquoted({ world, session }: ExternalParts): void {
  const { externalCancels, nowMs, listAskedAtMs, outbox } = world;
  const mayCancel = (orderHash: OrderHash) =>
    !session.isMassCancelling || session.isRefused(orderHash);
  for (const orderHashes of externalCancels.due({ nowMs, listAskedAtMs }, mayCancel)) {
    const requestId = outbox.nextRequestId();
    externalCancels.onSent(requestId, orderHashes, nowMs);
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
  }
}

/** @returns Whether the answer is to a cancel of these. */
export function onUnquotedAnswer({ world, session }: ExternalParts, message: Cancelled): boolean {
  const { requestId, outcome } = message;
  if (!world.externalCancels.onAnswer(requestId, outcome, world.nowMs)) return false;
  session.onCancelledByName(outcome);
  return true;
}

function externalOf(world: World, market: MarketState, report: OrderReport): OwnOrder {
  const leg = market.legOf(report.tokenId);
  const { side, quantity, orderHash, tokenId } = report;
  const price = countedAt(market.grid, report);
  return orderOf(market.grid, {
    intentId: intentId(`external order-${world.nextIntentId()}`),
    marketId: market.market.id,
    tokenId,
    leg,
    side,
    price,
    quantity,
    sentAtMs: world.nowMs,
    datedByMs: undefined,
    expiresAtMs: undefined,
    settingsVersion: undefined,
    isExternal: true,
    orderHash,
    state: report.executed > 0 ? 'partiallyFilled' : 'resting',
    stateSinceMs: world.nowMs,
    // What it traded before we saw it is in the balances already, or will be.
    executed: report.executed,
    settled: report.executed,
    confirmedAtMs: world.nowMs,
    seenAtMs: world.nowMs,
  });
}
