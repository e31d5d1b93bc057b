// `sweep`: many parameter sets of one strategy, judged by backtests on common paths.

import { createHash } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import process from 'node:process';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { writeParquet } from '../app/parquet.ts';
import { type NextRound, type SweepRow, sweep, tryInProcess } from '../app/sweep.ts';
import { packageVersion } from '../app/version.ts';
import {
  gridPoints,
  parseRange,
  pointText,
  type Range,
  randomPoints,
  warningsOf,
} from '../backtest/sweep.ts';
import { type SweepPage, sweepPage } from '../backtest/sweep-page.ts';
import { tpeRound } from '../backtest/tpe.ts';
import { walkForward } from '../backtest/walk-forward.ts';
import { BotError } from '../domain/errors.ts';
import { nearest } from '../settings/suggest.ts';
import type { Strategy } from '../strategy/index.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printLine, printResult } from './io.ts';
import { configured } from './options.ts';
import {
  csvLines,
  nameOf,
  perHour,
  rankedLines,
  resultTable,
  testLines,
  walkLines,
} from './sweep-lines.ts';
import { untilSignal } from './until-signal.ts';
import { checkApart, checkWritable } from './writable.ts';

type SweepCommandOptions = {
  readonly config: string;
  readonly strategy: string;
  readonly range: readonly string[];
  readonly random?: number;
  readonly tpe?: number;
  readonly world?: readonly string[];
  readonly recording?: readonly string[];
  readonly hours?: string;
  readonly seeds?: string;
  readonly testSeeds?: number;
  readonly testRecording?: readonly string[];
  readonly walkForward?: boolean;
  readonly queue?: string;
  readonly workers: number;
  readonly file?: string;
  readonly csv?: boolean;
  readonly parquet?: string;
  readonly html?: string;
  readonly json?: boolean;
};

/** Seeds of the final test begin here, far from those that chose. */
const TEST_SEED_FIRST = 100_001;
const DRAW_SEED = 1;
const PIPE_WIDTH = 10_000;
/** Fewer leave one choice and one trial. */
const WALK_MIN = 3;

export function sweepCommand(io: CliIo, _finish: Finish): Command {
  return command('sweep', 'many parameter sets of a strategy, judged by backtests on common paths')
    .option(CONFIG_FLAG, CONFIG_DOC, 'config/paper.yaml')
    .requiredOption('--strategy <name>', 'whose parameters are tried')
    .requiredOption(
      '--range <name=values...>',
      'values as levels=1,2,3, or a span as leanPart=0.2..1',
    )
    .option('--random <count>', 'draw so many sets instead of trying every combination', parseCount)
    .addOption(
      new Option(
        '--tpe <count>',
        'try so many sets, each where the results so far were good (tree of Parzen estimators)',
      )
        .argParser(parseCount)
        .conflicts('random'),
    )
    .option('--world <name...>', 'synthetic worlds, as of backtest')
    .option('--recording <file...>', 'recordings, as of backtest')
    .option('--hours <hours>', 'length of a run in a synthetic world')
    .option('--seeds <count>', 'runs in each synthetic world')
    .option(
      '--test-seeds <count>',
      'try the best and the default once more, on seeds that chose nothing',
      parseCount,
    )
    .option(
      '--test-recording <file...>',
      'try the best and the default once more, on recordings that chose nothing',
    )
    .option(
      '--walk-forward',
      'of recordings, named in the order of their time: the best of those before, tried on the next',
    )
    .option('--queue <model>', 'conservative, optimistic or both')
    .option('--workers <count>', 'processes at a time', parseCount, availableParallelism())
    .option(
      '--file <file>',
      'keep every result there as it comes; an interrupted sweep goes on from it',
    )
    .addOption(
      new Option('--csv', 'print comma-separated values, a title line first').conflicts('json'),
    )
    .option('--parquet <file>', 'write the results there, too, for DuckDB, pandas and their like')
    .option('--html <file>', 'write a page with maps of the parameters, which needs no network')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: SweepCommandOptions) => {
      await runSweep(options, io);
    });
}

