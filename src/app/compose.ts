// Puts the daemon together: which part talks to which. Nothing runs before the daemon starts it.

import type { SystemClock } from '../clock/system.ts';
import { createEngine, type Engine } from '../core/engine.ts';
import type { StoredAction } from '../domain/action.ts';
import type { Command, VenuePort } from '../domain/command.ts';
import type { Input } from '../domain/input.ts';
import type { Report } from '../domain/report.ts';
import type { UnixMs } from '../domain/time.ts';
import type { LatchFault, PickMarkets, StateView } from '../domain/view.ts';
import { FairFeeds } from '../feeds/feeds.ts';
import type { FairUpdate } from '../feeds/update.ts';
import type { HttpPlace } from '../guard/protocol.ts';
import type { DayWriter } from '../journal/days/day-writer.ts';
import type { CredentialsProvider } from '../settings/credentials.ts';
import type { Change } from '../settings/diff.ts';
import type { NamedSettings } from '../settings/selected.ts';
import type { Settings, SettingsSource } from '../settings/settings.ts';
import { boundedLookup } from '../telemetry/bounded-lookup.ts';
import type { Log } from '../telemetry/logs.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { createVenue } from '../venue/venue.ts';
import { DayBook, type DayBookNeeds } from './day-book.ts';
import { EditedConfig } from './edited-config.ts';
import { LiveFigures } from './figures.ts';
import type { Guarded } from './guard-link.ts';
import { type EarlyStore, JournalWriter, type RecordStore } from './journal-writer.ts';
import { createLoop, type Loop, type Posted, TICK_MS } from './loop.ts';
import { OperatorRecord, type OperatorRecordOptions } from './operator-record.ts';
import { OwnTeller, tellingWriter } from './own-orders.ts';
import { PacedMarks } from './paced-marks.ts';
import { ProofWatch } from './proof.ts';
import { RecentEvents } from './recent-events.ts';
import type { KeptSelection } from './selected-before.ts';
import { MarketSelection, readFittingBy } from './selection.ts';
import { Shadows } from './shadow.ts';
import type { StrategyMap } from './strategies.ts';
import { type Marks, NO_MARKS } from './strategy-marks.ts';
import { UnwrittenStops } from './unwritten-stops.ts';
import {
  socketOptions,
  type VenueAccess,
  venueHttpOptions,
  withVenueHttp,
} from './venue-access.ts';
import { packageVersion } from './version.ts';
import { Suspensions, watchedStrategies } from './watched-strategies.ts';

export type DaemonOptions = {
  readonly settings: Settings;
  /** Where `settings` came from, to read them again. */
  readonly source: SettingsSource;
  /** The text that says so; without it, what the file says when it is watched. */
  readonly text?: string | undefined;
  /** Something of that text waits for a restart. */
  readonly waits?: boolean;
  /** What of it is not as in the previous run, since the file has changed meanwhile. */
  readonly applied?: readonly Change[] | undefined;
  readonly strategies: StrategyMap;
  readonly credentials: CredentialsProvider;
  readonly log: Log;
  readonly clock: SystemClock;
  /** What a command changes in settings that were read again, as it did in `settings`. */
  readonly adjust?: (settings: Settings) => Settings;
  /** The venue begins anew with this process: what a ledger says of an earlier one is void. */
  readonly isVenueNew?: boolean;
  /** Its orders are simulated: its ledger is none of a live run, and no live run takes it up. */
  readonly takesPlay?: boolean;
  /** The real venue whose books are shown while own orders are simulated. */
  readonly dryRunOf?: string | undefined;
  /** An operator has asked to go on with a journal that is damaged. */
  readonly acceptsLoss?: boolean;
  /** The venue ends with the guard, and what rests there with it. */
  readonly endsWithGuard?: boolean;
  /** Absent where nobody watches this process. */
  readonly guarded?: Guarded | undefined;
  readonly http: HttpPlace;
  /** Where it says which strategy it asks; absent where nobody reads it. */
  readonly marks?: Marks | undefined;
};

