// The result of backtests as tables: money first, then what was done for it, then single markets.

import type { PlannedRun } from '../app/backtest.ts';
import { type Estimate, hoursOf, pairedDifference, profitPerHour } from '../backtest/compare.ts';
import { addParts, inCents, NO_PARTS, type Parts } from '../backtest/fills.ts';
import type { Figures, MarketResult, RunResult } from '../backtest/result.ts';
import { duration } from './status-lines.ts';
import { type Cell, type Column, tableLines } from './table.ts';

export type FinishedRun = { readonly planned: PlannedRun; readonly result: RunResult };

/** Runs of one world, queue model and strategy, whatever their seed. */
type Group = { readonly planned: PlannedRun; readonly results: readonly RunResult[] };

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

const HEAD = [{ ...left('WORLD'), shrinks: true }, left('STRATEGY'), left('QUEUE')];
const MONEY = [
  right('USDC'),
  right('USDC/H'),
  right('SPREAD'),
  right('TO 1 S'),
  right('TO 10 S'),
  right('TO 60 S'),
  right('LATER'),
  right('FEES'),
  left('AT'),
];
const DEEDS = [
  right('AT MIDDLE'),
  right('AT FAIR'),
  right('FILLS'),
  right('MADE'),
  right('TOOK'),
  right('INV RMS'),
  right('MAX'),
  right('DRAWDOWN'),
  right('UPTIME'),
  right('TOUCH'),
  right('WRITES'),
];

const MARKET_COLUMNS = [
  { ...left('MARKET'), shrinks: true },
  ...MONEY.filter(({ title }) => title !== 'USDC/H'),
  right('FILLS'),
  right('INV RMS'),
  right('NET'),
];

const MARKET_DEEDS = [
  { ...left('MARKET'), shrinks: true },
  ...DEEDS.filter(({ title }) => !['FILLS', 'INV RMS', 'WRITES'].includes(title)),
];

export function backtestLines(
  finished: readonly FinishedRun[],
  options: { readonly width: number; readonly withMarkets: boolean },
): readonly string[] {
  const groups = groupsOf(finished);
  const { width } = options;
  const table = (columns: readonly Column[], rows: readonly (readonly Cell[])[]) =>
    tableLines({ columns, rows }, { width });
  return [
    ...table(
      [...HEAD, ...MONEY],
      groups.map((group) => [...headOf(group), ...moneyOf(group)]),
    ),
    '',
    ...table(
      [...HEAD, ...DEEDS],
      groups.map((group) => [...headOf(group), ...deedsOf(group)]),
    ),
    ...differenceLines(groups, width),
    ...(options.withMarkets ? marketLines(finished, width) : []),
    '',
    ...factLines(finished),
  ];
}

/** What an account earned at an embedded venue, market by market and in all. */
export function earnedLines(
  { total, markets }: { readonly total: Figures; readonly markets: readonly MarketResult[] },
  width: number,
): readonly string[] {
  if (total.fills === 0) return ['nothing was traded'];
  const traded = markets.filter(({ fills }) => fills > 0);
  return marketTables(
    traded.length > 1 ? [...traded, { ...total, title: 'in all' }] : traded,
    width,
  );
}

/** What a run was stopped by, or could not read. */
export function troubleLines(finished: readonly FinishedRun[]): readonly string[] {
  return finished.flatMap(({ planned, result }) => {
    const { failure, idle, halted, badLines, badLineExamples } = result;
    return [
      ...(failure === undefined ? [] : [`${planned.label}: ${failure}`]),
      ...(idle === undefined ? [] : [`${planned.label}: nothing was quoted: ${idle}`]),
      ...(halted === undefined ? [] : [`${planned.label}: halted by ${halted}`]),
      ...(badLines === 0
        ? []
        : [`${planned.label}: ${badLines} bad lines, as ${badLineExamples[0] ?? ''}`]),
    ];
  });
}

/** What every strategy earned more than the first, where several met the same worlds. */
export function differencesOf(finished: readonly FinishedRun[]): readonly {
  readonly group: string;
  readonly queue: string;
  readonly strategy: string;
  readonly against: string;
  readonly usdcPerHour: Estimate;
}[] {
  const groups = groupsOf(finished);
  return groups.flatMap((group) => {
    const { group: name, queue, strategy } = group.planned;
    const base = groups.find(({ planned }) => planned.group === name && planned.queue === queue);
    if (!base || base === group) return [];
    const usdcPerHour = pairedDifference(group.results, base.results);
    const against = base.planned.strategy;
    return usdcPerHour ? [{ group: name, queue, strategy, against, usdcPerHour }] : [];
  });
}

