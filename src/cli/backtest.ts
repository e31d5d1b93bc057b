// `backtest`: strategies on recordings and synthetic worlds, on virtual time; nothing is sent anywhere.

import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type BacktestChoice,
  CONFIG_WORLD,
  type PlannedRun,
  plannedRuns,
  WORLD_NAMES,
} from '../app/backtest.ts';
import { EXIT } from '../app/exit.ts';
import { packageVersion } from '../app/version.ts';
import { backtestPage } from '../backtest/page.ts';
import type { RunResult } from '../backtest/result.ts';
import type { WorldProgress } from '../backtest/world.ts';
import { BotError } from '../domain/errors.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { nearest } from '../settings/suggest.ts';
import { backtestLines, differencesOf, type FinishedRun, troubleLines } from './backtest-lines.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { configured } from './options.ts';
import { Progress } from './progress.ts';
import { timeOf } from './times.ts';
import { untilSignal } from './until-signal.ts';
import { checkApart, checkWritable } from './writable.ts';

type BacktestOptions = {
  readonly config: string;
  readonly recording?: readonly string[];
  readonly world?: readonly string[];
  readonly strategy?: readonly string[];
  readonly param?: readonly (readonly [string, unknown])[];
  readonly from?: UnixMs | 'beginning';
  readonly hours?: number;
  readonly seeds?: number;
  readonly firstSeed?: number;
  readonly queue?: 'both' | 'conservative' | 'optimistic';
  readonly marketsMax: number;
  readonly exclusive?: boolean;
  readonly byMarket?: boolean;
  readonly html?: string;
  readonly json?: boolean;
};

const CONFIG_DEFAULT = 'config/paper.yaml';
const MARKETS_MAX_DEFAULT = 20;
const PIPE_WIDTH = 10_000;

export function backtestCommand(io: CliIo, finish: Finish): Command {
  return command('backtest', 'strategies on recordings or synthetic worlds, on virtual time')
    .option(CONFIG_FLAG, CONFIG_DOC, CONFIG_DEFAULT)
    .option('--recording <file...>', 'recordings (.ndjson.gz) to trade on')
    .option('--world <name...>', `synthetic worlds: ${WORLD_NAMES.join(', ')}`)
    .option('--strategy <name...>', 'each quotes every market, in runs of its own')
    .option('--param <name=value...>', 'parameters of these strategies', parseParam)
    .option(
      '--from <time>',
      'start in the recording: `beginning`, or as 2026-11-23T10:00:00Z',
      parseFrom,
    )
    .option('--hours <hours>', 'length of a run in a synthetic world', parseHours)
    .option('--seeds <count>', 'runs in each synthetic world', parseSeeds)
    .option('--first-seed <number>', 'the first of these seeds; paper.seed where absent', parseSeed)
    .option('--queue <model>', 'conservative, optimistic or both', parseQueue)
    .option(
      '--markets-max <count>',
      'markets of a recording, the most active first',
      parseSeeds,
      MARKETS_MAX_DEFAULT,
    )
    .option('--exclusive', 'of each event exactly one market comes true, as `event-book` needs it')
    .option('--by-market', 'print every market of every run')
    .option('--html <file>', 'write a page with charts, which needs no network to be read')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: BacktestOptions) => {
      const runs = await plannedRuns(choiceOf(options), await configured(io, options.config));
      const { config, html, recording = [] } = options;
      await checkApart({ '--html': html }, [config, ...recording]);
      if (html !== undefined) await checkWritable('--html', html);
      const finished = await runAll(runs, io);
      for (const line of troubleLines(finished)) complain(io, line);
      const isPartial = finished.length < runs.length;
      if (isPartial)
        complain(io, `interrupted: ${finished.length} of ${runs.length} runs, partial`);
      const width = io.stdout.columns ?? PIPE_WIDTH;
      const withMarkets = options.byMarket === true || finished.length === 1;
      printResult(
        io,
        {
          json: { ...jsonOf(finished), isPartial },
          lines: backtestLines(finished, { width, withMarkets }),
        },
        options,
      );
      if (options.html !== undefined)
        await writeFile(
          options.html,
          await backtestPage(finished.map(pageRun), { version: packageVersion() }),
        );
      const hasFailed = finished.some(({ result }) => result.failure !== undefined);
      if (hasFailed || isPartial) finish(EXIT.failed);
    });
}

