// Cancels by name fail again and again: the same is asked for in broader words, of the market and then of the
// account, and where that fails too nothing is placed until a mass cancel is confirmed.
// @spec Endpoints › Cancelling

import { isAboutOrders } from '../../domain/cancel-batches.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { CancelOutcome } from '../../domain/message.ts';
import { isCancellable, type OwnOrder } from '../orders/own-order.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import type { SendingStores } from '../sending/stores.ts';
import { sendCancelAll } from '../sending/writer.ts';
import type { EngineStores } from './engine-stores.ts';
import type { Session } from './session.ts';
import type { CancelFailures, SessionStores } from './stores.ts';

/** So many in a row, or for so long, is no accident of one request. */
const FAILURES_MAX = 3;
const FAILING_MS = 2_000;
/** A failure this long ago says nothing of the next one: its order may have ended without a further cancel. */
const FORGOTTEN_MS = 60_000;
/** More requests at once would be no broader than one for the account. */
const MARKETS_MAX = 20;

const STEPS = ['market', 'account', 'halted'] as const;

type Answer = {
  readonly outcome: CancelOutcome;
  /** Of a market or the account; it may mean nothing that rests. */
  readonly isBulk: boolean;
};

/** An answer to a cancel that was no part of a mass cancel. */
export function onCancelAnswered(stores: EngineStores, answer: Answer): void {
  const { outcome, isBulk } = answer;
  const { cancelFailures: failing, nowMs } = stores;
  // A venue that answers about the orders serves cancels.
  if (outcome.kind === 'accepted' || isAboutOrders(outcome)) {
    onServed(failing, answer);
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
  if (!(wasSent && failing.count >= FAILURES_MAX) && !isLasting) return;
  // A venue that answers no reads either is down: broader words would reach it no sooner.
  if (stores.connection.isAnswering && !stores.session.isMassCancelling)
    escalate(stores, stores.session);
}

/** Words that cancelled something work: the next failure of a name asks in them at once, and in no broader ones. */
function onServed(failing: CancelFailures, { outcome, isBulk }: Answer): void {
  const works = isBulk && outcome.kind === 'accepted' && outcome.cancelled > 0;
  failing.count = works ? FAILURES_MAX - 1 : 0;
  failing.sinceMs = undefined;
  if (!isBulk) failing.step = 0;
  else if (works) failing.step = Math.max(0, failing.step - 1);
}

function escalate(stores: SessionStores, session: Session): void {
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
  if (to === 'halted') session.sweep();
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
