// `fills`: own fills as the ledger has them, for people, spreadsheets and programs; no daemon is asked.

import { type Command, InvalidArgumentError } from 'commander';
import { EXIT } from '../app/exit.ts';
import { systemClock } from '../clock/system.ts';
import { type MarketId, marketId } from '../domain/ids.ts';
import type { StoredFill } from '../domain/record.ts';
import { formatShares } from '../domain/shares.ts';
import { formatPrice, tickGrid } from '../domain/ticks.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { readLedgerCopy } from '../journal/ledger/copy.ts';
import { loadKillSettings } from '../settings/load.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG, parsed } from './options.ts';
import { type Column, tableLines } from './table.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

type FillsOptions = RunOptions & {
  readonly from: UnixMs;
  readonly to: UnixMs;
  readonly market?: MarketId;
  readonly csv?: boolean;
  readonly json?: boolean;
};

/** Dates of the proleptic calendar end there. */
const EVER = unixMs(8_640_000_000_000_000);
const TIMES = 'as 2026-11-23 or 2026-11-23T10:00:00Z';
/** A year of a busy account; what is older is asked for by `--to`. */
const COUNT_MAX = 1_000_000;

export function fillsCommand(io: CliIo, finish: Finish): Command {
  const fills = command(
    'fills',
    'own fills of the ledger, oldest first; works beside a running daemon',
  );
  return withRunOptions(fills.requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option('--from <time>', `only from then on, ${TIMES}`, parseTime, unixMs(0))
    .option('--to <time>', `only before then, ${TIMES}`, parseTime, EVER)
    .option('--market <id>', 'only of this market', parseMarket)
    .option('--csv', 'print comma-separated values, a title line first')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: FillsOptions) => {
      const configured = loadKillSettings({ file: options.config, env: io.env });
      const { settings } = await chosenRun(io, configured, options);
      const { journal } = settings;
      const { from, to, market } = options;
      const read = { path: journal.path, clock: systemClock() };
      const found = await readLedgerCopy(read, (ledger) => ledger.fills(from, to, COUNT_MAX));
      if (found === 'absent') {
        complain(
          io,
          `there is no ledger at ${journal.path}: nothing has run with this configuration`,
        );
        finish(EXIT.failed);
        return;
      }
      if (found.length === COUNT_MAX) complain(io, `only the latest ${COUNT_MAX} are shown`);
      const rows = found.filter((fill) => market === undefined || fill.marketId === market);
      const shown = rows.map(shownFill);
      printResult(
        io,
        { json: shown, lines: options.csv ? csvLines(shown) : lines(shown) },
        options,
      );
    });
}

type ShownFill = Readonly<Record<(typeof FIELDS)[number], string>>;

const FIELDS = [
  'time',
  'marketId',
  'tokenId',
  'side',
  'price',
  'shares',
  'cashUsdc',
  'intentId',
  'source',
] as const;

/** `source` is `reported`, or `inferred` where balances said it and the price is an estimate. */
function shownFill(fill: StoredFill): ShownFill {
  const grid = tickGrid(fill.ticksPerUnit === 100 ? '0.01' : '0.001');
  return {
    time: new Date(fill.atMs).toISOString(),
    marketId: fill.marketId,
    tokenId: fill.tokenId,
    side: fill.side,
    price: formatPrice(grid, fill.price),
    shares: formatShares(fill.quantity),
    cashUsdc: (fill.cashNano / 1e9).toFixed(6),
    intentId: fill.intentId,
    source: fill.isInferred === true ? 'inferred' : 'reported',
  };
}

/** Every field is a number, an id or a word of ours; one that is neither is quoted. */
function csvLines(fills: readonly ShownFill[]): readonly string[] {
  return [
    FIELDS.join(','),
    ...fills.map((fill) => FIELDS.map((name) => cell(fill[name])).join(',')),
  ];
}

function cell(text: string): string {
  return /^[\w.:+-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

const COLUMNS: readonly Column[] = [
  { title: 'TIME', align: 'left' },
  { title: 'MARKET', align: 'left', shrinks: true },
  { title: 'TOKEN', align: 'left' },
  { title: 'SIDE', align: 'left' },
  { title: 'PRICE', align: 'right' },
  { title: 'SHARES', align: 'right' },
  { title: 'CASH', align: 'right' },
  { title: '', align: 'left' },
];
/** Enough of a token id to tell two apart. */
const TOKEN_SHOWN = 10;
/** A pipe has no width; nothing is cut. */
const PIPE_WIDTH = 10_000;

function lines(fills: readonly ShownFill[]): readonly string[] {
  if (fills.length === 0) return ['no fill'];
  const rows = fills.map((fill) => [
    { text: fill.time },
    { text: fill.marketId },
    { text: fill.tokenId.slice(0, TOKEN_SHOWN) },
    { text: fill.side },
    { text: fill.price },
    { text: fill.shares },
    { text: fill.cashUsdc },
    { text: fill.source === 'inferred' ? 'inferred' : '' },
  ]);
  const cash = fills.reduce((sum, { cashUsdc }) => sum + Number(cashUsdc), 0);
  const total = `${fills.length} fills, cash ${cash.toFixed(6)} USDC without fees`;
  return [...tableLines({ columns: COLUMNS, rows }, { width: PIPE_WIDTH }), total];
}

/** UTC where no zone is said. */
function parseTime(text: string): UnixMs {
  const [, day, time = 'T00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(
      text,
    ) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}${time}${zone}`);
  if (Number.isNaN(at)) throw new InvalidArgumentError(`not a time, ${TIMES}`);
  return unixMs(at);
}

function parseMarket(text: string): MarketId {
  const id = parsed(marketId, text);
  if (id === undefined) throw new InvalidArgumentError('not a market id');
  return id;
}
