// The files of the page, read once: a fixed list, so that no path of a request ever reaches the disk.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type PageFile = { readonly type: string; readonly body: Buffer };

const SCRIPTS = [
  'charts.js',
  'controls.js',
  'detail.js',
  'dom.js',
  'edit-lines.js',
  'edit.js',
  'events.js',
  'format.js',
  'head.js',
  'keys.js',
  'ladder.js',
  'list.js',
  'main.js',
  'panels.js',
  'session.js',
  'store.js',
  'stream.js',
] as const;

/** The charts come from a package and are served from here, as everything else: no other host is asked. */
const CHARTS = { 'uplot.js': 'uPlot.esm.js', 'uplot.css': 'uPlot.min.css' };

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The page and everything that it loads, from this origin alone; no script or style in a text of markup. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/**
 * By the name under which the page asks for it; the page itself is `index.html`. What a build lacks is not served:
 * no page is a reason to be without metrics and control.
 */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  const here = join(import.meta.dirname, '../console/page');
  const charts = dirname(createRequire(import.meta.url).resolve('uplot'));
  const own = [
    'index.html',
    'icon.svg',
    'style.css',
    'layout.css',
    'market.css',
    'edit.css',
    'narrow.css',
    ...SCRIPTS,
  ];
  return new Map([
    ...own.flatMap((name) => namedFile(name, join(here, name))),
    ...Object.entries(CHARTS).flatMap(([name, file]) => namedFile(name, join(charts, file))),
  ]);
}

function namedFile(name: string, path: string): readonly (readonly [string, PageFile])[] {
  if (!existsSync(path)) return [];
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return [[name, { type, body: readFileSync(path) }]];
}
