// Another SQLite that opens the ledger of a living daemon, as somebody does who wants to see the fills.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';
import { leftBehind } from './support.ts';

const NOW = unixMs(1_800_000_000_000);
/** The one of this system: `.ci/run` installs it. */
const hasOther = spawnSync('sqlite3', ['-version']).status === 0;
if (!hasOther) console.warn('no sqlite3 here: what another tool sees of a ledger is not tested');
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

/** The ledger of a next run, after this one was killed as it is now. */
async function nextRun(): Promise<Ledger> {
  return await openAt(leftBehind(path));
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

    const next = await nextRun();
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
      const next = await nextRun();
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

  it.skipIf(!hasOther)('is copied whole by `.backup` while it is written', async () => {
    for (let round = 0; round < MUCH; round += 1) ledger.commit(memories(round));
    const copy = join(folder, 'backup.db');
    const backup = spawn('sqlite3', [path, `.backup '${copy}'`]);
    const ended = once(backup, 'exit');
    for (let round = MUCH; round < 2 * MUCH; round += 1) ledger.commit(memories(round));
    expect(await ended).toEqual([0, null]);
    ledger.commit([{ kind: 'cash', cashNano: 7, atMs: NOW }]);
    const check = spawnSync('sqlite3', [
      copy,
      'PRAGMA integrity_check; SELECT count(*) FROM memories',
    ]);
    expect(check.stdout.toString()).toMatch(/^ok\n\d+\n$/);
    expect(ledger.fact('cash_nano')).toBe('7');
  });

  it.skipIf(!hasOther)('is a backup that says so when it is put in its place', async () => {
    const copy = join(folder, 'backup.db');
    spawnSync('sqlite3', [path, `.backup '${copy}'`]);
    ledger.commit([{ kind: 'cash', cashNano: 7, atMs: NOW }]);
    ledger.close();
    spawnSync('cp', [copy, path]);
    await expect(openAt(path)).rejects.toThrow(/lacks its latest 1 commits/);
  });

  it.skipIf(!hasOther)(
    'may be looked at while no daemon runs, also after one was killed',
    async () => {
      ledger.commit([{ kind: 'cash', cashNano: 9, atMs: NOW }]);
      const left = leftBehind(path);
      const look = spawnSync('sqlite3', [left, "SELECT value FROM facts WHERE name = 'cash_nano'"]);
      expect(look.stdout.toString()).toBe('9\n');
      const next = await openAt(left);
      expect(next.load().cashNano).toBe(9);
      next.close();
    },
  );

  it.skipIf(!hasOther)('is waited for by a start, where a tool has it for a moment', async () => {
    ledger.close();
    const tool = spawn('sqlite3', [path]);
    tool.stdin.end("BEGIN IMMEDIATE;\nSELECT 'held';\n.shell sleep 0.4\nCOMMIT;\n");
    await once(tool.stdout, 'data');
    const next = await openAt(path);
    expect(next.load().cashNano).toBeUndefined();
    next.close();
  });

  it.skipIf(!hasOther)('keeps no write of a run waiting for a tool that has it then', async () => {
    ledger.close();
    const left = leftBehind(path);
    const next = await openAt(left);
    // A failed write gives up the hold: a tool may come between.
    expect(() => next.commit([{ kind: 'memory', key: '1', memory: 1n }])).toThrow();
    const tool = spawn('sqlite3', [left]);
    tool.stdin.end("BEGIN IMMEDIATE;\nSELECT 'held';\n.shell sleep 0.6\nCOMMIT;\n");
    await once(tool.stdout, 'data');
    const beganMs = performance.now();
    expect(() => next.commit([{ kind: 'cash', cashNano: 3, atMs: NOW }])).toThrow('locked');
    expect(performance.now() - beganMs).toBeLessThan(300);
    await once(tool, 'exit');
    next.commit([{ kind: 'cash', cashNano: 4, atMs: NOW }]);
    expect(next.load().cashNano).toBe(4);
    next.close();
  });

  it.skipIf(!hasOther)(
    'keeps its log from a tool that ends, where a process has opened it twice',
    async () => {
      ledger.commit([{ kind: 'cash', cashNano: 1, atMs: NOW }]);
      ledger.close();
      ledger = await openAt(path);
      spawnSync('sqlite3', [path, 'SELECT count(*) FROM facts']);
      ledger.commit([{ kind: 'cash', cashNano: 2, atMs: NOW }]);
      expect(existsSync(`${path}-wal`)).toBe(true);
      const next = await nextRun();
      expect(next.load().cashNano).toBe(2);
      next.close();
    },
  );

  it('has nothing beside it that is no file, and what earlier versions left is taken away', async () => {
    ledger.close();
    const old = join(folder, 'old.db');
    for (const suffix of ['-shm', '.lock']) mkdirSync(`${old}${suffix}`);
    const opened = await openAt(old);
    opened.commit([{ kind: 'cash', cashNano: 3, atMs: NOW }]);
    const names = readdirSync(folder).filter((name) => name.startsWith('old.db'));
    expect(names.filter((name) => !statSync(join(folder, name)).isFile())).toEqual([]);
    expect(opened.load().cashNano).toBe(3);
    opened.close();
  });
});
