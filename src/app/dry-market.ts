// The market of a dry run: the real venue's catalogue, books and trades by public reads, mirrored onto an embedded
// exchange on which the daemon's own orders are simulated. Nothing here can write to the real venue.

import type { TokenId } from '../domain/ids.ts';
import type { Event, Market } from '../domain/market.ts';
import type { Failure, VenueMessage } from '../domain/message.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { LiveMirror } from '../paper/crowd/live.ts';
import type { PaperVenue } from '../paper/server.ts';
import type { NamedMarket } from '../settings/markets.ts';
import { isNamed, type SelectQuery } from '../settings/selected.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import { PublicVenue } from '../venue/public-venue.ts';
import { type DryBooks, dryBooksOf } from './dry-books.ts';
import { earnedBy, watchOf } from './earned.ts';
import type { Embedded } from './embedded.ts';
import { listenEmbedded, MAKER } from './embedded-venue.ts';
import { every } from './every.ts';
import { type MarketTap, tapped } from './market-tap.ts';
import { failureText, firstListing } from './public-listing.ts';
import { winnerOf } from './resolution.ts';
import { MarketSelection, readFittingBy } from './selection.ts';
import { publicVenueOptions } from './venue-access.ts';

export type DryMarketOptions = {
  readonly settings: Settings;
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
/** Events that are asked for: what was chosen once is asked for until it is seen to resolve. */
const EVENTS_MAX = 1_000;
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
  const chosen = new Chosen(publicVenue, options);
  try {
    const events = await firstCatalogue(publicVenue, options, chosen);
    options.tap?.listed(events);
    const books = await booksOf(publicVenue, events, options);
    const venue = await listenEmbedded(
      { paper: options.settings.paper, port: options.port, clock: options.clock },
      [],
      simulated(options.settings, books),
    );
    const market = new Mirroring({ real: publicVenue, venue, chosen, books }, events, options);
    onMessage = (message) => market.take(message);
    const watch = watchOf(venue);
    market.start();
    return {
      venue,
      events,
      progress: undefined,
      earned: () => earnedBy(watch, venue),
      stop: async () => {
        chosen.stop();
        await options.tap?.close();
        await market.stop();
        await venue.stop();
      },
    };
  } catch (error) {
    chosen.stop();
    await publicVenue.stop();
    throw error;
  }
}

/** Own orders as in a backtest of a recording: behind the size that is shown, and no cancel of others helps them. */
function simulated({ backtest }: Pick<Settings, 'backtest'>, books: DryBooks['books']) {
  const { entryMs, takerFeeRate, settlementFailureRate, queue } = backtest;
  const recordedQueue = queue === 'optimistic' ? 'optimistic' : 'conservative';
  return {
    rules: { recordedQueue, takerFeeRate, settlementFailureRate, books },
    timing: { matchDelayMs: entryMs },
    sockets: { deltaFlushMs: FLUSH_MS },
  } as const;
}

/** Which events the configuration means, by name and by filter. */
class Chosen {
  readonly #settings: Settings;
  readonly #selection: MarketSelection;
  /** Tags under which an event was found: the exchange answers the same filters. */
  readonly #tags = new Map<string, Set<string>>();

  constructor(venue: PublicVenue, { settings, clock, timers, log }: DryMarketOptions) {
    this.#settings = settings;
    const readFitting = readFittingBy(venue);
    this.#selection = new MarketSelection({
      ...{ clock, timers, log },
      read: async (query) => {
        const outcome = await readFitting(query);
        if (outcome.kind === 'ok') this.#note(query, outcome.value.events);
        return outcome;
      },
      // What was mirrored once stays so.
      held: () => new Set(),
      onChange: () => undefined,
    });
    this.#selection.want(settings.markets);
  }

  async start(): Promise<Failure | undefined> {
    return await this.#selection.start();
  }

  stop(): void {
    this.#selection.stop();
  }

  choices(): readonly NamedMarket[] {
    return this.#selection.applied(this.#settings).markets;
  }

  tagsOf({ slug }: Event): readonly string[] {
    return [...(this.#tags.get(slug) ?? [])];
  }

  #note({ tag }: SelectQuery, events: readonly Event[]): void {
    if (tag === undefined) return;
    for (const { slug } of events) {
      this.#tags.set(slug, (this.#tags.get(slug) ?? new Set()).add(tag));
    }
  }
}

function namesOf(choices: readonly NamedMarket[]): readonly string[] {
  return [...new Set(choices.map(({ event }) => event))];
}

async function firstCatalogue(
  venue: PublicVenue,
  { settings, timers, log }: DryMarketOptions,
  chosen: Chosen,
): Promise<readonly Event[]> {
  const named = settings.markets.filter(isNamed).map(({ event }) => event);
  return await firstListing({
    read: async () => (await chosen.start()) ?? (await venue.readEvents(namesOf(chosen.choices()))),
    wanted: named.join(', '),
    // A filter that fits nothing yet is no mistake.
    mayBeEmpty: named.length === 0,
    ...{ who: 'dry_run', baseUrl: settings.venue.baseUrl, timers, log },
  });
}

async function booksOf(
  venue: PublicVenue,
  events: readonly Event[],
  { settings, timers, log }: DryMarketOptions,
): Promise<DryBooks['books']> {
  venue.know(events);
  const read = async (tokenId: TokenId) => await venue.readBook(tokenId);
  const found = await dryBooksOf(events, { stated: settings.book.unified, read, timers });
  log.info('dry_run.books', found);
  return found.books;
}

type Sides = {
  readonly real: PublicVenue;
  readonly venue: PaperVenue;
  readonly chosen: Chosen;
  readonly books: DryBooks['books'];
};

