// `npm run uptime`: how much of the time a bot is on the book, through everything that a venue does, and
// beside it the same of a plain ladder. Exit code 1 when the venue saw a breach of a limit, or a duplicate, or a first start took
// more than a second.

import { parseArgs } from 'node:util';
import { DIALECT_ROWS } from './dialects.ts';
import type { Contender } from './rig/bots.ts';
import type { Extra, Outcome, Row } from './rig/run-row.ts';
import { LONG } from './row-parts.ts';
import { faultRows } from './rows.ts';

const FAULTS = Object.values(faultRows(LONG));
const USAGE = `npm run uptime -- [--rows NAME,NAME] [--seconds N] [--only bookend|plain] [--log]
  rows: ${FAULTS.map(({ name }) => name).join(', ')}, dialects, or one dialect by its name`;
const CONTENDERS: readonly Contender[] = ['bookend', 'plain'];
/** Rows whose first start finds nothing to clear, and how soon each is to quote. */
const FIRST_STARTS: readonly string[] = ['clean', 'opening'];
const FIRST_QUOTE_MS_MAX = 1_000;
/** Dialects run side by side: each waits for much of its time. */
const DIALECTS_AT_ONCE = 3;

const HEAD = [
  '| Row | Bot | Uptime | First quote, ms | of that no processor | Recovered, ms | Longest gap, ms | Breaches | Doubled | Misplaced | |',
  '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|',
].join('\n');

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

let unsafe = 0;
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      log: { type: 'boolean', default: false },
    },
  });
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
  const rows = chosen(values.rows?.split(','));
  const contenders = CONTENDERS.filter((name) => values.only === undefined || values.only === name);
  if (rows === undefined || contenders.length === 0 || !(seconds === undefined || seconds > 0)) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  say(`node ${process.version}\n\n${HEAD}`);
  const faults = rows.filter((row) => !row.name.startsWith('dialect:'));
  const dialects = rows.filter((row) => row.name.startsWith('dialect:'));
  const run = async (row: Row) => await runBoth(row, { contenders, seconds, isLogged: values.log });
  for (const row of faults) await run(row);
  for (let at = 0; at < dialects.length; at += DIALECTS_AT_ONCE) {
    await Promise.all(dialects.slice(at, at + DIALECTS_AT_ONCE).map(run));
  }
  return unsafe === 0 ? 0 : 1;
}

function chosen(names: readonly string[] | undefined): readonly Row[] | undefined {
  const all: readonly Row[] = [...FAULTS, ...DIALECT_ROWS];
  if (names === undefined) return all;
  const found = names.flatMap((name) =>
    all.filter((row) => row.name === name || (name === 'dialects' && DIALECT_ROWS.includes(row))),
  );
  return names.every((name) => name === 'dialects' || found.some((row) => row.name === name))
    ? found
    : undefined;
}

async function runBoth(
  row: Row,
  options: {
    readonly contenders: readonly Contender[];
    readonly seconds: number | undefined;
    readonly isLogged: boolean;
  },
): Promise<void> {
  const outcomes = await Promise.all(
    options.contenders.map(async (name) => {
      const outcome = await row.run(name, { seconds: options.seconds });
      return { name, outcome };
    }),
  );
  for (const { name, outcome } of outcomes) {
    say(lineOf(row, name, outcome));
    if (options.isLogged) process.stderr.write(`${outcome.log}\n`);
    const { breaches, duplicates } = outcome.verdict;
    for (const breach of breaches) process.stderr.write(`BREACH ${row.name} ${name}: ${breach}\n`);
    for (const double of duplicates)
      process.stderr.write(`DOUBLE ${row.name} ${name}: ${double}\n`);
    if (name === 'bookend') unsafe += breaches.length + duplicates.length + slow(row, outcome);
  }
}

/** 1 where a start with nothing to clear took more than a second, the wait for a processor left out. */
function slow({ name }: Row, { verdict, waitedMs }: Outcome): number {
  const ownMs = (verdict.firstQuoteMs ?? Number.POSITIVE_INFINITY) - waitedMs;
  if (!FIRST_STARTS.includes(name) || ownMs <= FIRST_QUOTE_MS_MAX) return 0;
  process.stderr.write(`SLOW ${name}: first quote after ${ms(ownMs)} ms of its own\n`);
  return 1;
}

function lineOf(row: Row, name: Contender, { verdict, waitedMs, extra }: Outcome): string {
  const cells = [
    name === 'bookend' ? row.title : '',
    name,
    `${(verdict.uptime * 100).toFixed(1)} %`,
    ms(verdict.firstQuoteMs),
    ms(waitedMs),
    verdict.recoverMs === undefined ? '–' : ms(verdict.recoverMs),
    ms(verdict.longestGapMs),
    verdict.breaches.length,
    verdict.duplicates.length,
    verdict.misplaced,
    extraText(extra, verdict.excludedMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

function extraText(extra: Extra, excludedMs: number): string {
  const excluded = excludedMs > 0 ? { 'not counted, ms': excludedMs } : {};
  return Object.entries({ ...extra, ...excluded })
    .map(([what, amount]) => `${what} ${ms(amount)}`)
    .join(', ');
}

function ms(value: number | 'never' | undefined): string {
  return value === undefined || value === 'never'
    ? 'never'
    : Math.round(value).toLocaleString('en');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
