// Which orders a stop or a start is about: what it cancels, by its scope; what may still arrive or rest again, which its
// proof waits for; and how people who wait for it are told, since a placement without an answer has no hash.

import type { OrderHash } from '../../domain/ids.ts';
import { isCommitted, isInFlight } from '../../domain/order.ts';
import { formatShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { ownHashes } from '../account/own-scope.ts';
import type { AccountStores } from '../account/stores.ts';
import { mayArriveUntilMs, SETTLEMENT_MS } from '../orders/deadlines.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import type { MassCancel, MassCancelRequest } from './mass-cancel.ts';
import type { SessionStores } from './stores.ts';

/** Placements named; a batch or two is what mostly is under way. */
const NAMED_MAX = 50;

/**
 * Asks for the cancel of what a stop or a start means: `DELETE /orders` for the account, hash by hash for what is ours. What is left
 * after a cancel of everything is named too, since only then does a refusal say whom it is about.
 * @returns The requests, none when there is nothing to name.
 */
export function cancelMeant(
  stores: AccountStores,
  massCancel: Pick<MassCancel, 'listed' | 'undecided' | 'halved'>,
): readonly MassCancelRequest[] {
  const { halved, listed, undecided } = massCancel;
  if (halved.length > 0) return cancelNamed(stores, halved);
  if (cancelScopeOf(stores) === 'own') {
    // What we only trust to rest may have ended, which on some venues would have its whole batch refused.
    const shown = new Set(listed);
    const counted = [...ownHashes(stores)].filter((orderHash) => !shown.has(orderHash));
    return [...cancelNamed(stores, listed), ...cancelNamed(stores, counted)];
  }
  const requestId = stores.outbox.nextRequestId();
  stores.outbox.send({ kind: 'cancelAll', requestId, scope: { kind: 'account' } });
  return [{ requestId }, ...cancelNamed(stores, undecided)];
}

function cancelNamed(
  stores: OrderStores,
  hashes: readonly OrderHash[],
): readonly MassCancelRequest[] {
  const { outbox, cancelBatches, nowMs } = stores;
  return cancelBatches.group(hashes, nowMs).map((orderHashes) => {
    const requestId = outbox.nextRequestId();
    outbox.send({ kind: 'cancelOrders', requestId, orderHashes });
    return { requestId, orderHashes };
  });
}

// Placements that nobody answered.

/** What each asked for, and for how much longer it may arrive; those that come last are named first. */
export function inFlightTexts(stores: SessionStores): readonly string[] {
  return [...stores.ledger.exposed()]
    .filter(isUnanswered)
    .toSorted((a, b) => b.sentAtMs - a.sentAtMs)
    .slice(0, NAMED_MAX)
    .map((order) => text(stores, order));
}

/**
 * End of the time in which a placement without a known answer may still be accepted. What was accepted, or
 * did not settle, while the list was in flight is on the next list, or on none.
 */
export function latestArrivalMs(
  stores: OrderStores,
  { askedAtMs, isStop }: { readonly askedAtMs: UnixMs; readonly isStop: boolean },
): number | undefined {
  let latest: number | undefined;
  for (const order of stores.ledger.exposed()) {
    const updateMs = isNewSince(order, askedAtMs) ? askedAtMs : undefined;
    // Nor does a sweep wait for what is in flight.
    const untilMs = isStop && isUnanswered(order) ? mayArriveUntilMs(stores, order) : updateMs;
    if (untilMs !== undefined) latest = Math.max(latest ?? 0, untilMs);
  }
  // A start does not wait for what a previous run may have sent: it stays reserved and looked for.
  if (!isStop) return latest;
  for (const order of stores.restored.unanswered()) {
    latest = Math.max(latest ?? 0, mayArriveUntilMs(stores, order));
  }
  return latest;
}

function isUnanswered({ state }: OwnOrder): boolean {
  return isInFlight(state) || state === 'unknown';
}

/** A list that was asked for before it was known, or known to have failed, cannot speak of it. */
function isNewSince(
  { isOfOthers, confirmedAtMs, failedAtMs }: OwnOrder,
  askedAtMs: UnixMs,
): boolean {
  return !isOfOthers && Math.max(confirmedAtMs ?? 0, failedAtMs ?? 0) >= askedAtMs;
}

function text(stores: SessionStores, order: OwnOrder): string {
  const { side, quantity, tokenId, price } = order;
  const grid = stores.markets.get(order.marketId)?.grid;
  const at = grid === undefined ? '' : ` at ${formatPrice(grid, price)}`;
  const leftMs = Math.max(0, mayArriveUntilMs(stores, order) - stores.nowMs);
  const what = `${side} ${formatShares(quantity)} of ${tokenId}${at}`;
  return `${what}, for ${Math.ceil(leftMs / 1_000)} s more`;
}

// Orders that are matched in full are off the book, and not over: where a settlement fails their shares
// may rest again. A daemon that runs on cancels them then, and one that has ended cannot.

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

function isFilledUnsettled({ state, settled, executed }: OwnOrder): boolean {
  return state === 'filled' && settled < executed;
}

function untilMs({ executedAtMs, stateSinceMs }: OwnOrder): UnixMs {
  return addMs(executedAtMs ?? stateSinceMs, SETTLEMENT_MS);
}
