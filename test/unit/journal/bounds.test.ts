// What the journal holds on to: no file longer than it needs it, no line and no word of any length, no day for ever.

import { readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { nextAction } from '../../../src/journal/action-chain.ts';
import { daysFolder } from '../../../src/journal/days/day-files.ts';
import { openDays } from '../../../src/journal/days/day-writer.ts';
import { fileLines } from '../../../src/journal/file-lines.ts';
import { LogSync } from '../../../src/journal/ledger/log-sync.ts';
import { isStanding, type StopRecord, stopRecordsOf } from '../../../src/journal/ledger/stops.ts';
import { openMarketRecorder } from '../../../src/journal/market-recorder.ts';
import { journalIn } from './support.ts';

/** Files below a folder that this process has open. */
function openIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      return [];
    }
  });
}

describe('a file that the journal has done with', () => {
  it('is closed, where it is the log of a ledger that was brought to the disk', async () => {
    const file = journalIn('log');
    writeFileSync(file, 'x');
    const sync = new LogSync(file);
    const fault = await new Promise((resolve) => sync.behind(resolve));
    expect(fault).toBeUndefined();
    expect(openIn(file)).toHaveLength(1);
    sync.close();
    expect(openIn(file)).toEqual([]);
  });

  it('is closed behind a thread that still works on it', async () => {
    const file = journalIn('log');
    writeFileSync(file, 'x');
    const sync = new LogSync(file);
    const done = new Promise((resolve) => sync.behind(resolve));
    sync.close();
    await done;
    expect(openIn(file)).toEqual([]);
  });

  it('is closed, where it is a segment of market data', async () => {
    const folder = dirname(journalIn());
    const recorder = await openMarketRecorder({
      ...{ folder, bytesMax: 1_000_000, segmentBytesMax: 200, whenFull: 'drop' },
      ...{ nowMs: () => unixMs(1), books: () => [] },
    });
    for (let number = 0; number < 20; number += 1) {
      recorder.text('a text of some length that fills a segment with a few of its kind');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await recorder.close();
    expect(readdirSync(folder).length).toBeGreaterThan(2);
    expect(openIn(folder)).toEqual([]);
  });
});

describe('a line of a file', () => {
  it('that is longer than anything we write is refused, however large the file', async () => {
    const file = journalIn('lines');
    writeFileSync(file, '{"a":1}\n');
    truncateSync(file, 65_000_000);
    const lines: string[] = [];
    const read = async () => {
      for await (const { text } of fileLines(file)) lines.push(text);
    };
    await expect(read()).rejects.toThrow(RangeError);
    expect(lines).toEqual(['{"a":1}']);
  });
});

describe('what an operator says', () => {
  it('is kept up to a length, in each field', () => {
    const long = 'x'.repeat(5_000);
    const said = {
      atMs: unixMs(1),
      by: long,
      action: 'pause',
      target: long,
      result: long,
    } as const;
    const kept = nextAction(undefined, { ...said, detail: long });
    for (const field of [kept.by, kept.target, kept.result, kept.detail]) {
      expect(field).toHaveLength(500);
    }
  });
});

describe('a day that is too old', () => {
  it('goes when a journal is opened, whatever is written then', async () => {
    const journal = journalIn();
    const folder = daysFolder(journal);
    await mkdir(folder, { recursive: true });
    const old = join(folder, '2020-01-01.jsonl');
    writeFileSync(old, '{}\n');
    const clock = { nowMs: () => unixMs(Date.parse('2026-11-23T12:00:00Z')) };
    const kept = { days: 30, bytes: 1_000_000 };
    const days = await openDays({ journal, clock, kept, onFault: () => {} });
    await expect.poll(async () => await stat(old).catch(() => 'gone')).toBe('gone');
    await days.close();
  });
});

describe('a stop', () => {
  const since = { by: 'control', sinceMs: unixMs(1) };

  it.each<{ readonly record: StopRecord; readonly stands: boolean }>([
    { record: { kind: 'pause', pause: since }, stands: true },
    { record: { kind: 'pause', pause: undefined }, stands: false },
    { record: { kind: 'halt', halt: undefined }, stands: false },
    { record: { kind: 'latches', latches: [] }, stands: false },
    { record: { kind: 'marketStops', stops: [] }, stands: false },
  ])('stands as $record says: $stands', ({ record, stands }) => {
    expect(isStanding(record)).toBe(stands);
  });

  it('that was lifted is read back as none', () => {
    const facts = { latches: null, pause: null, halt: null, marketStops: null };
    expect(stopRecordsOf(facts)).toEqual([
      { kind: 'latches', latches: [] },
      { kind: 'pause', pause: undefined },
      { kind: 'halt', halt: undefined },
      { kind: 'marketStops', stops: [] },
    ]);
  });
});
