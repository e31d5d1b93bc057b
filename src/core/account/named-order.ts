// An order of ours that an answer names by its hash, beside the placement that it came from.

import { type IntentId, intentId, type OrderHash } from '../../domain/ids.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isExposed, type OwnOrder, orderOf } from '../orders/own-order.ts';
import { reportAnomaly } from '../orders/told.ts';
import { countCopy } from '../risk/uncertain.ts';
import type { AccountStores } from './stores.ts';

type Named = {
  readonly intentId: IntentId;
  readonly orderHash: OrderHash;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  /** `unknown` until it is said that it rests. */
  readonly state: 'resting' | 'unknown';
};

/** The intent of one that is there beside the order that its placement is known by. */
export function intentBeside({ intentId: sent }: OwnOrder, orderHash: OrderHash): IntentId {
  return intentId(`${sent}-${orderHash}`);
}

/** Nothing of what was reported for its placement under another hash is of it. */
export function namedOrder(
  { nowMs }: KernelStores,
  grid: TickGrid,
  sent: OwnOrder,
  named: Named,
): OwnOrder {
  const { marketId, tokenId, leg, side, sentAtMs, datedByMs } = sent;
  const { expiresAtMs, settingsVersion, isTake = false } = sent;
  return orderOf(grid, {
    ...{ marketId, tokenId, leg, side, sentAtMs, datedByMs, expiresAtMs, settingsVersion, isTake },
    ...named,
    isExternal: false,
    stateSinceMs: nowMs,
    confirmedAtMs: nowMs,
    seenAtMs: nowMs,
  });
}

// A late answer names another hash than the one by which its order is known, since a list or news showed
// one just like it. The answer says what became of the request, so its hash is ours for certain; the other
// one may be somebody else's, or of the same request delivered twice. Neither is let out of sight: both
// count, both can be cancelled, and what is one too many the plan takes from the book.

/**
 * @returns Whether the answer is about another order than its intent is known by, so that a list has to
 * show what rests.
 */
export function onOtherHash(stores: AccountStores, order: OwnOrder, named: OrderHash): boolean {
  if (order.orderHash === named) return false;
  const known = stores.ledger.byHash(named);
  if (order.orderHash === undefined) return onMixedUp(stores, order, known);
  // Two alike may each be known by the hash of the other, and that comes to the same.
  if (known?.isExternal === false) return true;
  if (known === undefined) addAnswered(stores, order, named);
  else stores.ledger.onOurs(known);
  reportAnomaly(stores, order, 'ack', `the answer to its placement names ${named}: there are two`);
  return true;
}

/**
 * Another one of ours rests under that hash: it is no word on this one, whose outcome is as unknown as without an
 * answer. Taken for both, it would be filled as the wrong one, and this one would never be missed.
 */
function onMixedUp(stores: AccountStores, order: OwnOrder, known: OwnOrder | undefined): boolean {
  if (known === undefined || known.isExternal || !isExposed(known)) return false;
  const detail = `the answer to its placement names ${known.orderHash}, which another one has`;
  reportAnomaly(stores, order, 'ack', detail);
  stores.ledger.signal(order, 'noAnswer', stores.nowMs);
  countCopy(stores, order);
  return true;
}

/** The one that the answer names, with nothing of what was reported for the other. */
function addAnswered(stores: AccountStores, order: OwnOrder, orderHash: OrderHash): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  // Its market is gone: a list that shows it has it cancelled as one of ours that had ended.
  if (grid === undefined) {
    stores.ledger.hashes.addOwn(orderHash);
    return;
  }
  const { price, quantity } = order;
  const intentId = intentBeside(order, orderHash);
  const named = { intentId, orderHash, price, quantity, state: 'resting' } as const;
  const answered = namedOrder(stores, grid, order, named);
  stores.ledger.add(answered);
  stores.ledger.applyEarly(answered, stores.nowMs);
}
