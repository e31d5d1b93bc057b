// The embedded venue as a process of its own below `paper`: a trader that is killed leaves a living
// venue, whose book still shows its orders. It ends when it is told to, or when nobody is left.

import process from 'node:process';
import type { Command } from 'commander';
import { startDryMarket } from '../app/dry-market.ts';
import { type Embedded, startEmbedded } from '../app/embedded.ts';
import { EXIT } from '../app/exit.ts';
import { openMarketTap } from '../app/market-tap.ts';
import type { PaperFacts } from '../app/paper.ts';
import { wantedOrAnyPort } from '../app/ports.ts';
import { hangUpOnce, isTerminalGone } from '../app/terminal.ts';
import { type SystemClock, systemClock } from '../clock/system.ts';
import type { Timers } from '../domain/time.ts';
import type { ReplayProgress } from '../paper/crowd/replay.ts';
import type { Settings } from '../settings/settings.ts';
import { createLog, type Log } from '../telemetry/logs.ts';
import { earnedLines } from './backtest-lines.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './command.ts';
import type { CliIo, Finish } from './io.ts';
import { configured } from './options.ts';
import { BYTES_PER_MB, MAX_MB_DEFAULT, withRecordOptions } from './record-options.ts';
import { type ReplayOptions, replayChoice, withReplayOptions } from './replay-options.ts';

type PaperVenueOptions = ReplayOptions & {
  readonly config: string;
  readonly dryRun?: boolean;
  /** A dry run records what it sees of the real venue there. */
  readonly record?: string;
  readonly recordMaxMb?: number;
};

/** A recording is looked at this often: one that fails says so at once. */
const LOOK_MS = 1_000;
/** A line about a replay that goes well comes twice a minute. */
const LOOKS_PER_LINE = 30;
/** A trader without its guard cancels and confirms first; longer than any proof it does not get. */
const LAST_TRADER_MS_MAX = 30_000;
const LAST_TRADER_LOOK_MS = 200;

/** Of the table at the end; the terminal is the guard's. */
const RESULT_WIDTH = 120;

export function paperVenueCommand(io: CliIo, finish: Finish): Command {
  const venue = command('paper-venue', 'the embedded venue below `paper`').requiredOption(
    CONFIG_FLAG,
    CONFIG_DOC,
  );
  venue.option('--dry-run', 'the books and trades of the real venue');
  withRecordOptions(venue);
  return withReplayOptions(venue).action(async (options: PaperVenueOptions) => {
    const over = untilOver();
    const clock = systemClock();
    const { settings } = await configured(io, options.config);
    const { level } = settings.logging;
    const log = createLog({ level, format: 'json', sink: { write: sendLine } });
    const isDry = options.dryRun === true;
    const embedded = isDry
      ? await startDry(settings, options, { clock, log })
      : await startPlay(settings, options, { clock, log });
    const facts = factsOf(embedded);
    const dryRunOf = isDry ? settings.venue.baseUrl : undefined;
    await told({ kind: 'listening', facts: { ...facts, dryRunOf } });
    const callOff = tellProgress(log, embedded, (task) => clock.background.after(LOOK_MS, task));
    if ((await over) === 'orphaned') await untilNobodyTrades(embedded, clock);
    callOff();
    const lines = earnedLines(embedded.earned(), RESULT_WIDTH);
    await told({ kind: 'earned', lines });
    await embedded.stop();
    // An open channel would keep this process, and the terminal of `paper` waits for its end.
    if (process.connected) process.disconnect();
    finish(EXIT.done);
  });
}

async function startDry(
  settings: Settings,
  { record, recordMaxMb = MAX_MB_DEFAULT }: PaperVenueOptions,
  { clock, log }: { readonly clock: SystemClock; readonly log: Log },
): Promise<Embedded> {
  const market = { settings, port: 0, clock, timers: clock, log };
  if (record === undefined) return await startDryMarket(market);
  const onLost = (detail: string): void => log.error('record.lost', { folder: record, detail });
  const tap = await openMarketTap({
    ...{ folder: record, bytesMax: recordMaxMb * BYTES_PER_MB, whenFull: 'drop' },
    ...{ venue: settings.venue.baseUrl, clock, onLost },
  });
  log.info('record.started', { folder: record, maxMb: recordMaxMb });
  try {
    return await startDryMarket({ ...market, tap });
  } catch (error) {
    await tap.close();
    throw error;
  }
}

