// What the venue's answers to placements and cancels do to the own orders, and what is done where none comes in time.

import { isAboutOrders, isNotCancellable } from '../../domain/cancel-batches.ts';
import type { MarketId, TokenId } from '../../domain/ids.ts';
import type {
  CancelOutcome,
  MessageOf,
  PlaceOutcome,
  ReadOutcome,
  Refusal,
} from '../../domain/message.ts';
import { isTerminal, type OrderRemedy } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { noteUnclaimed, onBatchOrderIds } from '../account/early-updates.ts';
import { onOtherHash, onRestatedAnswer } from '../account/named-order.ts';
import { keepDuplicateOf } from '../account/own-scope.ts';
import { noteAnswer } from '../account/reads.ts';
import { onAcceptedStatus } from '../book/market.ts';
import { touchMarket } from '../kernel/market.ts';
import { pastDeadline, type Sent, slotUntilMs } from '../orders/deadlines.ts';
import { isCancellable, isUncancellable, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { noteCancelAnswer } from '../orders/uncancellable.ts';
import { doubtEnd } from '../positions/doubt.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { onAccepted } from '../risk/breakers.ts';
import { countCopy } from '../risk/divergence.ts';
import type { RiskStores } from '../risk/stores.ts';
import { onAskedAnswered, onBuyAccepted } from '../sending/budget.ts';
import type { MarketState } from '../sending/market.ts';
import { isProse, onRefusal } from '../sending/refusals.ts';
import type { SendingStores } from '../sending/stores.ts';
import { halveCancel, sendCancelAll, sendCancels } from '../sending/writer.ts';
import type { EngineStores } from './session.ts';
import type { CancelFailures } from './stores.ts';

export function onPlaced(stores: EngineStores, message: MessageOf<'placed'>): void {
  stores.budget.onAnswered(message.requestId);
  onAskedAnswered(stores, message.requestId);
  const tokens = new Set<TokenId>();
  for (const { intentId, outcome } of message.outcomes) {
    const order = stores.ledger.byIntent(intentId);
    if (order === undefined) continue;
    tokens.add(order.tokenId);
    applyPlacement(stores, order, { outcome, isOfBatch: message.outcomes.length > 1 });
    touchMarket(stores, order.marketId);
  }
  // What was reported of other hashes of their tokens meanwhile is of none of these.
  for (const { orderHash, updates } of stores.ledger.early.all()) {
    const [first] = updates;
    const isOfThem = first !== undefined && tokens.has(first.tokenId);
    if (isOfThem && noteUnclaimed(stores, orderHash)) stores.reads.hasten('orders', stores.nowMs);
  }
}

type Answer = { readonly outcome: PlaceOutcome; readonly isOfBatch: boolean };

function applyPlacement(
  stores: EngineStores,
  order: OwnOrder,
  { outcome, isOfBatch }: Answer,
): void {
  const market = stores.markets.get(order.marketId);
  switch (outcome.kind) {
    case 'accepted':
      learnTook(stores, order, stores.nowMs - order.sentAtMs);
      if (onOtherHash(stores, order, outcome.orderHash))
        stores.reads.hasten('orders', stores.nowMs);
      else stores.ledger.onAccepted(order, outcome.orderHash, stores.nowMs);
      if (market) onTaken(stores, market, order);
      return;
    case 'refused': {
      stores.ledger.signal(order, 'refusal', stores.nowMs);
      if (isProse(outcome.refusal)) onProse(stores, order);
      const asked = onRefusal(stores, market, order, { ...outcome, isOfBatch });
      if (asked !== 'nothing') stores.reads.hasten(asked, stores.nowMs);
      return;
    }
    case 'notSent':
      // It never left this process: as certain as a refusal.
      stores.ledger.signal(order, 'refusal', stores.nowMs);
      onRefusal(stores, market, order, { refusal: notSent(outcome.detail), isOfBatch: false });
      return;
    case 'unknown':
      stores.ledger.signal(order, 'noAnswer', stores.nowMs);
      countCopy(stores, order);
      stores.outbox.report({
        event: 'order.unknown',
        tokenId: order.tokenId,
        cause: `${outcome.cause}: ${outcome.detail}`,
      });
      if (outcome.namedHash !== undefined) onRestatedAnswer(stores, order, outcome.namedHash);
      if (outcome.batchOrderIds !== undefined)
        onBatchOrderIds(stores, order, outcome.batchOrderIds);
      stores.reads.hasten('orders', stores.nowMs);
      return;
  }
}

/** So late that what a previous run sent may come as late: kept, so that no restart forgets it. */
export function learnTook(stores: OrderStores, { sentAtMs }: OwnOrder, tookMs: number): void {
  const { jumpedAtMs } = stores.inFlightTracker;
  // By a clock that was set meanwhile it may seem to have taken minutes.
  if (jumpedAtMs !== undefined && jumpedAtMs >= sentAtMs) return;
  if (!stores.inFlightTracker.onAccepted(tookMs)) return;
  stores.outbox.record({ kind: 'slowest', slowest: { tookMs, atMs: stores.nowMs } });
}

function onTaken(stores: RiskStores, market: MarketState, order: OwnOrder): void {
  onAccepted(market, order.axisSide);
  onAcceptedStatus(stores, market, order);
  onBuyAccepted(stores, order);
}

function notSent(message: string): Refusal {
  return { code: 'not_sent', message, httpStatus: undefined, retryAfterMs: undefined };
}

/**
 * An item of a batch was refused, and nobody reported by which code: prose is no proof, in whatever scope. Until a
 * list that was asked for after it lacks one like it, that counts, and would be ours.
 */
function onProse(stores: EngineStores, order: OwnOrder): void {
  // News of it may have come first, and then it counts by itself.
  if (order.state === 'refused') stores.refusals.add(order);
  keepDuplicateOf(stores, order, stores.nowMs);
  stores.reads.hasten('orders', stores.nowMs);
}

export function onCancelled(stores: EngineStores, message: MessageOf<'cancelled'>): void {
  const { session, reads } = stores;
  if (session.onCancelled(message.requestId, message.outcome)) return;
  const orders = stores.pendingCancels.get(message.requestId);
  if (orders === undefined) return;
  stores.pendingCancels.delete(message.requestId);
  const isBulk = stores.bulkCancels.delete(message.requestId);
  session.onCancelledByName(message.outcome);
  const isConfirmed = isWholeChunk(message.outcome, orders.length);
  const isRefused = !isConfirmed && mayRefuse(message.outcome, orders.length);
  for (const order of orders) {
    noteCancelAnswer(order, message.outcome, stores.nowMs);
    order.wasCancelRefused = isRefused;
    touchMarket(stores, order.marketId);
    // News of its end may have come over the socket before this answer.
    if (order.state !== 'cancelling') continue;
    const signal = isConfirmed ? 'cancelled' : failedSignal(message.outcome);
    stores.ledger.signal(order, signal, stores.nowMs);
    // How much of it had traded an order report says, moments from now or before.
    if (isConfirmed) doubtEnd(stores, order);
  }
  // The counts do not say which ones failed: the list of open orders does.
  if (!isConfirmed) reads.hasten('orders', stores.nowMs);
  if (isAboutOrders(message.outcome)) onRefusedTogether(stores, orders);
  noteFailing(stores, message.outcome, isBulk);
}

/** Of a batch that is refused as a whole nobody knows whose refusal it is; one alone is asked for later. */
function onRefusedTogether(stores: EngineStores, orders: readonly OwnOrder[]): void {
  const hashes = orders.flatMap(({ orderHash }) => orderHash ?? []);
  stores.cancelBatches.onRefused(hashes, stores.nowMs);
  // A mass cancel that is up cancels all of them itself.
  if (orders.length > 1 && !stores.session.isMassCancelling) halveCancel(stores, orders);
}

/** Whether an answer may be the refusal of each of so many orders; the next list says of which. */
function mayRefuse(outcome: CancelOutcome, count: number): boolean {
  return outcome.kind === 'accepted' || (count === 1 && isNotCancellable(outcome));
}

function isWholeChunk(outcome: CancelOutcome, count: number): boolean {
  return outcome.kind === 'accepted' && outcome.failed === 0 && outcome.cancelled >= count;
}

function failedSignal(outcome: CancelOutcome): 'cancelFailed' | 'noAnswer' {
  return outcome.kind === 'unknown' ? 'noAnswer' : 'cancelFailed';
}

// Cancels by name fail again and again: the same is asked for in broader words, of the market and then of the
// account, and where that fails too nothing is placed until a mass cancel is confirmed.
// @spec Endpoints › Cancelling

/** So many in a row, or for so long, is no accident of one request. */
const FAILURES_MAX = 3;
const FAILING_MS = 2_000;
/** A failure this long ago says nothing of the next one: its order may have ended without a further cancel. */
const FORGOTTEN_MS = 60_000;
/** More requests at once would be no broader than one for the account. */
const MARKETS_MAX = 20;

const STEPS = ['market', 'account', 'halted'] as const;

/** @param isBulk - It was of a market or the account, and may have meant nothing that rests. */
function noteFailing(stores: EngineStores, outcome: CancelOutcome, isBulk: boolean): void {
  const { cancelFailures: failing, nowMs } = stores;
  // A venue that answers about the orders serves cancels.
  if (outcome.kind === 'accepted' || isAboutOrders(outcome)) {
    onServed(failing, outcome, isBulk);
    return;
  }
  // A name that was asked for before the broader words says nothing of those: their answer is in flight.
  if (!isBulk && stores.bulkCancels.size > 0) return;
  failing.sinceMs ??= nowMs;
  if (nowMs - failing.sinceMs >= FORGOTTEN_MS) Object.assign(failing, { count: 0, sinceMs: nowMs });
  // What never left, as of very many at once, is no word of the venue; nothing that leaves for so long is one.
  const wasSent = outcome.kind !== 'notSent';
  if (wasSent) failing.count += 1;
  const isLasting = nowMs - failing.sinceMs >= FAILING_MS;
  failing.isDue ||= (wasSent && failing.count >= FAILURES_MAX) || isLasting;
  escalateIfServed(stores);
}

export function onReadAnswered(
  stores: EngineStores,
  outcome: ReadOutcome<unknown>,
  askedAtMs: UnixMs,
): void {
  const { connection } = stores;
  const wasAnswering = connection.isAnswering;
  noteAnswer(stores, outcome, askedAtMs);
  if (!wasAnswering && connection.isAnswering) cancelSoon(stores);
  escalateIfServed(stores);
}

/** The venue is back: that cancels failed while it was down says nothing of the next ones, and no pause is due. */
function cancelSoon(stores: OrderStores): void {
  for (const order of stores.ledger.notEnded()) {
    if (order.cancelAttempts <= 1 || isUncancellable(order)) continue;
    order.cancelAttempts = 1;
    touchMarket(stores, order.marketId);
  }
}

/**
 * A venue that answers no reads either is down: broader words would reach it no sooner, and names work again as soon
 * as it is back. Only a read that left behind the first failure says which it is: many cancels fail at once, before
 * any read has.
 */
function escalateIfServed(stores: EngineStores): void {
  const { cancelFailures: failing, connection, session } = stores;
  const isDue = failing.isDue && connection.isAnswering && !session.isMassCancelling;
  if (isDue && connection.answeredReadAtMs < (failing.sinceMs ?? 0)) return;
  failing.isDue = false;
  if (isDue) escalate(stores);
}

/** Words that cancelled something work: the next failure of a name asks in them at once, and in no broader ones. */
function onServed(failing: CancelFailures, outcome: CancelOutcome, isBulk: boolean): void {
  const works = isBulk && outcome.kind === 'accepted' && outcome.cancelled > 0;
  failing.count = works ? FAILURES_MAX - 1 : 0;
  failing.sinceMs = undefined;
  failing.isDue = false;
  if (!isBulk) failing.step = 0;
  else if (works) failing.step = Math.max(0, failing.step - 1);
}

function escalate(stores: EngineStores): void {
  const { cancelFailures: failing, outbox } = stores;
  const orders = stores.ledger.notEnded().filter(isCancellable);
  const marketIds = new Set(orders.filter(isFailing).map(({ marketId }) => marketId));
  if (marketIds.size === 0) return;
  // What is broader than a name would also mean orders of others.
  const least = cancelScopeOf(stores) === 'own' ? 2 : marketIds.size > MARKETS_MAX ? 1 : 0;
  const step = Math.max(least, failing.step);
  const to = STEPS[step] ?? 'halted';
  // Each answer that fails is one step further; behind the last one it begins anew.
  failing.step = to === 'halted' ? 0 : step + 1;
  if (to === 'halted') Object.assign(failing, { count: 0, sinceMs: undefined });
  outbox.report({ event: 'cancels.escalated', to, failures: failing.count });
  if (to === 'market') for (const id of marketIds) cancelMarket(stores, id, orders);
  if (to === 'account') sendCancelAll(stores, { kind: 'account' }, orders);
  if (to === 'halted') stores.session.sweep();
}

function cancelMarket(
  stores: SendingStores,
  marketId: MarketId,
  orders: readonly OwnOrder[],
): void {
  const ofMarket = orders.filter((order) => order.marketId === marketId);
  sendCancelAll(stores, { kind: 'market', marketId }, ofMarket);
}

/** Its cancel was sent, and nobody says that it is gone. */
function isFailing({ cancelAttempts }: OwnOrder): boolean {
  return cancelAttempts > 0;
}

// What lasted too long is given up or asked about.

/** Deadlines are seconds: a look at every live order this often is soon enough. */
const LOOK_MS = 250;
/** Where the settings do not say by when a request was answered. */
const ANSWER_MS = 25_000;

/** Looks at every order that has not ended, and does what the table says about those past the deadline. */
export function keepDeadlines(stores: EngineStores): void {
  const timing = stores.settings?.timing;
  if (timing === undefined || stores.nowMs - stores.lookedAtMs < LOOK_MS) return;
  stores.lookedAtMs = stores.nowMs;
  const answerMs = timing.answerMs ?? ANSWER_MS;
  stores.budget.giveUpBefore(stores.nowMs - answerMs);
  const { jumpedAtMs } = stores.inFlightTracker;
  const at = {
    answerMs,
    jumpedAtMs,
    reconcileMs: timing.reconcileMs,
    slotUntilMs: (sent: Sent) => slotUntilMs(stores, sent),
  };
  // What is done about one order may end it, so the list is taken first.
  const late: [OwnOrder, OrderRemedy][] = [];
  for (const order of stores.ledger.notEnded()) {
    const remedy = pastDeadline(order, stores.nowMs, at);
    if (remedy !== undefined) late.push([order, remedy]);
  }
  const again: OwnOrder[] = [];
  for (const [order, remedy] of late) {
    if (remedy === 'cancelAgain') again.push(order);
    remind(stores, order, remedy);
  }
  // A mass cancel that is up cancels all of them itself.
  if (!stores.session.isMassCancelling) sendCancels(stores, again.filter(isCancellable));
}

function remind(stores: EngineStores, order: OwnOrder, remedy: OrderRemedy): void {
  const { reads } = stores;
  if (isTerminal(order.state)) return;
  order.remindedAtMs = stores.nowMs;
  stores.outbox.report({
    event: 'order.past_deadline',
    orderHash: order.orderHash,
    tokenId: order.tokenId,
    state: order.state,
    lastedMs: stores.nowMs - order.stateSinceMs,
    remedy,
  });
  switch (remedy) {
    case 'noAnswer':
      giveUp(stores, order);
      return;
    case 'cancelAgain':
    case 'readOrders':
      reads.hasten('orders', stores.nowMs);
      return;
    case 'readBalances':
      settle(stores, order);
      return;
  }
}

/** Its answer is long past the deadline: whatever it would have said, the list says it too. */
function giveUp(stores: EngineStores, order: OwnOrder): void {
  if (order.state === 'cancelling') order.cancelAnsweredAtMs = stores.nowMs;
  const isPlacement = order.state !== 'cancelling';
  stores.ledger.signal(order, 'noAnswer', stores.nowMs);
  if (isPlacement) countCopy(stores, order);
  touchMarket(stores, order.marketId);
  stores.reads.hasten('orders', stores.nowMs);
}

/**
 * Nothing of it waits for the chain, or balances have to say what the chain did not. While lists show that
 * it rests its settlement may have failed unreported, which they say in time.
 */
function settle(stores: EngineStores, order: OwnOrder): void {
  const pending = stores.positions.pending(order.tokenId);
  const waits = pending.some((fill) => fill.intentId === order.intentId);
  if (waits) stores.reads.hasten('balances', stores.nowMs);
  else if (order.shownLessSinceMs !== undefined) stores.reads.hasten('orders', stores.nowMs);
  else stores.ledger.signal(order, 'filled', stores.nowMs);
}
