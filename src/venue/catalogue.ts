// The venue's listing as we know it: loaded whole or not at all, one load at a time.

import type { Event } from '../domain/market.ts';
import type { ReadOutcome, VenueMessage } from '../domain/message.ts';
import { namedPath, type Skipped } from '../wire/events.ts';
import { type TokenLookup, tokenLookup } from '../wire/tokens.ts';
import type { EventCalls, Listing } from './http/events.ts';

/** A venue with a thousand unreadable markets is told once per load, not a thousand times. */
const SKIPPED_TOLD_MAX = 20;

export class Catalogue {
  readonly #wanted: readonly string[] | undefined;
  readonly #emit: (message: VenueMessage) => void;
  #events: readonly Event[] = [];
  #lookup: TokenLookup = tokenLookup([]);
  #loading: Promise<boolean> | undefined;

  constructor(wanted: readonly string[] | undefined, emit: (message: VenueMessage) => void) {
    this.#wanted = wanted;
    this.#emit = emit;
  }

  /** Always the last catalogue that was read whole. */
  readonly tokens: TokenLookup = {
    gridOf: (tokenId) => this.#lookup.gridOf(tokenId),
    tokensOf: (marketId) => this.#lookup.tokensOf(marketId),
  };

  /** Loads and tells it; who asks while it loads shares the load. True when it worked. */
  load(calls: EventCalls): Promise<boolean> {
    this.#loading ??= this.#read(calls).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(calls: EventCalls): Promise<boolean> {
    const outcome = await this.#listing(calls);
    if (outcome.kind !== 'ok') {
      this.#emit({ kind: 'catalogue', outcome });
      return false;
    }
    const { skipped } = outcome.value;
    const read = outcome.value.events.map((event) => this.#withUnread(event, skipped));
    const events = [...read, ...this.#unread(skipped)];
    this.#events = events;
    this.#lookup = tokenLookup(events);
    for (const { path, detail } of skipped.slice(0, SKIPPED_TOLD_MAX)) {
      this.#emit({ kind: 'unrecognised', frameType: 'GET /events', detail: `${path}: ${detail}` });
    }
    this.#emit({ kind: 'catalogue', outcome: { kind: 'ok', value: events } });
    return true;
  }

  /** Events that were read before and are there in a shape that is not understood: as they were, for all that is known. */
  #unread(skipped: readonly Skipped[]): readonly Event[] {
    const paths = new Set(skipped.map(({ path }) => path));
    return this.#events.filter(
      ({ id, slug }) => paths.has(namedPath(id)) || paths.has(namedPath(slug)),
    );
  }

  /** The same of markets of an event that was read. */
  #withUnread(event: Event, skipped: readonly Skipped[]): Event {
    const { unread = 0, markets } = event;
    if (unread === 0) return event;
    const before = this.#events.find(({ id }) => id === event.id);
    const names = new Set(skipped.flatMap(({ names: of = [] }) => of));
    const kept = (before?.markets ?? []).filter(
      ({ id }) => names.has(id) && markets.every((market) => market.id !== id),
    );
    return kept.length === 0
      ? event
      : { ...event, markets: [...markets, ...kept], unread: Math.max(0, unread - kept.length) };
  }

  async #listing(calls: EventCalls): Promise<ReadOutcome<Listing>> {
    if (this.#wanted === undefined) return await calls.readAllEvents();
    const found = await calls.readNamedEvents([...new Set(this.#wanted)]);
    const lost = found.kind === 'ok' ? this.#lost(found.value, this.#wanted) : [];
    if (found.kind !== 'ok' || lost.length === 0) return found;
    const again = await calls.readNamedEvents(lost.map(({ id }) => id));
    // What cannot be read now is as it was, and keeps no other event from being read.
    const value: Listing = again.kind === 'ok' ? again.value : { events: lost, skipped: [] };
    return { kind: 'ok', value: this.#under(lost, found.value, value) };
  }

  /** Known by a name that is wanted, and there under no such name any more: the venue may call them otherwise. */
  #lost({ events, skipped }: Listing, wanted: readonly string[]): readonly Event[] {
    const there = new Set(events.map(({ slug }) => slug));
    for (const { path } of skipped) there.add(path);
    for (const { id, slug } of events)
      if (wanted.includes(id) || wanted.includes(slug)) there.add(id);
    return this.#events.filter(
      ({ id, slug }) =>
        wanted.includes(slug) && ![id, slug, namedPath(slug)].some((name) => there.has(name)),
    );
  }

  /** What their ids find goes by the names that are wanted: whoever chose it knows no other. */
  #under(lost: readonly Event[], found: Listing, again: Listing): Listing {
    const names = new Map(lost.map(({ id, slug }) => [id, slug]));
    const renamed = again.events.flatMap((event) => {
      const slug = names.get(event.id);
      if (slug === undefined) return [];
      const detail = `${namedPath(slug)}: the venue calls it ${event.slug} now`;
      if (event.slug !== slug)
        this.#emit({ kind: 'unrecognised', frameType: 'GET /events', detail });
      return [{ ...event, slug }];
    });
    const others = found.events.filter(({ id }) => !names.has(id));
    return { events: [...others, ...renamed], skipped: [...found.skipped, ...again.skipped] };
  }
}
