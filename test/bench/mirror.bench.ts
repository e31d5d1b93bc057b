import { bench, describe } from 'vitest';
import { assert } from '../../src/domain/assert.ts';
import { tickGrid } from '../../src/domain/ticks.ts';
import { compiled } from './compiled.ts';

const CHANGES = 20_000;
const { contenders, workload } = compiled();

for (const grid of [tickGrid('0.01'), tickGrid('0.001')]) {
  const changes = workload.changes(grid, CHANGES);
  const all = contenders.contenders(grid, workload.startLevels(grid));
  const sums = all.map((one) => one.run(changes));
  assert(new Set(sums).size === 1, `all contenders keep the same book: ${sums.join(', ')}`);

  describe(`${CHANGES} changes, both bests after each, ${grid.ticksPerUnit - 1} levels`, () => {
    let read = 0;
    for (const contender of all) {
      bench(
        contender.name,
        () => {
          // What is read must matter, or the compiler may leave the reading out.
          read = (read + contender.run(changes)) % 1_000_003;
        },
        { time: 1_000, warmupTime: 250 },
      );
    }
  });
}
