// The venue's limits that the core plans with. The core may not import `wire/`, where the client
// and the embedded venue keep theirs; a test holds that both say the same.

/** Order writes of one account in a window of 10 s. @spec Limits */
export const ORDER_WRITES_OF_WINDOW_MAX = 300;
/** Orders in one batch; the whole batch costs one write of the budget. @spec Limits */
export const BATCH_ORDERS_MAX = 15;
/** A placement is signed by then after it was decided on, or it is not sent. */
export const SIGNED_WITHIN_MS = 2_000;
/** The venue takes a request whose date is this near to its own time. @spec Limits */
export const TIMESTAMP_WINDOW_MS = 30_000;
/** What the venue dates so long before an intent of a previous run is no answer to it, however clocks went. */
export const CREATED_BEFORE_MS_MAX = 120_000;
/** The least time ahead that the venue takes a date. @spec Limits */
export const GTD_AHEAD_MS_MIN = 60_000;
/** Hashes in one batch cancel. @spec Limits */
export const BATCH_CANCEL_MAX = 100;
/** Orders one account may have resting. @spec Limits */
export const OPEN_ORDERS_OF_ACCOUNT_MAX = 2_000;

/** What came first goes first, until there are no more than so many. */
export function dropOldest(all: Map<unknown, unknown> | Set<unknown>, max: number): void {
  for (const oldest of all.keys()) {
    if (all.size <= max) return;
    all.delete(oldest);
  }
}

// How soon something is asked about again whose end the interface does not say is announced.

/** It is taken to hold for this part longer at most than it did: some forty asks in ten minutes. */
const PART = 1 / 10;

type Pace = { readonly leastMs: number; readonly mostMs: number };

/** @param heldMs - For how long it has held already. */
export function askAgainInMs(heldMs: number, { leastMs, mostMs }: Pace): number {
  return Math.min(Math.max(leastMs, heldMs * PART), mostMs);
}
