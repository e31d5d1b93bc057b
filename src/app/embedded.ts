// The embedded venue with its crowd: synthetic traders, or a recording played as the book.

import { BotError } from '../domain/errors.ts';
import { marketId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { HONEST_PROFILES, PROFILES, type ProfileChoice } from '../paper/crowd/profile.ts';
import { openRecording, type Recording } from '../paper/crowd/recording.ts';
import { type Replay, type ReplayProgress, startReplay } from '../paper/crowd/replay.ts';
import { startSyntheticCrowd } from '../paper/crowd/synthetic.ts';
import { plannedEvent } from '../paper/exchange/plan.ts';
import type { PaperVenue } from '../paper/server.ts';
import type { Settings } from '../settings/settings.ts';
import { type Earned, earnedBy, watchOf } from './earned.ts';
import { listenEmbedded, MAKER } from './embedded-venue.ts';

export type EmbeddedOptions = {
  readonly paper: Settings['paper'];
  readonly port: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly replay: ReplayChoice | undefined;
  /** A recording is held at its start until the account quotes. */
  readonly waitsForQuotes?: boolean;
};

export type ReplayChoice = {
  /** `<name>.ndjson.gz`, with its `<name>.meta.json` beside it. */
  readonly file: string;
  readonly speed: number;
  /** Lists and plays this many markets only, the most active first. */
  readonly marketsMax: number | undefined;
};

export type Embedded = {
  readonly venue: PaperVenue;
  /** What is listed. */
  readonly events: readonly Event[];
  /** How far a recording is; `undefined` with synthetic traders. */
  readonly progress: (() => ReplayProgress) | undefined;
  /** What the account earned so far, as the venue counts it. */
  earned(): Earned;
  /** The crowd first, then the venue. */
  stop(): Promise<void>;
};

/**
 * Starts the embedded venue and its crowd.
 *
 * @throws {BotError} `http.listen` when the port cannot be used, `replay.file` for an unusable
 *   recording, `settings.invalid` when there is nothing to list.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { paper, replay } = options;
  if (replay) return await startWithRecording(options, replay);
  if (paper.events.length === 0) {
    throw new BotError(
      'settings.invalid',
      'paper.events is empty: the embedded venue lists nothing',
    );
  }
  const events = paper.events.map(listedEvent);
  const venue = await listenEmbedded(options, events);
  const watch = watchOf(venue);
  const crowd = startSyntheticCrowd(venue.desk, {
    seed: paper.seed,
    timers: options.timers,
    activity: paper.activity,
    markets: profilesOf(paper, events),
  });
  return {
    venue,
    events,
    progress: undefined,
    earned: () => earnedBy(watch, venue),
    stop: async () => {
      crowd.stop();
      await venue.stop();
    },
  };
}

async function startWithRecording(
  options: EmbeddedOptions,
  { file, speed, marketsMax }: ReplayChoice,
): Promise<Embedded> {
  const recording: Recording = await openRecording(
    file,
    marketsMax === undefined ? {} : { marketsMax },
  );
  const venue = await listenEmbedded(options, recording.events);
  const watch = watchOf(venue);
  const silenceMsMax = options.paper.replaySilenceMsMax;
  const replay = startReplay(venue.desk, recording, {
    timers: options.timers,
    speed,
    silenceMsMax,
  });
  if (options.waitsForQuotes === true) holdUntilQuoted(replay, venue, options.timers);
  return {
    venue,
    events: recording.events,
    progress: () => replay.progress(),
    earned: () => earnedBy(watch, venue),
    stop: async () => {
      await replay.stop();
      await venue.stop();
    },
  };
}

/** A daemon that does not quote by then is not waited for; where no open market has a book it only gets time to start. */
const QUOTES_MS_MAX = 20_000;
const NOTHING_MS_MAX = 3_000;
const QUOTES_LOOK_MS = 50;

/** A recording that ran before anybody could quote would depend on how fast the machine starts. */
function holdUntilQuoted(replay: Replay, { exchange }: PaperVenue, timers: Timers): void {
  replay.pause();
  const account = exchange.accounts.named(MAKER);
  let waitedMs = 0;
  const look = (): void => {
    if (replay.progress().state !== 'rebuilding') waitedMs += QUOTES_LOOK_MS;
    const isPossible = exchange.catalogue.markets().some((market) => {
      const hasBook = exchange.context.books.of(market).allTicks('bid').length > 0;
      return hasBook && market.trading === 'open';
    });
    const isOver = waitedMs >= (isPossible ? QUOTES_MS_MAX : NOTHING_MS_MAX);
    if (isOver || exchange.openOrders(account).length > 0) replay.resume();
    else timers.after(QUOTES_LOOK_MS, look);
  };
  look();
}

type EventConfig = Settings['paper']['events'][number];

/** An event of the configuration; a market without an id gets one from its place in the list. */
export function listedEvent({ slug, title, category, tickSize, markets }: EventConfig): Event {
  const event = plannedEvent({
    slug,
    title,
    category,
    tickSize,
    markets: markets.map((market, index) => ({ slug: String(index), title: market.title })),
  });
  return {
    ...event,
    markets: event.markets.map((market, index) => {
      const id = markets[index]?.id;
      return id === undefined ? market : { ...market, id: marketId(id) };
    }),
  };
}

/** How the crowd of each configured market trades, by market id. */
export function profilesOf(
  paper: Settings['paper'],
  events: readonly Event[],
): Readonly<Record<string, ProfileChoice>> {
  const known = paper.crowd === 'honest' ? HONEST_PROFILES : PROFILES;
  const choices = events.flatMap((event, eventIndex) =>
    event.markets.flatMap((market, marketIndex) => {
      const config = paper.events[eventIndex]?.markets[marketIndex];
      if (!config) return [];
      const profile = { ...known[config.profile], startProbability: config.fairValue };
      return [[market.id, profile] as const];
    }),
  );
  return Object.fromEntries(choices);
}
