// One token's book: an update and both best prices, against the same book kept in other ways.

import { tickGrid } from '../../../src/domain/ticks.ts';
import { contenders } from '../contenders.ts';
import { check, type GroupResult, interleaved, type RunOptions } from '../rig/report.ts';
import { changes, startLevels } from '../workload.ts';

const CHANGES = 20_000;

export function book({ isShort }: RunOptions): GroupResult {
  const rows: string[][] = [];
  const ratios = [];
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
      { name: `book.${levels}.bare`, value: ours / bare, aim: '≤ 1.3', margin: 0.5 },
      { name: `book.${levels}.sorted`, value: ours / sorted, margin: 0.5 },
    );
  }
  const head = ['levels', 'book', 'update and both bests', '× bare loop'];
  return { title: 'book update with best read', head, rows, ratios };
}
