// `report`: one day as an HTML file: what was quoted, filled and earned, why not, what happened, and the writes it took.

import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type DayReport, dayReport } from '../app/look-back/day.ts';
import { pastDays } from '../app/look-back/past-days.ts';
import { packageVersion } from '../app/version.ts';
import { systemClock } from '../clock/system.ts';
import { redacted } from '../domain/redact.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { journalActivity } from '../journal/activity.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { type Past, ROWS_MAX, readPast } from './past-options.ts';
import { uncertainLines } from './pnl.ts';
import { dayPage } from './report-page.ts';
import { timeOf } from './times.ts';
import { checkWritable } from './writable.ts';

type ReportOptions = {
  readonly config: string;
  readonly day: UnixMs;
  readonly out?: string;
  readonly json?: boolean;
};

const DAY_MS = 86_400_000;

export function reportCommand(io: CliIo, finish: Finish): Command {
  const now = systemClock().nowMs();
  return command('report', 'one day as an HTML page: quoted, filled, earned, why not, incidents')
    .requiredOption(CONFIG_FLAG, CONFIG_DOC)
    .addOption(
      new Option('--day <day>', 'a day of UTC, as 2026-11-23, today or yesterday')
        .argParser(parseDay)
        .default(unixMs(now - (now % DAY_MS)), 'today'),
    )
    .option('--out <file>', 'where to write it (default: bookend-<day>.html in this folder)')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: ReportOptions) => {
      const { config, day } = options;
      const to = unixMs(day + DAY_MS);
      const past = await readPast({ io, finish, options: { config, from: day, to } }, (ledger) =>
        ledger.fills(day, to, ROWS_MAX),
      );
      if (past === undefined) return;
      await report(io, { ...past, toMs: to }, options);
    });
}

async function report(
  io: CliIo,
  of: Past<Parameters<typeof dayReport>[0]['fills']>,
  options: ReportOptions,
): Promise<void> {
  const { journal, fromMs, read: fills } = of;
  const [past, { holders }] = await Promise.all([pastDays(of), journalActivity(journal)]);
  const nowMs = systemClock().nowMs();
  const isRunning = holders.length > 0 && nowMs < of.toMs;
  const toMs = Math.max(fromMs, Math.min(of.toMs, nowMs));
  const day = dayReport({ fromMs, toMs, fills, past, isRunning });
  if (options.json === true && options.out === undefined) {
    printResult(io, { json: day, lines: [] }, options);
    return;
  }
  const { markets } = day.earned;
  const html = await dayPage({
    ...{ report: day, fills, past, journal, uncertain: uncertainLines(markets) },
    version: packageVersion(),
  });
  const file = options.out ?? `bookend-${new Date(fromMs).toISOString().slice(0, 10)}.html`;
  await checkWritable('--out', file);
  await writeFile(file, redacted(html));
  if (isEmpty(day)) complain(io, 'nothing was written down of this day');
  printResult(io, { json: day, lines: [file] }, options);
}

function isEmpty({ runs, earned, samples }: DayReport): boolean {
  return runs.length === 0 && earned.total.fills === 0 && samples === 0;
}

function parseDay(text: string): UnixMs {
  const atMs = timeOf(text.trim().toLowerCase(), systemClock().nowMs());
  if (atMs === undefined || atMs % DAY_MS !== 0) {
    throw new InvalidArgumentError('not a day, as 2026-11-23, today or yesterday');
  }
  return unixMs(atMs);
}