/** Keeps the exchange like the real venue for as long as the run goes on. */
class Mirroring {
  readonly #real: PublicVenue;
  readonly #venue: PaperVenue;
  readonly #chosen: Chosen;
  readonly #options: DryMarketOptions;
  readonly #mirror: LiveMirror;
  /** Of markets that are or were configured; the others stay paused. */
  readonly #tokens = new Set<TokenId>();
  #events: readonly Event[] = [];
  #auditPlace = 0;
  #openedAtMs: number | undefined;
  #isCatalogueDown = false;
  #isStopped = false;
  readonly #callOffs: (() => void)[] = [];

  constructor(
    { real, venue, chosen, books }: Sides,
    events: readonly Event[],
    options: DryMarketOptions,
  ) {
    const { log } = options;
    this.#real = real;
    this.#venue = venue;
    this.#chosen = chosen;
    this.#options = options;
    this.#mirror = new LiveMirror({
      desk: venue.desk,
      events: [],
      trader: MAKER,
      books,
      onGap: ({ marketId, why, ordersEnded }) =>
        log.warn('dry_run.gap', { market: marketId, why, ordersEnded }),
      onOpen: (marketId) => log.info('dry_run.mirrored', { market: marketId }),
    });
    this.#follow(this.#ours(events));
  }

  start(): void {
    this.#real.start([...this.#tokens]);
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
    // What is chosen comes first: after days with short markets those of before are more than anybody asks for.
    const open = this.#events.filter(({ markets }) => !markets.every(this.#isOver));
    const names = new Set([...namesOf(this.#chosen.choices()), ...open.map(({ slug }) => slug)]);
    const outcome = await this.#real.readEvents([...names].slice(0, EVENTS_MAX));
    if (this.#isStopped) return;
    const wasDown = this.#isCatalogueDown;
    this.#isCatalogueDown = outcome.kind !== 'ok';
    if (outcome.kind === 'ok') await this.#takeCatalogue(outcome.value.events);
    else if (!wasDown) {
      this.#options.log.warn('dry_run.catalogue_failed', { detail: failureText(outcome) });
    }
  }

  /** An event that is listed no more stays as it was last seen. */
  async #takeCatalogue(events: readonly Event[]): Promise<void> {
    const now = this.#ours(events);
    const regridded = now.filter((event) => this.#mirror.listed(event));
    if (this.#follow(now)) this.#real.follow([...this.#tokens]);
    this.#options.tap?.listed(this.#events);
    for (const tokenId of tokensOf(regridded)) {
      if (this.#tokens.has(tokenId)) this.#real.renew(tokenId);
    }
    for (const each of this.#mirror.unsettled()) await this.#settle(each.eventId, each.market);
  }

  /** Without those that have taken the name of one that is mirrored: the exchange lists a name once. */
  #ours(now: readonly Event[]): readonly Event[] {
    const idOf = new Map<string, Event['id']>();
    return [...this.#events, ...now].filter(({ id, slug }, place) => {
      const isFree = [id, slug].every((name) => (idOf.get(name) ?? id) === id);
      if (isFree) idOf.set(id, id).set(slug, id);
      return isFree && place >= this.#events.length;
    });
  }

  /** Lists and mirrors what is new among these events. @returns Whether other tokens are wanted. */
  #follow(now: readonly Event[]): boolean {
    const before = this.#tokens.size;
    const choices = this.#chosen.choices();
    const listed = new Set(this.#events.map(({ id }) => id));
    for (const event of now) {
      if (!listed.has(event.id)) this.#venue.exchange.list(event);
      this.#venue.exchange.extend(event, this.#chosen.tagsOf(event));
      this.#mirror.add(event);
      const markets = event.markets.filter(isMirrored(event, choices));
      const lasting = markets.filter((market) => !this.#isOver(market));
      for (const tokenId of tokensOf([{ markets: lasting }])) this.#tokens.add(tokenId);
    }
    const known = new Map([...this.#events, ...now].map((event) => [event.id, event]));
    this.#events = [...known.values()];
    this.#real.know(this.#events);
    return this.#tokens.size > before;
  }

  /** A market whose winner nobody says stays closed: nobody can be paid. */
  async #settle(eventId: Event['id'], market: Market): Promise<void> {
    const outcome = await this.#real.readResolution(eventId, market.id);
    if (outcome.kind !== 'ok' || this.#isStopped) return;
    const winner = winnerOf(outcome.value, market);
    if (winner === undefined) return;
    this.#mirror.settle(market.id, winner);
    for (const tokenId of tokensOf([{ markets: [market] }])) this.#tokens.delete(tokenId);
    this.#options.tap?.resolved(winner);
    this.#options.log.info('dry_run.resolved', { market: market.id, winner });
  }

  readonly #isOver = ({ id }: Pick<Market, 'id'>): boolean =>
    this.#venue.exchange.catalogue.market(id).trading === 'resolved';

  async #audit(): Promise<void> {
    const openedAtMs = this.#openedAtMs;
    const { clock, timers } = this.#options;
    if (openedAtMs === undefined || clock.nowMs() - openedAtMs < SNAPSHOT_MS_MAX) return;
    const missing = this.#mirror.missing().filter((tokenId) => this.#tokens.has(tokenId));
    // Every other time: a book that cannot be had, as of a market without one, must not keep all others from a look.
    const turn = Math.floor(this.#auditPlace / 2);
    const lacking = this.#auditPlace % 2 === 0 ? missing[turn % missing.length] : undefined;
    const tokenId = lacking ?? [...this.#tokens][turn % this.#tokens.size];
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
function isMirrored(event: Event, all: readonly NamedMarket[]): (market: Market) => boolean {
  const choices = all.filter((choice) => choice.event === event.slug || choice.event === event.id);
  return ({ id }) => choices.some(({ market }) => market === undefined || market === id);
}
