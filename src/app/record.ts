// `record`: the public feeds of a venue, as they come, on the disk. It knows no credentials and writes nothing there.

import type { TokenId } from '../domain/ids.ts';
import type { Event, Market } from '../domain/market.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { limitMarkets } from '../paper/crowd/recording.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import { PublicVenue } from '../venue/public-venue.ts';
import { every } from './every.ts';
import { type MarketTap, type MarketTapOptions, openMarketTap } from './market-tap.ts';
import { failureText, firstListing } from './public-listing.ts';
import { winnerOf } from './resolution.ts';
import { publicVenueOptions } from './venue-access.ts';

export type RecordOptions = Pick<MarketTapOptions, 'folder' | 'bytesMax' | 'whenFull'> & {
  readonly settings: Pick<Settings, 'venue' | 'markets'>;
  /** Slugs or ids, or all that the venue lists; as configured where absent. */
  readonly events: readonly string[] | 'all' | undefined;
  readonly marketsMax: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** It cannot go on. */
  readonly onLost: (detail: string) => void;
};

export type Recording = {
  /** Markets that are recorded. */
  readonly markets: number;
  readonly marketsLeftOut: number;
  /** Whether the socket stands. */
  isConnected(): boolean;
  stats(): ReturnType<MarketTap['stats']>;
  stop(): Promise<void>;
};

const CATALOGUE_MS = 60_000;
/** One book after the other is read beside the frames. */
const BOOK_MS = 1_000;

/**
 * Reads the catalogue, and starts to record.
 * @throws {BotError} as `openMarketTap`, `venue.read` and `catalogue.unknown`.
 */
export async function startRecording(options: RecordOptions): Promise<Recording> {
  const { folder, bytesMax, whenFull, clock, onLost, settings } = options;
  const venue = settings.venue.baseUrl;
  const tap = await openMarketTap({ folder, bytesMax, whenFull, clock, onLost, venue });
  let take = (_message: VenueMessage): void => undefined;
  const publicVenue = new PublicVenue({
    ...publicVenueOptions(settings.venue, options),
    ...{ onText: tap.onText, onAnswer: tap.onAnswer },
    emit: (message) => {
      tap.message(message);
      take(message);
    },
  });
  try {
    const listing = new Listing(publicVenue, options);
    const all = await listing.first();
    const feed = new Feed({ publicVenue, tap, listing, events: all, options });
    take = (message) => feed.take(message);
    feed.start();
    return {
      markets: marketsIn(feed.events),
      marketsLeftOut: marketsIn(all) - marketsIn(feed.events),
      isConnected: () => feed.isConnected,
      stats: () => tap.stats(),
      stop: async () => {
        // The end of the socket is no gap.
        await tap.close();
        await feed.stop();
      },
    };
  } catch (error) {
    await publicVenue.stop();
    await tap.close();
    throw error;
  }
}

/** Which events are asked for, and which markets of them are recorded. */
class Listing {
  readonly #venue: PublicVenue;
  readonly #options: RecordOptions;

  constructor(venue: PublicVenue, options: RecordOptions) {
    this.#venue = venue;
    this.#options = options;
  }

  async first(): Promise<readonly Event[]> {
    const { settings, timers, log } = this.#options;
    const events = await firstListing({
      ...{ read: () => this.read(), wanted: this.#wanted(), who: 'record' },
      ...{ baseUrl: settings.venue.baseUrl, timers, log },
    });
    return events.flatMap((event) => {
      const markets = event.markets.filter(this.#isWanted(event));
      return markets.length === 0 ? [] : [{ ...event, markets }];
    });
  }

  read() {
    const { events } = this.#options;
    return events === 'all' ? this.#venue.readListed() : this.#venue.readEvents(this.#names());
  }

  #names(): readonly string[] {
    const { events, settings } = this.#options;
    const names = Array.isArray(events) ? events : settings.markets.map(({ event }) => event);
    return [...new Set(names)];
  }

  #wanted(): string {
    return this.#options.events === 'all' ? 'any event' : this.#names().join(', ');
  }