function groupsOf(finished: readonly FinishedRun[]): readonly Group[] {
  const groups = new Map<string, { planned: PlannedRun; results: RunResult[] }>();
  for (const { planned, result } of finished) {
    const key = [planned.group, planned.queue, planned.strategy].join('\n');
    const group = groups.get(key) ?? { planned, results: [] };
    group.results.push(result);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function headOf({ planned }: Group): readonly Cell[] {
  return [planned.group, planned.strategy, planned.queue].map(cell);
}

function moneyOf({ results }: Group): readonly Cell[] {
  const parts = results.map(({ total }) => total.parts).reduce(addParts, NO_PARTS);
  const marks = new Set(results.map(({ total }) => total.mark));
  return [
    usdc(sum(results, ({ total }) => total.pnlUsdc)),
    estimateText(profitPerHour(results)),
    ...partTexts(parts),
    [...marks].join(', '),
  ].map(cell);
}

function deedsOf({ results }: Group): readonly Cell[] {
  const mean = (of: (figures: Figures) => number): number =>
    sum(results, ({ total }) => of(total)) / results.length;
  const uptimes = results.flatMap(({ total }) => total.uptimeRatio ?? []);
  const fairs = results.flatMap(({ total }) => total.pnlAtFairUsdc ?? []);
  return [
    usdc(sum(results, ({ total }) => total.pnlAtMiddleUsdc)),
    fairs.length < results.length ? '' : usdc(fairs.reduce((a, b) => a + b, 0)),
    String(sum(results, ({ total }) => total.fills)),
    sum(results, ({ total }) => total.makerShares).toFixed(0),
    sum(results, ({ total }) => total.takerShares).toFixed(0),
    mean(({ inventoryRmsShares }) => inventoryRmsShares).toFixed(0),
    Math.max(...results.map(({ total }) => total.inventoryMaxShares)).toFixed(0),
    usdc(Math.max(...results.map(({ total }) => total.drawdownUsdc))),
    uptimes.length === 0 ? '' : percent(uptimes.reduce((a, b) => a + b, 0) / uptimes.length),
    percent(mean(({ touchRatio }) => touchRatio)),
    String(sum(results, ({ writes }) => writes)),
  ].map(cell);
}

function differenceLines(groups: readonly Group[], width: number): readonly string[] {
  const finished = groups.flatMap(({ planned, results }) =>
    results.map((result) => ({ planned, result })),
  );
  const rows = differencesOf(finished).map(({ group, strategy, queue, against, usdcPerHour }) =>
    [group, strategy, queue, against, estimateText(usdcPerHour)].map(cell),
  );
  if (rows.length === 0) return [];
  const columns = [...HEAD, left('MORE THAN'), right('USDC/H')];
  return ['', ...tableLines({ columns, rows }, { width })];
}

function marketLines(finished: readonly FinishedRun[], width: number): readonly string[] {
  return finished.flatMap(({ planned, result }) => [
    '',
    planned.label,
    ...marketTables(result.markets, width),
  ]);
}

type Titled = Figures & { readonly title: string };

/** What each earned, and below it how; a figure that no market has is left out. */
function marketTables(markets: readonly Titled[], width: number): readonly string[] {
  const deeds = markets.map(marketDeeds);
  const shown = MARKET_DEEDS.map((_, index) => deeds.some((row) => row[index] !== ''));
  const isShown = (_: unknown, index: number): boolean => shown[index] === true;
  return [
    ...tableLines({ columns: MARKET_COLUMNS, rows: markets.map(marketCells) }, { width }),
    '',
    ...tableLines(
      {
        columns: MARKET_DEEDS.filter(isShown),
        rows: deeds.map((row) => row.filter(isShown).map(cell)),
      },
      { width },
    ),
  ];
}

function marketDeeds(market: Titled): readonly string[] {
  const { pnlAtFairUsdc: fair, uptimeRatio: uptime } = market;
  return [
    market.title,
    usdc(market.pnlAtMiddleUsdc),
    fair === undefined ? '' : usdc(fair),
    market.makerShares.toFixed(0),
    market.takerShares.toFixed(0),
    market.inventoryMaxShares.toFixed(0),
    usdc(market.drawdownUsdc),
    uptime === undefined ? '' : percent(uptime),
    percent(market.touchRatio),
  ];
}

function marketCells(market: Titled): readonly Cell[] {
  return [
    market.title,
    usdc(market.pnlUsdc),
    ...partTexts(market.parts),
    market.mark,
    String(market.fills),
    market.inventoryRmsShares.toFixed(0),
    market.netShares.toFixed(0),
  ].map(cell);
}

function factLines(finished: readonly FinishedRun[]): readonly string[] {
  const conditions = new Set(
    finished.map(({ result }) => result.conditions.replace(/ · seed .*/, '')),
  );
  const hours = finished.reduce((total, { result }) => total + hoursOf(result), 0);
  const tookMs = finished.reduce((total, { result }) => total + result.tookMs, 0);
  const times = Math.round((hours * 3_600_000) / Math.max(tookMs, 1));
  return [
    `${finished.length} runs, ${duration(hours * 3_600_000)} in ${duration(tookMs)}: ${times} times as fast`,
    ...conditions,
    'USDC = SPREAD + TO 1 S + TO 10 S + TO 60 S + LATER + FEES; each is explained in src/backtest/README.md',
  ];
}

function partTexts({ spread, adverse, inventory, fees }: Parts): readonly string[] {
  return inCents([spread, ...adverse, inventory, fees]).map(usdc);
}

function estimateText({ mean, error }: Estimate): string {
  return error === undefined ? usdc(mean) : `${usdc(mean)} ± ${error.toFixed(2)}`;
}

function usdc(amount: number): string {
  const text = amount.toFixed(2);
  return text === '-0.00' ? '0.00' : text;
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`;
}

function sum(results: readonly RunResult[], of: (result: RunResult) => number): number {
  return results.reduce((total, result) => total + of(result), 0);
}

function cell(text: string): Cell {
  return { text };
}