export type DaemonParts = {
  readonly engine: Engine;
  readonly venue: VenuePort;
  readonly loop: Loop;
  readonly metrics: Metrics;
  /** What happened lately, for the console. */
  readonly events: RecentEvents;
  /** What operators do, on record. */
  readonly record: OperatorRecord;
  /** Prices from outside the venue; they run from `start` of the daemon on. */
  readonly feeds: FairFeeds;
  readonly figures: LiveFigures;
  /** Absent where nobody will look back. */
  readonly dayBook?: DayBook | undefined;
  /** What the core shows, and how the feeds are doing. */
  readonly view: (pick?: PickMarkets) => StateView;
  readonly proofs: ProofWatch;
  /** What keeps quotes away and no disk has taken, of this run and of the one before it. */
  readonly stops: UnwrittenStops;
  /** Own orders, for those who cancel without the core. */
  readonly own: OwnTeller;
  /** What waits for the disk before it leaves hangs on whose orders a start clears. */
  readonly writer: Pick<JournalWriter, 'setScope'>;
  /** For errands and the kill path: connections of their own to the same venue. */
  readonly access: VenueAccess;
  /** Events whose catalogue is read; the venue looks at it anew with each reading. */
  readonly wantedEvents: string[];
  /** Markets that a filter of the configuration chooses. */
  readonly selection: MarketSelection;
  readonly config: EditedConfig;
};

/** What the daemon itself listens to. */
export type DaemonHooks = Pick<DayBookNeeds, 'left'> & {
  readonly onInput: (input: Input) => void;
  readonly onAnswered: (commands: readonly Command[]) => void;
  /** From then on suspensions count. */
  readonly startedAtMs: UnixMs;
  readonly onBreaker: (error: Error) => void;
  readonly recorderDropped: () => number;
  readonly ledger: RecordStore & EarlyStore;
  /** Of the last write with stops in it that the ledger has. */
  readonly stopsNumber: number | undefined;
  /** The operators' record, the latest of it. */
  readonly actions: readonly StoredAction[];
  /** A kill that no disk holds, absent while there is none. */
  readonly latchFault: () => LatchFault | undefined;
  /** What filters had chosen in the run before, and who is told when they choose otherwise. */
  readonly selection: KeptSelection;
  /** Where it is written down for those who look back; absent where nobody will. */
  readonly days?: Pick<DayWriter, 'write'>;
};

/** Scrapes and people see the same: the core's own view, and what only the process knows. */
function viewWith(
  { guarded, dryRunOf }: DaemonOptions,
  { latchFault }: DaemonHooks,
  { suspensions, ofCore }: { suspensions: Suspensions; ofCore: (pick?: PickMarkets) => StateView },
): (pick?: PickMarkets) => StateView {
  return (pick) => {
    const fault = latchFault();
    const core = dryRunOf === undefined ? ofCore(pick) : { ...ofCore(pick), dryRunOf };
    const view = fault === undefined ? core : { ...core, latchFault: fault };
    if (guarded === undefined) return view;
    const { run, deaths, last } = guarded.facts;
    const starved = guarded.starved?.() ?? 0;
    const suspended = suspensions.standing;
    const watched = { ...view, guard: { run, deaths, last, starved, suspended } };
    const venueFault = guarded.venueFault?.();
    if (venueFault === undefined) return watched;
    return { ...watched, venueFault, notReady: [venueFault, ...view.notReady] };
  };
}

