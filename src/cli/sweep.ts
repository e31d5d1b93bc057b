// `sweep`: many parameter sets of one strategy, judged by backtests on common paths.

import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { writeParquet } from '../app/parquet.ts';
import { type SweepRow, sweep, tryInProcess } from '../app/sweep.ts';
import {
  gridPoints,
  type Point,
  parseRange,
  pointText,
  type Range,
  randomPoints,
  warningsOf,
} from '../backtest/sweep.ts';
import { BotError } from '../domain/errors.ts';
import { type CliIo, complain, type Finish, printLine, printResult } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './options.ts';
import { csvCell } from './past-options.ts';
import { type Column, tableLines } from './table.ts';

type SweepCommandOptions = {
  readonly config: string;
  readonly strategy: string;
  readonly range: readonly string[];
  readonly random?: number;
  readonly world?: readonly string[];
  readonly recording?: readonly string[];
  readonly hours?: string;
  readonly seeds?: string;
  readonly testSeeds?: number;
  readonly queue?: string;
  readonly workers: number;
  readonly file?: string;
  readonly csv?: boolean;
  readonly parquet?: string;
  readonly json?: boolean;
};

/** Seeds of the final test begin here, far from those that chose. */
const TEST_SEED_FIRST = 100_001;
const DRAW_SEED = 1;
const SHOWN_MAX = 20;
const PIPE_WIDTH = 10_000;

export function sweepCommand(io: CliIo, _finish: Finish): Command {
  return command('sweep', 'many parameter sets of a strategy, judged by backtests on common paths')
    .option(CONFIG_FLAG, CONFIG_DOC, 'config/paper.yaml')
    .requiredOption('--strategy <name>', 'whose parameters are tried')
    .requiredOption(
      '--range <name=values...>',
      'values as levels=1,2,3, or a span as leanPart=0.2..1',
    )
    .option('--random <count>', 'draw so many sets instead of trying every combination', parseCount)
    .option('--world <name...>', 'synthetic worlds, as of backtest')
    .option('--recording <file...>', 'recordings, as of backtest')
    .option('--hours <hours>', 'length of a run in a synthetic world')
    .option('--seeds <count>', 'runs in each synthetic world')
    .option(
      '--test-seeds <count>',
      'try the best and the default once more, on seeds that chose nothing',
      parseCount,
    )
    .option('--queue <model>', 'conservative, optimistic or both')
    .option('--workers <count>', 'processes at a time', parseCount, availableParallelism())
    .option(
      '--file <file>',
      'keep every result there as it comes; an interrupted sweep goes on from it',
    )
    .option('--csv', 'print comma-separated values, a title line first')
    .option('--parquet <file>', 'write the results there, too, for DuckDB, pandas and their like')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: SweepCommandOptions) => {
      const ranges = options.range.map(parseRange);
      const points = [{}, ...pointsOf(ranges, options.random)];
      const rows = await sweep({
        points,
        trial: tryInProcess(backtestArgs(options)),
        workers: Math.min(options.workers, points.length),
        file: options.file,
        title: backtestArgs(options).join(' '),
        onRow: (row, done) =>
          printLine(
            io.stderr,
            `${done} of ${points.length}: ${nameOf(row.point)}: ${perHour(row)}`,
          ),
      });
      const { best, base, ranked } = rankedRows(rows);
      for (const warning of warningsOf(best, base, ranges)) complain(io, warning);
      const tested = await testedRows(options, best);
      if (options.parquet !== undefined) {
        const { columns, texts } = resultTable(ranked);
        await writeParquet(options.parquet, columns, texts);
      }
      const shown = options.csv
        ? csvLines(ranked)
        : [...table(ranked, io.stdout.columns ?? PIPE_WIDTH), ...testLines(tested)];
      printResult(io, { json: { rows: ranked, tested }, lines: shown }, options);
    });
}

function pointsOf(ranges: readonly Range[], random: number | undefined): readonly Point[] {
  return random === undefined ? gridPoints(ranges) : randomPoints(ranges, random, DRAW_SEED);
}

