// One token's book: an update and both best prices, against the same book kept in other ways.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type TickGrid, tickGrid } from '../../../src/domain/ticks.ts';
import { type Contender, contenders } from '../contenders.ts';
import { type Ccxt, ccxtBooks, loadCcxt } from '../rig/ccxt.ts';
import {
  check,
  type GroupResult,
  interleaved,
  quantile,
  type Ratio,
  type RunOptions,
} from '../rig/report.ts';
import { type Change, changes, startLevels } from '../workload.ts';

const CHANGES = 20_000;
/** Turns of processes, and runs in each. */
const ALONE_TURNS = 5;
const ALONE_RUNS = 120;
/** Of the contenders, by their place. */
const [MIRROR, BARE] = [0, 1];

export async function book({ isShort, hasCcxt }: RunOptions): Promise<GroupResult> {
  const rows: string[][] = [];
  const ratios: Ratio[] = [];
  const ccxt = hasCcxt ? await loadCcxt() : undefined;
  for (const grid of [tickGrid('0.01'), tickGrid('0.001')]) {
    const workload = changes(grid, isShort ? 2_000 : CHANGES);
    const all = contenders(grid, startLevels(grid));
    const sums = new Set(all.map((one) => one.run(workload)));
    check(sums.size === 1, 'all contenders read the same prices');
    const runs = all.map(({ name, run }) => ({ name, run: () => void run(workload) }));
    const times = interleaved(runs, isShort ? 2 : 60);
    const levels = grid.ticksPerUnit - 1;
    const bare = times.get('bare dense arrays') ?? Number.NaN;
    const ours = times.get('mirror') ?? Number.NaN;
    for (const [name, ms] of times) {
      const ns = (ms * 1e6) / workload.length;
      rows.push([`${levels}`, name, `${ns.toFixed(1)} ns`, `${(ms / bare).toFixed(2)}`]);
    }
    const sorted = times.get('sorted arrays') ?? Number.NaN;
    ratios.push(
      { name: `book.${levels}.bare`, value: ours / bare },
      { name: `book.${levels}.sorted`, value: ours / sorted },
    );
    const alone = inProcesses(levels === 99 ? '0.01' : '0.001', isShort);
    for (const [name, ms] of Object.entries(alone)) {
      const ns = `${((ms * 1e6) / workload.length).toFixed(1)} ns`;
      rows.push([`${levels}`, `${name}, a process of its own`, ns, (ms / alone.bare).toFixed(2)]);
    }
    const aimMax = levels === 99 ? 1.3 : 1;
    ratios.push({ name: `book.${levels}.alone`, value: alone.mirror / alone.bare, aimMax });
    if (ccxt === undefined) rows.push([`${levels}`, 'ccxt: not asked for (--ccxt)', '–', '–']);
    else {
      const [ofMirror] = all;
      check(ofMirror !== undefined, 'the mirror is the first contender');
      const beside = besideCcxt({ ccxt, ofMirror, grid, workload, isShort });
      rows.push(...beside.rows);
      ratios.push(...beside.ratios);
    }
  }
  const head = ['levels', 'book', 'update and both bests', '× bare loop'];
  return { title: 'book update with best read', head, rows, ratios };
}

/** In turns; in ms, of one run. */
function inProcesses(
  tickSize: string,
  isShort: boolean,
): { readonly mirror: number; readonly bare: number } {
  const program = fileURLToPath(new URL('../rig/alone.js', import.meta.url));
  const rest = isShort ? [tickSize, '2000', '2'] : [tickSize, `${CHANGES}`, `${ALONE_RUNS}`];
  const times = { mirror: [] as number[], bare: [] as number[] };
  const once = (at: number) =>
    Number(spawnSync(process.execPath, [program, `${at}`, ...rest], { encoding: 'utf8' }).stdout);
  for (let turn = 0; turn < (isShort ? 1 : ALONE_TURNS); turn += 1) {
    times.mirror.push(once(MIRROR));
    times.bare.push(once(BARE));
  }
  const of = (values: readonly number[]) => {
    const ms = quantile(values, 0.3);
    check(ms > 0, 'a contender in a process of its own has a time');
    return ms;
  };
  return { mirror: of(times.mirror), bare: of(times.bare) };
}

type Beside = {
  readonly ccxt: Ccxt;
  readonly ofMirror: Contender;
  readonly grid: TickGrid;
  readonly workload: readonly Change[];
  readonly isShort: boolean;
};

/** In turns of their own, so that the others are measured as they are without it. */
function besideCcxt({ ccxt, ofMirror, grid, workload, isShort }: Beside): {
  readonly rows: readonly string[][];
  readonly ratios: readonly Ratio[];
} {
  const theirs = ccxtBooks(ccxt, startLevels(grid));
  const all = [ofMirror, ...theirs];
  check(new Set(all.map((one) => one.run(workload))).size === 1, 'ccxt reads the same prices');
  const runs = all.map(({ name, run }) => ({ name, run: () => void run(workload) }));
  const times = interleaved(runs, isShort ? 2 : 20);
  const levels = grid.ticksPerUnit - 1;
  const ours = times.get(ofMirror.name) ?? Number.NaN;
  const rows = [...times].map(([name, ms]) => [
    `${levels}`,
    name === ofMirror.name ? `${name}, beside ccxt` : name,
    `${((ms * 1e6) / workload.length).toFixed(1)} ns`,
    `${(ms / ours).toFixed(1)} × the mirror`,
  ]);
  const [used, alone] = theirs.map(({ name }) => ours / (times.get(name) ?? Number.NaN));
  return {
    rows,
    ratios: [
      { name: `book.${levels}.ccxt`, value: used ?? Number.NaN, aimMax: 0.083 },
      { name: `book.${levels}.ccxtUpdate`, value: alone ?? Number.NaN },
    ],
  };
}
