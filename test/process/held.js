// Loaded into every process of a daemon that is measured: on SIGUSR2 it collects garbage and says what is left, in a
// line of its own beside the log.

import { writeSync } from 'node:fs';
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const line = { event: 'rig.held', pid: process.pid, bytes: heapUsed + external };
  writeSync(2, `${JSON.stringify(line)}\n`);
});
