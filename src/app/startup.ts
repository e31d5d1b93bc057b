// The start of a daemon, in the order in which each step may still refuse: lock, latch, HTTP,
// preflight, and only then the venue.

import { BotError } from '../domain/errors.ts';
import type { PersistedState } from '../domain/record.ts';
import type { UnixMs } from '../domain/time.ts';
import { type DayWriter, openDays } from '../journal/days/day-writer.ts';
import { type Latch, latchFile, watchLatch } from '../journal/latch.ts';
import { type Lock, lockJournal } from '../journal/lock.ts';
import { openRecorder, type Recorder } from '../journal/recorder.ts';
import { feedChoices } from '../settings/feed-choice.ts';
import { coreSettings } from '../settings/load.ts';
import { clearAsGuard, UnconfirmedStart } from './abandoned-start.ts';
import { Closing } from './closing.ts';
import { composeDaemon, type DaemonOptions, type DaemonParts, eventNames } from './compose.ts';
import { Daemon } from './daemon.ts';
import { EXIT } from './exit.ts';
import { HttpLink } from './http-link.ts';
import { KeptLatch, type KillFacts } from './kept-latch.ts';
import { latenessOf } from './learnt.ts';
import { keepsTaken } from './listed-before.ts';
import { LockLoss } from './lock-loss.ts';
import type { Earned } from './look-back/earned.ts';
import { type AnswerNeeds, answerAsk } from './operator-answers.ts';
import { READ_MAX } from './operator-record.ts';
import { takeUpLedger } from './recovery.ts';
import { type Reloading, startReloading } from './reload.ts';
import { keptSelection } from './selected-before.ts';
import { withStops } from './unwritten-stops.ts';
import { abortion, ready } from './venue-ready.ts';
import { packageVersion } from './version.ts';

export type StartedDaemon = {
  readonly daemon: Daemon;
  /** Where `/metrics`, `/readyz` and the rest are; `undefined` until the process that serves them has said so. */
  readonly httpAddress: string | undefined;
  /** What the fills of this run have earned, whole when it has ended. */
  earned(): Earned | undefined;
  reload(): void;
};

export type StartSignals = {
  readonly calledOff: AbortSignal;
  /** It is to end at once, confirmed or not. */
  readonly insisted: AbortSignal;
};

/**
 * Starts a daemon. A start that is called off ends between two steps, before anything was placed.
 *
 * @throws {PreflightError} When venue, account or markets are not as configured.
 * @throws {BotError} `journal.busy`, `journal.write` or `http.listen`; nothing was placed then.
 * @throws {UnconfirmedStart} When it is called off, nobody else looks, and orders of a previous run may be left.
 */
export async function startDaemon(
  options: DaemonOptions,
  { calledOff, insisted }: StartSignals,
): Promise<StartedDaemon> {
  const { clock, log } = options;
  const closing = new Closing(clock, (part, detail) => log.error('close.failed', { part, detail }));
  const found: Found = { persisted: undefined, parts: undefined };
  try {
    return await start(options, { closing, found }, calledOff);
  } catch (error) {
    // Said also by a start that was called off between taking over and the first order.
    options.guarded?.leaving(isUntouched(found, error));
    const ordersLeft = found.persisted?.orders.length ?? 0;
    try {
      if (found.parts) await clearAsGuard({ options, parts: found.parts, ordersLeft, insisted });
    } finally {
      await closing.closeAll();
    }
    // Below a guard that is for the guard to look at, and to say.
    if (calledOff.aborted && options.guarded === undefined && ordersLeft > 0) {
      const left = `${ordersLeft} orders of a previous run had not ended`;
      throw new UnconfirmedStart(left, { cause: error });
    }
    throw error;
  }
}

/** What a previous run has left, once its ledger could be read, and what reaches it on the venue. */
type Found = { persisted: PersistedState | undefined; parts: DaemonParts | undefined };

/** Whether orders of a previous run may rest that nobody but this process would look after. */
function isUntouched({ persisted }: Found, error: unknown): boolean {
  const code = error instanceof BotError ? error.code : undefined;
  // Another instance looks after them, or they rest on another venue.
  if (code === 'journal.busy' || code === 'journal.venue') return false;
  return persisted === undefined || persisted.orders.length > 0;
}