async function runSweep(options: SweepCommandOptions, io: CliIo): Promise<void> {
  const { strategies, settings } = await configured(io, options.config);
  const ranges = rangesOf(options, strategies);
  const walked = walkedRecordings(options);
  const { file, html, parquet, recording = [], testRecording = [] } = options;
  const of = [...(await sizesOf('--recording', recording)), JSON.stringify(settings)];
  await sizesOf('--test-recording', testRecording);
  const written = { '--file': file, '--html': html, '--parquet': parquet };
  await checkApart(written, [options.config, ...recording, ...testRecording]);
  for (const [option, path] of Object.entries(written))
    if (path !== undefined) await checkWritable(option, path);
  const { next, count } = roundsOf(ranges, options);
  let kept = 0;
  const signal = untilSignal();
  void signal.told.then(() => {
    complain(io, interruptedText(kept, file));
    process.exit(INTERRUPTED);
  });
  const rows = await sweep({
    next,
    trial: tryInProcess(backtestArgs(options)),
    workers: options.workers,
    file,
    title: `${backtestArgs(options).join(' ')} (${digestOf(of)})`,
    onRow: (row, done) => {
      kept = done;
      printLine(io.stderr, `${done} of ${count}: ${nameOf(row.point)}: ${perHour(row)}`);
    },
  });
  signal.callOff();
  const { best, base, ranked } = rankedRows(rows);
  for (const warning of warningsOf(best, base, ranges)) complain(io, warning);
  const walk = walked && walkForward(rows, base, inOrder(walked, base));
  const tested = await testedRows(options, best);
  await writeFiles(options, { ranges, ranked, walk });
  const width = io.stdout.columns ?? PIPE_WIDTH;
  const shown = options.csv
    ? csvLines(ranked)
    : [...rankedLines(ranked, width), ...walkLines(walk, width), ...testLines(tested)];
  printResult(io, { json: { rows: ranked, tested, walk }, lines: shown }, options);
}

/** Better now than when the first set that the strategy refuses is tried. */
function rangesOf(
  { strategy: name, range }: SweepCommandOptions,
  strategies: ReadonlyMap<string, Strategy>,
): readonly Range[] {
  const strategy = strategies.get(name);
  if (strategy === undefined) {
    const known = [...strategies.keys()];
    const near = nearest(name, known);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const text = `there is no such strategy; known are ${known.join(', ')}${hint}`;
    throw new BotError('settings.invalid', `--strategy ${name}: ${text}`);
  }
  const ranges = range.map((text) => parseRange(text, strategy.params));
  const twice = ranges.find((one, at) => ranges.findIndex((other) => other.name === one.name) < at);
  if (twice === undefined) return ranges;
  throw new BotError('settings.invalid', `--range ${twice.name}: given twice`);
}

/** @throws {BotError} `settings.invalid` for one that is not there. */
async function sizesOf(option: string, files: readonly string[]): Promise<readonly string[]> {
  return await Promise.all(
    files.map(async (path) => {
      const file = await stat(path).catch(() => undefined);
      if (file === undefined) {
        throw new BotError('settings.invalid', `${option} ${path}: there is no such file`);
      }
      return `${file.size} ${file.mtimeMs}`;
    }),
  );
}

/** Results of other settings, or of another recording of the same name, are others. */
function digestOf(of: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 12);
}

