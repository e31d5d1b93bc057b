// The market of a dry run: the real venue's catalogue, books and trades by public reads, mirrored onto an embedded
// exchange on which the daemon's own orders are simulated. Nothing here can write to the real venue.

import type { TokenId } from '../domain/ids.ts';
import type { Event, Market } from '../domain/market.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { LiveMirror } from '../paper/crowd/live.ts';
import type { PaperVenue } from '../paper/server.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import { PublicVenue } from '../venue/public-venue.ts';
import { earnedBy, watchOf } from './earned.ts';
import type { Embedded } from './embedded.ts';
import { listenEmbedded, MAKER } from './embedded-venue.ts';
import { every } from './every.ts';
import { type MarketTap, tapped } from './market-tap.ts';
import { failureText, firstListing } from './public-listing.ts';
import { winnerOf } from './resolution.ts';
import { publicVenueOptions } from './venue-access.ts';

export type DryMarketOptions = {
  readonly settings: Pick<Settings, 'venue' | 'paper' | 'backtest' | 'markets'>;
  /** Of the exchange; 0 takes a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Whoever records it. */
  readonly tap?: MarketTap | undefined;
};

/** How the catalogue is asked for, and with it what has closed, resolved, or has another grid. */
const CATALOGUE_MS = 15_000;
/** One book after the other is read beside the frames. */
const AUDIT_MS = 500;
/** A book that seemed different is read again after that, when its frames have come. */
const AUDIT_AGAIN_MS = 2_000;
/** Until a subscription has been answered with a snapshot, nothing else is asked for. */
const SNAPSHOT_MS_MAX = 3_000;
/** What the venue sends in one moment arrives at the daemon together. */
const FLUSH_MS = 5;

/**
 * Reads the catalogue, and starts exchange and mirror.
 * @throws {BotError} `venue.read` when the venue gives no catalogue, `catalogue.unknown` when it has none of the
 *   configured events, `http.listen` when the port cannot be used.
 */
export async function startDryMarket(options: DryMarketOptions): Promise<Embedded> {
  let onMessage = (_message: VenueMessage): void => undefined;
  const publicVenue = new PublicVenue({
    ...publicVenueOptions(options.settings.venue, options),
    ...tapped(options.tap),
    emit: (message) => {
      onMessage(message);
      options.tap?.message(message);
    },
  });
  try {
    const names = namesOf(options);
    const events = await firstListing({
      ...{ read: () => publicVenue.readEvents(names), wanted: names.join(', '), who: 'dry_run' },
      ...{ baseUrl: options.settings.venue.baseUrl, timers: options.timers, log: options.log },
    });
    options.tap?.listed(events);
    const venue = await listenEmbedded(
      { paper: options.settings.paper, port: options.port },
      events,
      simulated(options.settings),
    );
    const market = new Mirroring(publicVenue, venue, events, options);
    onMessage = (message) => market.take(message);
    const watch = watchOf(venue);
    market.start();
    return {
      venue,
      events,
      progress: undefined,
      earned: () => earnedBy(watch, venue),
      stop: async () => {
        await options.tap?.close();
        await market.stop();
        await venue.stop();
      },
    };
  } catch (error) {
    await publicVenue.stop();
    throw error;
  }
}

/** Own orders as in a backtest of a recording: behind the size that is shown, and no cancel of others helps them. */
function simulated({ backtest }: Pick<Settings, 'backtest'>) {
  const { entryMs, takerFeeRate, settlementFailureRate, queue } = backtest;
  const recordedQueue = queue === 'optimistic' ? 'optimistic' : 'conservative';
  return {
    rules: { recordedQueue, takerFeeRate, settlementFailureRate },
    timing: { matchDelayMs: entryMs },
    sockets: { deltaFlushMs: FLUSH_MS },
  } as const;
}

function namesOf({ settings }: DryMarketOptions): readonly string[] {
  return [...new Set(settings.markets.map(({ event }) => event))];
}

/** Keeps the exchange like the real venue for as long as the run goes on. */
class Mirroring {
  readonly #real: PublicVenue;
  readonly #options: DryMarketOptions;
  readonly #mirror: LiveMirror;
  readonly #tokens: readonly TokenId[];
  #events: readonly Event[];
  #auditPlace = 0;
  #openedAtMs: number | undefined;
  #isCatalogueDown = false;
  #isStopped = false;
  readonly #callOffs: (() => void)[] = [];