function choiceOf(options: BacktestOptions): BacktestChoice {
  const recordings = options.recording ?? [];
  const worlds = options.world ?? (recordings.length === 0 ? [CONFIG_WORLD] : []);
  for (const name of worlds) {
    if (WORLD_NAMES.includes(name)) continue;
    const near = nearest(name, WORLD_NAMES);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const known = `there is no such world; known are ${WORLD_NAMES.join(', ')}${hint}`;
    throw new BotError('settings.invalid', `--world ${name}: ${known}`);
  }
  const { strategy: strategies = [], from, hours, seeds, firstSeed, queue, marketsMax } = options;
  const params = Object.fromEntries(options.param ?? []);
  if (options.param && strategies.length === 0) {
    throw new BotError('settings.invalid', '--param: name the --strategy that it is of');
  }
  const worldRuns = { worlds, hours, seeds, firstSeed, isExclusive: options.exclusive === true };
  return { ...worldRuns, recordings, strategies, params, from, queue, marketsMax };
}

/** Thrown out of the run that is under way. */
class Interrupted extends Error {}

/** A run takes no turn of the event loop by itself, and a signal comes with one. */
const TURN_MS = 100;

class Turn {
  #takenMs = performance.now();

  async taken(): Promise<void> {
    if (performance.now() - this.#takenMs < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#takenMs = performance.now();
  }
}

/** Every run, or those that had finished when somebody interrupted. */
async function runAll(runs: readonly PlannedRun[], io: CliIo): Promise<readonly FinishedRun[]> {
  const progress = new Progress(io);
  const finished: FinishedRun[] = [];
  const signal = untilSignal();
  const turn = new Turn();
  let isInterrupted = false;
  void signal.told.then(() => {
    isInterrupted = true;
  });
  try {
    for (const planned of runs) {
      const onProgress = async (at: WorldProgress): Promise<void> => {
        showProgress(progress, planned, { ...at, whole: runs.length, done: finished.length });
        await turn.taken();
        if (isInterrupted) throw new Interrupted();
      };
      finished.push({ planned, result: await planned.run(onProgress, () => performance.now()) });
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    progress.clear();
    signal.callOff();
  }
  return finished;
}

function showProgress(
  progress: Progress,
  { label }: PlannedRun,
  at: WorldProgress & { readonly done: number; readonly whole: number },
): void {
  const { fromMs, atMs, toMs, readPart = 0, done, whole } = at;
  const part = toMs === undefined ? readPart : (atMs - fromMs) / Math.max(1, toMs - fromMs);
  progress.showPart(
    (done + Math.min(1, part)) / whole,
    () => `${label} at ${new Date(atMs).toISOString().slice(0, 19)}`,
  );
}

/** Without the points of the charts, which the page has. */
function jsonOf(finished: readonly FinishedRun[]) {
  return {
    runs: finished.map(({ planned, result }) => ({
      group: planned.group,
      strategy: planned.strategy,
      queue: planned.queue,
      ...withoutPoints(result),
    })),
    differences: differencesOf(finished),
  };
}

function withoutPoints(result: RunResult): object {
  const markets = result.markets.map(({ points: _, shownFills: __, ...market }) => market);
  return { ...result, markets };
}

function parseParam(
  text: string,
  before: readonly (readonly [string, unknown])[] = [],
): readonly (readonly [string, unknown])[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('not name=value, as levels=3');
  const value = text.slice(at + 1);
  return [...before, [text.slice(0, at), scalarOf(value)]];
}

/** As YAML reads it in a configuration. */
function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Without its zone a time would mean another moment on every machine. */
const ZONED_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function parseFrom(text: string): UnixMs | 'beginning' {
  if (text === 'beginning') return text;
  const atMs = ZONED_TIME.test(text) ? timeOf(text.toLowerCase(), 0) : undefined;
  if (atMs === undefined) {
    throw new InvalidArgumentError('not `beginning`, a day, or a time as 2026-11-23T10:00:00Z');
  }
  return unixMs(atMs);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || hours < 0.01 || hours > 1_000) {
    throw new InvalidArgumentError('not hours, 0.01 to 1000');
  }
  return hours;
}

function parseSeeds(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1_000) {
    throw new InvalidArgumentError('not a count, 1 to 1000');
  }
  return count;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > 4_294_967_295) {
    throw new InvalidArgumentError('not a seed, 0 to 4294967295');
  }
  return seed;
}

function parseQueue(text: string): 'both' | 'conservative' | 'optimistic' {
  if (text === 'both' || text === 'conservative' || text === 'optimistic') return text;
  throw new InvalidArgumentError('conservative, optimistic or both');
}

function pageRun({ planned, result }: FinishedRun) {
  const { group, queue, strategy } = planned;
  const of = { world: queue === 'real' ? group : `${group}, ${queue}`, strategy };
  return { name: planned.label, result, of };
}
