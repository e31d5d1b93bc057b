// Orders that are matched in full are off the book, and not over: where a settlement fails their shares
// may rest again. A daemon that runs on cancels them then, and one that has ended cannot.

import { isCommitted } from '../../domain/order.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { SETTLEMENT_MS } from '../orders/deadlines.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';

/** How many matched lately, and have neither settled nor failed as far as anybody has said. */
export function settlingOrders(stores: OrderStores): number {
  return settlesUntil(stores).filter((atMs) => atMs > stores.nowMs).length;
}

/**
 * Until when an order may come back to the book: while one settles, and when its settlement has just
 * failed, which the list has to have the time to show.
 */
export function mayRestAgainUntilMs(stores: OrderStores, quietMs: number): UnixMs | undefined {
  const failed = stores.ledger
    .notEnded()
    .flatMap(({ isOfOthers, state, failedAtMs }) =>
      isOfOthers || isCommitted(state) || failedAtMs === undefined
        ? []
        : addMs(failedAtMs, quietMs),
    );
  const times = [...settlesUntil(stores), ...failed];
  return times.length === 0 ? undefined : times.reduce((one, other) => (one > other ? one : other));
}

/** Orders that are named; more than a few have never been seen. */
const NAMED_MAX = 50;

/**
 * Which matched longer ago than that, and still nobody has said whether they settled. A market that left
 * with a previous run has nobody who would be told: what matched there is not among them.
 */
export function unsettledOrders(stores: OrderStores): readonly string[] {
  return matchedOrders(stores)
    .filter((order) => untilMs(order) <= stores.nowMs)
    .map(({ orderHash, intentId }) => orderHash ?? intentId)
    .slice(0, NAMED_MAX);
}

/** Of each order that is matched and has not settled by what is known, those of previous runs among them. */
function settlesUntil(stores: OrderStores): readonly UnixMs[] {
  // What a previous run left has no market here yet, or has none any more.
  const left = [...stores.restored.settling()].map(({ stateSinceMs }) =>
    addMs(stateSinceMs, SETTLEMENT_MS),
  );
  return [...matchedOrders(stores).map(untilMs), ...left];
}

function matchedOrders({ ledger, nowMs }: OrderStores): readonly OwnOrder[] {
  const matched = ledger.notEnded().filter(({ state }) => isCommitted(state));
  // Some venues tell of the end before the chain has had its say.
  const filled = ledger.endedSince(addMs(nowMs, -SETTLEMENT_MS)).filter(isFilledUnsettled);
  return [...matched, ...filled].filter(({ isOfOthers }) => !isOfOthers);
}

export function settlingText(orders: number): string {
  return `${orders} matched orders settle, and one that fails may rest again`;
}

function isFilledUnsettled({ state, settled, executed }: OwnOrder): boolean {
  return state === 'filled' && settled < executed;
}

function untilMs({ executedAtMs, stateSinceMs }: OwnOrder): UnixMs {
  return addMs(executedAtMs ?? stateSinceMs, SETTLEMENT_MS);
}
