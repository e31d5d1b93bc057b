// What quoting came to, as tables: for `status`, and at the end of a run. The titles are those of `backtest`, and
// `src/backtest/README.md` explains each.

import { inCents } from '../backtest/fills.ts';
import type { ShownFigures, ShownMarket } from './state-schema.ts';
import { marketName, moneyText } from './status-lines.ts';
import { type Cell, type Column, tableLines } from './table.ts';

/** What of a state these lines are made of; a running daemon's own view is one. */
export type Figured = {
  readonly markets: readonly (Pick<ShownMarket, 'eventSlug' | 'title' | 'status' | 'pnlUsdc'> & {
    readonly figures?: ShownFigures | undefined;
  })[];
  readonly account?: { readonly pnlUsdc?: string | undefined };
  readonly figures?: ShownFigures | undefined;
  readonly writes?: { readonly sent?: number | undefined };
};

type Row = {
  readonly name: string;
  readonly pnlUsdc: string | undefined;
  readonly figures: ShownFigures;
  readonly writes?: number | undefined;
};

const UNKNOWN = '–';
const right = (title: string): Column => ({ title, align: 'right' });
const MARKET: Column = { title: 'MARKET', align: 'left', shrinks: true };
const MONEY = [
  ...['P&L', 'BEFORE', 'SPREAD', 'TO 1 S', 'TO 10 S', 'TO 60 S', 'LATER', 'FEES', 'NOT SPLIT'],
  'OTHER',
].map(right);
const DEEDS = [
  ...[
    'AT MIDDLE',
    'AT FAIR',
    'SETTLED',
    'MADE',
    'TOOK',
    'UNSURE',
    'INV RMS',
    'MAX',
    'DRAWDOWN',
    'UPTIME',
  ],
  ...['TOUCH', 'WRITES'],
].map(right);
const QUEUE: readonly Column[] = [
  { title: 'SHARES AHEAD', align: 'left' },
  ...['FILLS', 'SHARES', 'AFTER 10 S'].map(right),
];

/** Where the profit is from, what was done for it, and how fills behind others fared. */
export function figureLines(state: Figured, width: number): readonly string[] {
  const rows = rowsOf(state).filter(({ figures }) => figures.parts !== undefined);
  if (rows.length === 0) return deedLines(state, width);
  const columns = [MARKET, ...MONEY];
  const money = tableLines({ columns, rows: rows.map(moneyOf).map(cells) }, { width });
  return [...money, '', ...deedLines(state, width)];
}

/** The same without where the profit is from. */
export function deedLines(state: Figured, width: number): readonly string[] {
  const rows = rowsOf(state);
  if (rows.length === 0) return [];
  const columns = [MARKET, ...DEEDS];
  const deeds = tableLines({ columns, rows: rows.map(deedsOf).map(cells) }, { width });
  const queue = queueLines(state, width);
  return queue.length === 0 ? deeds : [...deeds, '', ...queue];
}

/** Fills that made, by what stood before their orders, in all markets. */
export function queueLines({ figures }: Figured, width: number): readonly string[] {
  const rows = (figures?.queue ?? []).map(({ ahead, fills, shares, markoutUsdc }) => [
    ...[ahead, String(fills), whole(shares)],
    markoutUsdc === undefined ? UNKNOWN : Number(markoutUsdc).toFixed(4),
  ]);
  return rows.length === 0 ? [] : tableLines({ columns: QUEUE, rows: rows.map(cells) }, { width });
}

/** Markets that were traded or hold something, and all together. */
function rowsOf({ markets, account, figures, writes }: Figured): readonly Row[] {
  if (figures === undefined) return [];
  const rows = markets.flatMap((market): readonly Row[] => {
    const of = market.figures;
    if (of === undefined || !hasHappened(of)) return [];
    return [{ name: marketName(market), pnlUsdc: market.pnlUsdc, figures: of }];
  });
  return [...rows, { name: 'in all', pnlUsdc: account?.pnlUsdc, figures, writes: writes?.sent }];
}

function hasHappened({
  makerShares,
  takerShares,
  unsureShares,
  inventoryMaxShares,
}: ShownFigures): boolean {
  return [makerShares, takerShares, unsureShares, inventoryMaxShares].some(
    (shares) => Number(shares ?? 0) > 0,
  );
}

function moneyOf({ name, pnlUsdc, figures: { parts } }: Row): readonly string[] {
  if (parts === undefined) return [name];
  const { beforeUsdc, spreadUsdc, to1sUsdc, to10sUsdc, to60sUsdc } = parts;
  const { laterUsdc, feesUsdc, unsplitUsdc, otherUsdc } = parts;
  const split = inCents(
    [
      ...[beforeUsdc, spreadUsdc, to1sUsdc, to10sUsdc, to60sUsdc],
      ...[laterUsdc, feesUsdc, unsplitUsdc, otherUsdc],
    ].map(Number),
  );
  return [name, money(pnlUsdc), ...split.map((usdc) => (usdc + 0).toFixed(2))];
}

function deedsOf({ name, figures, writes }: Row): readonly string[] {
  return [
    name,
    money(figures.pnlAtMiddleUsdc),
    money(figures.pnlAtFairUsdc),
    money(figures.pnlAtSettlementUsdc),
    whole(figures.makerShares),
    whole(figures.takerShares),
    whole(figures.unsureShares),
    whole(figures.inventoryRmsShares),
    whole(figures.inventoryMaxShares),
    money(figures.drawdownUsdc),
    percent(figures.uptimeRatio),
    percent(figures.touchRatio),
    writes === undefined ? '' : String(writes),
  ];
}

function money(usdc: string | undefined): string {
  return usdc === undefined ? UNKNOWN : moneyText(usdc);
}

function whole(shares: string | undefined): string {
  return shares === undefined ? UNKNOWN : Number(shares).toFixed(0);
}

function percent(ratio: number | undefined): string {
  return ratio === undefined ? UNKNOWN : `${(100 * ratio).toFixed(1)} %`;
}

function cells(texts: readonly string[]): readonly Cell[] {
  return texts.map((text) => ({ text }));
}
