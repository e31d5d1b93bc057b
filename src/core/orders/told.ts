// What an `order.update` says of an own order.

import type { OrderHash } from '../../domain/ids.ts';
import type { OrderSignal, OrderState, OrderStatus, OrderUpdate } from '../../domain/order.ts';
import { type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { dropOldest } from '../kernel/bounds.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from './own-order.ts';

/**
 * Shares that an update says have traded, those that failed among them where the venue goes on counting them.
 *
 * What `filledQuantity` says while an order is MATCHED is not stated, so the larger of it and
 * `quantity - remaining` counts; a MATCHED update that shows neither means the whole order. What
 * `remaining` says of a cancelled order is not stated either, so there only the filled part counts.
 * @spec Events › User channel (Auth)
 */
export function executedOf(order: OwnOrder, update: OrderUpdate): MicroShares {
  if (update.status === 'FILLED') return order.quantity;
  if (update.status === 'CANCELLED' || update.status === 'EXPIRED') return update.filledQuantity;
  const left = update.remaining ?? order.quantity;
  const executed = Math.max(update.filledQuantity, order.quantity - left);
  if (update.status === 'MATCHED' && executed <= 0) return order.quantity;
  return executed <= 0 ? NO_SHARES : microShares(executed);
}

/**
 * The quantity of an order of which nothing has traded by what is known, where the word of its rest shows
 * another than was sent. `OPEN` is said of what has not matched: less is no trade, but less than was sent.
 * @spec States and transitions › Order status values
 */
export function otherQuantity(order: OwnOrder, update: OrderUpdate): MicroShares | undefined {
  const { status, filledQuantity, remaining = NO_SHARES } = update;
  const isUntraded = order.executed <= 0 && order.failed <= 0 && filledQuantity <= 0;
  const isRest = status === 'OPEN' && remaining > 0;
  return isUntraded && isRest && remaining !== order.quantity ? remaining : undefined;
}

/** It has traded, and less is called filled than rests no more: this venue counts what has settled. */
export function countsSettledOnly(order: OwnOrder, update: OrderUpdate): boolean {
  const { status, filledQuantity, remaining } = update;
  if (status !== 'PARTIALLY_FILLED' && status !== 'MATCHED') return false;
  return filledQuantity <= 0 || filledQuantity < order.quantity - (remaining ?? order.quantity);
}

/**
 * Whether nothing of an order can have traded beyond what is known once its update was taken in. What
 * matched and has not settled may be missing from the word of an end: then what never traded is less than
 * the rest, where the venue shows that, and where it shows nothing its other words say what it counts.
 */
export function tellsAll(order: OwnOrder, update: OrderUpdate, isSettledOnly: boolean): boolean {
  const { status, remaining = NO_SHARES } = update;
  if (order.executed >= order.quantity || status === 'FILLED') return true;
  if (!isEnd(status)) return false;
  return remaining > 0 ? order.executed + remaining >= order.quantity : !isSettledOnly;
}

/** Whether an update tells of the end of its order. */
export function isEnd(status: OrderStatus): boolean {
  return status === 'CANCELLED' || status === 'EXPIRED' || status === 'FILLED';
}

/** What an update says of the state of its order. */
export function signalOf(order: OwnOrder, status: OrderStatus): OrderSignal {
  switch (status) {
    case 'OPEN':
      return 'open';
    case 'MATCHED':
      return order.executed < order.quantity ? 'partial' : 'matched';
    case 'PARTIALLY_FILLED':
      return 'partial';
    case 'FILLED':
      return 'filled';
    case 'CANCELLED':
      return 'cancelled';
    case 'EXPIRED':
      return 'expired';
  }
}

// What a venue shows to have traded of an order after a part of it had failed: some take that off, some go
// on counting it, and nobody says which. Whoever shows less than before takes it off; whoever does not
// may have seen as much trade anew. What failed is never counted a second time on such a word alone.

/** Shares that have traded and did not fail. */
export type Traded = {
  readonly executed: MicroShares;
  /** What failed was taken off what was shown, and may have traded anew: balances have to say it. */
  readonly isLeast: boolean;
  /** The same, for the first time since it failed. */
  readonly isUnclear: boolean;
};

export class FailedShown {
  /** A list took off what had failed of some order: this venue does. */
  #isTakenOff = false;
  /** Orders of which the user channel has told less since they failed. */
  readonly #takenOff = new WeakSet<OwnOrder>();
  /** What had failed of an order when it was first shown as traded all the same. */
  readonly #counted = new WeakMap<OwnOrder, MicroShares>();

  /** Reads a list that was asked for after the last failure was reported. */
  ofList(order: OwnOrder, shown: MicroShares): Traded {
    if (isShownLess(order, shown)) this.#isTakenOff = true;
    return this.#read(order, shown);
  }

  /** Reads reports of the user channel; of what is reported twice only the state right after the failure is a sign. */
  ofUpdate(order: OwnOrder, shown: MicroShares): Traded {
    if (isShownLess(order, shown) && shown === order.executed) this.#takenOff.add(order);
    return this.#read(order, shown);
  }

  #read(order: OwnOrder, shown: MicroShares): Traded {
    const { executed, failed } = order;
    const isTakenOff = this.#isTakenOff || this.#takenOff.has(order);
    if (failed <= 0 || isTakenOff || shown < executed + failed) {
      return { executed: shown, isLeast: false, isUnclear: false };
    }
    // Once for each failure: it is shown for as long as the order rests.
    const isUnclear = this.#counted.get(order) !== failed;
    this.#counted.set(order, failed);
    return { executed: microShares(shown - failed), isLeast: true, isUnclear };
  }
}

