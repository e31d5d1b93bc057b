// Keeps the deadlines of own orders: what lasted too long is given up or asked about.

import { isTerminal, type OrderRemedy } from '../../domain/order.ts';
import { pastDeadline } from '../orders/deadlines.ts';
import { isCancellable, type OwnOrder } from '../orders/own-order.ts';
import { countCopy } from '../risk/copies.ts';
import { sendCancels } from '../sending/writer.ts';
import type { Parts } from './answers.ts';

/** Deadlines are seconds: a look at every live order this often is soon enough. */
const LOOK_MS = 250;
/** Where the settings do not say by when a request was answered. */
const ANSWER_MS = 25_000;

/** Looks at every order that has not ended, and does what the table says about those past the deadline. */
export function keepDeadlines(parts: Parts): void {
  const { world } = parts;
  const timing = world.settings?.timing;
  if (timing === undefined || world.nowMs - world.lookedAtMs < LOOK_MS) return;
  world.lookedAtMs = world.nowMs;
  const answerMs = timing.answerMs ?? ANSWER_MS;
  world.budget.giveUpBefore(world.nowMs - answerMs);
  const slotUntilMs = world.slotUntilMs.bind(world);
  const { jumpedAtMs } = world.inFlightTracker;
  const at = { answerMs, jumpedAtMs, reconcileMs: timing.reconcileMs, slotUntilMs };
  // What is done about one order may end it, so the list is taken first.
  const late: [OwnOrder, OrderRemedy][] = [];
  for (const order of world.ledger.notEnded()) {
    const remedy = pastDeadline(order, world.nowMs, at);
    if (remedy !== undefined) late.push([order, remedy]);
  }
  const again: OwnOrder[] = [];
  for (const [order, remedy] of late) {
    if (remedy === 'cancelAgain') again.push(order);
    remind(parts, order, remedy);
  }
  // A mass cancel that is up cancels all of them itself.
  if (!parts.session.isMassCancelling) sendCancels(world, again.filter(isCancellable));
}

function remind(parts: Parts, order: OwnOrder, remedy: OrderRemedy): void {
  const { world, reads } = parts;
  if (isTerminal(order.state)) return;
  order.remindedAtMs = world.nowMs;
  world.outbox.report({
    event: 'order.past_deadline',
    orderHash: order.orderHash,
    tokenId: order.tokenId,
    state: order.state,
    lastedMs: world.nowMs - order.stateSinceMs,
    remedy,
  });
  switch (remedy) {
    case 'noAnswer':
      giveUp(parts, order);
      return;
    case 'cancelAgain':
    case 'readOrders':
      reads.hasten('orders', world.nowMs);
      return;
    case 'readBalances':
      settle(parts, order);
      return;
  }
}

/** Its answer is long past the deadline: whatever it would have said, the list says it too. */
function giveUp({ world, reads }: Parts, order: OwnOrder): void {
  if (order.state === 'cancelling') order.cancelAnsweredAtMs = world.nowMs;
  const isPlacement = order.state !== 'cancelling';
  world.ledger.signal(order, 'noAnswer', world.nowMs);
  if (isPlacement) countCopy(world, order);
  const market = world.markets.get(order.marketId);
  if (market) market.isDirty = true;
  reads.hasten('orders', world.nowMs);
}

/**
 * Nothing of it waits for the chain, or balances have to say what the chain did not. While lists show that
 * it rests its settlement may have failed unreported, which they say in time.
 */
function settle({ world, reads }: Parts, order: OwnOrder): void {
  const pending = world.positions.pending(order.tokenId);
  const waits = pending.some((fill) => fill.intentId === order.intentId);
  if (waits) reads.hasten('balances', world.nowMs);
  else if (order.shownLessSinceMs !== undefined) reads.hasten('orders', world.nowMs);
  else world.ledger.signal(order, 'filled', world.nowMs);
}