export function composeDaemon(options: DaemonOptions, hooks: DaemonHooks): DaemonParts {
  const { settings, clock, credentials, log, marks = NO_MARKS } = options;
  const suspensions = suspensionsOf(options, hooks.startedAtMs);
  const shadows = new Shadows();
  const paced = new PacedMarks(marks);
  const strategies = watchedStrategies(shadows.beside(options.strategies), paced, suspensions);
  const engine = createEngine({ strategies });
  const metrics = createMetrics({
    version: packageVersion(),
    dropped: { log: () => log.droppedLines(), recorder: hooks.recorderDropped },
  });
  const feeds = fairFeeds(options, (input) => loop.post(input));
  const stops = new UnwrittenStops({ log, guard: options.guarded, onDisk: hooks.stopsNumber });
  const access = { settings, credentials, clock, timers: clock, observer: metrics.observer };
  const selection = selectionOf(options, hooks, { access, engine });
  const config = new EditedConfig(clock);
  const figures = new LiveFigures({ clock, earnedIn: (id, value) => dayBook?.soFar(id, value) });
  const ofCore = shownByCore({ engine, shadows, figures, feeds, selection, stops, config });
  const view = viewWith(options, hooks, { suspensions, ofCore });
  const events = new RecentEvents();
  const named = selection.applied(settings);
  const dayBook = dayBookOf(options, hooks, { view, selection });
  const proofs = new ProofWatch(clock, clock);
  const own = new OwnTeller(settings.orders.scope, options.guarded?.orders);
  own.setHorizon(settings.timing.unknownHorizonMs);
  const wantedEvents = eventNames(named);
  const venue = venueOf(access, clock, wantedEvents);
  const onReport = (report: Report): void => {
    proofs.onReport(report);
    record.onReport(report);
    metrics.onReport(report);
    log.report(report);
    events.add(report, clock.nowMs());
    dayBook?.onReport(report);
  };
  const writer = journalWriter(options, hooks, {
    ...{ metrics, stops },
    post: (input) => loop.post(input),
  });
  writer.setScope(settings.orders.scope);
  for (const stop of stops.remembered) writer.keep(stop);
  const record = operatorRecord(options, hooks, events, (each) => writer.keep(each));
  const loop: Loop = createLoop({
    engine,
    send: figures.counting((command, ageMs) => venue.send(command, ageMs)),
    clock,
    steady: clock.steady(),
    timers: clock,
    tickMs: TICK_MS,
    asksMax: () => paced.asksMax,
    writer: tellingWriter(writer, own, dayBook),
    onReport,
    onInput: (input) => {
      shadows.onInput(input);
      hooks.onInput(input);
    },
    onAnswered: hooks.onAnswered,
    onBreaker: hooks.onBreaker,
  });
  return {
    ...{ engine, venue, loop, metrics, events, record, feeds, dayBook, figures },
    ...{ view, proofs, stops, own, writer, access, wantedEvents, selection, config },
  };
}

/** What the core shows, what is counted beside it, and what else of this process an operator is to see. */
function shownByCore({
  engine,
  shadows,
  figures,
  feeds,
  selection,
  stops,
  config,
}: Pick<DaemonParts, 'engine' | 'figures' | 'feeds' | 'selection' | 'stops' | 'config'> & {
  readonly shadows: Shadows;
}): (pick?: PickMarkets) => StateView {
  return (pick) => ({
    ...figures.shown((each) => shadows.shown(engine.view(each)), pick),
    feeds: feeds.views(),
    selection: selection.views(),
    unwrittenStops: stops.standing,
    ...(config.refused === undefined ? {} : { refusedEdit: config.refused }),
  });
}

function venueOf(
  access: VenueAccess & Pick<DaemonOptions, 'settings'>,
  { onJump }: SystemClock,
  wantedEvents: string[],
): VenuePort {
  const { venue } = access.settings;
  return createVenue({
    ...venueHttpOptions(access),
    ...{ wsUrl: venue.wsUrl, wantedEvents, random: Math.random },
    socket: socketOptions(venue),
    onClockJump: onJump,
  });
}

