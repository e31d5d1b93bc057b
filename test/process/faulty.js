// The ladder, but for one market: the file BOOKEND_FAULT_FILE says which (its id, or `*`) and what happens there.

import { readFileSync } from 'node:fs';
import { strategy as ladder } from '../../dist/strategies/ladder.js';

const FILE = process.env.BOOKEND_FAULT_FILE ?? '';

const FAULTS = {
  hang: () => {
    for (;;);
  },
  sleep: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  exit: () => process.exit(7),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  abort: () => process.abort(),
  memory: () => {
    const all = [];
    for (;;) all.push(new Array(100_000).fill(all.length));
  },
};

export const strategy = {
  ...ladder,
  name: 'faulty',
  summary: 'Quotes like the ladder, and breaks its process where it is told to.',
  quote(context) {
    const [market, what] = told();
    if (market === '*' || market === context.marketId) FAULTS[what]?.();
    return ladder.quote(context);
  },
};

function told() {
  try {
    return readFileSync(FILE, 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}
