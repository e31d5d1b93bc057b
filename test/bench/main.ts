// `npm run bench`: all groups, their tables, and each figure beside its aim and its record. An aim that is not met is
// MISSED and fails nothing; a figure that fell behind the record of this kind of machine is REGRESSED and fails the run.
//
//   --short    a few rounds of everything: is the rig right? Times and ratios are not judged.
//   --record   runs everything twice (A/A), and keeps the figures of this kind of machine with their noise.
//   --only a,b these groups only.
//   --ccxt     compares books with ccxt's, too, which is fetched for that: it is no dependency.

import { parseArgs } from 'node:util';
import { backlog } from './groups/backlog.ts';
import { book } from './groups/book.ts';
import { decode } from './groups/decode.ts';
import { heap } from './groups/heap.ts';
import { many } from './groups/many.ts';
import { matching } from './groups/matching.ts';
import { path } from './groups/path.ts';
import { placements } from './groups/placements.ts';
import { scale } from './groups/scale.ts';
import { start } from './groups/start.ts';
import { step } from './groups/step.ts';
import { stores } from './groups/stores.ts';
import { trust } from './groups/trust.ts';
import { warm } from './groups/warm.ts';
import { keep, machineKind, recordsOf } from './rig/records.ts';
import {
  type GroupResult,
  gateOf,
  type Kept,
  print,
  type Ratio,
  type RunOptions,
  verdictOf,
} from './rig/report.ts';

type Group = (options: RunOptions) => GroupResult | Promise<GroupResult>;

const GROUPS: Readonly<Record<string, Group>> = {
  book,
  decode,
  stores,
  step,
  start,
  path,
  warm,
  backlog,
  placements,
  matching,
  scale,
  many,
  heap,
  trust,
};

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
  const kind = machineKind();
  console.log(`node ${process.version}, ${kind}`);
  const options = { isShort: values.short, hasCcxt: values.ccxt };
  const ratios = await measured(values.only, options);
  if (options.isShort) return areMeasured(ratios) ? 0 : 1;
  if (values.record) {
    keep(kind, ratios, await measured(values.only, options));
    return 0;
  }
  const records = recordsOf(kind);
  if (records === undefined) console.log(`\nno record of ${kind}: nothing can have regressed`);
  const names = [...(records?.keys() ?? [])].filter(
    (name) => options.hasCcxt || !name.includes('ccxt'),
  );
  return compare(ratios, records ?? new Map(), values.only === undefined ? names : []) > 0 ? 1 : 0;
}

async function measured(only: string | undefined, options: RunOptions): Promise<readonly Ratio[]> {
  const ratios: Ratio[] = [];
  for (const [name, run] of chosen(only)) {
    const startedMs = performance.now();
    const result = await run(options);
    print(result);
    console.log(`\n(${name}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`);
    ratios.push(...result.ratios);
  }
  return ratios;
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

/**
 * Prints every figure beside its aim and its record; the number of those that regressed.
 * @param expected - What must have been measured: all that is recorded when all groups ran.
 */
function compare(
  ratios: readonly Ratio[],
  records: ReadonlyMap<string, Kept>,
  expected: readonly string[],
): number {
  const lost = expected.filter((name) => ratios.every((each) => each.name !== name));
  const rows = ratios.map((ratio) => {
    const { name, value, aimMax } = ratio;
    const kept = records.get(name);
    const gate = kept === undefined ? 'no record' : `${kept.value} → ${gateOf(kept)?.toFixed(3)}`;
    const aim = aimMax === undefined ? '' : `≤ ${aimMax}`;
    return [name, value.toFixed(3), aim, gate, verdictOf(ratio, kept)];
  });
  rows.push(...lost.map((name) => [name, 'none', '', `${records.get(name)?.value}`, 'REGRESSED']));
  const head = ['figure', 'now', 'aim', 'record → gate', ''];
  print({ title: 'figures', head, rows, ratios: [] });
  const count = (verdict: string) => rows.filter((row) => row.at(-1) === verdict).length;
  console.log(`\n${count('ok')} ok, ${count('MISSED')} MISSED, ${count('REGRESSED')} REGRESSED`);
  return count('REGRESSED');
}
