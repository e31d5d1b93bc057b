// What the commands that look back share: which journal, of what time, of which market, and in which form.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT } from '../app/exit.ts';
import { type ColumnKind, writeParquet } from '../app/parquet.ts';
import { systemClock } from '../clock/system.ts';
import { BotError } from '../domain/errors.ts';
import { type MarketId, marketId } from '../domain/ids.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { readLedgerCopy } from '../journal/ledger/copy.ts';
import type { Ledger } from '../journal/ledger/ledger.ts';
import { loadKillSettings } from '../settings/load.ts';
import { CONFIG_DOC, CONFIG_FLAG, JSON_DOC, JSON_FLAG, parsed } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { type Cell, type Column, tableLines } from './table.ts';
import { parseTime, TIMES } from './times.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

export type PastOptions = RunOptions & {
  readonly from: UnixMs;
  readonly to: UnixMs;
  readonly market?: MarketId;
  readonly csv?: boolean;
  readonly parquet?: string;
  readonly json?: boolean;
};

/** Dates of the proleptic calendar end there. */
const EVER = unixMs(8_640_000_000_000_000);
/** A year of a busy account; what is older is asked for by `--to`. */
export const ROWS_MAX = 1_000_000;

export function withPastOptions(command: Command): Command {
  return withRunOptions(command.requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option('--from <time>', `only from then on, ${TIMES}`, parseTime, unixMs(0))
    .option('--to <time>', 'only before then, in the same forms', parseTime, EVER)
    .option('--market <id>', 'only of this market', parseMarket)
    .addOption(
      new Option('--csv', 'print comma-separated values, a title line first').conflicts('json'),
    )
    .option('--parquet <file>', 'write the rows there, too, for DuckDB, pandas and their like')
    .option(JSON_FLAG, JSON_DOC);
}

/** A journal that is read, and of what time. */
export type Past<Read> = {
  readonly journal: string;
  readonly fromMs: UnixMs;
  readonly toMs: UnixMs;
  readonly read: Read;
};

/** Reads a copy of the ledger; where there is none, says so and answers `undefined`. */
export async function readPast<Read>(
  { io, finish, options }: { io: CliIo; finish: Finish; options: PastOptions },
  read: (ledger: Ledger) => Read,
): Promise<Past<Read> | undefined> {
  const { from, to, config } = options;
  if (from >= to) throw new BotError('settings.invalid', '--from: must be before --to');
  const configured = loadKillSettings({ file: config, env: io.env });
  const { journal } = (await chosenRun(io, configured, options)).settings;
  const found = await readLedgerCopy({ path: journal.path, clock: systemClock() }, read);
  if (found !== 'absent') return { journal: journal.path, fromMs: from, toMs: to, read: found };
  complain(io, `there is no ledger at ${journal.path}: nothing has run with this configuration`);
  finish(EXIT.failed);
  return undefined;
}

/** Rows of texts by the names of their fields. */
export type Rows<Field extends string> = {
  readonly fields: readonly Field[];
  readonly rows: readonly Readonly<Record<Field, string>>[];
};

/** What its columns hold in a file that has types: text where nothing is said. */
export type Kinds<Field extends string> = Partial<Readonly<Record<Field, ColumnKind>>>;

/** As JSON, CSV or lines for people, and as a file where one is named. */
export async function printRows<Field extends string>(
  io: CliIo,
  table: Rows<Field> & { readonly kinds: Kinds<Field>; readonly lines: readonly string[] },
  options: PastOptions,
): Promise<void> {
  const { fields, rows, lines } = table;
  await writeRows(table, options);
  printResult(io, { json: rows, lines: options.csv ? csvLines({ fields, rows }) : lines }, options);
}

/** @throws {BotError} `settings.invalid` where the file cannot be written. */
export async function writeRows<Field extends string>(
  { fields, rows, kinds }: Rows<Field> & { readonly kinds: Kinds<Field> },
  { parquet }: Pick<PastOptions, 'parquet'>,
): Promise<void> {
  if (parquet === undefined) return;
  const columns = fields.map((name) => ({ name, kind: kinds[name] ?? ('text' as const) }));
  await writeParquet(parquet, columns, rows);
}

export function csvLines<Field extends string>({ fields, rows }: Rows<Field>): readonly string[] {
  return [
    fields.join(','),
    ...rows.map((row) => fields.map((name) => csvCell(row[name])).join(',')),
  ];
}

/** What a spreadsheet would take for a formula, and is no number, begins with a quote there. */
export function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /^[\w.:+-]*$/.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}

/** A pipe has no width; nothing is cut. */
const PIPE_WIDTH = 10_000;

export function pastTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const cells = rows.map((row) => row.map((text): Cell => ({ text })));
  return tableLines({ columns, rows: cells }, { width: PIPE_WIDTH });
}

/** Enough of a token id to tell two apart. */
const TOKEN_SHOWN = 10;

export function shortToken(tokenId: string): string {
  return tokenId.slice(0, TOKEN_SHOWN);
}

function parseMarket(text: string): MarketId {
  const id = parsed(marketId, text);
  if (id === undefined) throw new InvalidArgumentError('not a market id');
  return id;
}
