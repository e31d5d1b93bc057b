// `npm run alerts`: replays faults and a clean day, and lets a real Prometheus say which alerts they raise.

import { appendFileSync, createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { selectorsOf } from '../house/promql.ts';
import { type Alarm, alarmsOf, readRules } from './alarms.ts';
import { replayAll } from './crew.ts';
import { SCRAPE_MS, START_MS } from './daemon.ts';
import { FEW } from './faults.ts';
import { judge } from './judge.ts';
import { type Options, readOptions } from './options.ts';
import { EXCUSED, type Expression, readPages } from './pages.ts';
import { backfill, hasPrometheus, Prometheus, type Span } from './prometheus.ts';
import { CLEAN, MINUTE_MS, minutesOf } from './replay.ts';
import { cleanLines, emptyLines, recallLine, verdictLine } from './words.ts';

const RULES = readRules(resolve('ops/prometheus/alerts.yml'));
const ASKED = RULES.flatMap(({ expr }) => selectorsOf(expr).map(({ name }) => name));
const PAGES = readPages(resolve('ops/grafana/dashboards'));

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  if (!hasPrometheus()) {
    console.error('prometheus and promtool are not installed (Debian: apt-get install prometheus)');
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'bookend-alerts-'));
  try {
    const blocks = await fill(folder, options);
    const server = await Prometheus.on(blocks, folder);
    try {
      return (await report(server, options)) ? 0 : 1;
    } finally {
      await server.stop();
    }
  } finally {
    if (options.keep) console.log(`samples and blocks are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** Replays everything, and makes blocks of the samples. */
async function fill(folder: string, { faults, hours, jobs }: Options): Promise<string> {
  const replays = [
    ...(hours > 0 ? [{ name: CLEAN, minutes: hours * 60 }] : []),
    ...faults.map((fault) => ({ name: fault.name, minutes: minutesOf(fault) })),
  ].map((each) => ({
    ...each,
    file: join(folder, `${each.name}.om`),
    // The series of dashboards come from a few; of the others what alerts ask for is enough.
    ...(FEW.includes(each.name) ? {} : { only: ASKED }),
  }));
  await replayAll(replays, jobs);
  const all = join(folder, 'all.om');
  for (const { file } of replays) {
    await pipeline(createReadStream(file), createWriteStream(all, { flags: 'a' }));
    rmSync(file);
  }
  appendFileSync(all, '# EOF\n');
  const blocks = join(folder, 'blocks');
  backfill(all, blocks);
  return blocks;
}

async function report(server: Prometheus, options: Options): Promise<boolean> {
  const { faults, hours } = options;
  const minutes = Math.max(hours * 60, ...faults.map(minutesOf));
  const span = { startMs: START_MS, endMs: START_MS + minutes * MINUTE_MS, stepMs: SCRAPE_MS };
  const alarms = await alarmsAt(server, span);
  const verdicts = faults.map((fault) => judge(fault, alarms));
  for (const verdict of verdicts) console.log(verdictLine(verdict));
  const clean = alarms.filter(({ instance }) => instance === CLEAN);
  for (const line of cleanLines(hours, clean)) console.log(line);
  const empty = options.pages ? await emptyAt(server, span) : [];
  const asked = options.pages ? PAGES.length + RULES.length : 0;
  if (asked > 0) for (const line of emptyLines(asked, empty, EXCUSED.size)) console.log(line);
  console.log(recallLine(verdicts));
  const isWrong = verdicts.some(({ missed, undue }) => missed.length + undue.length > 0);
  return !isWrong && !clean.some(({ severity }) => severity === 'page') && empty.length === 0;
}

async function alarmsAt(server: Prometheus, span: Span): Promise<readonly Alarm[]> {
  const alarms: Alarm[] = [];
  for (const rule of RULES) {
    alarms.push(...alarmsOf(rule, await server.range(rule.expr, span), span));
  }
  return alarms;
}

/** What says nothing at any time of the run, and is not excused. */
async function emptyAt(server: Prometheus, span: Span): Promise<readonly Expression[]> {
  const alerts = RULES.map(({ alert, expr }) => ({ place: alert, expr }));
  const empty: Expression[] = [];
  for (const each of [...PAGES, ...alerts]) {
    const said = await server.range(each.expr, { ...span, stepMs: MINUTE_MS });
    if (said.length === 0 && !EXCUSED.has(each.place)) empty.push(each);
  }
  return empty;
}
