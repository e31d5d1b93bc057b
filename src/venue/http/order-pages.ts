// One list out of pages, of orders that come and go while it is read.
// @spec Endpoints › GET /orders

import type { ReadOutcome } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { OPEN_ORDERS_MAX } from '../../wire/limits.ts';
import type { OrdersPage } from '../../wire/orders.ts';

type Orders = readonly OrderReport[];
type ReadPage = (offset: number) => Promise<ReadOutcome<OrdersPage>>;
/** `moved`: orders may have slipped from one page to another between two requests. */
type Pass = ReadOutcome<Orders> | { readonly kind: 'moved' };

/** A list that three passes did not find still is read again when the next one is due. */
const PASSES_MAX = 3;

/** The account's ceiling, in pages of any size a venue may choose, of which one record is shared. @spec Limits */
const PAGES_MAX = OPEN_ORDERS_MAX;

/** Of each page this part is read again with the next one: so many orders may go in between. */
const SHARED_PART = 0.25;

/**
 * Reads a whole list. Whatever rested all the time is on it; where that is not certain it is read anew, a
 * few times, and is no answer if it never holds still.
 */
export async function readWholeList(readPage: ReadPage): Promise<ReadOutcome<Orders>> {
  for (let passes = 0; passes < PASSES_MAX; passes += 1) {
    const pass = await readOnce(readPage);
    if (pass.kind !== 'moved') return pass;
  }
  return { kind: 'unknown', cause: 'unreadable', detail: 'orders: the list changed between pages' };
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
    if (total === undefined || end >= total) return whole(seen, total);
    const next = end - sharedOf(orders.length);
    if (next <= offset) return { kind: 'moved' };
    offset = next;
  }
  return { kind: 'moved' };
}

function isJoined(seen: ReadonlyMap<string, OrderReport>, { orders, total }: OrdersPage): boolean {
  const [first] = orders;
  return first !== undefined && total !== undefined && seen.has(first.orderHash);
}

function sharedOf(length: number): number {
  return Math.max(1, Math.floor(length * SHARED_PART));
}

function whole(seen: ReadonlyMap<string, OrderReport>, total: number | undefined): Pass {
  if (total !== undefined && seen.size < total) return { kind: 'moved' };
  return { kind: 'ok', value: [...seen.values()] };
}
