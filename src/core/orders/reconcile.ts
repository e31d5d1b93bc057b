// What one answer of `GET /orders` confirms about the orders we know. Pure: it returns verdicts.
//
// The list speaks of orders confirmed before it was asked for. An order that is missing from it is
// gone only if a cancel of it was answered before, or if two lists in a row miss it; an unknown
// placement gives its slot back only when two lists miss it after the time for which it keeps that.

import type { OrderHash } from '../../domain/ids.ts';
import { isCommitted, isInFlight, type OrderReport, type OrderState } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { CREATED_BEFORE_MS_MAX, TIMESTAMP_WINDOW_MS } from '../kernel/bounds.ts';
import { isLeaving, type OwnOrder } from './own-order.ts';

/** The clock of the venue is read in whole seconds. @spec Endpoints › Health */
const CLOCK_ERROR_MS = 2_000;

/**
 * A placement is acknowledged, and a list may be read from a copy that is not there yet: what was confirmed
 * less than this before it was asked for it need not show. @spec Endpoints › POST /orders (limit order)
 */
export const LISTED_BY_MS = 5_000;

/** Lists in a row that must miss an order which we did not cancel, or a placement that can arrive no more. */
export const MISSING_LISTS_MAX = 2;

/**
 * An order that ended so is on no later list. One that is filled may be: its settlement failed, and how
 * much the list shows to have traded says so.
 */
const NEVER_LISTED: ReadonlySet<OrderState> = new Set([
  'cancelled',
  'expired',
  'refused',
  'absent',
]);

export type Verdict =
  | { readonly kind: 'seen'; readonly order: OwnOrder; readonly report: OrderReport }
  /** An unknown placement is this order. */
  | { readonly kind: 'found'; readonly order: OwnOrder; readonly report: OrderReport }
  /** The answer to an unknown placement named it, and showed another quantity or price than was sent. */
  | { readonly kind: 'named'; readonly order: OwnOrder; readonly report: OrderReport }
  /** Known and missing once more; not yet a proof. */
  | { readonly kind: 'missing'; readonly order: OwnOrder }
  | { readonly kind: 'absent'; readonly order: OwnOrder }
  /** On the venue, ended with us: it must be cancelled again. */
  | { readonly kind: 'zombie'; readonly order: OwnOrder; readonly report: OrderReport }
  /** On the venue and never ours, as far as we remember. */
  | { readonly kind: 'external'; readonly report: OrderReport };

export type KnownOrders = {
  readonly notEnded: Iterable<OwnOrder>;
  byHash(hash: OrderHash): OwnOrder | undefined;
  /** Whether a hash is of an order that was sent from here, in this run or one before, or ended in this one. */
  isKnownHash(hash: OrderHash): boolean;
};

export type ListEvidence = {
  readonly reports: readonly OrderReport[];
  readonly askedAtMs: UnixMs;
  /** Whether the answer to some batch named a hash: it is of one of its placements. */
  isNamed?(hash: OrderHash): boolean;
  /** When the first list was asked for that showed a hash which nobody can name. */
  shownSinceMs?(hash: OrderHash): UnixMs | undefined;
  /** Of the venue's clock, where it is known: what a previous run sent says nothing of its own. */
  readonly clockOffsetMs?: number | undefined;
  /** Until when an unknown placement keeps its slot. */
  slotUntilMs(order: OwnOrder): number;
  /** Until when an unknown placement may still be accepted. */
  mayArriveUntilMs(order: OwnOrder): number;
};

export function reconcile(known: KnownOrders, list: ListEvidence): readonly Verdict[] {
  const orders = [...known.notEnded];
  const answered = orders.filter(({ answeredHash }) => answeredHash !== undefined);
  const listed = new Set(list.reports.map(({ orderHash }) => orderHash));
  const externals: OrderReport[] = [];
  const verdicts: Verdict[] = [];
  for (const report of list.reports) {
    const verdict = verdictOnNamed(known, answered, report, list.askedAtMs);
    if (verdict === undefined) externals.push(report);
    else verdicts.push(verdict);
  }
  const named = ordersIn(verdicts, 'named');
  const found = matchExternal(
    externals,
    orders.filter((order) => !named.has(order)),
    list,
  );
  verdicts.push(...found);
  const matched = new Set([...named, ...ordersIn(found, 'found')]);
  for (const order of orders) {
    if (matched.has(order)) continue;
    const verdict = verdictOnUnseen(order, listed, list);
    if (verdict) verdicts.push(verdict);
  }
  return verdicts;
}

