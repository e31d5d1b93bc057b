// `npm run judge`: strategies and the peers' rules in all worlds, under both queue models, on common paths.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { hearings, PEER_NAMES, QUEUES, type Row, WORLDS } from './court.ts';
import { RECORD_CASE, RECORD_FILE, type Recorded, recordedOf } from './record.ts';
import { findings, tableOf } from './verdict.ts';

const USAGE = `npm run judge -- [--strategy NAME ...] [--world NAME ...] [--queue conservative|optimistic|real|both]
  [--seeds N] [--first-seed N] [--hours H] [--param NAME=VALUE ...] [--keep FILE] [--again NAME ...]

  --strategy  strategies of the house and peers; all peers and auto by default
  --record    plays the part of the table that tests hold \`auto\` to, and writes it as the new record
  --keep      a file of finished runs: what is in it is not run again, but for the strategies named by --again`;

const LIST = { type: 'string', multiple: true } as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      strategy: LIST,
      world: LIST,
      again: LIST,
      param: LIST,
      queue: { type: 'string', default: 'both' },
      seeds: { type: 'string', default: '16' },
      'first-seed': { type: 'string', default: '1' },
      hours: { type: 'string', default: '0.334' },
      keep: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.record) {
    await writeRecord();
    return 0;
  }
  const worlds = values.world ?? WORLDS;
  const all = await hearings({
    strategies: values.strategy ?? ['auto', ...PEER_NAMES],
    worlds,
    queue: queueOf(values.queue),
    hours: Number(values.hours),
    seeds: Number(values.seeds),
    firstSeed: Number(values['first-seed']),
    params: Object.fromEntries((values.param ?? []).map(paramOf)),
  });
  const known = new Map(
    keptRows(values.keep)
      .filter(({ strategy }) => values.again?.includes(strategy) !== true)
      .map((row) => [keyOf(row), row]),
  );
  const rows: Row[] = [];
  for (const [index, hearing] of all.entries()) {
    const key = keyOf({ ...hearing, world: hearing.group });
    const before = known.get(key);
    const row = before ?? (await hearing.run());
    rows.push(row);
    if (before !== undefined) continue;
    if (values.keep !== undefined) appendFileSync(values.keep, `${JSON.stringify(row)}\n`);
    if (index % 16 === 0) process.stderr.write(`${index} of ${all.length}: ${key}\n`);
  }
  let fallsShort = false;
  for (const queue of new Set(rows.map((row) => row.queue))) {
    const heard = rows.filter((row) => row.queue === queue);
    console.log(`\nqueue ${queue}\n\n${tableOf(heard, worlds).join('\n')}\n`);
    for (const { rule, holds, figures } of findings(heard)) {
      console.log(`${holds ? 'holds' : 'FAILS'}  ${rule}: ${figures}`);
      fallsShort ||= !holds;
    }
  }
  return fallsShort ? 1 : 0;
}

async function writeRecord(): Promise<void> {
  const rows: Recorded[] = [];
  for (const { run } of await hearings(RECORD_CASE)) rows.push(recordedOf(await run()));
  rows.sort((a, b) => a.world.localeCompare(b.world) || a.seed - b.seed);
  const lines = rows.map((row) => JSON.stringify(row)).join(',\n');
  writeFileSync(RECORD_FILE, `[\n${lines}\n]\n`);
}

function queueOf(text: string) {
  if (text === 'real') return undefined;
  if (text === 'both') return text;
  const queue = QUEUES.find((each) => each === text);
  if (queue === undefined) throw new Error(`--queue ${text}: ${QUEUES.join(', ')}, real or both`);
  return queue;
}

function paramOf(text: string): readonly [string, unknown] {
  const [name = '', value = ''] = text.split('=');
  return [name, value === 'true' || value === 'false' ? value === 'true' : Number(value)];
}

/** Later rows count for earlier ones. */
function keptRows(file: string | undefined): readonly Row[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

function keyOf({
  strategy,
  world,
  queue,
  seed,
}: Pick<Row, 'strategy' | 'world' | 'queue' | 'seed'>) {
  return [strategy, world, queue, seed].join(' ');
}
