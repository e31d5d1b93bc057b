// All that is known: the rooms below, and what a session adds.

import type { EventId, MarketId, OrderHash, TokenId } from '../../domain/ids.ts';
import type { CoreSettings } from '../../domain/input.ts';
import type { Event } from '../../domain/market.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Reason } from '../../domain/view.ts';
import type { AccountStores } from '../account/stores.ts';
import { dropOldest } from '../kernel/bounds.ts';
import type { MarketState } from '../sending/market.ts';

export interface SessionStores extends AccountStores {
  settings: CoreSettings | undefined;
  settingsVersion: string;
  catalogue: readonly Event[] | undefined;
  readonly markets: Map<MarketId, MarketState>;
  marketsVersion: number;
  externals: { readonly now: Set<OrderHash>; readonly before: ReadonlySet<OrderHash> };
  unnamed: ReadonlyMap<OrderHash, UnixMs>;
  listAskedAtMs: UnixMs;
  readonly vanished: Vanished;
  /**
   * Of markets that come back on another grid, by their YES: what the socket last said, which it says once, and the
   * doubt for which they are pulled once.
   */
  readonly regridded: Map<TokenId, Pick<MarketState, 'live' | 'doubt'>>;
  /** Choices that are no market we know, by their names. */
  readonly unlisted: Map<string, Reason>;
  /** When deadlines of orders were last looked at. */
  lookedAtMs: UnixMs;
  /** Cancels that failed in a row, since when, and how broadly the next one is to be. */
  readonly cancelFailures: CancelFailures;
}

export type CancelFailures = {
  count: number;
  sinceMs: UnixMs | undefined;
  step: number;
  /** Broader words are next, once a read says that the venue is there. */
  isDue: boolean;
};

// Markets that the venue listed in an event and lists no more. Nothing says that they cannot come true, so
// the others of their event are not all that there is. A later run trusts the list that it finds.

/** More than anybody quotes; the event that was looked at least lately is forgotten first. */
const EVENTS_MAX = 1_000;
/** Of one event: the venue may list as many names as it likes. */
const MARKETS_MAX = 1_000;

export class Vanished {
  /** Markets that were listed, and not as resolved. */
  readonly #unresolved = new Map<EventId, Set<MarketId>>();

  /**
   * The event as it is listed now, with what has gone from it.
   * @param isResolved - Whether anybody else said so of a market.
   */
  noted(event: Event, isResolved: (marketId: MarketId) => boolean): Event {
    const unresolved = this.#of(event.id);
    for (const { id, status } of event.markets) {
      if (status === 'resolved') unresolved.delete(id);
      else if (unresolved.size < MARKETS_MAX) unresolved.add(id);
    }
    const listed = new Set(event.markets.map(({ id }) => id));
    const gone = [...unresolved].filter((id) => !listed.has(id));
    // It is said while the market is known, and that is no longer than it takes to leave.
    for (const id of gone.filter(isResolved)) unresolved.delete(id);
    const vanished = gone.filter((id) => unresolved.has(id));
    return vanished.length === 0 ? event : { ...event, vanished };
  }

  #of(eventId: EventId): Set<MarketId> {
    const known = this.#unresolved.get(eventId) ?? new Set();
    this.#unresolved.delete(eventId);
    this.#unresolved.set(eventId, known);
    dropOldest(this.#unresolved, EVENTS_MAX);
    return known;
  }
}