function ordersIn(verdicts: readonly Verdict[], kind: 'named' | 'found'): Set<OwnOrder> {
  const of = new Set<OwnOrder>();
  for (const verdict of verdicts) if (verdict.kind === kind) of.add(verdict.order);
  return of;
}

/** On a hash that is known here; of others only what they ask for tells whose they are. */
function verdictOnNamed(
  known: KnownOrders,
  answered: readonly OwnOrder[],
  report: OrderReport,
  askedAtMs: UnixMs,
): Verdict | undefined {
  const order = known.byHash(report.orderHash);
  if (order !== undefined) return verdictOnSeen(order, report, askedAtMs);
  const named = answered.find((each) => isNamedBy(each, report));
  if (named !== undefined) return { kind: 'named', order: named, report };
  // It ended with us, long ago or in a previous run: it is no other placement that is like it.
  return known.isKnownHash(report.orderHash) ? { kind: 'external', report } : undefined;
}

function isNamedBy({ answeredHash, tokenId, side }: OwnOrder, report: OrderReport): boolean {
  return answeredHash === report.orderHash && tokenId === report.tokenId && side === report.side;
}

function verdictOnSeen(order: OwnOrder, report: OrderReport, askedAtMs: UnixMs): Verdict {
  // The order may have ended after the venue made the list: only a later list is a contradiction.
  const isEnded = NEVER_LISTED.has(order.state) && order.stateSinceMs < askedAtMs;
  if (isEnded) return { kind: 'zombie', order, report };
  return { kind: 'seen', order, report };
}

/**
 * Orders the venue lists and we cannot name, one to one with our unknown placements of the same token,
 * side, price, quantity and time of sending. As long as a placement like it is still waiting for its
 * answer nothing is decided: the external order may be that one.
 */
function matchExternal(
  externals: readonly OrderReport[],
  orders: readonly OwnOrder[],
  list: ListEvidence,
): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const isUndecided = (report: OrderReport) =>
    orders.some((order) => isInFlight(order.state) && fits(order, report, list));
  const decided = externals.filter((report) => !isUndecided(report));
  const found = ordersOf(decided, orders, list);
  for (const report of decided) {
    const order = found.get(report);
    if (order) verdicts.push({ kind: 'found', order, report });
    else if (!mayBeInFlight(report, orders, list)) verdicts.push({ kind: 'external', report });
  }
  return verdicts;
}

/**
 * Which placement each is: the oldest that had left by then, so that what still waits may come for as
 * long as it takes. What an answer named goes before one that may be somebody else's. One that was there before is of an earlier placement like it, which the network
 * delivered twice, as long as there is any other.
 */
function ordersOf(
  externals: readonly OrderReport[],
  orders: readonly OwnOrder[],
  list: ListEvidence,
): ReadonlyMap<OrderReport, OwnOrder> {
  const pairs = externals.flatMap((report) =>
    orders
      // A placement answered after the list was asked for may be on it under a hash we now know.
      .filter((order) => order.state === 'unknown' && fits(order, report, list))
      .map((order) => ({
        report,
        order,
        isNamed: list.isNamed?.(report.orderHash) === true,
        wasThere: wasThereBefore(order, report),
      })),
  );
  const found = new Map<OrderReport, OwnOrder>();
  const taken = new Set<OwnOrder>();
  const inOrder = pairs.toSorted(
    (one, other) =>
      Number(other.isNamed) - Number(one.isNamed) ||
      Number(one.wasThere) - Number(other.wasThere) ||
      one.order.sentAtMs - other.order.sentAtMs,
  );
  for (const { report, order } of inOrder) {
    if (found.has(report) || taken.has(order)) continue;
    found.set(report, order);
    taken.add(order);
  }
  return found;
}

function fits(order: OwnOrder, report: OrderReport, list: ListEvidence): boolean {
  return isAlike(order, report) && wasSentThen(order, report, list);
}

/** Whether it came into being when the placement can have arrived, as far as the venue says when that was. */
export function cameThen(
  order: OwnOrder,
  report: OrderReport,
  list: Pick<ListEvidence, 'clockOffsetMs' | 'mayArriveUntilMs'>,
): boolean {
  return wasSentThen(order, report, list) && !wasThereBefore(order, report);
}

/** Whether it came into being before the placement left, where both times are known. */
function wasThereBefore({ sentAtMs, datedByMs }: OwnOrder, { createdAtMs }: OrderReport): boolean {
  if (createdAtMs === undefined || datedByMs === undefined) return false;
  return createdAtMs < sentAtMs + datedByMs - CLOCK_ERROR_MS;
}

/**
 * While any placement waits for its answer an external order may be ours after all; but none that left when a
 * list had shown it already, or where placements never pause it would rest for ever.
 */
