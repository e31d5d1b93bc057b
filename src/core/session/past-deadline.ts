// Keeps the deadlines of own orders: what lasted too long is given up or asked about.

import { isTerminal, type OrderRemedy } from '../../domain/order.ts';
import { touchMarket } from '../kernel/market.ts';
import { pastDeadline, slotUntilMs } from '../orders/deadlines.ts';
import type { Sent } from '../orders/in-flight-tracker.ts';
import { isCancellable, type OwnOrder } from '../orders/own-order.ts';
import { countCopy } from '../risk/uncertain.ts';
import { sendCancels } from '../sending/writer.ts';
import type { EngineStores } from './engine-stores.ts';

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
