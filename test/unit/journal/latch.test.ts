import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  clearLatch,
  confirmLatch,
  isLatched,
  type Latch,
  type LatchWatch,
  latchFile,
  latchReserve,
  readLatch,
  reserveLatch,
  setLatch,
  watchLatch,
} from '../../../src/journal/latch.ts';
import { journalIn } from './support.ts';

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 8_000, interval: 10 };

const KILL: Latch = { by: 'operator', reason: 'test', at: '2026-11-21T12:00:00.000Z' };

const watches: LatchWatch[] = [];

afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});

async function watched(journal: string): Promise<Latch[]> {
  const told: Latch[] = [];
  watches.push(await watchLatch({ journal, onSet: (latch) => told.push(latch), pollMs: 10 }));
  return told;
}

describe('the kill latch', () => {
  it('is not set before anybody set it', async () => {
    expect(await readLatch(journalIn())).toBeUndefined();
  });

  it('outlives whoever set it, and stands beside the journal', async () => {
    const journal = journalIn();
    await setLatch(journal, KILL);
    expect(await readLatch(journal)).toEqual(KILL);
    expect(JSON.parse(readFileSync(`${journal}.killed`, 'utf8'))).toEqual(KILL);
    expect(readdirSync(dirname(journal))).toEqual(['bookend.db.killed']);
  });

  it('makes its folder when that is missing', async () => {
    const journal = join(dirname(journalIn()), 'new', 'bookend.db');
    await setLatch(journal, KILL);
    expect(await readLatch(journal)).toEqual(KILL);
  });

  it('is lifted by a resume, and lifting it twice is no fault', async () => {
    const journal = journalIn();
    await setLatch(journal, KILL);
    await clearLatch(journal);
    await clearLatch(journal);
    expect(await readLatch(journal)).toBeUndefined();
  });

  it.each(['', '{', 'null', '{"by":1}'])('is set when its file reads %j', async (text) => {
    const journal = journalIn();
    writeFileSync(latchFile(journal), text);
    expect(await readLatch(journal)).toMatchObject({ by: 'unknown', at: undefined });
  });

  it('is set when its file cannot be read at all', async () => {
    const journal = journalIn();
    mkdirSync(latchFile(journal));
    expect(await readLatch(journal)).toMatchObject({ by: 'unknown' });
  });

  it('says so when it cannot be set or lifted', async () => {
    const journal = journalIn();
    mkdirSync(join(latchFile(journal), 'inside'), { recursive: true });
    const code = expect.objectContaining({ code: 'journal.write' });
    await expect(setLatch(journal, KILL)).rejects.toThrow(code);
    await expect(clearLatch(journal)).rejects.toThrow(code);
    const file = journalIn();
    writeFileSync(file, '');
    await expect(setLatch(join(file, 'below', 'bookend.db'), KILL)).rejects.toThrow(code);
  });

  it('leaves no draft behind when setting it failed', async () => {
    const journal = journalIn();
    mkdirSync(join(latchFile(journal), 'inside'), { recursive: true });
    await setLatch(journal, KILL).catch(() => undefined);
    expect(readdirSync(dirname(journal))).toEqual(['bookend.db.killed']);
  });
});

describe('a watch on the latch', () => {
  it('tells of a latch that another process sets', async () => {
    const journal = journalIn();
    const told = await watched(journal);
    await setLatch(journal, KILL);
    await expect.poll(() => told, SOON).toEqual([KILL]);
  });

  it('does not tell of a latch that stood before, or that was lifted', async () => {
    const journal = journalIn();
    await setLatch(journal, KILL);
    const told = await watched(journal);
    await sleep(60);
    await clearLatch(journal);
    await sleep(60);
    expect(told).toEqual([]);
  });

  it('tells again of a latch that is set again', async () => {
    const journal = journalIn();
    const told = await watched(journal);
    await setLatch(journal, KILL);
    await expect.poll(() => told, SOON).toHaveLength(1);
    await clearLatch(journal);
    await sleep(60);
    await setLatch(journal, { ...KILL, reason: 'second' });
    await expect.poll(() => told.map((latch) => latch.reason), SOON).toEqual(['test', 'second']);
  });

  it('takes a latch that turns unreadable for set', async () => {
    const journal = journalIn();
    const told = await watched(journal);
    writeFileSync(latchFile(journal), 'scribble');
    await expect.poll(() => told, SOON).toMatchObject([{ by: 'unknown' }]);
  });

  it('tells nothing after it was closed', async () => {
    const journal = journalIn();
    const told = await watched(journal);
    watches[0]?.close();
    await setLatch(journal, KILL);
    await sleep(60);
    expect(told).toEqual([]);
    expect(existsSync(latchFile(journal))).toBe(true);
  });
});

describe('the room that is kept for a latch', () => {
  /** A folder where the draft would be: no new file can be written. */
  function withoutRoom(journal: string): string {
    mkdirSync(`${latchFile(journal)}.${process.pid}.draft/in-the-way`, { recursive: true });
    return journal;
  }

  it('is one block, and no latch', async () => {
    const journal = journalIn();
    await reserveLatch(journal);
    await reserveLatch(journal);
    expect(readFileSync(latchReserve(journal)).length).toBe(4_096);
    expect(await readLatch(journal)).toBeUndefined();
    expect(await isLatched(journal)).toBe(false);
  });

  it('becomes the latch, with who and when, and later with the proof', async () => {
    const journal = journalIn();
    await reserveLatch(journal);
    withoutRoom(journal);
    await setLatch(journal, KILL);
    expect(await readLatch(journal)).toEqual(KILL);
    expect(existsSync(latchReserve(journal))).toBe(false);
    await confirmLatch(journal, '2026-11-21T12:00:01.000Z');
    expect(await readLatch(journal)).toEqual({ ...KILL, confirmed: '2026-11-21T12:00:01.000Z' });
    expect(await isLatched(journal)).toBe(true);
  });

  it('is a latch even where nothing of it can be written over', async () => {
    const journal = journalIn();
    await reserveLatch(journal);
    const text = readFileSync(latchReserve(journal), 'utf8');
    writeFileSync(latchFile(journal), text);
    expect(await readLatch(journal)).toMatchObject({ by: 'unknown' });
  });

  it('is given back by a resume, and tells nothing of the kill before', async () => {
    const journal = journalIn();
    await reserveLatch(journal);
    withoutRoom(journal);
    await setLatch(journal, { ...KILL, confirmed: '2026-11-21T12:00:01.000Z' });
    await clearLatch(journal);
    expect(await readLatch(journal)).toBeUndefined();
    expect(readFileSync(latchReserve(journal), 'utf8')).not.toMatch(/confirmed|operator/);
    await setLatch(journal, KILL);
    expect(await readLatch(journal)).toEqual(KILL);
  });

  it('is missed where it was never kept: then the latch cannot be set', async () => {
    const journal = withoutRoom(journalIn());
    await expect(setLatch(journal, KILL)).rejects.toThrow('bookend.db.killed');
    expect(await isLatched(journal)).toBe(false);
  });

  it('holds whatever names are in it, and a text that is too long is a latch that cannot be read', async () => {
    const journal = journalIn();
    await reserveLatch(journal);
    withoutRoom(journal);
    await setLatch(journal, { ...KILL, by: 'ü'.repeat(3_000) });
    expect(await readLatch(journal)).toMatchObject({ by: 'unknown' });
    expect(readFileSync(latchFile(journal)).length).toBe(4_096);
  });
});