function mayBeInFlight(
  { orderHash }: OrderReport,
  orders: readonly OwnOrder[],
  { askedAtMs, shownSinceMs }: ListEvidence,
): boolean {
  const sinceMs = shownSinceMs?.(orderHash) ?? askedAtMs;
  return orders.some((order) => isInFlight(order.state) && order.sentAtMs <= sinceMs);
}

function isAlike(order: OwnOrder, report: OrderReport): boolean {
  const isUnanswered = isInFlight(order.state) || order.state === 'unknown';
  return order.orderHash === undefined && isUnanswered && asksFor(order, report);
}

/** Whether an order asks for just what is listed. */
export function asksFor(order: OwnOrder, report: OrderReport): boolean {
  return (
    report.isOffGrid !== true &&
    order.tokenId === report.tokenId &&
    order.side === report.side &&
    order.price === report.price &&
    order.quantity === report.quantity
  );
}

/**
 * Whether an order came into being when the intent can have. A request is accepted only while its date
 * is near to the venue's own time, so both are compared by the clock of the venue.
 * @spec Authentication › Signature, rule 3
 */
function wasSentThen(
  order: OwnOrder,
  report: OrderReport,
  list: Pick<ListEvidence, 'clockOffsetMs' | 'mayArriveUntilMs'>,
): boolean {
  const { createdAtMs } = report;
  const { sentAtMs, datedByMs } = order;
  if (createdAtMs === undefined) return true;
  // By which clock a previous run dated its request nobody reported: what is much older is not it.
  if (datedByMs === undefined) return !isLongBefore(sentAtMs, createdAtMs, list.clockOffsetMs);
  const earliestMs = sentAtMs + datedByMs - TIMESTAMP_WINDOW_MS;
  const latestMs = list.mayArriveUntilMs(order) + datedByMs + TIMESTAMP_WINDOW_MS;
  return createdAtMs >= earliestMs && createdAtMs <= latestMs;
}

/** Whether the venue had it long before the intent left; without the venue's clock nobody knows. */
export function isLongBefore(
  sentAtMs: UnixMs,
  createdAtMs: UnixMs,
  clockOffsetMs: number | undefined,
): boolean {
  if (clockOffsetMs === undefined) return false;
  return createdAtMs < sentAtMs + clockOffsetMs - CREATED_BEFORE_MS_MAX;
}

function verdictOnUnseen(
  order: OwnOrder,
  listed: ReadonlySet<OrderHash>,
  list: ListEvidence,
): Verdict | undefined {
  if (order.state === 'unknown') {
    if (list.askedAtMs <= list.slotUntilMs(order)) return undefined;
    return { kind: isMissedEnough(order) ? 'absent' : 'missing', order };
  }
  // A matched order may leave the list before its settlement, which is what ends it.
  if (isCommitted(order.state) || !isMissed(order, listed, list.askedAtMs)) return undefined;
  if (isCancelAnsweredBefore(order, list.askedAtMs)) return { kind: 'absent', order };
  if (!isCounted(order, list.askedAtMs) || isFresh(order, list.askedAtMs)) return undefined;
  return { kind: isMissedEnough(order) ? 'absent' : 'missing', order };
}

function isFresh({ confirmedAtMs }: OwnOrder, askedAtMs: UnixMs): boolean {
  return confirmedAtMs !== undefined && askedAtMs - confirmedAtMs < LISTED_BY_MS;
}

/** With this list. */
function isMissedEnough({ missingLists }: OwnOrder): boolean {
  return missingLists + 1 >= MISSING_LISTS_MAX;
}

/** A cancel of ours has its own proof; what is somebody else's nobody here cancels, whatever of it failed. */
function isCounted(order: OwnOrder, askedAtMs: UnixMs): boolean {
  if (!isLeaving(order)) return true;
  return order.isOfOthers && (order.failedAtMs ?? 0) < askedAtMs;
}

/** The venue had confirmed it before the list was asked for, and the list does not show it. */
function isMissed(order: OwnOrder, listed: ReadonlySet<OrderHash>, askedAtMs: UnixMs): boolean {
  const { orderHash, confirmedAtMs } = order;
  if (orderHash === undefined || listed.has(orderHash)) return false;
  return confirmedAtMs !== undefined && confirmedAtMs < askedAtMs;
}

function isCancelAnsweredBefore(order: OwnOrder, askedAtMs: UnixMs): boolean {
  if (!isLeaving(order)) return false;
  return order.cancelAnsweredAtMs !== undefined && order.cancelAnsweredAtMs < askedAtMs;
}