/** As a shell says it of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

function interruptedText(kept: number, file: string | undefined): string {
  if (file === undefined) return `interrupted after ${kept} sets: none is kept without --file`;
  return `interrupted: ${kept} sets are kept in ${file}, and the same command goes on from there`;
}

type Found = Pick<SweepPage, 'ranges' | 'walk'> & { readonly ranked: readonly SweepRow[] };

async function writeFiles(options: SweepCommandOptions, found: Found): Promise<void> {
  if (options.parquet !== undefined) {
    const { columns, texts } = resultTable(found.ranked);
    await writeParquet(options.parquet, columns, texts);
  }
  if (options.html !== undefined) {
    const title = `bookend ${packageVersion()} · ${backtestArgs(options).join(' ')}`;
    await writeFile(options.html, await sweepPage({ title, ...found }));
  }
}

/** The default first, whatever else is tried. */
function roundsOf(
  ranges: readonly Range[],
  { random, tpe }: SweepCommandOptions,
): { readonly next: NextRound; readonly count: number } {
  if (tpe !== undefined) {
    const next: NextRound = (done) =>
      done.length === 0 ? [{}] : tpeRound(ranges, tpe, DRAW_SEED, done.slice(1));
    return { next, count: tpe + 1 };
  }
  const chosen =
    random === undefined ? gridPoints(ranges) : randomPoints(ranges, random, DRAW_SEED);
  const points = [{}, ...chosen];
  return { next: (done) => (done.length === 0 ? points : []), count: points.length };
}

/** @throws {BotError} `settings.invalid` where there is nothing to walk over. */
function walkedRecordings(options: SweepCommandOptions): readonly string[] | undefined {
  if (options.walkForward !== true) return undefined;
  const { recording = [], world = [] } = options;
  if (world.length === 0 && recording.length >= WALK_MIN) return recording;
  throw new BotError(
    'settings.invalid',
    `--walk-forward: needs ${WALK_MIN} recordings or more, in the order of their time, and no --world`,
  );
}

/** The names of results by the files they come from. */
function inOrder(files: readonly string[], { byWorld }: SweepRow): readonly string[] {
  const place = (name: string): number =>
    files.findIndex((file) => recordingNames(file).includes(name));
  return Object.keys(byWorld).toSorted((a, b) => place(a) - place(b));
}

/** A file is called by its last part, and by all of its path where another one has that, too. */
function recordingNames(file: string): readonly string[] {
  return [basename(file), file].map((name) => name.replace(/\.ndjson(\.gz)?$/, ''));
}

/** The default first, then as they came: the best of all, and every set by what it earned. */
function rankedRows(rows: readonly SweepRow[]) {
  const ranked = rows.toSorted((a, b) => b.usdcPerHour - a.usdcPerHour);
  const base = rows.find(({ point }) => Object.keys(point).length === 0);
  const [best] = ranked;
  if (!best || !base) throw new BotError('settings.invalid', '--range: no set to try');
  return { best, base, ranked };
}

/** What was chosen among many looks better than it is: what nobody looked at says how good it is. */
async function testedRows(
  options: SweepCommandOptions,
  best: SweepRow,
): Promise<readonly SweepRow[]> {
  const { testSeeds, testRecording } = options;
  if (testSeeds === undefined && testRecording === undefined) return [];
  const worlds = testSeeds === undefined ? { world: [] } : { seeds: String(testSeeds) };
  const args = [
    ...backtestArgs({ ...options, ...worlds, recording: testRecording ?? [] }),
    ...(testSeeds === undefined ? [] : ['--first-seed', String(TEST_SEED_FIRST)]),
  ];
  const trial = tryInProcess(args);
  const points = [...new Set([pointText(best.point), ''])].map((text) => (text ? best.point : {}));
  return await Promise.all(points.map(async (point) => await trial(point)));
}

function backtestArgs(options: SweepCommandOptions): readonly string[] {
  const { config, strategy, world = [], recording = [], hours, seeds, queue } = options;
  return [
    ...['--config', config, '--strategy', strategy],
    ...(world.length > 0 ? ['--world', ...world] : []),
    ...(recording.length > 0 ? ['--recording', ...recording] : []),
    ...(hours === undefined ? [] : ['--hours', hours]),
    ...(seeds === undefined ? [] : ['--seeds', seeds]),
    ...(queue === undefined ? [] : ['--queue', queue]),
  ];
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 10_000) {
    throw new InvalidArgumentError('not a count, 1 to 10000');
  }
  return count;
}
