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
      times.commitMs.push(
        timed(() => ledger.commit([{ kind: 'memory', key: `${round % 40}`, memory }])),
      );
      times.appendMs.push(
        timed(() => {
          writeSync(file, bytes);
          fsyncSync(file);
        }),
      );
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
