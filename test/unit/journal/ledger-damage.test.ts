// A ledger that is not the one that was left: it is told apart from a first start, and nothing is quoted on it.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BotError } from '../../../src/domain/errors.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { SqlFile } from '../../../src/journal/ledger/database.ts';
import { type Ledger, type LedgerOptions, openLedger } from '../../../src/journal/ledger/ledger.ts';
import { Mark, markFile, readMark } from '../../../src/journal/ledger/mark.ts';
import { MIGRATIONS } from '../../../src/journal/ledger/schema.ts';
import { SealedRows } from '../../../src/journal/ledger/sealed.ts';
import { leftBehind } from './support.ts';

const NOW = unixMs(1_800_000_000_000);
const SOME_BYTES = 4_096;
/** No letter of ours has it. */
const HIGH_BIT = 0x80;

let folder = '';
let path = '';
let nowMs = NOW;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-damage-'));
  path = join(folder, 'data', 'bookend.db');
  nowMs = NOW;
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function open(file = path, options: Partial<LedgerOptions> = {}): Promise<Ledger> {
  return await openLedger({ path: file, clock: { nowMs: () => nowMs }, ...options });
}

const cash = (cashNano: number): LedgerRecord => ({ kind: 'cash', cashNano, atMs: NOW });
const memory = (key: string, text: string): LedgerRecord => ({ kind: 'memory', key, memory: text });

/** A ledger of three commits whose process was killed: nothing is in the data file yet. */
async function killed(): Promise<string> {
  const ledger = await open();
  for (const amount of [1, 2, 3]) ledger.commit([cash(amount), memory(`k${amount}`, 'a memory')]);
  const left = leftBehind(path);
  ledger.close();
  return left;
}

/** The same, ended in good order: all of it is in the data file. */
async function ended(): Promise<string> {
  const ledger = await open();
  for (const amount of [1, 2, 3]) ledger.commit([cash(amount), memory(`k${amount}`, 'a memory')]);
  ledger.close();
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  return path;
}

async function refusalOf(file: string): Promise<string> {
  const opened = await open(file).catch((error: unknown) => error);
  if (!(opened instanceof BotError)) throw new Error('it was opened');
  expect(opened.code).toBe('journal.damaged');
  return opened.message;
}

/** Changes one byte of every place where that text stands. */
function flip(file: string, text: string, bit = 1): void {
  const bytes = readFileSync(file);
  let found = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
    bytes.writeUInt8(bytes.readUInt8(at) ^ bit, at);
    found += 1;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(file, bytes);
}

