// Runs of the core one after another, each told what a real ledger kept of those before it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import type { CoreSettings } from '../../src/domain/input.ts';
import { unixMs } from '../../src/domain/time.ts';
import { type Ledger, openLedger } from '../../src/journal/ledger/ledger.ts';
import { EngineDriver, settings } from './engine-driver.ts';

export class Runs {
  readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** The run ends here and now, and another begins a second later. */
  next(before: EngineDriver): EngineDriver {
    this.ledger.commit(before.records);
    const driver = new EngineDriver();
    driver.nowMs = before.nowMs + 1_000;
    return driver;
  }

  /** The next run, which knows its settings and what was kept, and nothing of the venue yet. */
  restored(before: EngineDriver, value: CoreSettings = settings()): EngineDriver {
    const driver = this.next(before);
    driver.settings(value);
    driver.restore(this.ledger.load());
    return driver;
  }
}

/** A test with a ledger of its own on the disk. */
export const it = test.extend<{ runs: Runs }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
  runs: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'bookend-runs-'));
    const clock = { nowMs: () => unixMs(1_700_000_000_000) };
    const ledger = await openLedger({ path: join(folder, 'bookend.db'), clock });
    await use(new Runs(ledger));
    ledger.close();
    await rm(folder, { recursive: true, force: true });
  },
});