  #isWanted(event: Event): (market: Market) => boolean {
    const { events, settings } = this.#options;
    if (events !== undefined) return ({ status }) => events !== 'all' || status === 'open';
    const choices = settings.markets.filter(
      (choice) => choice.event === event.slug || choice.event === event.id,
    );
    return ({ id }) => choices.some(({ market }) => market === undefined || market === id);
  }
}

type FeedParts = {
  readonly publicVenue: PublicVenue;
  readonly tap: MarketTap;
  readonly listing: Listing;
  readonly events: readonly Event[];
  readonly options: RecordOptions;
};

/** Keeps asking for what the socket does not say. */
class Feed {
  readonly #parts: FeedParts;
  /** Recorded, as they are listed now. */
  events: readonly Event[];
  readonly #tokens: readonly TokenId[];
  readonly #settled = new Set<Market['id']>();
  readonly #callOffs: (() => void)[] = [];
  isConnected = false;
  #isCatalogueDown = false;
  #bookPlace = 0;
  #isStopped = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.events = limitMarkets(parts.events, parts.options.marketsMax);
    this.#tokens = this.events.flatMap(({ markets }) =>
      markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]),
    );
  }

  start(): void {
    const { publicVenue, tap, options } = this.#parts;
    publicVenue.know(this.events);
    tap.listed(this.events);
    publicVenue.start(this.#tokens);
    this.#callOffs.push(
      every(options.timers, CATALOGUE_MS, () => this.#readCatalogue()),
      every(options.timers, BOOK_MS, () => this.#readBook()),
    );
  }

  take(message: VenueMessage): void {
    const { publicVenue, options } = this.#parts;
    if (message.kind === 'socketOpened') {
      this.isConnected = true;
      options.log.info('record.connected', { wsUrl: options.settings.venue.wsUrl });
    }
    if (message.kind === 'socketLost') {
      this.isConnected = false;
      if (!this.#isStopped) options.log.warn('record.gap', { why: message.reason });
    }
    if (message.kind === 'bookUnreadable') publicVenue.renew(message.tokenId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const callOff of this.#callOffs) callOff();
    await this.#parts.publicVenue.stop();
  }

  async #readCatalogue(): Promise<void> {
    const { listing, options, publicVenue, tap } = this.#parts;
    const outcome = await listing.read();
    if (this.#isStopped) return;
    const wasDown = this.#isCatalogueDown;
    this.#isCatalogueDown = outcome.kind !== 'ok';
    if (outcome.kind !== 'ok') {
      const detail = failureText(outcome);
      if (!wasDown) options.log.warn('record.catalogue_failed', { detail });
      return;
    }
    const now = new Map(outcome.value.events.map((event) => [event.id, event]));
    this.events = this.events.map((event) => listedNow(event, now.get(event.id)));
    publicVenue.know(this.events);
    tap.listed(this.events);
    await this.#readWinners();
  }

  /** Who won is asked for until the venue says so. */
  async #readWinners(): Promise<void> {
    const { publicVenue, tap } = this.#parts;
    for (const { id, markets } of this.events) {
      for (const market of markets) {
        if (market.status !== 'resolved' || this.#settled.has(market.id)) continue;
        const outcome = await publicVenue.readResolution(id, market.id);
        const winner = outcome.kind === 'ok' ? winnerOf(outcome.value, market) : undefined;
        if (winner === undefined) continue;
        this.#settled.add(market.id);
        tap.resolved(winner);
      }
    }
  }

  async #readBook(): Promise<void> {
    const tokenId = this.#tokens[this.#bookPlace % this.#tokens.length];
    this.#bookPlace += 1;
    if (tokenId !== undefined) await this.#parts.publicVenue.readBook(tokenId);
  }
}

/** The recorded markets of an event as they stand; one that is listed no more stays as it was. */
function listedNow(event: Event, now: Event | undefined): Event {
  if (now === undefined) return event;
  const markets = event.markets.map(
    (market) => now.markets.find(({ id }) => id === market.id) ?? market,
  );
  return { ...now, markets };
}

function marketsIn(events: readonly Event[]): number {
  return events.reduce((sum, { markets }) => sum + markets.length, 0);
}
