// Orders on the venue that we cannot name: counted, told of once, and cancelled unless they may stay.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import type { VenueMessage } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { countedAt } from '../account/list-grid.ts';
import { isMeant } from '../account/meant.ts';
import { keepTwin } from '../account/twins.ts';
import type { MarketState } from '../market.ts';
import { isCancellable, type OwnOrder, orderOf } from '../orders/own-order.ts';
import { doubtOrder } from '../positions/doubt.ts';
import { sendCancels } from '../sending/writer.ts';
import type { World } from '../world.ts';
import type { Session } from './session.ts';

/** Matching takes moments: what was sent to take and is listed so long after it was confirmed has stayed. */
export const TAKE_MATCHED_BY_MS = 5_000;

type Cancelled = Extract<VenueMessage, { kind: 'cancelled' }>;
type OrphanParts = { readonly world: World; readonly session: Session };

/** An order on the venue that we cannot name counts as exposure until it is gone. */
export function onOrphan(parts: OrphanParts, report: OrderReport): void {
  const { world, session } = parts;
  // It is ours, and comes back with its market; a list may be faster than the catalogue.
  if (isWaiting(world, report)) {
    noteWaiting(world, report);
    return;
  }
  doubtTraded(world, report);
  // The list was asked for before it ended: it shows what was, and nobody has to name that.
  if (world.ledger.hasEndedSince(report.orderHash, world.listAskedAtMs)) return;
  const isForeign = !isMeant(world, report);
  // A barrier cancels what is meant by itself; what is somebody else's counts from the first list on.
  if (session.isMassCancelling && !isForeign && !session.isRefused(report.orderHash)) return;
  const market = world.marketOf(report.tokenId);
  if (isForeign && market === undefined) {
    noteStranger(world, report);
    return;
  }
  if (market === undefined) {
    noteUnquoted(world, report);
    return;
  }
  // A list may have told of it before the catalogue did.
  if (!world.strangers.before.has(report.orderHash)) reportOrphan(world, report);
  const order = { ...orphanOf(world, market, report), isForeign };
  world.ledger.add(order);
  // What was heard of its hash is about this order, and not about an unknown one that is like it.
  world.ledger.applyEarly(order, world.nowMs);
  cancelIfUnwanted(world, order);
  market.isDirty = true;
}

function isWaiting(world: World, report: OrderReport): boolean {
  return world.restored.onListed(report, {
    isKnownHash: world.ledger.isKnownHash(report.orderHash),
    clockOffsetMs: world.lowestOffsetMs,
    onFound: (order) => keepTwin(world, order),
  });
}

/**
 * A start clears it, once it has a socket, a ledger and all else that it waits for: without one of these
 * what an earlier life left on a market that is quoted no more would rest for as long.
 */
function noteWaiting(world: World, report: OrderReport): void {
  if (isMeant(world, report)) world.strangerCancels.onListed(report.orderHash, world.listAskedAtMs);
}

/** One that ended shows more traded than is known: nobody says how much of it is counted. */
function doubtTraded(world: World, report: OrderReport): void {
  const { orderHash, executed, tokenId, side, price, ticksPerUnit } = report;
  const { ledger } = world;
  if (ledger.byHash(orderHash) !== undefined || !ledger.isKnownHash(orderHash)) return;
  const grid = world.marketOf(tokenId)?.grid;
  if (grid === undefined || !ledger.isTradedNews(orderHash, executed)) return;
  const order = { tokenId, intentId: intentId(`ended-${orderHash}`), side, price };
  const of = { ticksPerUnit: ticksPerUnit ?? grid.ticksPerUnit };
  doubtOrder(world, order, { cause: 'order_end', grid: of, quantity: executed });
}

function reportOrphan(world: World, { orderHash, tokenId }: OrderReport): void {
  world.outbox.report({ event: 'order.orphan', orderHash, tokenId });
}

/** Somebody else's order on a market that we do not quote: counted while it is listed, told of once. */
function noteStranger(world: World, report: OrderReport): void {
  const { now, before } = world.strangers;
  now.add(report.orderHash);
  if (!before.has(report.orderHash)) reportOrphan(world, report);
}

/**
 * Unless the settings let it stay where a wish wants it; it is asked again as long as it is seen. Where its
 * market has left nobody wishes anything, and an order that rests again there is in no plan; nor is one that
 * was meant to take, once the venue has had the time to match it.
 */
export function cancelIfUnwanted(world: World, order: OwnOrder): void {
  const { orphans, scope } = world.settings?.orders ?? {};
  const isStray = order.isOrphan && (orphans !== 'adopt' || scope === 'own');
  const hasLeft = order.isForeign !== true && !world.markets.has(order.marketId);
  const isUnplanned = isStray || hasLeft || hasStayed(world, order);
  if (isUnplanned && isCancellable(order)) sendCancels(world, [order]);
}

/** The venue's answer to a placement tells nothing of its matching: a list in between shows it open. */
function hasStayed({ listAskedAtMs }: World, order: OwnOrder): boolean {
  const { isTake, confirmedAtMs, sentAtMs } = order;
  return isTake === true && listAskedAtMs - (confirmedAtMs ?? sentAtMs) >= TAKE_MATCHED_BY_MS;
}

/** On a market that we do not quote there is no ledger to keep it in; told of once, and asked for again while it is listed. */
function noteUnquoted(world: World, report: OrderReport): void {
  const isNew = world.strangerCancels.onListed(report.orderHash, world.listAskedAtMs);
  if (isNew && !world.strangers.before.has(report.orderHash)) reportOrphan(world, report);
}

/** Sends what the newest list shows on markets that we do not quote. A barrier that is up cancels by itself. */
export function cancelUnquoted({ world, session }: OrphanParts): void {
  const { strangerCancels, nowMs, listAskedAtMs, outbox } = world;
  const mayCancel = (orderHash: OrderHash) =>
    !session.isMassCancelling || session.isRefused(orderHash);
  for (const orderHashes of strangerCancels.due({ nowMs, listAskedAtMs }, mayCancel)) {
    const requestId = outbox.nextRequestId();
    strangerCancels.onSent(requestId, orderHashes, nowMs);
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
  }
}

/** @returns Whether the answer is to a cancel of these. */
export function onUnquotedAnswer({ world, session }: OrphanParts, message: Cancelled): boolean {
  const { requestId, outcome } = message;
  if (!world.strangerCancels.onAnswer(requestId, outcome, world.nowMs)) return false;
  session.onCancelledByName(outcome);
  return true;
}

function orphanOf(world: World, market: MarketState, report: OrderReport): OwnOrder {
  const leg = market.legOf(report.tokenId);
  const { side, quantity, orderHash, tokenId } = report;
  const price = countedAt(market.grid, report);
  return orderOf(market.grid, {
    intentId: intentId(`orphan-${world.nextIntentId()}`),
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
    isOrphan: true,
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
