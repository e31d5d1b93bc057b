// A thread of the trader that looks at what its first thread does. A call that is still the same at the next look is
// written down for the guard: it may be the one that never ends, and then nobody else of this process could say so.

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { MARKS } from '../guard/marks.ts';

/** Shared with the first thread: how many calls there were, and the one that is under way. */
export const CELLS = { calls: 0, index: 1, count: 2 } as const;

export type SamplerData = { readonly cells: SharedArrayBuffer; readonly fd: number };

/** Twice that is far below any patience of a guard. */
const SAMPLE_MS = 50;

function sample({ cells, fd }: SamplerData): void {
  const shared = new Int32Array(cells);
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  const word = Buffer.alloc(4);
  let [calls, written] = [0, 0];
  for (;;) {
    Atomics.wait(nobody, 0, 0, SAMPLE_MS);
    const before = calls;
    calls = Atomics.load(shared, CELLS.calls);
    const index = calls === before ? Atomics.load(shared, CELLS.index) : 0;
    if (index === written) continue;
    word.writeInt32LE(index);
    writeSync(fd, word, 0, word.length, MARKS.sampledAt);
    written = index;
  }
}

if (isSamplerData(workerData)) sample(workerData);

function isSamplerData(value: unknown): value is SamplerData {
  return typeof value === 'object' && value !== null && 'cells' in value && 'fd' in value;
}