function isShownLess({ executed, failed }: OwnOrder, shown: MicroShares): boolean {
  return failed > 0 && shown >= executed && shown < executed + failed;
}

// What the user channel reported hashes that nobody has claimed yet: of an order whose answer is in flight,
// or has none, or of somebody else's.

/** Updates that overtook their placement's answer: at most as many as may be in flight. */
const HASHES_MAX = 1_000;
/** The last word and the first are what matters when somebody floods one order. */
const UPDATES_MAX = 20;

/** What was reported for a hash that nobody had claimed, and since when. */
export type EarlyUpdates = {
  readonly orderHash: OrderHash;
  readonly atMs: UnixMs;
  readonly updates: readonly OrderUpdate[];
};

export class EarlyReports {
  /** Oldest first. */
  readonly #heard = new Map<OrderHash, EarlyUpdates & { readonly updates: OrderUpdate[] }>();

  keep(update: OrderUpdate, nowMs: UnixMs): void {
    const { orderHash } = update;
    const early = this.#heard.get(orderHash);
    if (early) {
      if (early.updates.length >= UPDATES_MAX) early.updates.splice(1, 1);
      early.updates.push(update);
      return;
    }
    this.#heard.set(orderHash, { orderHash, atMs: nowMs, updates: [update] });
    dropOldest(this.#heard, HASHES_MAX);
  }

  /** Somebody claims a hash: what was reported for it, in order. */
  take(orderHash: OrderHash): readonly OrderUpdate[] {
    const early = this.#heard.get(orderHash);
    this.#heard.delete(orderHash);
    return early?.updates ?? [];
  }

  of(orderHash: OrderHash): EarlyUpdates | undefined {
    return this.#heard.get(orderHash);
  }

  /** Oldest first. */
  all(): readonly EarlyUpdates[] {
    return [...this.#heard.values()];
  }

  /** Forgets what nobody has claimed since a moment. */
  prune(sinceMs: number): void {
    for (const [hash, { atMs }] of this.#heard) {
      if (atMs > sinceMs) break;
      this.#heard.delete(hash);
    }
  }
}

// What an order does that its moves do not allow, or that nobody can explain yet: it is reported.

/** Reports it; the order stays what it is. */
export function reportAnomaly(
  { outbox }: KernelStores,
  { orderHash, state }: Pick<OwnOrder, 'orderHash' | 'state'>,
  signal: OrderSignal,
  detail: string,
): void {
  outbox.report({ event: 'order.anomaly', orderHash, state, signal, detail });
}

/** The same of one that is not known here. */
export function reportUnknown(
  { outbox }: KernelStores,
  orderHash: OrderHash,
  detail: string,
): void {
  const unknown = { state: 'unknownOrder', signal: 'open' } as const;
  outbox.report({ event: 'order.anomaly', orderHash, ...unknown, detail });
}

// What a ledger tells of its orders.

/** What the ledger tells its engine while it applies something. */
export interface LedgerListener {
  /** It is new, or anything that must be remembered of it has changed. */
  onChanged(order: OwnOrder): void;
  onMoved(order: OwnOrder, from: OrderState, signal: OrderSignal): void;
  onExecuted(order: OwnOrder, quantity: MicroShares): void;
  /** An order report has said all that it ever traded. */
  onReported(order: OwnOrder): void;
  /** It ended, and the report does not say how much of it had traded. */
  onEndUnreported(order: OwnOrder): void;
  onAnomaly(order: OwnOrder, signal: OrderSignal, detail: string): void;
  /** It rests, and news shows another quantity of it than was sent. */
  onOtherQuantity?(order: OwnOrder, quantity: MicroShares): void;
  /** Reports contradict each other on how much of it has traded. */
  onUnclear?(order: OwnOrder): void;
  /** Whether an order that ends now ends because of its date, whatever the venue calls it. */
  isEndOfDate?(order: OwnOrder): boolean;
}
