// Reads back what was written of past days, beside a daemon that goes on writing or after it.

import { join } from 'node:path';
import { fileLines } from '../file-lines.ts';
import { cannotRead, errorCode, readPath } from '../files.ts';
import { type DayFile, dayFiles, dayOf, daysFolder } from './day-files.ts';
import { type DayLine, readDayLine } from './day-line.ts';

export type DaysWanted = {
  readonly journal: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** `orders` for the files of orders, `rest` for the others. */
  readonly part: 'orders' | 'rest';
};

/** What was written behind the last line of a day: looks after fills of its end, and the sample that closes it. */
const BEHIND_MS = 600_000;

/**
 * The lines of the days from one moment to another, whole days and a little of the next, in the order in which they
 * were written. A line that cannot be read is left out.
 *
 * @throws {BotError} `journal.copy` when a file is there and cannot be read.
 */
export async function* pastLines(wanted: DaysWanted): AsyncGenerator<DayLine, void, undefined> {
  const folder = daysFolder(await readPath(wanted.journal));
  for (const { name } of await wantedFiles(folder, wanted)) yield* linesOf(join(folder, name));
}

async function* linesOf(file: string): AsyncGenerator<DayLine, void, undefined> {
  try {
    for await (const { text, isWhole } of fileLines(file)) {
      const line = isWhole && text !== '' ? readDayLine(text) : undefined;
      if (line !== undefined) yield line;
    }
  } catch (error) {
    // What is pruned meanwhile is gone.
    if (errorCode(error) !== 'ENOENT') throw cannotRead(file, error);
  }
}

async function wantedFiles(folder: string, wanted: DaysWanted): Promise<readonly DayFile[]> {
  const { fromMs, toMs, part } = wanted;
  const first = dayOf(Math.max(0, fromMs));
  const last = dayOf(Math.min(toMs, 8.64e15 - BEHIND_MS) + BEHIND_MS);
  const files = await dayFiles(folder).catch((error: unknown) => {
    throw cannotRead(folder, error);
  });
  // An order stands in the file of the day on which it ended, which may be any later one.
  if (part === 'orders') return files.filter(({ day, isOfOrders }) => isOfOrders && day >= first);
  // The far end of the calendar has longer years.
  const isWanted = (day: string) => day >= first && (day <= last || last.startsWith('+'));
  return files.filter(({ day, isOfOrders }) => !isOfOrders && isWanted(day));
}
