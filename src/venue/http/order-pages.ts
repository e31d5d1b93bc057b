// One list out of pages, of orders that come and go while it is read.
// @spec Endpoints › GET /orders

import type { ReadOutcome } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { OPEN_ORDERS_MAX } from '../../wire/limits.ts';
import type { OrdersPage } from '../../wire/orders.ts';

type Orders = readonly OrderReport[];
type ReadPage = (offset: number) => Promise<ReadOutcome<OrdersPage>>;
type Seen = ReadonlyMap<string, OrderReport>;
type Pass =
  | Exclude<ReadOutcome<Orders>, { kind: 'ok' }>
  /** Orders may have slipped from one page to another between two requests. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'whole'; readonly seen: Seen; readonly isOfOneMoment: boolean };

/**
 * Readings that held still which make up a list of several pages. One may have lost an order that changed
 * its place, where the venue sorts by the last change: it went from a page to come to one that was read,
 * and what else came and went made up the number.
 */
const STILL_PASSES = 2;
/** A list that did not hold still in three of its readings is read again when the next one is due. */
const PASSES_MAX = 4;

/** The account's ceiling, in pages of any size a venue may choose, of which one record is shared. @spec Limits */
const PAGES_MAX = OPEN_ORDERS_MAX;

/** Of each page this part is read again with the next one: so many orders may go in between. */
const SHARED_PART = 0.25;

/**
 * Reads a whole list. Whatever rested all the time is on it; where that is not certain it is read anew, a
 * few times, and is no answer if it never holds still. What one of its readings showed was open since it was
 * asked for.
 */
export async function readWholeList(readPage: ReadPage): Promise<ReadOutcome<Orders>> {
  const seen = new Map<string, OrderReport>();
  let still = 0;
  for (let passes = 0; passes < PASSES_MAX && canBeStill(still, passes); passes += 1) {
    const pass = await readOnce(readPage);
    if (pass.kind === 'moved') continue;
    if (pass.kind !== 'whole') return pass;
    if (pass.isOfOneMoment) return { kind: 'ok', value: [...pass.seen.values()] };
    for (const [hash, order] of pass.seen) seen.set(hash, order);
    still += 1;
    if (still === STILL_PASSES) return { kind: 'ok', value: [...seen.values()] };
  }
  return { kind: 'unknown', cause: 'unreadable', detail: 'orders: the list changed between pages' };
}

function canBeStill(still: number, passes: number): boolean {
  return PASSES_MAX - passes >= STILL_PASSES - still;
}

/**
 * Each page begins within the one before it. An order that goes moves all behind it forward, some of them
 * off the pages to come: as long as the first of a page has been seen, none has slipped past. Fewer orders
 * than the last page says there are is a part.
 */
async function readOnce(readPage: ReadPage): Promise<Pass> {
  const seen = new Map<string, OrderReport>();
  let offset = 0;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const outcome = await readPage(offset);
    if (outcome.kind !== 'ok') return outcome;
    const { orders, total } = outcome.value;
    if (pages > 0 && !isJoined(seen, outcome.value)) return { kind: 'moved' };
    for (const order of orders) seen.set(order.orderHash, order);
    const end = offset + orders.length;
    if (total === undefined || end >= total) return whole(seen, total, pages === 0);
    const next = end - sharedOf(orders.length);
    if (next <= offset) return { kind: 'moved' };
    offset = next;
  }
  return { kind: 'moved' };
}

function isJoined(seen: Seen, { orders, total }: OrdersPage): boolean {
  const [first] = orders;
  return first !== undefined && total !== undefined && seen.has(first.orderHash);
}

function sharedOf(length: number): number {
  return Math.max(1, Math.floor(length * SHARED_PART));
}

function whole(seen: Seen, total: number | undefined, isOfOneMoment: boolean): Pass {
  if (total !== undefined && seen.size < total) return { kind: 'moved' };
  return { kind: 'whole', seen, isOfOneMoment };
}
