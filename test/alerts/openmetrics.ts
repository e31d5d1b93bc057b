// Scrapes with their times, as `promtool tsdb create-blocks-from openmetrics` takes them.

import type { WriteStream } from 'node:fs';

export type Target = { readonly job: string; readonly instance: string };

/** What Prometheus adds to a scrape: the target that it came from, and the time. */
export type Stamp = Target & { readonly atMs: number };

export type How = {
  /** Values that stand in place of those of the text, by series. */
  readonly instead?: ReadonlyMap<string, number>;
  /** Names of the series that are kept; all of them where nothing is said. */
  readonly only?: ReadonlySet<string> | undefined;
};

/**
 * The samples of a scrape with target and time.
 *
 * @param text - In the text form of Prometheus, as `/metrics` serves it.
 */
export function stamped(text: string, stamp: Stamp, { instead, only }: How = {}): string {
  const target = `job="${stamp.job}",instance="${stamp.instance}"`;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const parts = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (parts === null) throw new Error(`no sample: ${line}`);
    const [, name = '', labels, value = ''] = parts;
    if (only !== undefined && !only.has(name)) continue;
    const own = labels === undefined || labels === '' ? '' : `${labels},`;
    const told = instead?.get(name)?.toString() ?? openMetricsNumber(value);
    lines.push(`${name}{${own}${target}} ${told} ${(stamp.atMs / 1_000).toFixed(3)}\n`);
  }
  return lines.join('');
}

/** prom-client says `Nan` for a quantile of nothing. */
function openMetricsNumber(text: string): string {
  return text.toLowerCase() === 'nan' ? 'NaN' : text;
}

/** Waits where the file is slower than what it is given. */
export async function append(file: WriteStream, text: string): Promise<void> {
  if (file.write(text)) return;
  await new Promise<void>((resolve) => {
    file.once('drain', resolve);
  });
}
