// What a guard knows of an earlier run by its journal alone.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasLeftOrders } from '../../../src/app/earlier.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { unanswered } from '../../support/unanswered.ts';

const clock = systemClock();
const baseUrl = 'http://127.0.0.1:1/api';

/** A journal of its own, of a run that left one placement without an answer. */
const it = test.extend<{ path: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
  path: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'bookend-earlier-'));
    const path = join(folder, 'test.db');
    const ledger = await openLedger({ path, clock });
    ledger.setFact('venue_base_url', baseUrl);
    ledger.commit([{ kind: 'order', order: unanswered(clock.nowMs()) }]);
    ledger.close();
    await use(path);
    await rm(folder, { recursive: true, force: true });
  },
});

describe('orders that a run has left', () => {
  it('are those that had not ended', async ({ path }) => {
    expect(await hasLeftOrders({ path, baseUrl, clock })).toBe(true);
    const ledger = await openLedger({ path, clock });
    ledger.commit([{ kind: 'order', order: { ...unanswered(clock.nowMs()), state: 'absent' } }]);
    ledger.close();
    expect(await hasLeftOrders({ path, baseUrl, clock })).toBe(false);
  });

  it('are none on another venue, and none without a journal', async ({ path }) => {
    expect(await hasLeftOrders({ path, baseUrl: 'http://elsewhere/api', clock })).toBe(false);
    expect(await hasLeftOrders({ path: `${path}.no`, baseUrl, clock })).toBe(false);
  });

  it('are looked after where another instance holds the journal', async ({ path }) => {
    const lock = await lockJournal({ journal: path, clock, onLost: () => {} });
    expect(await hasLeftOrders({ path, baseUrl, clock })).toBe(false);
    await lock.release();
    expect(await hasLeftOrders({ path, baseUrl, clock })).toBe(true);
  });
});
