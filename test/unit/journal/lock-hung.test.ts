// A claim on a journal whose disk hangs.

import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { HangingDisk, mayHang } from '../../support/hanging-disk.ts';

const LOOKUP_MS_MAX = 3_000;

it.skipIf(!mayHang())('leaves threads on which names are looked up', async () => {
  const place = mkdtempSync(join(tmpdir(), 'bookend-lock-hung-'));
  const disk = HangingDisk.mount(place);
  const journal = join(disk.folder, 'test.db');
  const lock = await lockJournal({ journal, clock: systemClock(), onLost: () => {}, signMs: 20 });
  disk.hang();
  await sleep(500);
  const found = lookup('localhost').then(() => 'found');
  const answer = await Promise.race([found, sleep(LOOKUP_MS_MAX, 'no thread')]);
  disk.goOn();
  await lock.release();
  disk.unmount();
  rmSync(place, { recursive: true, force: true });
  expect(answer).toBe('found');
});
