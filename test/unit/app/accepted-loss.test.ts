// What holds a run back whose ledger was lost: the stops of the file beside it, and a halt.

import { existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Closing } from '../../../src/app/closing.ts';
import { takeUpLedger } from '../../../src/app/recovery.ts';
import { marketId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, PersistedState } from '../../../src/domain/record.ts';
import type { StoredBaselines, StoredLatch } from '../../../src/domain/risk.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { stopsFile } from '../../../src/journal/ledger/kept-stops.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { leftBehind } from '../journal/support.ts';

const NOW = unixMs(1_800_000_000_000);
const clock = { nowMs: () => NOW, after: () => () => {} };
const LATCH: StoredLatch = {
  control: 'day_loss',
  marketId: undefined,
  level: 'reduce-only',
  detail: 'lost 300 USDC',
  sinceMs: NOW,
  resumes: { kind: 'operator' },
};
const BASELINES: StoredBaselines = {
  sessionNano: 10,
  dayNano: 20,
  day: 20_000,
  peakNano: 30,
  left: [
    [marketId('m-1'), -40],
    [marketId('m-2'), 15],
  ],
};
const STOPS: readonly LedgerRecord[] = [
  { kind: 'pause', pause: { by: 'somebody', sinceMs: NOW } },
  { kind: 'halt', halt: { limit: 'max_loss_usdc', detail: 'lost it', sinceMs: NOW } },
  { kind: 'latches', latches: [LATCH] },
  { kind: 'baselines', baselines: BASELINES },
];

let folder = '';
let path = '';
let said: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-loss-'));
  path = join(folder, 'bookend.db');
  said = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function takeUp(acceptsLoss = false): Promise<PersistedState> {
  const closing = new Closing(clock, () => {});
  const say = (event: string) => void said.push(event);
  const log = { info: say, warn: say, error: say };
  const settings = {
    journal: { path, keepDays: 400, ledgerMbMax: 1_000 },
    venue: { baseUrl: 'https://venue.test/api' },
    timing: { positionLagMs: 150_000 },
    orders: { scope: 'account' as const },
  };
  try {
    return (await takeUpLedger({ settings, clock, log, acceptsLoss }, closing)).persisted;
  } finally {
    await closing.closeAll();
  }
}

/** A run that stopped for all these reasons, and was killed. */
async function stopped(records = STOPS): Promise<void> {
  const ledger = await openLedger({ path, clock });
  ledger.commit(records);
  ledger.commit([{ kind: 'cash', cashNano: 1, atMs: NOW }]);
  path = leftBehind(path);
  ledger.close();
}

describe('a journal that was lost', () => {
  it('is refused until somebody accepts the loss', async () => {
    await stopped();
    rmSync(path);
    await expect(takeUp()).rejects.toMatchObject({ code: 'journal.damaged' });
    expect(existsSync(path)).toBe(false);
  });

  it('begins halted when the loss is accepted, with every stop and every loss as it was', async () => {
    await stopped();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    const persisted = await takeUp(true);
    expect(persisted).toMatchObject({ pause: { by: 'somebody' }, latches: [LATCH] });
    expect(persisted.halt?.limit).toBe('journal_loss');
    expect(persisted.halt?.detail).toContain('the ledger is gone');
    expect(persisted.halt?.detail).toContain('max_loss_usdc: lost it');
    const left = [[marketId('before-the-loss'), -25]];
    expect(persisted.baselines).toEqual({ ...BASELINES, left });
    expect(said).toContain('journal.loss_accepted');
    // Of the next run nobody has to accept anything, and it is as halted.
    expect((await takeUp()).halt?.limit).toBe('journal_loss');
  });

  it('begins halted without any stop to keep, too', async () => {
    await stopped([]);
    rmSync(path);
    const persisted = await takeUp(true);
    expect(persisted.halt?.limit).toBe('journal_loss');
    expect(persisted.pause).toBeUndefined();
  });

  it('that lost its latest commits has the stops that were in them', async () => {
    await takeUp();
    await stopped();
    truncateSync(`${path}-wal`);
    const persisted = await takeUp(true);
    expect(persisted).toMatchObject({ pause: { by: 'somebody' }, latches: [LATCH] });
    expect(persisted.halt?.limit).toBe('journal_loss');
  });
});

describe('the stops beside a ledger', () => {
  it('hold where the ledger says less, and the ledger where they say less', async () => {
    await stopped();
    writeFileSync(stopsFile(path), '{}\n');
    expect((await takeUp()).pause?.by).toBe('somebody');
    const later = { ...BASELINES, peakNano: 99, dayNano: 1, sessionNano: 5 };
    const harder: StoredLatch = { ...LATCH, level: 'killed' };
    const text = { latches: JSON.stringify([harder]), baselines: JSON.stringify(later) };
    writeFileSync(stopsFile(path), JSON.stringify(text));
    const persisted = await takeUp();
    expect(persisted.latches).toEqual([harder]);
    expect(persisted.baselines).toMatchObject({ sessionNano: 10, dayNano: 20, peakNano: 99 });
    expect(said).toContain('stops.kept_beside');
  });

  it('are of the later day where the two are of different days', async () => {
    await stopped();
    const next = { ...BASELINES, day: 20_001, dayNano: 1 };
    writeFileSync(stopsFile(path), JSON.stringify({ baselines: JSON.stringify(next) }));
    expect((await takeUp()).baselines).toMatchObject({ day: 20_001, dayNano: 1 });
  });

  it('stop nothing any more once an operator has lifted them', async () => {
    await stopped();
    const ledger = await openLedger({ path, clock });
    ledger.commit([
      { kind: 'pause', pause: undefined },
      { kind: 'halt', halt: undefined },
      { kind: 'latches', latches: [] },
    ]);
    ledger.close();
    const persisted = await takeUp();
    expect([persisted.pause, persisted.halt, persisted.latches]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  it('that cannot be read are refused, and halt once that is accepted', async () => {
    await stopped();
    writeFileSync(stopsFile(path), 'scribble');
    await expect(takeUp()).rejects.toMatchObject({ code: 'journal.damaged' });
    const persisted = await takeUp(true);
    expect(persisted.pause?.by).toBe('somebody');
    expect(persisted.halt?.limit).toBe('journal_loss');
    expect(said).toContain('journal.loss_accepted');
  });
});
