// What a list of open orders says of shares that had matched: an order that it shows with less traded
// than we know of rests again, since a settlement failed.

import { isCommitted, isOnBook, type OrderReport } from '../../domain/order.ts';
import { microShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { isLeaving, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { onRestored, reverseUnreported } from './busts.ts';
import type { AccountStores } from './stores.ts';

/** Matches settle in 15 to 20 s, and some lists may count only what settled. @spec States and transitions */
const UNTOLD_MS = 30_000;

/** Takes in what a list shows to have traded; one asked for before a failure still counts that in. */
export function onShownTraded(
  stores: AccountStores,
  order: OwnOrder,
  seen: { readonly report: OrderReport; readonly askedAtMs: UnixMs },
): void {
  const { report, askedAtMs } = seen;
  const isOfBefore = order.failedAtMs !== undefined && askedAtMs <= order.failedAtMs;
  if (isOfBefore) return;
  if (report.executed < order.executed) onShownLess(stores, order, seen);
  else if (isFilledInPart(order, report) && order.stateSinceMs < askedAtMs) {
    stores.ledger.onOrderRestored(order, order.executed, stores.nowMs);
  } else {
    order.shownLessSinceMs = undefined;
    stores.ledger.onListed(order, report.executed, stores.nowMs);
  }
}

/**
 * Less than we know of is old news, unless a trade of its token and side failed. Where no bust was reported,
 * lists have to say the same for longer than a settlement takes: then what matched is taken back.
 */
function onShownLess(
  stores: AccountStores,
  order: OwnOrder,
  { report, askedAtMs }: { readonly report: OrderReport; readonly askedAtMs: UnixMs },
): void {
  const isOlder = order.executedAtMs !== undefined && askedAtMs <= order.executedAtMs;
  if (isOlder || !mayRestAgain(order)) return;
  const given = order.executed - report.executed;
  const isTold = onRestored(stores, order, given);
  if (!isTold) {
    order.shownLessSinceMs ??= askedAtMs;
    if (askedAtMs - order.shownLessSinceMs < UNTOLD_MS) return;
    reverseUnreported(stores, order, microShares(given));
  }
  stores.outbox.report({
    event: 'order.restored',
    orderHash: report.orderHash,
    tokenId: order.tokenId,
    isTold,
  });
  stores.ledger.onOrderRestored(order, report.executed, stores.nowMs);
}

/** What a list does not show it does not show with less than we know of. */
export function forgetShownLess(stores: OrderStores, reports: readonly OrderReport[]): void {
  const listed = new Set(reports.map(({ orderHash }) => orderHash));
  for (const order of stores.ledger.notEnded()) {
    const isListed = order.orderHash !== undefined && listed.has(order.orderHash);
    if (!isListed) order.shownLessSinceMs = undefined;
  }
}

function mayRestAgain(order: OwnOrder): boolean {
  const { state } = order;
  return isOnBook(state) || isLeaving(order) || isCommitted(state) || state === 'filled';
}

/** Reported as filled while a part of it failed, and the list shows that it rests. */
function isFilledInPart({ state, executed, quantity }: OwnOrder, report: OrderReport): boolean {
  return state === 'filled' && executed < quantity && report.executed < quantity;
}
