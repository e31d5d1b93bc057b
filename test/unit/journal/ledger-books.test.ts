// How much of its fills a ledger keeps: a year of them within a stated size, the oldest days first to go.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { intentId, marketId, tokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { type UnixMs, unixMs } from '../../../src/domain/time.ts';
import type { BooksKept } from '../../../src/journal/ledger/books.ts';
import { SqlFile } from '../../../src/journal/ledger/database.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1, 12);
const FILLS_A_DAY = 250;
let folder: string;
let nowMs: UnixMs;
let ledger: Ledger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookend-books-'));
  nowMs = unixMs(START);
});

afterEach(() => {
  vi.restoreAllMocks();
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = () => join(folder, 'bookend.db');

async function open(books?: BooksKept): Promise<void> {
  const clock = { nowMs: () => nowMs };
  ledger = await openLedger({ path: path(), clock, ...(books ? { books } : {}) });
}

/** One more day with its fills and settlements; a commit of another day prunes. */
function trade(day: number, count = FILLS_A_DAY): void {
  nowMs = unixMs(START + day * DAY_MS);
  ledger.commit(Array.from({ length: count }, (_, index) => bothOf(day, index)).flat());
}

/** As long as those of a venue: an id of its own for each trade, and hashes of 32 bytes. */
function bothOf(day: number, index: number): readonly LedgerRecord[] {
  const about = {
    side: 'BUY',
    quantity: shares(25),
    cashNano: -11_500_000_000,
    atMs: nowMs,
  } as const;
  const token = tokenId(`0x${'ab'.repeat(32)}`);
  const name = `${day.toString(36).padStart(3, '0')}-${index.toString(36).padStart(4, '0')}`;
  const unordered = ((index * 7_919 + day * 104_729) % 1_000_003).toString(36).padStart(8, '0');
  return [
    {
      kind: 'fill',
      fill: {
        ...{ intentId: intentId(`${name}-run-2026`), executedAfter: shares(25), ...about },
        ...{ marketId: marketId('mkt_ac4168159a59b6ef11ac'), tokenId: token },
        ...{ price: 46, ticksPerUnit: 100 },
      },
    } as LedgerRecord,
    {
      kind: 'settlement',
      settlement: { tradeId: `trade-${unordered}-${name}`, tokenId: token, ...about },
    },
  ];
}

const daysOf = () => {
  const fills = ledger.fills(unixMs(0), unixMs(START + 5_000 * DAY_MS), 1_000_000);
  const days = [...new Set(fills.map(({ atMs }) => Math.floor((atMs - START) / DAY_MS)))];
  return { first: Math.min(...days), count: days.length, fills: fills.length };
};

/** Old days are on a page that the disk has lost: they can be found, and not removed. */
function loseOldDays(): void {
  const { run } = SqlFile.prototype;
  vi.spyOn(SqlFile.prototype, 'run').mockImplementation(function (this: SqlFile, sql, cells) {
    if (sql.startsWith('DELETE FROM fills')) throw new Error('database disk image is malformed');
    return run.call(this, sql, cells);
  });
}

describe('a ledger', () => {
  it('keeps fills for so many days and today’s, and is no damaged one after others have gone', async () => {
    await open({ days: 40, bytes: 1e9 });
    for (let day = 0; day <= 45; day += 1) trade(day, 1);
    ledger.close();
    await open({ days: 40, bytes: 1e9 });
    expect(ledger.loss).toBeUndefined();
    expect(daysOf()).toMatchObject({ count: 41, first: 5 });
  });

  it('keeps the last thirty days whatever the bounds say: the venue may tell of them again', async () => {
    await open({ days: 1, bytes: 1 });
    for (let day = 0; day <= 35; day += 1) trade(day, 1);
    expect(daysOf()).toMatchObject({ count: 31, first: 5 });
  });

  it('lets the oldest days go when it is beyond its size, and its file grows no more', async () => {
    const bytes = 4_000_000;
    await open({ days: 400, bytes });
    for (let day = 0; day <= 60; day += 1) trade(day);
    const { count, first, fills } = daysOf();
    ledger.close();
    const size = statSync(path()).size;
    expect(size).toBeLessThan(bytes * 1.15);
    expect(first).toBe(61 - count);
    // What the configuration says of its size: some 400 bytes for a fill with its settlement.
    expect(size / fills).toBeGreaterThan(300);
    expect(size / fills).toBeLessThan(450);
    await open();
  });

  it('lets one day go at each look where far more are too old: nobody waits for the end of a year', async () => {
    await open({ days: 4_000, bytes: 1e9 });
    for (let day = 0; day <= 60; day += 1) trade(day, 1);
    ledger.close();
    await open({ days: 30, bytes: 1e9 });
    const first: number[] = [];
    for (let look = 0; look < 3; look += 1) {
      ledger.commit([]);
      first.push(daysOf().first);
      nowMs = unixMs(nowMs + 60_000);
    }
    expect(first).toEqual([1, 2, 3]);
  });

  it('lets a day of thousands go bit by bit, and is no damaged one amid that', async () => {
    await open({ days: 4_000, bytes: 1e9 });
    trade(0, 700);
    trade(40, 1);
    const left: number[] = [];
    for (let look = 0; look < 3; look += 1) {
      ledger.close();
      await open({ days: 30, bytes: 1e9 });
      expect(ledger.loss).toBeUndefined();
      ledger.commit([]);
      left.push(daysOf().fills);
    }
    expect(left).toEqual([401, 101, 1]);
    ledger.close();
    await open();
    expect(ledger.loss).toBeUndefined();
  });

  it('lets all of a day go of which some had to: what looks back finds days that are whole', async () => {
    await open({ days: 4_000, bytes: 1e9 });
    trade(0, 700);
    trade(40, 700);
    ledger.close();
    await open({ days: 4_000, bytes: statSync(path()).size - 10_000 });
    for (let look = 0; look < 5; look += 1) {
      ledger.commit([]);
      nowMs = unixMs(nowMs + 10_000);
    }
    expect(daysOf()).toMatchObject({ first: 40, fills: 700 });
  });

  it('keeps old days that a disk has lost a page of, and fails one commit over them and no more', async () => {
    await open({ days: 40, bytes: 1e9 });
    for (let day = 0; day <= 40; day += 1) trade(day, 1);
    loseOldDays();
    expect(() => trade(43, 1)).toThrow(/malformed/);
    for (let day = 43; day <= 45; day += 1) expect(() => trade(day, 1)).not.toThrow();
    expect(daysOf()).toMatchObject({ fills: 44, first: 0 });
  });

  it('loses nothing to a command that only passes by, whose bounds it does not know', async () => {
    await open({ days: 4_000, bytes: 1e9 });
    trade(0, 3);
    ledger.close();
    await open();
    trade(2_000, 1);
    expect(daysOf().fills).toBe(4);
  });
});
