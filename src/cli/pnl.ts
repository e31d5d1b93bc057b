// `pnl`: what own fills of a time have earned, by market and in parts that add up, and what of it is uncertain.

import type { Command } from 'commander';
import { type Earned, earnedBy, type MarketEarned } from '../app/look-back/earned.ts';
import { pastDays } from '../app/look-back/past-days.ts';
import { inCents, type Parts } from '../backtest/fills.ts';
import { command } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { complainOfUnseen } from './past-names.ts';
import {
  csvLines,
  type Kinds,
  type PastOptions,
  pastTable,
  ROWS_MAX,
  readPast,
  withPastOptions,
  writeRows,
} from './past-options.ts';
import type { Column } from './table.ts';

export function pnlCommand(io: CliIo, finish: Finish): Command {
  const pnl = command('pnl', 'what own fills have earned, market by market, in parts that add up');
  return withPastOptions(pnl).action(async (options: PastOptions) => {
    const { from, to, market } = options;
    const past = await readPast({ io, finish, options }, (ledger) =>
      ledger.fills(from, to, ROWS_MAX),
    );
    if (past === undefined) return;
    if (past.read.length === ROWS_MAX) complain(io, `only the latest ${ROWS_MAX} fills count`);
    const fills = past.read.filter((fill) => market === undefined || fill.marketId === market);
    const earned = earnedBy(fills, await pastDays(past));
    const rows = earned.markets.map(shownMarket);
    if (rows.length === 0) await complainOfUnseen(io, past, options);
    await writeRows({ fields: FIELDS, kinds: KINDS, rows }, options);
    const lines = options.csv ? csvLines({ fields: FIELDS, rows }) : pnlLines(earned);
    printResult(io, { json: pnlJson(earned), lines }, options);
  });
}

const FIELDS = [
  'marketId',
  'title',
  'fills',
  'pnlUsdc',
  'spreadUsdc',
  'to1sUsdc',
  'to10sUsdc',
  'to60sUsdc',
  'laterUsdc',
  'feesUsdc',
  'unsplitUsdc',
  'inferredUsdc',
  'boughtShares',
  'soldShares',
  'netShares',
  'value',
] as const;

type ShownMarket = Readonly<Record<(typeof FIELDS)[number], string>>;

const TEXTS = new Set<string>(['marketId', 'title'] satisfies (typeof FIELDS)[number][]);
const KINDS: Kinds<(typeof FIELDS)[number]> = Object.fromEntries(
  FIELDS.flatMap((name) => (TEXTS.has(name) ? [] : [[name, 'number'] as const])),
);

/** What is not known is empty. */
function shownMarket(market: MarketEarned): ShownMarket {
  const isKnown = market.pnlUsdc !== undefined;
  const money = (usdc: number) => (isKnown ? plain(usdc) : '');
  const { spread, adverse, inventory, fees } = market.parts;
  return {
    marketId: market.marketId,
    title: market.title ?? '',
    fills: String(market.fills),
    pnlUsdc: money(market.pnlUsdc ?? 0),
    spreadUsdc: money(spread),
    to1sUsdc: money(adverse[0]),
    to10sUsdc: money(adverse[1]),
    to60sUsdc: money(adverse[2]),
    laterUsdc: money(inventory),
    feesUsdc: money(fees),
    unsplitUsdc: money(market.unsplitUsdc),
    inferredUsdc: money(market.inferredUsdc),
    boughtShares: plain(market.boughtShares),
    soldShares: plain(market.soldShares),
    netShares: plain(market.netShares),
    value: market.value === undefined ? '' : plain(market.value),
  };
}

function plain(value: number): string {
  return String(rounded(value));
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

/** In lists and records within it as well. */
function roundedAll<Value>(of: Value): Value;
function roundedAll(of: unknown): unknown {
  if (typeof of === 'number') return rounded(of);
  if (Array.isArray(of)) return of.map((each: unknown) => roundedAll(each));
  if (typeof of !== 'object' || of === null) return of;
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, roundedAll(value)]));
}