async function start(
  options: DaemonOptions,
  { closing, found }: { readonly closing: Closing; readonly found: Found },
  calledOff: AbortSignal,
): Promise<StartedDaemon> {
  const { settings, log } = options;
  // The parts tell a daemon that is made of them; until it is there, nothing can have happened.
  const late: { daemon?: Daemon; reloading?: Reloading } = {};
  const { held, loss } = await lock(options, closing, calledOff);
  const startedAtMs = options.clock.nowMs();
  const recorder = await recorderOf(options, startedAtMs, closing);
  const { ledger, persisted } = await takeUpLedger(options, closing);
  found.persisted = persisted;
  const latch = await keptLatch(options, ledger, closing);
  const days = await daysOf(options, closing);
  const parts = composeDaemon(options, {
    latchFault: () => latch.fault,
    onInput: recorder.record,
    onAnswered: recorder.answered,
    startedAtMs,
    onBreaker: (error) => {
      log.error('breaker', { detail: error.stack ?? error.message });
      void late.daemon?.abort('the core threw', EXIT.failed);
    },
    recorderDropped: recorder.dropped,
    selection: keptSelection(ledger, log, () => late.reloading?.reselect()),
    ledger,
    stopsNumber: persisted.stopsNumber,
    ...{ days, left: persisted.orders },
    actions: ledger.actions(READ_MAX),
  });
  closing.add('selection', () => parts.selection.stop());
  parts.record.begin();
  closing.add('day book', () => closeBooks(parts));
  found.parts = parts;
  seedOwn(options, parts, persisted);
  const onStopping = () => void held.markStopping();
  const daemon = new Daemon({ options, parts, latch, closing, onStopping });
  late.daemon = daemon;
  const shown = { daemon, closing, calledOff, reloading: () => late.reloading };
  await watchForLatch(settings.journal.path, daemon, closing);
  const http = showOverHttp(options, parts, shown);
  await Promise.all([
    options.http.isPortFree ? undefined : http.served,
    ready(options, parts, { ledger, persisted, calledOff }),
  ]);
  calledOff.throwIfAborted();
  // The guard knows what a previous run left before anything is placed on top of it.
  parts.own.flush();
  await options.guarded?.takeOver();
  // Read last: a kill that came while the venue was checked could not reach it, and is told again.
  const latched = await latch.atStart();
  // From here to the end nothing waits: what is called off has placed nothing.
  calledOff.throwIfAborted();
  loss.begin((by) => void daemon.stop(by));
  run(options, parts, { latch: latched, persisted: withStops(persisted, parts.stops.remembered) });
  // Behind the settings of the start: what the file says by now must not be overtaken by them.
  const reloading = startReloading(options, parts, keepsTaken(ledger, log));
  late.reloading = reloading;
  closing.add('settings watch', () => reloading.close());
  daemon.open();
  closing.add('feeds', () => parts.feeds.stop());
  closing.add('venue', async () => await parts.venue.stop());
  closing.add('guard', () => options.guarded?.leaving(false, daemon.unsettled, daemon.inFlight));
  options.guarded?.started();
  return startedAs({ options, parts, daemon, reloading, http });
}

/** HTTP may still load; the log says where it is when that is known. */
function startedAs({
  options: { log, settings },
  parts,
  daemon,
  reloading,
  http,
}: {
  readonly options: DaemonOptions;
  readonly parts: DaemonParts;
  readonly daemon: Daemon;
  readonly reloading: Reloading;
  readonly http: Shown;
}): StartedDaemon {
  void http.served.then((address) =>
    log.info('daemon.started', { http: address, venue: settings.venue.baseUrl }),
  );
  return {
    daemon,
    get httpAddress() {
      return http.address();
    },
    earned: () => parts.dayBook?.earned(),
    reload: () => void reloading.reloadNow(),
  };
}

function closeBooks({ dayBook, figures }: DaemonParts): void {
  dayBook?.close();
  figures.stop();
}

/** What the run before left counts from the first moment. */
function seedOwn(
  { settings, clock }: DaemonOptions,
  { own }: DaemonParts,
  persisted: PersistedState,
): void {
  const nowMs = clock.nowMs();
  own.seed(persisted, nowMs, latenessOf(persisted, nowMs, settings.timing.unknownHorizonMs));
}

/** An instance that is stopping is waited for; any other one is named. */
async function lock(
  { settings, clock, log }: DaemonOptions,
  closing: Closing,
  calledOff: AbortSignal,
): Promise<{ readonly held: Lock; readonly loss: LockLoss }> {
  const loss = new LockLoss();
  const held = await lockJournal({
    ...{ journal: settings.journal.path, clock, onLost: loss.onLost, calledOff },
    waitMs: settings.guard.startWaitSec * 1_000,
    onWait: (detail) => log.warn('start.waiting', { detail }),
  });
  closing.add('lock', async () => await held.release());
  return { held, loss };
}

type InputRecorder = Pick<Recorder, 'record' | 'answered'> & { readonly dropped: () => number };

const NO_RECORDER: InputRecorder = { record: () => {}, answered: () => {}, dropped: () => 0 };

async function recorderOf(
  { settings, guarded }: DaemonOptions,
  startedAtMs: UnixMs,
  closing: Closing,
): Promise<InputRecorder> {
  const { path, recordInputs, recordFileMbMax, recordFilesMax } = settings.journal;
  if (!recordInputs) return NO_RECORDER;
  const suspended = guarded?.facts.suspended ?? [];
  const about = { startedAtMs, version: packageVersion(), node: process.version, suspended };
  const recorder = await openRecorder({
    ...{ journal: path, about },
    fileBytesMax: recordFileMbMax * 1_000_000,
    filesMax: recordFilesMax,
  });
  closing.add('recorder', async () => await recorder.close());
  return {
    record: (input) => recorder.record(input),
    answered: (commands) => recorder.answered(commands),
    dropped: () => recorder.stats().dropped,
  };
}

