// One HTML file of backtests: charts and tables that open without a network, with everything in it.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { profitOf } from './fills.ts';
import { chartsOf, drawCharts } from './page-charts.ts';
import type { Figures, MarketResult, RunResult } from './result.ts';

export type PageRun = { readonly name: string; readonly result: RunResult };

/** Markets with charts; more would make a page that no browser scrolls. */
const CHARTS_MAX = 60;

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #333a46); --soft: light-dark(#5b6472, #9aa4b2);
  --good: light-dark(#0a7d4b, #4cc38a); --bad: light-dark(#b3261e, #ff8a80); }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2.5rem } h3 { font-size: 1rem; margin-bottom: .3rem }
p, .soft { color: var(--soft) } .failure { color: var(--bad); font-weight: 600 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child { text-align: left } th { color: var(--soft); font-weight: 500 }
.gain { color: var(--good) } .loss { color: var(--bad) }
.tables { display: flex; gap: 2.5rem; flex-wrap: wrap } .chart { margin: .4rem 0 1rem }
.u-legend { font-size: 12px }
`;

/** The page as text. @throws {Error} When the plotting library is not installed. */
export async function backtestPage(runs: readonly PageRun[]): Promise<string> {
  const [script, style] = await Promise.all([
    readLibrary('uplot/dist/uPlot.iife.min.js'),
    readLibrary('uplot/dist/uPlot.min.css'),
  ]);
  const charted = runs
    .flatMap(({ result }) => result.markets)
    .filter(({ fills }) => fills > 0)
    .slice(0, CHARTS_MAX);
  const data = charted.flatMap(chartsOf);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>bookend backtest</title><style>${style}${STYLE}</style></head><body>`,
    '<h1>Backtest</h1>',
    overview(runs),
    ...runs.map((run) => section(run, charted)),
    `<script>${script}</script>`,
    `<script>(${drawCharts.toString()})(uPlot, ${inScript(data)}, document)</script>`,
    '</body></html>',
  ].join('\n');
}

async function readLibrary(path: string): Promise<string> {
  return await readFile(createRequire(import.meta.url).resolve(path), 'utf8');
}

/** JSON that cannot end the script it stands in. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
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
  return [profitOf(parts), spread, ...adverse, inventory, fees].map(amount);
}

function amount(usdc: number): string {
  const text = usdc.toFixed(2);
  return `<span class="${usdc < 0 ? 'loss' : 'gain'}">${text === '-0.00' ? '0.00' : text}</span>`;
}

function cents(usdc: number | undefined): string {
  return usdc === undefined ? '' : (100 * usdc).toFixed(2);
}

function ratio(part: number | undefined): string {
  return part === undefined ? '' : `${(100 * part).toFixed(1)} %`;
}

/** Cells are HTML already. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const titles = head.map((title) => `<th>${title}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="wide"><table><tr>${titles}</tr>${body.join('')}</table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
