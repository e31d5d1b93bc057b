// One token's book: an update and both best prices, against the same book kept in other ways.

import { type TickGrid, tickGrid } from '../../../src/domain/ticks.ts';
import { type Contender, contenders } from '../contenders.ts';
import { type Ccxt, ccxtBooks, loadCcxt } from '../rig/ccxt.ts';
import { inProcesses } from '../rig/processes.ts';
import {
  byItself,
  check,
  type GroupResult,
  interleaved,
  type Ratio,
  type RunOptions,
} from '../rig/report.ts';
import { type Change, changes, startLevels } from '../workload.ts';

const CHANGES = 20_000;
/** In a process of its own. */
const ALONE_RUNS = 120;

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
    const [mine, floor] = [`${levels} mirror`, `${levels} bare`];
    const own = inProcesses('book', [mine, floor], { isShort });
    const floorMs = own[floor] ?? Number.NaN;
    for (const [name, ms] of Object.entries(own)) {
      const ns = `${((ms * 1e6) / workload.length).toFixed(1)} ns`;
      rows.push([`${levels}`, `${name}, a process of its own`, ns, (ms / floorMs).toFixed(2)]);
    }
    const value = (own[mine] ?? Number.NaN) / floorMs;
    ratios.push({ name: `book.${levels}.alone`, value, aimMax: levels === 99 ? 1.3 : 1 });
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

/** `99 mirror` or `999 bare`: one run's ms. */
export function alone(name: string, isShort: boolean): number {
  const [levels = '', contender = ''] = name.split(' ');
  const grid = tickGrid(levels === '99' ? '0.01' : '0.001');
  const workload = changes(grid, isShort ? 2_000 : CHANGES);
  const found = contenders(grid, startLevels(grid)).find((one) => one.name.startsWith(contender));
  check(found !== undefined, `there is a contender ${contender}`);
  let sum = 0;
  const run = () => {
    sum += found.run(workload);
  };
  const ms = byItself({ run }, isShort ? 2 : ALONE_RUNS);
  check(sum > 0, 'prices are read');
  return ms;
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