/** The default first, then as they came: the best of all, and every set by what it earned. */
function rankedRows(rows: readonly SweepRow[]) {
  const ranked = rows.toSorted((a, b) => b.usdcPerHour - a.usdcPerHour);
  const base = rows.find(({ point }) => Object.keys(point).length === 0);
  const [best] = ranked;
  if (!best || !base) throw new BotError('settings.invalid', '--range: no set to try');
  return { best, base, ranked };
}

/** What was chosen among many looks better than it is: seeds that nobody looked at say how good it is. */
async function testedRows(
  options: SweepCommandOptions,
  best: SweepRow,
): Promise<readonly SweepRow[]> {
  if (options.testSeeds === undefined) return [];
  const args = [
    ...backtestArgs({ ...options, seeds: String(options.testSeeds) }),
    ...['--first-seed', String(TEST_SEED_FIRST)],
  ];
  const trial = tryInProcess(args);
  return await Promise.all([best.point, {}].map(async (point) => await trial(point)));
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

function table(rows: readonly SweepRow[], width: number): readonly string[] {
  const worlds = Object.keys(rows[0]?.byWorld ?? {});
  const columns: Column[] = [
    { title: 'PARAMETERS', align: 'left', shrinks: true },
    ...[
      'USDC/H',
      ...worlds.map((world) => world.toUpperCase()),
      'FILLS',
      'INV RMS',
      'DRAWDOWN',
    ].map((title): Column => ({ title, align: 'right' })),
  ];
  const cells = rows
    .slice(0, SHOWN_MAX)
    .map((row) =>
      [
        nameOf(row.point),
        perHour(row),
        ...worlds.map((world) => (row.byWorld[world] ?? 0).toFixed(2)),
        String(row.fills),
        row.inventoryRmsShares.toFixed(0),
        row.drawdownUsdc.toFixed(2),
      ].map((text) => ({ text })),
    );
  return tableLines({ columns, rows: cells }, { width });
}

function testLines(tested: readonly SweepRow[]): readonly string[] {
  if (tested.length === 0) return [];
  return [
    '',
    'on seeds that chose nothing:',
    ...tested.map((row) => `  ${nameOf(row.point)}: ${perHour(row)}`),
  ];
}

const FIGURES = ['fills', 'inventoryRmsShares', 'drawdownUsdc'] as const;

/** Parameters that are numbers in every set are numbers; an absent one is that of the configuration. */
function resultTable(rows: readonly SweepRow[]) {
  const names = [...new Set(rows.flatMap(({ point }) => Object.keys(point)))].sort();
  const worlds = Object.keys(rows[0]?.byWorld ?? {});
  const isNumber = (name: string): boolean =>
    rows.every(({ point }) => point[name] === undefined || typeof point[name] === 'number');
  const number = (name: string) => ({ name, kind: 'number' as const });
  const columns = [
    ...names.map((name) => (isNumber(name) ? number(name) : { name, kind: 'text' as const })),
    ...['usdcPerHour', 'error', ...worlds, ...FIGURES].map(number),
  ];
  const texts = rows.map((row) => {
    const { usdcPerHour, error, byWorld, point } = row;
    const figures = { usdcPerHour, error, ...byWorld };
    const own = { ...figures, ...Object.fromEntries(FIGURES.map((name) => [name, row[name]])) };
    const cells = Object.entries({ ...own, ...point });
    return Object.fromEntries(cells.map(([name, value]) => [name, String(value ?? '')]));
  });
  return { columns, texts };
}

function csvLines(rows: readonly SweepRow[]): readonly string[] {
  const { columns, texts } = resultTable(rows);
  const lines = texts.map((row) => columns.map(({ name }) => csvCell(row[name] ?? '')).join(','));
  return [columns.map(({ name }) => name).join(','), ...lines];
}

function nameOf(point: Point): string {
  const text = pointText(point);
  return text === '' ? 'default' : text;
}

function perHour({ usdcPerHour, error }: SweepRow): string {
  const text = usdcPerHour.toFixed(2);
  return error === undefined ? text : `${text} ± ${error.toFixed(2)}`;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 10_000) {
    throw new InvalidArgumentError('not a count, 1 to 10000');
  }
  return count;
}