function pnlJson({ markets, total }: Earned): unknown {
  const { parts, ...rest } = total;
  return {
    total: { ...roundedAll(rest), ...partsJson(parts) },
    markets: markets.map(({ parts: of, ...market }) => ({
      ...roundedAll(market),
      ...(market.pnlUsdc === undefined ? {} : partsJson(of)),
    })),
  };
}

function partsJson({ spread, adverse, inventory, fees }: Parts) {
  const [to1s, to10s, to60s] = adverse;
  return {
    spreadUsdc: rounded(spread),
    movedUsdc: { to1s: rounded(to1s), to10s: rounded(to10s), to60s: rounded(to60s) },
    laterUsdc: rounded(inventory),
    feesUsdc: rounded(fees),
  };
}

const right = (title: string): Column => ({ title, align: 'right' });
const COLUMNS: readonly Column[] = [
  { title: 'MARKET', align: 'left', shrinks: true },
  ...['FILLS', 'USDC', 'SPREAD', 'TO 1 S', 'TO 10 S', 'TO 60 S', 'LATER', 'FEES'].map(right),
  ...['NOT SPLIT', 'NET', 'VALUE'].map(right),
];

/** Profit, its parts, and below them what is uncertain; also at the end of a run. */
export function pnlLines({ markets, total }: Earned): readonly string[] {
  if (total.fills === 0) return ['no fill'];
  const rows = markets.map((market) => [
    market.title ?? market.marketId,
    String(market.fills),
    ...(market.pnlUsdc === undefined
      ? UNKNOWN
      : moneyOf(market.parts, market.pnlUsdc, market.unsplitUsdc)),
    market.netShares.toFixed(2),
    market.value === undefined ? '?' : market.value.toFixed(4),
  ]);
  const { fills, pnlUsdc, parts, unsplitUsdc } = total;
  const all = ['in all', String(fills), ...moneyOf(parts, pnlUsdc, unsplitUsdc), '', ''];
  return [
    ...pastTable(COLUMNS, markets.length > 1 ? [...rows, all] : rows),
    ...uncertainLines(markets),
  ];
}

const UNKNOWN = Array.from({ length: 8 }, () => '?');

function moneyOf(parts: Parts, pnlUsdc: number, unsplitUsdc: number): readonly string[] {
  const { spread, adverse, inventory, fees } = parts;
  const split = inCents([spread, ...adverse, inventory, fees, unsplitUsdc].map(rounded));
  return [rounded(pnlUsdc), ...split].map((usdc) => (usdc + 0).toFixed(2));
}

/** What the figures do not know, in words. */
export function uncertainLines(markets: readonly MarketEarned[]): readonly string[] {
  const sum = (of: (market: MarketEarned) => number) =>
    markets.reduce((total, market) => total + of(market), 0);
  const lines: string[] = [];
  const unvalued = markets.filter(({ value }) => value === undefined).length;
  if (unvalued > 0) lines.push(`of ${unvalued} markets no price was seen: they are in no sum`);
  const inferred = sum(({ inferredFills }) => inferredFills);
  if (inferred > 0) {
    const usdc = sum(({ inferredUsdc }) => inferredUsdc).toFixed(2);
    lines.push(`${inferred} fills were reported by nobody: ${usdc} USDC of it is an estimate`);
  }
  const unsplit = sum(({ unsplitFills }) => unsplitFills) - inferred;
  if (unsplit > 0)
    lines.push(`of ${unsplit} fills the book is not known: NOT SPLIT has them whole`);
  const cut = sum(({ cutFills }) => cutFills);
  if (cut > 0)
    lines.push(`of ${cut} fills not all of the minute after is known: LATER has the rest`);
  const leftOut = sum(({ leftOutFills }) => leftOutFills);
  if (leftOut > 0)
    lines.push(`of ${leftOut} fills the outcome is not known: they are in no figure`);
  const taken = sum(({ takerShares, unsureShares }) => takerShares + unsureShares);
  if (taken > 0) {
    const at =
      'they count at the prices of their orders, and earned more where they met better ones';
    lines.push(`${taken.toFixed(2)} shares took, or may have: ${at}`);
  }
  const bust = sum(({ bustShares }) => bustShares);
  if (bust > 0) lines.push(`${bust.toFixed(2)} shares failed on the chain and are taken out`);
  return lines;
}
