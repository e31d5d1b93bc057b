// What the pages have in common: one HTML file that opens without a network, its charts and tables, and a policy by
// which it runs its own two scripts and reaches nobody.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { visibleJson } from '../domain/unseen.ts';
import { type Chart, drawCharts } from './page-charts.ts';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #333a46); --soft: light-dark(#5b6472, #9aa4b2);
  --good: light-dark(#0a7d4b, #4cc38a); --bad: light-dark(#b3261e, #ff8a80); }
body { background: light-dark(#fff, #14181f); color: light-dark(#1b1f26, #e6e9ee);
  font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2.5rem } h3 { font-size: 1rem; margin-bottom: .3rem }
p, .soft { color: var(--soft) } .failure { color: var(--bad); font-weight: 600 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child { text-align: left } th { color: var(--soft); font-weight: 500 }
.gain { color: var(--good) } .loss { color: var(--bad) }
.tables { display: flex; gap: 2.5rem; flex-wrap: wrap } .chart { margin: .4rem 0 1rem }
th:has(.words), td:has(.words) { text-align: left }
.words { display: inline-block; max-width: 44rem; white-space: normal; text-align: left }
.u-legend { font-size: 12px }
`;

export type PageContent = {
  /** As text. */
  readonly title: string;
  /** HTML. */
  readonly body: readonly string[];
  readonly charts: readonly Chart[];
};

/** The page as text. @throws {Error} When the plotting library is not installed. */
export async function wholePage({ title, body, charts }: PageContent): Promise<string> {
  const [library, plotStyle] = await Promise.all([
    readLibrary('uplot/dist/uPlot.iife.min.js'),
    readLibrary('uplot/dist/uPlot.min.css'),
  ]);
  const style = `${plotStyle}${STYLE}`;
  const draw = `(${drawCharts.toString()})(uPlot, ${inScript(charts)}, document)`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(library)} ${hashOf(draw)}`,
    `style-src ${hashOf(style)}`,
  ].join('; ');
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${style}</style></head><body><main>`,
    ...body,
    '</main>',
    `<script>${library}</script>`,
    `<script>${draw}</script>`,
    '</body></html>',
  ].join('\n');
}

/** A browser runs what has this hash, and nothing that got onto the page some other way. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

async function readLibrary(path: string): Promise<string> {
  return await readFile(createRequire(import.meta.url).resolve(path), 'utf8');
}

/** JSON that cannot end the script it stands in. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

export function amount(usdc: number): string {
  const text = usdc.toFixed(2);
  return `<span class="${usdc < 0 ? 'loss' : 'gain'}">${text === '-0.00' ? '0.00' : text}</span>`;
}

export function cents(usdc: number | undefined): string {
  return usdc === undefined ? '' : (100 * usdc).toFixed(2);
}

export function ratio(part: number | undefined): string {
  return part === undefined ? '' : `${(100 * part).toFixed(1)} %`;
}

/** A table; titles and cells are HTML already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const titles = head.map((title) => `<th>${title}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<div class="wide" tabindex="0"><table><tr>${titles}</tr>${body.join('')}</table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text from outside as the text of a page: no markup, and nothing that nobody sees. */
export function escaped(text: string): string {
  return visibleJson(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A picture that scrolls where the page is narrow. */
export function svg(
  { width, height }: { readonly width: number; readonly height: number },
  parts: readonly string[],
  name: string,
): string {
  const box = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<div class="wide" tabindex="0"><svg role="img" aria-label="${escaped(name)}" ${box}>${parts.join('')}</svg></div>`;
}

export function label(x: number, y: number, text: string, anchor = 'middle'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="12" fill="currentColor">${escaped(text)}</text>`;
}
