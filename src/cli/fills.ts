// `fills`: own fills as the ledger has them, for people, spreadsheets and programs; no daemon is asked.

import type { Command } from 'commander';
import type { StoredFill } from '../domain/record.ts';
import { formatShares } from '../domain/shares.ts';
import { formatPrice, tickGrid } from '../domain/ticks.ts';
import { command } from './command.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { complainOfUnseen, type PastNames, pastNames } from './past-names.ts';
import {
  type Kinds,
  type PastOptions,
  pastTable,
  printRows,
  ROWS_MAX,
  readPast,
  withPastOptions,
} from './past-options.ts';
import type { Column } from './table.ts';

export function fillsCommand(io: CliIo, finish: Finish): Command {
  const fills = command(
    'fills',
    'own fills of the ledger, oldest first, beside a daemon or after it',
  );
  return withPastOptions(fills).action(async (options: PastOptions) => {
    const { from, to, market } = options;
    const past = await readPast({ io, finish, options }, (ledger) =>
      ledger.fills(from, to, ROWS_MAX),
    );
    if (past === undefined) return;
    if (past.read.length === ROWS_MAX) complain(io, `only the latest ${ROWS_MAX} are shown`);
    const found = past.read.filter((fill) => market === undefined || fill.marketId === market);
    const names = await pastNames(past);
    const rows = found.map(shownFill);
    if (rows.length === 0) await complainOfUnseen(io, past, options);
    await printRows(io, { fields: FIELDS, kinds: KINDS, rows, lines: lines(rows, names) }, options);
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

const KINDS: Kinds<keyof ShownFill> = {
  time: 'time',
  ...{ price: 'number', shares: 'number', cashUsdc: 'number' },
};

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

function lines(fills: readonly ShownFill[], names: PastNames): readonly string[] {
  if (fills.length === 0) return ['no fill'];
  const rows = fills.map((fill) => [
    ...[fill.time, names.market(fill.marketId), names.token(fill.tokenId), fill.side],
    ...[fill.price, fill.shares, fill.cashUsdc, fill.source === 'inferred' ? 'inferred' : ''],
  ]);
  const cash = fills.reduce((sum, { cashUsdc }) => sum + Number(cashUsdc), 0);
  const total = `${fills.length} fills, cash ${cash.toFixed(6)} USDC without fees`;
  return [...pastTable(COLUMNS, rows), total];
}
