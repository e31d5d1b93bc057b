// Another SQLite that opens the ledger of a living daemon, as somebody does who wants to see the fills.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';

const NOW = unixMs(1_800_000_000_000);
/** One that locks as SQLite does; ours does not. */
const hasOther = spawnSync('sqlite3', ['-version']).status === 0;
/** Together more than the log holds before it begins anew. */
const MUCH = 120;

let folder = '';
let path = '';
let ledger: Ledger;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-others-'));
  path = join(folder, 'bookend.db');
  ledger = await openAt(path);
});

afterEach(async () => {
  ledger.close();
  await rm(folder, { recursive: true, force: true });
});

async function openAt(file: string): Promise<Ledger> {
  return await openLedger({ path: file, clock: { nowMs: () => NOW } });
}

/** What stands under its names, as after a process that was killed. */
async function nextLife(): Promise<Ledger> {
  const after = join(folder, 'after');
  mkdirSync(after);
  for (const suffix of ['', '-wal']) {
    const file = `${path}${suffix}`;
    if (existsSync(file)) copyFileSync(file, join(after, `bookend.db${suffix}`));
  }
  return await openAt(join(after, 'bookend.db'));
}

function memories(round: number): readonly LedgerRecord[] {
  const memory = { round, text: 'x'.repeat(500) };
  return Array.from({ length: 20 }, (_, index) => ({
    kind: 'memory',
    key: `${(index * 7 + round * 20) % 600}`,
    memory,
  }));
}

describe('a ledger that somebody looks at with a tool of his own', () => {
  it.skipIf(!hasOther)('keeps what is written after the look', async () => {
    ledger.commit([{ kind: 'cash', cashNano: 1, atMs: NOW }]);
    const look = spawnSync('sqlite3', [path, "SELECT value FROM facts WHERE name = 'cash_nano'"]);
    expect(look.stdout.toString()).toBe('1\n');
    ledger.commit([
      { kind: 'cash', cashNano: 2, atMs: NOW },
      { kind: 'pause', pause: { by: 'somebody', sinceMs: NOW } },
    ]);

    const next = await nextLife();
    expect(next.load()).toMatchObject({ cashNano: 2, pause: { by: 'somebody' } });
    next.close();
  });

  it.skipIf(!hasOther)(
    'is whole after a session that was open while much was written',
    async () => {
      for (let round = 0; round < MUCH; round += 1) ledger.commit(memories(round));
      const session = spawn('sqlite3', [path]);
      session.stdin.write('SELECT count(*) FROM memories;\n');
      await once(session.stdout, 'data');
      for (let round = MUCH; round < 2 * MUCH; round += 1) ledger.commit(memories(round));
      session.stdin.end('.quit\n');
      await once(session, 'exit');

      const known = ledger.load().memories;
      const next = await nextLife();
      expect(next.load().memories).toEqual(known);
      next.close();
    },
  );

  it.skipIf(!hasOther)('is changed by nobody else while it is open', () => {
    ledger.commit([{ kind: 'cash', cashNano: 1, atMs: NOW }]);
    const change = spawnSync('sqlite3', [path, 'DELETE FROM facts; PRAGMA journal_mode = DELETE']);
    expect(change.status).not.toBe(0);
    expect(ledger.fact('cash_nano')).toBe('1');
  });

  it('has a folder where such a tool would keep what it writes with, until it is closed', async () => {
    const index = `${path}-shm`;
    expect(statSync(index).isDirectory()).toBe(true);
    ledger.close();
    expect(existsSync(index)).toBe(false);

    // One is left by a tool, the other by a ledger, whose process was killed.
    writeFileSync(index, 'left');
    ledger = await openAt(path);
    expect(statSync(index).isDirectory()).toBe(true);
    ledger.close();
    mkdirSync(index);
    ledger = await openAt(path);
    ledger.commit([{ kind: 'cash', cashNano: 3, atMs: NOW }]);
    expect(statSync(index).isDirectory()).toBe(true);
  });
});
