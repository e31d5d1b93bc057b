// Orders that the venue refuses to cancel, as it may where an order has traded in part: they rest until
// they trade whole or the venue ends them. They count everywhere, and quotes go on around them.
// @spec States and transitions › Order status values

import { isNotCancellable } from '../../domain/cancel-batches.ts';
import type { OrderHash } from '../../domain/ids.ts';
import type { CancelOutcome } from '../../domain/message.ts';
import { formatShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { isUncancellable, type OwnOrder, priceText, refusalsMin, remaining } from './own-order.ts';
import { LISTED_BY_MS } from './reconcile.ts';
import type { OrderStores } from './stores.ts';

/** From here on the pauses between two cancels of it are seconds. */
const ATTEMPTS_MIN = 5;

/** A cancel of it was answered with a refusal, and a later list shows it. */
export function onCancelRefused(stores: OrderStores, order: OwnOrder): void {
  order.wasCancelRefused = false;
  if (isYoung(order, stores.nowMs)) return;
  const wasKnown = isUncancellable(order);
  order.cancelRefusals += 1;
  if (!wasKnown && isUncancellable(order)) report(stores, order);
}

/** A start or a stop has had it refused time and again. */
export function noteUncancellable(stores: OrderStores, order: OwnOrder): void {
  const leastCount = refusalsMin(order);
  if (order.cancelRefusals >= leastCount || isYoung(order, stores.nowMs)) return;
  order.cancelRefusals = leastCount;
  order.cancelAttempts = Math.max(order.cancelAttempts, ATTEMPTS_MIN);
  order.cancelAnsweredAtMs = stores.nowMs;
  if (order.state === 'cancelUnresolved') stores.ledger.signal(order, 'open', stores.nowMs);
  report(stores, order);
}

/** Acknowledged a moment ago, and nothing of it traded: it may not be open yet, and is cancelled when it is. */
function isYoung({ confirmedAtMs, executed, isExternal }: OwnOrder, nowMs: UnixMs): boolean {
  if (isExternal || executed > 0) return false;
  return confirmedAtMs !== undefined && nowMs - confirmedAtMs < LISTED_BY_MS;
}

/** @param refused - What a stop or start under way has learnt. */
export function uncancellable(
  stores: OrderStores,
  refused: readonly OrderHash[],
): readonly OrderHash[] {
  const hashes = new Set<OrderHash>(refused);
  for (const order of stores.ledger.exposed()) {
    if (order.orderHash !== undefined && isUncancellable(order)) hashes.add(order.orderHash);
  }
  for (const orderHash of stores.restored.staying.keys()) hashes.add(orderHash);
  return [...hashes];
}

/** Open orders that rest on markets which are not quoted here. */
export function elsewhere({ externals, restored }: OrderStores): number {
  return externals.now.size + restored.staying.size;
}

function report(stores: OrderStores, order: OwnOrder): void {
  stores.outbox.report({
    event: 'order.uncancellable',
    orderHash: order.orderHash,
    tokenId: order.tokenId,
    side: order.side,
    price: priceText(stores, order),
    left: formatShares(remaining(order)),
    attempts: order.cancelAttempts,
  });
}

// What the answer to a cancel says of the orders that it was about.

/** The venue's word about the orders of a request: what is not cancelled is refused. */
export function isAnswered(outcome: CancelOutcome): boolean {
  return outcome.kind === 'accepted' || isNotCancellable(outcome);
}

/**
 * Whether an answer refuses every order of a request; neither counts nor the refusal of a whole batch
 * say which of several it was.
 * @spec Endpoints › Cancelling
 */
export function isRefusal(outcome: CancelOutcome, named: number): boolean {
  if (outcome.kind !== 'accepted') return named === 1 && isNotCancellable(outcome);
  return named > 0 && outcome.cancelled === 0;
}

/**
 * From here on a list that lacks an order says that it has ended. Where no end was reported it may not be open yet, or be
 * on a list that is late: as long as it is new, or its cancel never left, only the answer to a later one counts.
 */
export function noteCancelAnswer(order: OwnOrder, outcome: CancelOutcome, nowMs: UnixMs): void {
  const saysNothing = outcome.kind === 'notSent' || isNew(order, outcome, nowMs);
  order.cancelAnsweredAtMs = saysNothing ? undefined : nowMs;
}

/** Nobody has shown it since it was acknowledged; a cancel without an answer is no word of one that was shown, either. */
function isNew(order: OwnOrder, outcome: CancelOutcome, nowMs: UnixMs): boolean {
  const { confirmedAtMs, seenAtMs, executedAtMs } = order;
  // One that found any may have found this one.
  if (outcome.kind === 'accepted' && outcome.cancelled > 0) return false;
  if (confirmedAtMs === undefined || nowMs - confirmedAtMs >= LISTED_BY_MS) return false;
  return outcome.kind === 'unknown' || (seenAtMs === confirmedAtMs && executedAtMs === undefined);
}
