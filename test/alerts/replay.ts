// Runs one instance and writes what a scrape would have found.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { ReplayedDaemon } from './daemon.ts';
import type { Fault } from './fault.ts';
import { append } from './openmetrics.ts';

/** The instance to which nothing happens. */
export const CLEAN = 'clean';
export const MINUTE_MS = 60_000;
/** So long nothing happens first: quotes rest, and every window of an alert has seen an ordinary minute. */
export const STRIKE_MS = 5 * MINUTE_MS;
const MINUTES = 20;

export type Replay = {
  readonly file: string;
  readonly minutes: number;
  /** Names of the series that are written; all of them where nothing is said. */
  readonly only?: readonly string[];
};

export function minutesOf({ minutes = MINUTES }: Fault): number {
  return minutes;
}

/** @param fault - None for the clean day. */
export async function replay(
  fault: Fault | undefined,
  { file, minutes, only }: Replay,
): Promise<void> {
  const daemon = new ReplayedDaemon(fault?.name ?? CLEAN, fault?.unusual);
  if (fault !== undefined) daemon.at(STRIKE_MS, () => fault.strike(daemon));
  const stream = createWriteStream(file);
  await daemon.run(minutes * MINUTE_MS, {
    only: only && new Set(only),
    onScrape: (text) => append(stream, text),
  });
  stream.end();
  await once(stream, 'finish');
}
