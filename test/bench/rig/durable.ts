// What the durable write before an order costs: a commit of the ledger on the disk of this machine,
// against the least that any record could cost there, which is one append and one fsync.

import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/clock/system.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';

export type DurableTimes = {
  readonly commitMs: readonly number[];
  readonly appendMs: readonly number[];
};

/** As long as the row of an order. */
const RECORD_BYTES = 400;

export async function durableTimes(folder: string, rounds: number): Promise<DurableTimes> {
  const own = mkdtempSync(join(folder, 'bookend-bench-'));
  const ledger = await openLedger({ path: join(own, 'ledger.db'), clock: systemClock() });
  const file = openSync(join(own, 'bare'), 'a');
  const bytes = Buffer.alloc(RECORD_BYTES, 'x');
  const text = bytes.toString('latin1');
  const times = { commitMs: [] as number[], appendMs: [] as number[] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      // Never twice the same: SQLite does not write what is there already.
      const memory = `${round} ${text}`;
      const commit = () => ledger.commit([{ kind: 'memory', key: `${round % 40}`, memory }]);
      const append = () => {
        writeSync(file, bytes);
        fsyncSync(file);
      };
      // The first one also waits for what others have written to the disk; the second finds it clean.
      const isCommitFirst = round % 2 === 0;
      if (isCommitFirst) times.commitMs.push(timed(commit));
      times.appendMs.push(timed(append));
      if (!isCommitFirst) times.commitMs.push(timed(commit));
    }
  } finally {
    ledger.close();
    closeSync(file);
    rmSync(own, { recursive: true, force: true });
  }
  return times;
}

function timed(task: () => void): number {
  const startedMs = performance.now();
  task();
  return performance.now() - startedMs;
}