/** What those who look back read; where it cannot be written, it trades all the same. */
async function daysOf(
  { settings, clock, log }: DaemonOptions,
  closing: Closing,
): Promise<DayWriter> {
  const { path, keepDays, daysMbMax } = settings.journal;
  const days = await openDays({
    ...{ journal: path, clock },
    kept: { days: keepDays, bytes: daysMbMax * 1_000_000 },
    onFault: (fault) => log.warn('days.failed', { fault, means: 'reports will have gaps' }),
  });
  closing.add('days', async () => await days.close());
  return days;
}

async function watchForLatch(journal: string, daemon: Daemon, closing: Closing): Promise<void> {
  const watch = await watchLatch({ journal, onSet: (latch) => onLatch(daemon, latch) });
  closing.add('latch watch', () => watch.close());
}

/** A proof that was noted on it is no new kill. */
function onLatch(daemon: Daemon, latch: Latch): void {
  if (latch.confirmed === undefined) daemon.onLatch(latch);
}

type Beginning = {
  readonly latch: Latch | undefined;
  readonly persisted: PersistedState;
};

/** From here on things happen: settings, the previous run, a latched kill, then the venue. */
function run(options: DaemonOptions, parts: DaemonParts, { latch, persisted }: Beginning): void {
  const { loop, venue } = parts;
  const named = parts.selection.applied(options.settings);
  parts.wantedEvents.splice(0, parts.wantedEvents.length, ...eventNames(named));
  loop.post({ kind: 'settings', settings: coreSettings(named) });
  loop.post({ kind: 'restored', persisted });
  if (latch) {
    const { by, reason, at } = latch;
    const file = latchFile(options.settings.journal.path);
    const clears = `bookend resume --config ${options.source.file}`;
    options.log.warn('latch.found', { by, reason, at, file, clears });
    loop.post({ kind: 'operator', order: { kind: 'kill', by: `latch: ${by}` } });
  }
  venue.start((message) => loop.deliver(message));
  loop.start();
  parts.figures.start(options.clock.background, parts.view);
  parts.feeds.apply(feedChoices(named, options.source.env));
}

/** A process that is there says so within a turn. */
const SERVED_AGAIN_MS = 500;

type ShownNeeds = Omit<AnswerNeeds, 'options'> & {
  readonly closing: Closing;
  readonly calledOff: AbortSignal;
};

type Shown = {
  /** @throws {BotError} `http.listen`, where a first start found its port taken. */
  readonly served: Promise<string | undefined>;
  readonly address: () => string | undefined;
};

/**
 * Whatever is asked of the daemon from outside comes over it. The process that serves it loads while the venue is
 * read, and longer: where the guard has found its port free nothing waits for it.
 */
function showOverHttp(
  options: DaemonOptions,
  { metrics, events, loop }: DaemonParts,
  { closing, calledOff, ...needs }: ShownNeeds,
): Shown {
  const { clock, log } = options;
  const link = new HttpLink({
    path: options.http.path,
    view: (pick) => needs.daemon.view(pick),
    metrics,
    events,
    tickAgeMs: () => {
      const tickedAtMs = loop.lastTickAtMs();
      return tickedAtMs === undefined ? undefined : Math.max(0, clock.nowMs() - tickedAtMs);
    },
    answer: async (ask) => await answerAsk({ options, ...needs }, ask),
    timers: clock,
  });
  closing.add('http', () => link.close());
  // It was served for a run before: whoever has its port by now, and one that hangs, keeps no later one from its quotes.
  const isLater = (options.guarded?.facts.run ?? 1) > 1;
  const mayRefuse = !isLater && !options.http.isPortFree;
  const answer = link.served(isLater ? SERVED_AGAIN_MS : undefined).catch((error: unknown) => {
    if (mayRefuse) throw error;
    return undefined;
  });
  let address: string | undefined;
  const served = Promise.race([answer, abortion(calledOff)]).then((found) => {
    address = found;
    if (found !== undefined || calledOff.aborted) return found;
    log.warn('http.silent', { means: 'nobody serves HTTP yet' });
    void link.servedAtLast().then((late) => {
      address = late;
      log.info('http.serving', { http: late });
    });
    return undefined;
  });
  return { served, address: () => address };
}

async function keptLatch(
  options: DaemonOptions,
  ledger: KillFacts,
  closing: Closing,
): Promise<KeptLatch> {
  const { settings, clock, log, guarded } = options;
  const journal = settings.journal.path;
  const tellGuard = (by: string | undefined) => guarded?.unlatched(by);
  const heldBy = guarded?.facts.unlatchedBy;
  const latch = new KeptLatch({ journal, clock, timers: clock, log, tellGuard, heldBy, ledger });
  await latch.reserve();
  closing.add('latch', () => latch.close());
  return latch;
}
