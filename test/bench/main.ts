// `npm run bench`: all groups, their tables, and a comparison with the recorded ratios. It fails when a
// ratio has fallen behind its recorded one by more than its margin.
//
//   --short    a few rounds of everything: is the rig right? Times and ratios are not judged.
//   --record   writes the ratios of this run to recorded.json.
//   --only a,b these groups only.
//   --ccxt     compares books with ccxt's, too, which is fetched for that: it is no dependency.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { book } from './groups/book.ts';
import { decode } from './groups/decode.ts';
import { heap } from './groups/heap.ts';
import { many } from './groups/many.ts';
import { path } from './groups/path.ts';
import { placements } from './groups/placements.ts';
import { scale } from './groups/scale.ts';
import { step } from './groups/step.ts';
import { trust } from './groups/trust.ts';
import { type GroupResult, isBehind, print, type Ratio, type RunOptions } from './rig/report.ts';

type Group = (options: RunOptions) => GroupResult | Promise<GroupResult>;

const GROUPS: Readonly<Record<string, Group>> = {
  book,
  decode,
  step,
  path,
  placements,
  scale,
  many,
  heap,
  trust,
};

/** Beside the sources: the compiled rig stands in dist/bench/test/bench. */
const RECORDED = fileURLToPath(new URL('../../../../test/bench/recorded.json', import.meta.url));

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      only: { type: 'string' },
      ccxt: { type: 'boolean', default: false },
    },
  });
  const isShort = values.short;
  console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}`);
  const ratios: Ratio[] = [];
  for (const [name, run] of chosen(values.only)) {
    const startedMs = performance.now();
    const result = await run({ isShort, hasCcxt: values.ccxt });
    print(result);
    console.log(`\n(${name}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`);
    ratios.push(...result.ratios);
  }
  if (isShort) return areMeasured(ratios) ? 0 : 1;
  const recorded = readRecorded();
  const expected = Object.keys(recorded).filter((name) => values.ccxt || !name.includes('ccxt'));
  const behind = compare(ratios, recorded, values.only === undefined ? expected : []);
  const measured = ratios.filter(({ value }) => Number.isFinite(value));
  if (values.record) record({ ...recorded, ...Object.fromEntries(measured.map(asRecorded)) });
  return behind > 0 && !values.record ? 1 : 0;
}

/** Times of a short run mean nothing; a figure that is none means that the rig measured nothing. */
function areMeasured(ratios: readonly Ratio[]): boolean {
  const lost = ratios.filter(({ value }) => !Number.isFinite(value));
  for (const { name, value } of lost) console.error(`the rig is wrong: ${name} is ${value}`);
  return lost.length === 0;
}

function chosen(only: string | undefined): readonly (readonly [string, Group])[] {
  const names = only?.split(',');
  const unknown = names?.filter((name) => !Object.hasOwn(GROUPS, name)) ?? [];
  if (unknown.length > 0) throw new Error(`no such group: ${unknown.join(', ')}`);
  return Object.entries(GROUPS).filter(([name]) => names?.includes(name) ?? true);
}

type Recorded = Readonly<Record<string, number>>;

function readRecorded(): Recorded {
  const parsed: unknown = JSON.parse(readFileSync(RECORDED, 'utf8'));
  return typeof parsed === 'object' && parsed !== null ? Object.fromEntries(numbersOf(parsed)) : {};
}

function numbersOf(parsed: object): readonly (readonly [string, number])[] {
  return Object.entries(parsed).filter((entry): entry is [string, number] => {
    return typeof entry[1] === 'number';
  });
}

/**
 * Prints every ratio beside its aim and its recorded value; the number of those that fell behind.
 * @param expected - What must have been measured: all that is recorded when all groups ran.
 */
function compare(
  ratios: readonly Ratio[],
  recorded: Recorded,
  expected: readonly string[],
): number {
  const lost = expected.filter((name) => ratios.every((each) => each.name !== name));
  const behind = ratios.filter((ratio) => isBehind(ratio, recorded[ratio.name]));
  const rows = ratios.map((ratio) => {
    const { name, value, aim = '', margin } = ratio;
    const before = recorded[name];
    const limit = before === undefined ? '–' : `${before} + ${Math.round(margin * 100)} %`;
    return [name, value.toFixed(3), aim, limit, behind.includes(ratio) ? 'BEHIND' : 'ok'];
  });
  rows.push(...lost.map((name) => [name, 'none', '', `${recorded[name]}`, 'BEHIND']));
  print({ title: 'ratios', head: ['ratio', 'now', 'aim', 'recorded', ''], rows, ratios: [] });
  return behind.length + lost.length;
}

function asRecorded({ name, value }: Ratio): readonly [string, number] {
  return [name, Number(value.toFixed(3))];
}

function record(all: Recorded): void {
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(RECORDED, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