function dayBookOf(
  { settings, clock }: DaemonOptions,
  { days, left }: DaemonHooks,
  { view, selection }: Pick<DaemonParts, 'view' | 'selection'>,
): DayBook | undefined {
  if (days === undefined) return undefined;
  return new DayBook({
    ...{ days, clock, left, version: packageVersion(), view },
    // Nobody waits for a look at a price after the end.
    timers: clock.background,
    takerFeeRateOf: ({ eventId, eventSlug, marketId }) =>
      selection
        .applied(settings)
        .markets.find(
          ({ event, market }) =>
            (event === eventSlug || event === eventId) &&
            (market === undefined || market === marketId),
        )?.takerFeeRate,
  });
}

function journalWriter(
  { clock, log }: DaemonOptions,
  { ledger }: DaemonHooks,
  { metrics, stops, post }: Pick<DaemonParts, 'metrics' | 'stops'> & Pick<Loop, 'post'>,
): JournalWriter {
  return new JournalWriter({
    store: ledger,
    early: ledger,
    ...{ clock, steady: clock.steady() },
    ...{ onCommit: metrics.onCommit, onSync: metrics.onSync },
    onStops: (waiting, number) => stops.onWaiting(waiting, number),
    stopsNumber: stops.number,
    onFault: (fault) => {
      if (fault !== undefined) log.error('ledger.failed', { fault });
      post({ kind: 'ledger', fault });
    },
  });
}

function selectionOf(
  { settings, clock, log }: DaemonOptions,
  hooks: DaemonHooks,
  { access, engine }: Pick<DaemonParts, 'access' | 'engine'>,
): MarketSelection {
  const selection = new MarketSelection({
    ...{ clock, timers: clock, log, ...hooks.selection },
    read: async (query) =>
      await withVenueHttp(access, async (http) => await readFittingBy(http)(query)),
    held: () => heldIn(engine.view()),
  });
  selection.want(settings.markets);
  return selection;
}

/** Events of which something would be left behind if they were known no more. */
function heldIn({ markets }: StateView): ReadonlySet<string> {
  const held = markets.filter(
    ({ positionYes, positionNo, settledYes, settledNo, ownBids, ownAsks }) =>
      ownBids.length + ownAsks.length > 0 ||
      [positionYes, positionNo, settledYes, settledNo].some((shares) => Number(shares) !== 0),
  );
  return new Set(held.map(({ eventSlug }) => eventSlug));
}

/** What the record tells by itself is no report of the core, and shown all the same. */
function operatorRecord(
  { clock, log }: DaemonOptions,
  { actions }: DaemonHooks,
  events: RecentEvents,
  keep: OperatorRecordOptions['keep'],
): OperatorRecord {
  return new OperatorRecord({
    ...{ clock, before: actions, keep },
    tell: (report, atMs) => {
      log.report(report);
      events.add(report, atMs);
    },
  });
}

/** What traders before have died in. */
function suspensionsOf({ guarded, log }: DaemonOptions, startedAtMs: UnixMs): Suspensions {
  const suspensions = new Suspensions(guarded?.facts.suspended ?? [], startedAtMs, (each) =>
    log.warn('strategy.asked_again', each),
  );
  for (const each of suspensions.standing) log.warn('strategy.suspended', each);
  return suspensions;
}

function fairFeeds({ clock, log }: DaemonOptions, post: Loop['post']): FairFeeds {
  return new FairFeeds({
    clock,
    timers: clock,
    fromTimeOfDay: clock.fromTimeOfDay,
    random: Math.random,
    lookup: boundedLookup().lookup,
    onUpdate: (update) => post(fairInput(update)),
    onState: ({ name, from, state, detail }) => {
      if (state === 'ok') log.info('feed.state', { feed: name, from, state });
      else log.warn('feed.state', { feed: name, from, state, detail });
    },
  });
}

function fairInput(update: FairUpdate): Posted {
  if (update.kind === 'price') return { ...update, kind: 'fair' };
  return { ...update, kind: 'fairFault' };
}

/** The events that the configured markets belong to, each once. */
export function eventNames(settings: Pick<NamedSettings, 'markets'>): string[] {
  return [...new Set(settings.markets.map((choice) => choice.event))];
}
