// `record`: the public market data of a venue as it comes, on the disk, for backtests. It needs no account.

import { type Command, InvalidArgumentError } from 'commander';
import { every } from '../app/every.ts';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { type Recording, startRecording } from '../app/record.ts';
import { systemClock } from '../clock/system.ts';
import type { Timers } from '../domain/time.ts';
import type { MarketRecorderStats } from '../journal/market-recorder.ts';
import { createLog } from '../telemetry/logs.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { configured } from './options.ts';
import { Progress } from './progress.ts';
import { BYTES_PER_MB, MAX_MB_DEFAULT, parseMegabytes } from './record-options.ts';
import { duration } from './status-lines.ts';
import { untilSignal } from './until-signal.ts';

type RecordOptions = {
  readonly config: string;
  readonly out: string;
  readonly event?: readonly string[];
  readonly all?: boolean;
  readonly marketsMax: number;
  readonly for?: number;
  readonly maxMb: number;
  readonly whenFull: 'drop' | 'stop';
  readonly json?: boolean;
};

const MARKETS_MAX_DEFAULT = 200;

const LOOK_MS = 500;

export function recordCommand(io: CliIo, finish: Finish): Command {
  return command('record', 'records the public market data of the venue, as it comes')
    .requiredOption(CONFIG_FLAG, `${CONFIG_DOC}: its venue, and its markets`)
    .requiredOption('--out <folder>', 'folder of the recording; one that is there goes on')
    .option('--event <name...>', 'slugs or ids of other events than the configured ones')
    .option('--all', 'every open market that the venue lists')
    .option('--markets-max <count>', 'no more markets than these', parseCount, MARKETS_MAX_DEFAULT)
    .option('--for <duration>', 'ends after that, as 90s, 30m, 12h or 7d', parseDuration)
    .option(
      '--max-mb <megabytes>',
      'room on the disk for the whole recording',
      parseMegabytes,
      MAX_MB_DEFAULT,
    )
    .option(
      '--when-full <what>',
      '`drop` lets the oldest segments go, `stop` ends the recording',
      parseWhenFull,
      'drop',
    )
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: RecordOptions) => finish(await record(io, options)));
}

/** Why it ends: somebody said so, its time is over, its room is taken, or another recorder has its folder. */
type End = 'signal' | 'time' | 'full' | { readonly lost: string };

async function record(io: CliIo, options: RecordOptions): Promise<ExitCode> {
  const { settings } = await configured(io, options.config);
  const clock = systemClock();
  const { level, format } = settings.logging;
  const log = createLog({ level, format });
  const signal = untilSignal();
  const over = new Promise<End>((resolve) => void signal.told.then(() => resolve('signal')));
  let lose = (_lost: string): void => undefined;
  const losing = new Promise<End>((resolve) => {
    lose = (lost) => resolve({ lost });
  });
  const recording = await startRecording({
    ...{ settings, clock, timers: clock, log, onLost: (detail) => lose(detail) },
    folder: options.out,
    bytesMax: options.maxMb * BYTES_PER_MB,
    whenFull: options.whenFull,
    events: options.all === true ? 'all' : options.event,
    marketsMax: options.marketsMax,
  });
  const startedAtMs = clock.nowMs();
  sayStart(io, recording, options);
  const tookMs = () => clock.nowMs() - startedAtMs;
  const progress = new Progress(io);
  const show = () => progress.show(() => goingText(recording, tookMs()));
  const running = watched(show, recording, { timers: clock, forMs: options.for });
  const end = await Promise.race([over, losing, running.end]);
  running.callOff();
  signal.callOff();
  await recording.stop();
  progress.clear();
  await log.flush();
  return tellEnd(io, options, { end, stats: recording.stats(), tookMs: tookMs() });
}

/** Shows how it goes until its time is over or its room is taken. */
function watched(
  show: () => void,
  recording: Recording,
  { timers, forMs }: { readonly timers: Timers; readonly forMs: number | undefined },
) {
  const callOffs: (() => void)[] = [];
  const end = new Promise<End>((resolve) => {
    callOffs.push(
      every(timers, LOOK_MS, () => {
        show();
        if (recording.stats().isFull) resolve('full');
        return Promise.resolve();
      }),
    );
    if (forMs !== undefined) callOffs.push(timers.after(forMs, () => resolve('time')));
  });
  return {
    end,
    callOff: () => {
      for (const callOff of callOffs) callOff();
    },
  };
}

function sayStart(io: CliIo, recording: Recording, { out, maxMb, whenFull }: RecordOptions): void {
  const { markets, marketsLeftOut } = recording;
  const left = marketsLeftOut === 0 ? '' : `, ${marketsLeftOut} left out (--markets-max)`;
  const full = whenFull === 'drop' ? 'then the oldest segments go' : 'then it ends';
  complain(io, `recording ${markets} markets to ${out}${left}; up to ${maxMb} MB, ${full}`);
}

function goingText(recording: Recording, tookMs: number): string {
  const state = recording.isConnected() ? '' : ', not connected';
  return `${duration(tookMs)}: ${countsText(recording.stats())}${state}`;
}

function countsText(stats: MarketRecorderStats): string {
  const { texts, answers, gaps, bytes, segment, segmentsDropped, linesLost, lastFault } = stats;
  const dropped = segmentsDropped === 0 ? '' : `, ${segmentsDropped} dropped`;
  const lost = linesLost === 0 ? '' : `, ${linesLost} lines lost: ${lastFault ?? ''}`;
  const mb = (bytes / BYTES_PER_MB).toFixed(1);
  const counted = `${texts} frames, ${answers} answers, ${gaps} gaps`;
  return `${counted}, ${mb} MB, segment ${segment}${dropped}${lost}`;
}

type Ended = {
  readonly end: End;
  readonly stats: MarketRecorderStats;
  readonly tookMs: number;
};

function tellEnd(io: CliIo, options: RecordOptions, { end, stats, tookMs }: Ended): ExitCode {
  const json = { folder: options.out, tookMs, ...stats };
  const lines = [`recorded ${duration(tookMs)} to ${options.out}: ${countsText(stats)}`];
  printResult(io, { json, lines }, options);
  if (typeof end === 'object')
    complain(io, `another process records to ${options.out}: ${end.lost}`);
  if (end === 'full') complain(io, `${options.out} has no more room (--max-mb ${options.maxMb})`);
  if (stats.texts === 0) complain(io, 'no frame has come: the socket said nothing');
  const isWhole = (end === 'signal' || end === 'time') && stats.linesLost === 0;
  return isWhole && stats.texts > 0 ? EXIT.done : EXIT.failed;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION_MS_MAX = 366 * UNIT_MS.d;

function parseDuration(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const ms = Object.entries(UNIT_MS).find(([name]) => name === unit)?.[1];
  const durationMs = ms === undefined ? 0 : Number(count) * ms;
  if (durationMs >= 1 && durationMs <= DURATION_MS_MAX) return durationMs;
  throw new InvalidArgumentError('not a duration up to 366d, as 90s, 30m, 12h or 7d');
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 10_000) return count;
  throw new InvalidArgumentError('not a count, 1 to 10000');
}

function parseWhenFull(text: string): 'drop' | 'stop' {
  if (text === 'drop' || text === 'stop') return text;
  throw new InvalidArgumentError('drop or stop');
}