describe('a ledger that is as it was left', () => {
  it('begins without a word where there is none', async () => {
    const ledger = await open();
    expect(ledger.loss).toBeUndefined();
    expect(readMark(path)).toMatchObject({ run: 1, count: 1 });
    ledger.close();
  });

  it.each([
    ['killed', killed],
    ['ended', ended],
  ])('goes on where it was after its process was %s', async (_name, left) => {
    const file = await left();
    const ledger = await open(file);
    expect(ledger.loss).toBeUndefined();
    expect(ledger.load().cashNano).toBe(3);
    expect(readMark(file)).toMatchObject({ run: 2, count: 5 });
    ledger.close();
  });

  it('goes on where its first process was killed before there was a mark', async () => {
    const ledger = await open();
    const left = leftBehind(path);
    ledger.close();
    rmSync(markFile(left));
    const next = await open(left);
    expect(next.loss).toBeUndefined();
    next.close();
  });

  it('goes on after a commit that failed in a file that was put back meanwhile', async () => {
    const ledger = await open();
    ledger.commit([cash(1)]);
    // Another file of the same content: what was open is opened anew, and is the same ledger.
    const left = leftBehind(path);
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${path}${suffix}`, { force: true });
      if (existsSync(`${left}${suffix}`))
        writeFileSync(`${path}${suffix}`, readFileSync(`${left}${suffix}`));
    }
    const bad: LedgerRecord = { kind: 'memory', key: 'k', memory: undefined };
    expect(() => ledger.commit([cash(2), bad])).toThrow();
    ledger.commit([cash(3)]);
    expect(ledger.load().cashNano).toBe(3);
    ledger.close();
    const next = await open();
    expect(next.load().cashNano).toBe(3);
    next.close();
  });

  it('goes on where its process was killed between a commit and its mark', async () => {
    const ledger = await open();
    ledger.commit([cash(1)]);
    const before = readFileSync(markFile(path));
    ledger.commit([cash(2)]);
    const left = leftBehind(path);
    ledger.close();
    writeFileSync(markFile(left), before);
    const next = await open(left);
    expect(next.load().cashNano).toBe(2);
    next.close();
  });

  it('goes on where a power cut has torn one slot of its mark', async () => {
    const left = await killed();
    const partial = readFileSync(markFile(left));
    partial.fill('x', 20, 60);
    writeFileSync(markFile(left), partial);
    const next = await open(left);
    expect(next.loss).toBeUndefined();
    next.close();
  });

  it('is sealed where an older version left it without a chain, and damaged where that was taken away', async () => {
    const ledger = await open();
    ledger.commit([cash(5)]);
    ledger.close();
    const old = new Sqlite(path);
    old.exec('DROP TABLE chain');
    old.close();
    expect(await refusalOf(path)).toContain('replaced by one that tells of no commits');
    rmSync(markFile(path));
    const upgraded = await open();
    expect(upgraded.load().cashNano).toBe(5);
    upgraded.close();
    const next = await open();
    expect(next.load().cashNano).toBe(5);
    next.close();
  });

  it('is verified as an older version left it before its tables are changed, and sealed anew behind that', async () => {
    const older = MIGRATIONS.slice(0, -1);
    const make = (file: string): void => {
      mkdirSync(dirname(file), { recursive: true });
      const old = new SqlFile(file);
      for (const step of older) old.exec(step);
      old.exec(`PRAGMA user_version = ${older.length}`);
      old.run("INSERT INTO tokens (token_id, settled_micro, pending) VALUES ('0x01', 10, '[]')");
      const rows = SealedRows.begin(old);
      rows.nextRun();
      rows.seal();
      rows.seal();
      Mark.begin(file, { ...rows.chain, isPlay: false }).close();
      old.close();
    };
    make(path);
    const upgraded = await open();
    expect(upgraded.load().tokens).toHaveLength(1);
    upgraded.close();
    (await open()).close();

    const restated = join(folder, 'restated', 'bookend.db');
    make(restated);
    sql('UPDATE tokens SET settled_micro = 11')(restated);
    expect(await refusalOf(restated)).toContain('table tokens has rows that are not');
  });

  it('counts rows that are written, replaced, told again, removed and pruned', async () => {
    const books = { days: 400, bytes: 1e9 };
    const ledger = await open(path, { books });
    const halt = { limit: 'a', detail: 'b', sinceMs: NOW };
    const settlement = (tradeId: string, atMs: number): LedgerRecord => ({
      kind: 'settlement',
      settlement: {
        tradeId,
        tokenId: undefined,
        side: 'BUY',
        quantity: 1 as never,
        cashNano: -1.5,
        atMs: unixMs(atMs),
      },
    });
    ledger.commit([
      memory('a', 'x'),
      memory('a', 'y'),
      settlement('t-1', NOW),
      settlement('t-2', NOW),
    ]);
    ledger.commit([settlement('t-1', NOW), { kind: 'halt', halt }]);
    ledger.commit([
      { kind: 'halt', halt: undefined },
      memory('a\u0000b', 'z'),
      memory('\ud800', 'w'),
    ]);
    nowMs = unixMs(NOW + 401 * 86_400_000);
    ledger.commit([settlement('t-3', nowMs), memory('a', 'v')]);
    const left = leftBehind(path);
    ledger.close();
    const next = await open(left);
    expect(next.load().tradeIds).toEqual(['t-3']);
    next.close();
  });

  it('begins anew with a venue on paper that begins anew, whatever was lost of it', async () => {
    const paper = { isVenueNew: true };
    (await open(path, paper)).close();
    rmSync(path);
    const next = await open(path, paper);
    expect(next.loss).toBeUndefined();
    next.close();
  });
});

describe('a ledger that is damaged', () => {
  it.each([
    [
      'its -wal was deleted',
      (file: string) => rmSync(`${file}-wal`),
      /the ledger is empty, as without its -wal/,
    ],
    ['its -wal was emptied', (file: string) => truncateSync(`${file}-wal`), /is empty/],
    ['its -wal was cut', cut, /lacks its latest \d+ commits/],
    [
      'pages of its -wal were flipped',
      (file: string) => flip(`${file}-wal`, 'a memory'),
      /is empty|lacks/,
    ],
    ['it was deleted', (file: string) => rmSync(file), /the ledger is gone/],
    ['it was emptied', emptied, /the ledger is empty/],
    ['its mark was deleted', (file: string) => rmSync(markFile(file)), /mark is gone/],
    [
      'its mark was scribbled over',
      (file: string) => writeFileSync(markFile(file), 'x'),
      /cannot be read/,
    ],
  ])('is refused where %s, and says the ways on', async (_name, damage, words) => {
    const file = await killed();
    damage(file);
    const refusal = await refusalOf(file);
    expect(refusal).toMatch(words);
    for (const way of ['put back', '--accept-loss', 'another journal.path']) {
      expect(refusal).toContain(way);
    }
  });

  it.each([
    [
      'a page was flipped',
      (file: string) => flip(file, 'a memory'),
      /rows that are not as they were/,
    ],
    [
      'a flipped bit has made a text no text',
      (file: string) => flip(file, 'a memory', HIGH_BIT),
      /a text in it is malformed/,
    ],
    [
      'a flipped bit has made a name no name',
      (file: string) => flip(file, 'memory TEXT NOT NULL', HIGH_BIT),
      /a name in it is malformed/,
    ],
    [
      'a row was changed',
      sql("UPDATE memories SET memory = '1'"),
      /table memories has rows that are not/,
    ],
    [
      'a row was deleted',
      sql("DELETE FROM memories WHERE key = 'k1'"),
      /has 2 rows, and 3 were kept/,
    ],
    [
      'a row was added',
      sql("INSERT INTO memories VALUES ('k9', '1')"),
      /has 4 rows, and 3 were kept/,
    ],
    [
      'the pause was taken away',
      sql("DELETE FROM facts WHERE name = 'cash_nano'"),
      /table facts has/,
    ],
    [
      'it is no database any more',
      (file: string) => writeFileSync(file, 'x'.repeat(9_000)),
      /cannot be read/,
    ],
    [
      'its chain was scribbled over',
      sql("UPDATE chain SET value = '{' WHERE name = 'head'"),
      /cannot be read/,
    ],
    [
      'its chain says nothing',
      sql("UPDATE chain SET value = '{}' WHERE name = 'head'"),
      /cannot be read/,
    ],
    ['a table was dropped', sql('DROP TABLE flows'), /cannot be read/],
    ['its first page was zeroed', zeroed, /cannot be read|is empty/],
  ])('is refused where %s', async (_name, damage, words) => {
    const file = await ended();
    damage(file);
    expect(await refusalOf(file)).toMatch(words);
  });

  it('is refused where it was replaced by an earlier one, by that of another journal, or by a fork', async () => {
    const ledger = await open();
    ledger.commit([cash(1)]);
    const fork = leftBehind(path);
    ledger.commit([cash(2)]);
    ledger.close();
    const kept = readFileSync(path);
    const replaceBy = (file: string) => {
      for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
      writeFileSync(path, readFileSync(file));
    };
    const other = join(folder, 'other', 'bookend.db');
    (await open(other)).close();
    replaceBy(other);
    expect(await refusalOf(path)).toContain('replaced by another one');

    const forked = await open(fork);
    forked.close();
    replaceBy(fork);
    expect(await refusalOf(path)).toContain('and they are others');

    rmSync(path);
    writeFileSync(path, kept);
    const again = await open();
    expect(again.load().cashNano).toBe(2);
    again.close();
  });

  it('is refused where it went with its mark, and the stops that stand there are kept where that is accepted', async () => {
    const pause = { by: 'me', sinceMs: NOW };
    const ledger = await open();
    ledger.commit([{ kind: 'pause', pause }]);
    ledger.close();
    for (const suffix of ['', '-wal', '-shm', '.mark']) rmSync(`${path}${suffix}`, { force: true });
    expect(await refusalOf(path)).toContain(`the ledger and ${markFile(path)} are gone`);
    const next = await open(path, { acceptsLoss: true });
    expect(next.loss).toContain('are gone');
    expect(next.keptStops()).toMatchObject({ pause });
    next.close();
  });

  it.each([
    ['empty', emptied],
    ['that of an older version', (file: string) => sql('DROP TABLE chain')(file)],
    [
      'that of a first start',
      async (file: string) => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
        (await open(join(folder, 'other', 'bookend.db'))).close();
        writeFileSync(file, readFileSync(join(folder, 'other', 'bookend.db')));
      },
    ],
  ])(
    'is refused where its mark is gone and it is %s, while its stops stand there',
    async (_name, harm) => {
      const ledger = await open();
      ledger.commit([{ kind: 'pause', pause: { by: 'me', sinceMs: NOW } }]);
      const left = leftBehind(path);
      ledger.close();
      rmSync(markFile(left));
      await harm(left);
      expect(await refusalOf(left)).toContain(`${left}.stops has the stops of another`);
      const next = await open(left, { acceptsLoss: true });
      expect(next.loss).toContain('has the stops of another');
      next.close();
      (await open(left)).close();
    },
  );

  it('is none that somebody holds, or that a later version has written: these are not put aside', async () => {
    const file = await ended();
    const other = new Sqlite(file);
    other.exec('BEGIN IMMEDIATE');
    const accepting = { acceptsLoss: true };
    await expect(open(file, accepting)).rejects.toMatchObject({ code: 'journal.write' });
    other.exec('PRAGMA user_version = 999; COMMIT');
    other.close();
    await expect(open(file, accepting)).rejects.toThrow(/later version/);
    expect(existsSync(file)).toBe(true);
  });

  it('goes on with what is there when the loss is accepted, and once only', async () => {
    const file = await killed();
    rmSync(`${file}-wal`);
    const ledger = await open(file, { acceptsLoss: true });
    expect(ledger.loss).toMatch(/is empty/);
    ledger.commit([cash(4)]);
    ledger.close();
    const next = await open(file);
    expect(next.loss).toBeUndefined();
    expect(next.load().cashNano).toBe(4);
    next.close();
  });

  it('stays beside the one that begins where it cannot be read and the loss is accepted', async () => {
    const file = await ended();
    writeFileSync(file, 'x'.repeat(SOME_BYTES));
    const ledger = await open(file, { acceptsLoss: true });
    expect(ledger.load().memories).toEqual({});
    ledger.close();
    const stamp = new Date(NOW).toISOString().replaceAll(':', '');
    expect(readFileSync(`${file}.damaged-${stamp}`, 'utf8')).toContain('xxx');
  });

  it('is noticed by its writer where another file takes its name while it is written', async () => {
    const ledger = await open();
    ledger.commit([cash(1)]);
    const other = join(folder, 'other', 'bookend.db');
    (await open(other)).close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, readFileSync(other));
    const broken = { kind: 'cash', cashNano: Number.NaN, atMs: NOW } as const;
    const bad: LedgerRecord = { kind: 'memory', key: 'k', memory: undefined };
    expect(() => ledger.commit([broken, bad])).toThrow();
    expect(() => ledger.commit([cash(2)])).toThrow(/another ledger took its place/);
    ledger.close();
  });
});

describe('the files of a journal', () => {
  it('are for their owner alone, in a folder that is made for him', async () => {
    const ledger = await open();
    const pause = { by: 'somebody', sinceMs: NOW };
    ledger.commit([{ kind: 'pause', pause }]);
    const rights = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect(rights(dirname(path))).toBe('700');
    for (const suffix of ['', '-wal', '-shm', '.mark', '.stops']) {
      expect([suffix, rights(`${path}${suffix}`)]).toEqual([suffix, '600']);
    }
    ledger.close();
    chmodSync(path, 0o644);
    (await open()).close();
    expect(rights(path)).toBe('600');
  });

  it('are made in a folder that is there as it is', async () => {
    mkdirSync(dirname(path), { mode: 0o755 });
    (await open()).close();
    expect((statSync(dirname(path)).mode & 0o777).toString(8)).toBe('755');
    expect(existsSync(path)).toBe(true);
  });
});

/** The last third of it, as a disk that was full leaves it. */
function cut(file: string): void {
  truncateSync(`${file}-wal`, Math.floor((statSync(`${file}-wal`).size * 2) / 3));
}

function emptied(file: string): void {
  truncateSync(file);
  rmSync(`${file}-wal`);
}

function zeroed(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0, 0, SOME_BYTES);
  writeFileSync(file, bytes);
}

function sql(text: string): (file: string) => void {
  return (file) => {
    const database = new Sqlite(file);
    database.exec(text);
    database.close();
  };
}
