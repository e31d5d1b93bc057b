// One contender of the books in a process of its own: beside others, shared code has met their shapes, too.
// Arguments: the number of the contender, tick size, changes, runs. Writes the ms that three runs in ten are below.

import { tickGrid } from '../../../src/domain/ticks.ts';
import { contenders } from '../contenders.ts';
import { changes, startLevels } from '../workload.ts';
import { check, interleaved } from './report.ts';

const [, , at = '', tickSize, count = '', runs = ''] = process.argv;
const grid = tickGrid(tickSize === '0.001' ? '0.001' : '0.01');
const workload = changes(grid, Number(count));
const contender = contenders(grid, startLevels(grid))[Number(at)];
check(contender !== undefined, `there is a contender ${at}`);
let sum = 0;
const run = () => {
  sum += contender.run(workload);
};
const ms = interleaved([{ name: contender.name, run }], Number(runs)).get(contender.name);
check(sum > 0, 'prices are read');
process.stdout.write(`${ms}`);