async function startPlay(
  settings: Settings,
  options: PaperVenueOptions,
  { clock, log }: { readonly clock: SystemClock; readonly log: Log },
): Promise<Embedded> {
  const { host, port: wanted } = settings.paper;
  const port = await wantedOrAnyPort(host, wanted);
  if (port !== wanted) log.warn('paper.port_busy', { wanted, instead: 'any' });
  const replay = replayChoice(options, settings);
  return await startEmbedded({
    ...{ paper: settings.paper, port, clock, timers: clock.background, replay },
    waitsForQuotes: true,
  });
}

/** Signals of the terminal are for the guard, which tells us when it is time. */
async function untilOver(): Promise<'told' | 'orphaned'> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGTSTP'] as const)
    process.on(signal, () => {});
  const onGone = hangUpOnce(() => {});
  process.on('SIGHUP', () => {
    if (isTerminalGone()) onGone();
  });
  return await new Promise((resolve) => {
    process.once('disconnect', () => resolve('orphaned'));
    // It may have ended while this program loaded, which is told once.
    if (process.connected === false) resolve('orphaned');
    process.on('message', () => resolve('told'));
  });
}

async function untilNobodyTrades({ venue }: Embedded, clock: SystemClock & Timers): Promise<void> {
  const untilMs = clock.nowMs() + LAST_TRADER_MS_MAX;
  while (venue.hub.count > 0 && clock.nowMs() < untilMs) {
    await new Promise<void>((resolve) => clock.after(LAST_TRADER_LOOK_MS, resolve));
  }
}

/** Why a recording could not be played to its end. */
function failureOf({ state, failure, framesApplied, framesRebuilt }: ReplayProgress) {
  if (failure) return failure.message;
  const isEmpty = state === 'done' && framesApplied + framesRebuilt === 0;
  return isEmpty ? 'a recording is not usable: no frame could be read' : undefined;
}

/** The first frame that was played: its own time, and when that was here. */
type Started = { readonly recordedMs: number; readonly wallMs: number };

/** What of a replay's progress people read first. */
function progressFields(progress: ReplayProgress, started: Started) {
  const { recordedAtMs, endsAtMs, readPart, ...counts } = progress;
  if (recordedAtMs === undefined) return counts;
  const recorded = new Date(recordedAtMs).toISOString();
  const part =
    endsAtMs === undefined
      ? readPart
      : (recordedAtMs - started.recordedMs) / Math.max(1, endsAtMs - started.recordedMs);
  const done = Math.min(1, Math.max(0, part));
  const leftMs = ((performance.now() - started.wallMs) * (1 - done)) / done;
  // As fast as so far.
  const leftSec = done > 0 ? Math.round(leftMs / 1_000) : undefined;
  return { percent: Math.round(100 * done), recorded, leftSec, ...counts };
}

/** Returns once it has left: a channel that closes drops what waits in it. */
async function told(message: object): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => process.send?.(message, () => resolve()));
}

function sendLine(line: string): void {
  if (process.connected) process.send?.({ kind: 'line', line });
}

function factsOf({ venue, events, progress }: Embedded): PaperFacts {
  const { baseUrl, wsUrl, account } = venue;
  const eventSlugs = events.map(({ slug }) => slug);
  return { baseUrl, wsUrl, account, eventSlugs, isRecorded: progress !== undefined };
}

/** Until the recording is over. */
function tellProgress(
  log: Log,
  { progress }: Embedded,
  later: (task: () => void) => () => void,
): () => void {
  if (!progress) return () => {};
  let callOff = () => {};
  let looks = 0;
  let started: Started | undefined;
  const tell = () => {
    const now = progress();
    looks += 1;
    const isOver = now.state === 'failed' || now.state === 'done' || now.state === 'stopped';
    const failure = failureOf(now);
    const { state, recordedAtMs } = now;
    if (state === 'playing' && recordedAtMs !== undefined) {
      started ??= { recordedMs: recordedAtMs, wallMs: performance.now() };
    }
    const { failure: _, ...fields } = progressFields(now, started ?? { recordedMs: 0, wallMs: 0 });
    if (failure !== undefined) log.error('replay.failed', { why: failure, ...fields });
    else if (isOver || looks % LOOKS_PER_LINE === 0) log.info('replay.progress', fields);
    if (!isOver) callOff = later(tell);
    else if (process.connected) process.send?.({ kind: 'played', failure });
  };
  callOff = later(tell);
  return () => callOff();
}
