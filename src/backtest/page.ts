// One HTML file of backtests: charts and tables that open without a network, with everything in it.

import { inCents, profitOf } from './fills.ts';
import { comparison, type RunGroup } from './page-bands.ts';
import { chartsOf } from './page-charts.ts';
import { amount, cents, escaped, ratio, table, wholePage } from './page-parts.ts';
import type { Figures, MarketResult, RunResult } from './result.ts';

export type PageRun = {
  readonly name: string;
  readonly result: RunResult;
  /** What it is compared under; alone where absent. */
  readonly of?: Omit<RunGroup, 'results'>;
};

/** Markets with charts; more would make a page that no browser scrolls. */
const CHARTS_MAX = 60;

/** The page as text. @throws {Error} When the plotting library is not installed. */
export async function backtestPage(
  runs: readonly PageRun[],
  { version }: { readonly version?: string } = {},
): Promise<string> {
  const charted = runs
    .flatMap(({ result }) => result.markets)
    .filter(({ fills }) => fills > 0)
    .slice(0, CHARTS_MAX);
  return await wholePage({
    title: 'bookend backtest',
    body: [
      '<h1>Backtest</h1>',
      ...(version === undefined ? [] : [`<p>bookend ${escaped(version)}</p>`]),
      overview(runs),
      comparison(groupsOf(runs)),
      ...runs.map((run) => section(run, charted)),
    ],
    charts: charted.flatMap(chartsOf),
  });
}

function groupsOf(runs: readonly PageRun[]): readonly RunGroup[] {
  const groups = new Map<string, Omit<RunGroup, 'results'> & { results: RunResult[] }>();
  for (const { of, result } of runs) {
    if (of === undefined) continue;
    const key = `${of.world}\n${of.strategy}`;
    const group = groups.get(key) ?? { ...of, results: [] };
    group.results.push(result);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function overview(runs: readonly PageRun[]): string {
  const head = ['Run', 'USDC', 'Spread', 'To 1 s', 'To 10 s', 'To 60 s', 'Later', 'Fees'];
  const more = ['Fills', 'Inventory RMS', 'Drawdown', 'Uptime', 'At the touch', 'Writes'];
  return table(
    [...head, ...more],
    runs.map(({ name, result }) => [
      escaped(name),
      ...moneyCells(result.total),
      String(result.total.fills),
      result.total.inventoryRmsShares.toFixed(0),
      result.total.drawdownUsdc.toFixed(2),
      ratio(result.total.uptimeRatio),
      ratio(result.total.touchRatio),
      String(result.writes),
    ]),
  );
}

function section({ name, result }: PageRun, charted: readonly MarketResult[]): string {
  const from = new Date(result.fromMs).toISOString().slice(0, 19);
  const to = new Date(result.toMs).toISOString().slice(0, 19);
  const trouble = [result.failure, result.halted && `halted by ${result.halted}`];
  return [
    `<h2>${escaped(name)}</h2>`,
    `<p>${from} to ${to} UTC · ${escaped(result.conditions)} · digest ${result.digest}</p>`,
    ...result.parameters.map((text) => `<p>${escaped(text)}</p>`),
    ...trouble.flatMap((text) => (text ? [`<p class="failure">${escaped(text)}</p>`] : [])),
    ...result.markets.filter(({ fills }) => fills > 0).map((each) => market(each, charted)),
  ].join('\n');
}

function market(result: MarketResult, charted: readonly MarketResult[]): string {
  const place = charted.indexOf(result);
  const chart = place < 0 ? '' : `<div class="charts" data-market="${place}"></div>`;
  const money = table(
    ['At', 'USDC', 'Spread', 'To 1 s', 'To 10 s', 'To 60 s', 'Later', 'Fees'],
    [[result.mark, ...moneyCells(result)]],
  );
  const markouts = table(
    ['After', 'Bids, c a share', 'Asks, c a share'],
    result.markouts.map(({ sec, bid, ask }) => [`${sec} s`, cents(bid), cents(ask)]),
  );
  const queue = table(
    ['Shares ahead', 'Fills', 'Shares', 'After 10 s, c'],
    result.queue.map(({ ahead, fills, shares, markoutUsdc }) => [
      escaped(ahead),
      String(fills),
      shares.toFixed(0),
      cents(markoutUsdc),
    ]),
  );
  return [
    `<h3>${escaped(result.title)} <span class="soft">${escaped(result.strategy)}</span></h3>`,
    money,
    chart,
    `<div class="tables">${markouts}${queue}</div>`,
  ].join('\n');
}

function moneyCells({ parts }: Pick<Figures, 'parts'>): readonly string[] {
  const { spread, adverse, inventory, fees } = parts;
  const split = inCents([spread, ...adverse, inventory, fees]);
  return [profitOf(parts), ...split].map(amount);
}