  constructor(
    real: PublicVenue,
    venue: PaperVenue,
    events: readonly Event[],
    options: DryMarketOptions,
  ) {
    const { log } = options;
    this.#real = real;
    this.#options = options;
    this.#events = events;
    this.#tokens = events.flatMap((event) =>
      tokensOf([{ markets: event.markets.filter(isMirrored(event, options)) }]),
    );
    this.#mirror = new LiveMirror({
      desk: venue.desk,
      events,
      trader: MAKER,
      onGap: ({ marketId, why, ordersEnded }) =>
        log.warn('dry_run.gap', { market: marketId, why, ordersEnded }),
      onOpen: (marketId) => log.info('dry_run.mirrored', { market: marketId }),
    });
  }

  start(): void {
    this.#real.know(this.#events);
    this.#real.start(this.#tokens);
    const { timers } = this.#options;
    this.#callOffs.push(
      every(timers, CATALOGUE_MS, () => this.#readCatalogue()),
      every(timers, AUDIT_MS, () => this.#audit()),
    );
  }

  take(message: VenueMessage): void {
    const { clock, log } = this.#options;
    if (message.kind === 'socketOpened') {
      this.#openedAtMs = clock.nowMs();
      log.info('dry_run.connected', { wsUrl: this.#options.settings.venue.wsUrl });
    }
    if (message.kind === 'socketLost') {
      this.#openedAtMs = undefined;
      if (!this.#isStopped) log.warn('dry_run.feed_lost', { why: message.reason });
    }
    this.#mirror.take(message);
    if (message.kind === 'bookUnreadable') this.#real.renew(message.tokenId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const callOff of this.#callOffs) callOff();
    await this.#real.stop();
  }

  async #readCatalogue(): Promise<void> {
    const outcome = await this.#real.readEvents(namesOf(this.#options));
    if (this.#isStopped) return;
    const wasDown = this.#isCatalogueDown;
    this.#isCatalogueDown = outcome.kind !== 'ok';
    if (outcome.kind === 'ok') await this.#takeCatalogue(outcome.value.events);
    else if (!wasDown) {
      this.#options.log.warn('dry_run.catalogue_failed', { detail: failureText(outcome) });
    }
  }

  /** An event that is listed no more stays as it was last seen. */
  async #takeCatalogue(now: readonly Event[]): Promise<void> {
    const known = new Map(now.map((event) => [event.id, event]));
    this.#events = this.#events.map((event) => known.get(event.id) ?? event);
    this.#real.know(this.#events);
    this.#options.tap?.listed(this.#events);
    const regridded = this.#events.filter((event) => this.#mirror.listed(event));
    for (const tokenId of tokensOf(regridded)) {
      if (this.#tokens.includes(tokenId)) this.#real.renew(tokenId);
    }
    for (const each of this.#mirror.unsettled()) await this.#settle(each.eventId, each.market);
  }

  /** A market whose winner nobody says stays closed: nobody can be paid. */
  async #settle(eventId: Event['id'], market: Market): Promise<void> {
    const outcome = await this.#real.readResolution(eventId, market.id);
    if (outcome.kind !== 'ok' || this.#isStopped) return;
    const winner = winnerOf(outcome.value, market);
    if (winner === undefined) return;
    this.#mirror.settle(market.id, winner);
    this.#options.tap?.resolved(winner);
    this.#options.log.info('dry_run.resolved', { market: market.id, winner });
  }

  async #audit(): Promise<void> {
    const openedAtMs = this.#openedAtMs;
    const { clock, timers } = this.#options;
    if (openedAtMs === undefined || clock.nowMs() - openedAtMs < SNAPSHOT_MS_MAX) return;
    const [lacking] = this.#mirror.missing().filter((tokenId) => this.#tokens.includes(tokenId));
    const tokenId = lacking ?? this.#tokens[this.#auditPlace % this.#tokens.length];
    this.#auditPlace += 1;
    if (tokenId === undefined) return;
    const first = await this.#real.readBook(tokenId);
    if (first.kind !== 'ok' || openedAtMs !== this.#openedAtMs) return;
    if (lacking !== undefined) {
      this.#mirror.base(tokenId, first.value);
      return;
    }
    if (this.#mirror.audit(tokenId, first.value)) return;
    await new Promise<void>((resolve) => timers.after(AUDIT_AGAIN_MS, resolve));
    const second = await this.#real.readBook(tokenId);
    if (second.kind !== 'ok' || openedAtMs !== this.#openedAtMs || this.#isStopped) return;
    this.#mirror.audit(tokenId, second.value);
    if (this.#mirror.missing().includes(tokenId)) this.#real.renew(tokenId);
  }
}

function tokensOf(events: readonly Pick<Event, 'markets'>[]): readonly TokenId[] {
  return events.flatMap(({ markets }) =>
    markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]),
  );
}

/** Markets of an event that the configuration quotes; the others stay paused. */
function isMirrored(event: Event, { settings }: DryMarketOptions): (market: Market) => boolean {
  const choices = settings.markets.filter(
    (choice) => choice.event === event.slug || choice.event === event.id,
  );
  return ({ id }) => choices.some(({ market }) => market === undefined || market === id);
}
