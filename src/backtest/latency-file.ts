// Measured delays in a file: a line of titles, then a line of milliseconds for each measurement.

import { BotError } from '../domain/errors.ts';
import type { Delays, Latency } from './conditions.ts';

const NAMES = ['feedMs', 'entryMs', 'responseMs'] as const;
const DELAY_MS_MAX = 60_000;
const SAMPLES_MAX = 1_000_000;

/** @throws {BotError} `settings.invalid` with the line that is wrong. */
export function parseLatencyFile(from: string, text: string): Latency {
  const [head = '', ...lines] = text.split(/\r?\n/);
  const titles = head.split(',').map((title) => title.trim());
  const places = NAMES.map((name) => titles.indexOf(name));
  if (places.includes(-1)) {
    throw wrong(`${from}, line 1: must name the columns ${NAMES.join(', ')}, not ${head}`);
  }
  const samples = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [delaysIn(line.split(','), places, `${from}, line ${index + 2}`)],
  );
  if (samples.length === 0) throw wrong(`${from}: has no measurement`);
  if (samples.length > SAMPLES_MAX) throw wrong(`${from}: more than ${SAMPLES_MAX} measurements`);
  return { kind: 'measured', from, samples };
}

function delaysIn(cells: readonly string[], places: readonly number[], where: string): Delays {
  const [feedMs = 0, entryMs = 0, responseMs = 0] = places.map((place) => {
    const cell = cells[place]?.trim() ?? '';
    const ms = cell === '' ? Number.NaN : Number(cell);
    if (ms >= 0 && ms <= DELAY_MS_MAX) return ms;
    throw wrong(`${where}: must be milliseconds from 0 to ${DELAY_MS_MAX}, not ${cell}`);
  });
  return { feedMs, entryMs, responseMs };
}

function wrong(detail: string): BotError {
  return new BotError('settings.invalid', detail);
}
