// `npm run deaths`: a daemon with hundreds of resting orders dies in every way, so many times each;
// exit code 1 when an order stayed open once.

import { parseArgs } from 'node:util';
import { DEATHS, type DeathKind, type Measured, measureDeaths } from './rig/deaths.ts';
import { measureStarvation } from './rig/starve.ts';

const USAGE =
  'npm run deaths -- [--times N] [--only kill,stop,block,exit,parent] | --starve SECONDS';
const TOLD_EACH = 20;
/** Long enough that the guard has, or has not, another trader in reserve. */
const WAIT_MS_MAX = 4_000;
/** The kindest that a process can be to all others. */
const NICE = 19;
const PLAN = { markets: 15, levels: 10 };

const WAYS: Readonly<Record<DeathKind, string>> = {
  kill: 'trader killed (SIGKILL)',
  stop: 'trader stopped (SIGSTOP)',
  block: 'event loop blocked',
  exit: 'process ended by a library (exit 0)',
  parent: 'guard killed (SIGKILL)',
};

const HEAD = [
  '| Death | Times | Orders resting | To zero, ms: p50 | p99 | worst | Misses | First quote, ms: p50 | p99 | Seven in ten, ms: p50 | p99 | Guard, MB |',
  '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
].join('\n');

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '20' },
      only: { type: 'string' },
      starve: { type: 'string' },
    },
  });
  if (values.starve !== undefined) return await starve(Number(values.starve) * 1_000);
  const times = Number(values.times);
  const names = values.only?.split(',') ?? DEATHS;
  const kinds = DEATHS.filter((kind) => names.includes(kind));
  if (!Number.isSafeInteger(times) || times < 1 || kinds.length !== names.length) {
    console.error(USAGE);
    return 2;
  }
  console.log(`node ${process.version}\n\n${HEAD}`);
  let misses = 0;
  for (const kind of kinds) {
    const measured = await measureDeaths(kind, {
      times,
      plan: PLAN,
      waitMsMax: WAIT_MS_MAX,
      onDeath: (count, sofar) => {
        if (count % TOLD_EACH === 0) console.error(row(kind, sofar));
      },
    });
    console.log(row(kind, measured));
    for (const miss of measured.misses) console.error(`MISS ${kind}: ${miss}`);
    misses += measured.misses.length;
  }
  return misses === 0 ? 0 : 1;
}

/** @returns The exit code: 1 for a death that was none. */
async function starve(forMs: number): Promise<number> {
  if (!(forMs > 0)) {
    console.error(USAGE);
    return 2;
  }
  const starved = await measureStarvation({ plan: PLAN, forMs, behind: NICE });
  console.log(JSON.stringify(starved, undefined, 2));
  return starved.deaths === 0 ? 0 : 1;
}

function row(kind: DeathKind, of: Measured): string {
  const worst = Math.max(...of.zeroMs);
  const cells = [
    WAYS[kind],
    of.zeroMs.length,
    quantile(of.resting, 0.5),
    quantile(of.zeroMs, 0.5),
    quantile(of.zeroMs, 0.99),
    Math.round(worst),
    of.misses.length,
    quantile(of.firstQuoteMs, 0.5),
    quantile(of.firstQuoteMs, 0.99),
    quantile(of.allQuotesMs, 0.5),
    quantile(of.allQuotesMs, 0.99),
    Math.round(of.guardRssMb),
  ];
  return `| ${cells.join(' | ')} |`;
}

function quantile(values: readonly number[], part: number): string {
  if (values.length === 0) return '–';
  const sorted = values.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1);
  return String(Math.round(sorted[Math.max(0, index)] ?? 0));
}
