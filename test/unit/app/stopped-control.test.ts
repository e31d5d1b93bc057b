// Pause and resume of a daemon that does not run.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  pauseMarketStopped,
  pauseStopped,
  recordStopped,
  resumeMarketStopped,
  resumeStopped,
} from '../../../src/app/stopped-control.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { marketId } from '../../../src/domain/ids.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { NO_SHARES } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { actionsFault } from '../../../src/journal/action-chain.ts';
import { readLatch, setLatch } from '../../../src/journal/latch.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { lockJournal } from '../../../src/journal/lock.ts';

const CLOCK = systemClock();
let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-stopped-'));
  path = join(folder, 'bookend.db');
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

async function commit(...records: readonly LedgerRecord[]): Promise<void> {
  const ledger = await openLedger({ path, clock: CLOCK });
  ledger.commit(records);
  ledger.close();
}

async function kept() {
  const ledger = await openLedger({ path, clock: CLOCK });
  const { pause, halt } = ledger.load();
  const kill = ledger.fact('kill');
  ledger.close();
  return { pause, halt, kill };
}

it('a pause is found by the next start, and a resume lifts it', async () => {
  await pauseStopped(path, CLOCK, 'somebody');
  expect((await kept()).pause).toMatchObject({ by: 'somebody' });
  expect(await resumeStopped(path, CLOCK, 'me')).toEqual({ lifted: ['pause'], stays: [] });
  expect((await kept()).pause).toBeUndefined();
});

it('a resume lifts a kill, in the latch and in the ledger', async () => {
  await setLatch(path, { by: 'somebody', reason: 'kill', at: undefined });
  const ledger = await openLedger({ path, clock: CLOCK });
  ledger.setFact('kill', '{"by":"somebody","reason":"kill"}');
  ledger.close();
  expect(await resumeStopped(path, CLOCK, 'me')).toEqual({ lifted: ['kill'], stays: [] });
  expect(await readLatch(path)).toBeUndefined();
  expect((await kept()).kill ?? '').toBe('');
});

it('a halt stays: only a daemon that runs knows what its losses are held against', async () => {
  const halt = { limit: 'day_loss', detail: '-40 USDC', sinceMs: unixMs(1_800_000_000_000) };
  await commit({ kind: 'halt', halt });
  expect(await resumeStopped(path, CLOCK, 'me')).toEqual({ lifted: [], stays: ['halt'] });
  expect((await kept()).halt).toMatchObject({ limit: 'day_loss' });
});

it('a market that was stopped alone stays stopped, and is named', async () => {
  const stop = { marketId: marketId('m-1'), stop: 'pause', by: 'me', sinceMs: unixMs(1) } as const;
  await commit({ kind: 'marketStops', stops: [stop] });
  await pauseStopped(path, CLOCK, 'somebody');
  const resumed = { lifted: ['pause'], stays: [], markets: ['m-1'] };
  expect(await resumeStopped(path, CLOCK, 'me')).toEqual(resumed);
});

it('a journal that a daemon holds is left to that daemon', async () => {
  const lock = await lockJournal({ journal: path, clock: CLOCK, onLost: () => {} });
  await expect(resumeStopped(path, CLOCK, 'me')).rejects.toMatchObject({ code: 'journal.busy' });
  await expect(pauseStopped(path, CLOCK, 'me')).rejects.toMatchObject({ code: 'journal.busy' });
  await lock.release();
});

it('one market is paused for the next start where the journal knows it, and resumed again', async () => {
  const flows = {
    ...{ marketId: marketId('m-1'), cashNano: 0, fills: 0, startValueNano: 0 },
    start: { yes: NO_SHARES, no: NO_SHARES },
  };
  await commit({ kind: 'flows', flows });
  const journal = { path, clock: CLOCK };
  expect(await pauseMarketStopped(journal, 'm-2', 'somebody')).toBe(false);
  expect(await pauseMarketStopped(journal, 'm-1', 'somebody')).toBe(true);
  const ledger = await openLedger({ path, clock: CLOCK });
  expect(ledger.load().marketStops).toMatchObject([{ marketId: 'm-1', stop: 'pause' }]);
  expect(ledger.keptStops()?.marketStops).toHaveLength(1);
  ledger.close();
  expect(await resumeMarketStopped(journal, 'm-2', 'me')).toBe(false);
  expect(await resumeMarketStopped(journal, 'm-1', 'me')).toBe(true);
  expect(await resumeMarketStopped(journal, 'm-1', 'me')).toBe(false);
});

it('what is done beside a stopped daemon is on record, by whom and with what result', async () => {
  await pauseStopped(path, CLOCK, 'bookend pause (user 7, process 8)');
  await setLatch(path, { by: 'bookend kill (user 7)', reason: 'kill', at: '2026-11-23T04:00:00Z' });
  await resumeStopped(path, CLOCK, 'bookend resume (user 7, process 9)');
  const split = {
    by: 'bookend split (user 7)',
    action: 'split',
    target: 'm-1',
    result: 'confirmed',
  };
  await recordStopped({ path, clock: CLOCK }, { ...split, detail: '5 0xabc' });
  const ledger = await openLedger({ path, clock: CLOCK });
  const actions = ledger.actions(10);
  ledger.close();
  expect(actions).toMatchObject([
    { number: 1, action: 'pause', by: 'bookend pause (user 7, process 8)', result: 'done' },
    {
      ...{
        number: 2,
        action: 'resume',
        by: 'bookend resume (user 7, process 9)',
        target: 'account',
      },
      detail:
        'no daemon ran; kill, pause lifted (the kill of bookend kill (user 7), 2026-11-23T04:00:00Z)',
    },
    { ...split, number: 3, detail: 'no daemon ran; 5 0xabc' },
  ]);
  expect(actionsFault(actions)).toBeUndefined();
});
