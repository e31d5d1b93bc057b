import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { MarketDataLine } from '../../../src/domain/market-data.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  type MarketRecorderOptions,
  openMarketRecorder,
} from '../../../src/journal/market-recorder.ts';
import { SegmentFile } from '../../../src/journal/segment-file.ts';
import { segmentsIn } from '../../../src/paper/crowd/segments.ts';

const place = mkdtempSync(join(tmpdir(), 'bookend-segments-'));
afterAll(() => rmSync(place, { recursive: true }));
let folders = 0;

function newFolder(): string {
  folders += 1;
  return join(place, String(folders));
}

async function recorderIn(folder: string, more: Partial<MarketRecorderOptions> = {}) {
  return await openMarketRecorder({
    ...{ folder, bytesMax: 10_000_000, segmentBytesMax: 1_000_000, whenFull: 'drop' },
    ...{ nowMs: () => unixMs(1_000), books: () => [] },
    ...more,
  });
}

async function readBack(folder: string) {
  const lines: MarketDataLine[] = [];
  const badLines: string[] = [];
  for await (const segment of segmentsIn(folder)) {
    lines.push(...segment.lines.map(({ line }) => line));
    badLines.push(...segment.badLines);
  }
  const texts = lines.flatMap((line) => (line.kind === 'text' ? [line.text] : []));
  return { lines, badLines, texts };
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 10_000, interval: 5 }).toBe(true);
}

describe('a recording of market data', () => {
  it('gives back every text as it came, over any number of segments and runs', async () => {
    const anyText = fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 3 }), async (runs) => {
        const folder = newFolder();
        for (const texts of runs) {
          const recorder = await recorderIn(folder, { segmentBytesMax: 500 });
          for (const text of texts) recorder.text(text);
          await recorder.close();
        }
        if (runs.length === 0) return;
        expect((await readBack(folder)).texts).toEqual(runs.flat());
        expect(readdirSync(folder).filter((name) => !name.endsWith('.ndjson.gz'))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('is written as it comes, one write after the other, and not at its end', async () => {
    const recorder = await recorderIn(newFolder());
    let bytes = 0;
    for (const text of ['one', 'two', 'three']) {
      recorder.text(text);
      await until(() => recorder.stats().bytes > bytes);
      ({ bytes } = recorder.stats());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(recorder.stats()).toMatchObject({ texts: 3, linesLost: 0 });
    await recorder.close();
  });

  it('leaves out the body of an answer that is as the one before, and not behind a gap', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder);
    const answer = { path: '/api/events/rain', status: 200, body: '{"success":true}' };
    recorder.answer(answer);
    recorder.answer(answer);
    recorder.gap('socket lost');
    recorder.answer(answer);
    await recorder.close();
    const { lines } = await readBack(folder);
    expect(lines.slice(1)).toEqual([
      { kind: 'answer', atMs: 1_000, ...answer },
      { kind: 'answer', atMs: 1_000, path: answer.path, status: 200 },
      { kind: 'gap', atMs: 1_000, why: 'socket lost', lines: 0 },
      { kind: 'answer', atMs: 1_000, ...answer },
    ]);
  });

  it('begins every segment but the first with the books as they are', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder, { segmentBytesMax: 150, books: () => ['a book'] });
    for (const text of ['one', 'two', 'three', 'four']) recorder.text(text);
    await recorder.close();
    const heads: string[][] = [];
    for await (const { lines } of segmentsIn(folder)) {
      heads.push(lines.slice(0, 2).map(({ line }) => line.kind));
    }
    expect(heads.length).toBeGreaterThan(1);
    expect(heads[0]).toEqual(['segment', 'text']);
    expect(heads.slice(1).every(([, second]) => second === 'book')).toBe(true);
  });

  it('masks a secret', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder);
    const secret = new Secret('a-key-of-the-venue-9f8e7d');
    recorder.text(`{"echo":"${secret.reveal()}"}`);
    await recorder.close();
    expect((await readBack(folder)).texts).toEqual(['{"echo":"[secret]"}']);
  });
});

describe('a recorder that was killed', () => {
  it('leaves a segment that is read up to its unfinished line, and closed by the next run', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder);
    recorder.text('whole');
    await until(() => readdirSync(folder).length === 1 && sizeOf(folder) > 100);
    const left = newFolder();
    mkdirSync(left);
    copyFileSync(join(folder, '000001.ndjson.open'), join(left, '000001.ndjson.open'));
    await recorder.close();
    appendFileSync(join(left, '000001.ndjson.open'), '{"kind":"text","atMs":1000,"te');

    const before = await readBack(left);
    expect(before.texts).toEqual(['whole']);
    expect(before.badLines).toEqual([
      `${join(left, '000001.ndjson.open')}, line 3: was cut off in the middle`,
    ]);

    const next = await recorderIn(left);
    next.text('later');
    await next.close();
    const closed = await readBack(left);
    expect(closed.badLines).toEqual([]);
    expect(closed.texts).toEqual(['whole', 'later']);
    expect(readdirSync(left)).toEqual(['000001.ndjson.gz', '000002.ndjson.gz']);
  });

  it('beside whoever reads packs what is read next, and drops what is not read yet', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder, { segmentBytesMax: 500 });
    for (let number = 1; number <= 20; number += 1) recorder.text(`${number} ${'x'.repeat(90)}`);
    // Every line is written: five segments, four of them packed.
    const last = join(folder, '000005.ndjson.open');
    await until(() => existsSync(last) && readFileSync(last, 'utf8').includes('"20 x'));
    const read: number[] = [];
    for await (const { segment, badLines } of segmentsIn(folder)) {
      expect(badLines).toEqual([]);
      read.push(segment);
      if (segment !== 1) continue;
      rmSync(join(folder, '000002.ndjson.gz'));
      await recorder.close();
    }
    expect(read).toEqual([1, 3, 4, 5]);
  });

  it('while it packed a segment leaves that segment once', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder);
    recorder.text('whole');
    await recorder.close();
    const plain = gunzipSync(readFileSync(join(folder, '000001.ndjson.gz')));
    writeFileSync(join(folder, '000001.ndjson.open'), plain);
    writeFileSync(join(folder, '000002.ndjson.gz.draft'), 'half');
    expect((await readBack(folder)).texts).toEqual(['whole']);
    await (await recorderIn(folder)).close();
    expect(readdirSync(folder)).toEqual(['000001.ndjson.gz', '000002.ndjson.gz']);
  });
});

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

describe('a segment', () => {
  it.each([
    { damage: 'a line more', of: (text: string) => `{"kind":"text","atMs":1,"text":"x"}\n${text}` },
    { damage: 'a changed digit', of: (text: string) => text.replace('"one"', '"two"') },
  ])('with $damage is refused by its checksum', async ({ of }) => {
    const folder = newFolder();
    const recorder = await recorderIn(folder);
    recorder.text('one');
    await recorder.close();
    const file = join(folder, '000001.ndjson.gz');
    writeFileSync(file, gzipSync(of(gunzipSync(readFileSync(file)).toString('utf8'))));
    await expect(readBack(folder)).rejects.toThrow(`${file}: is not what was written`);
  });

  it('that was cut is refused', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder);
    recorder.text('one');
    await recorder.close();
    const file = join(folder, '000001.ndjson.gz');
    writeFileSync(file, readFileSync(file).subarray(0, -9));
    await expect(readBack(folder)).rejects.toThrow('unexpected end of file');
  });
});

describe('the room that a recording takes', () => {
  /** That no packing makes much smaller. */
  const line = createHash('sha512').update('any').digest('hex');
  const room = { bytesMax: 4_000, segmentBytesMax: 500 };

  it('stays below its bound, and the oldest segments go', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder, room);
    for (let number = 1; number <= 90; number += 1) {
      recorder.text(`${number} ${line}`);
      // Each is written before the next, as by a feed that takes its time.
      await until(() => recorder.stats().bytes > 0);
      expect(sizeOf(folder)).toBeLessThan(room.bytesMax);
    }
    await recorder.close();
    // While one is packed it is there twice, for which room is kept; the last one is whole now.
    expect(sizeOf(folder)).toBeLessThanOrEqual(room.bytesMax - room.segmentBytesMax);
    expect(recorder.stats().segmentsDropped).toBeGreaterThan(0);
    const { texts } = await readBack(folder);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts).toEqual(
      Array.from({ length: texts.length }, (_, index) => `${91 - texts.length + index} ${line}`),
    );
  });

  it('is for what comes, however large the books are that a segment begins with', async () => {
    const folder = newFolder();
    const books = () => [line.repeat(10)];
    const recorder = await recorderIn(folder, { bytesMax: 20_000, segmentBytesMax: 500, books });
    for (let number = 1; number <= 60; number += 1) {
      recorder.text(`${number} ${line}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await recorder.close();
    expect(recorder.stats()).toMatchObject({ linesLost: 0, gaps: 0 });
    // Sixty texts of 180 bytes, and at least as much of them in each segment as of books.
    expect(recorder.stats().segment).toBeLessThan(12);
    expect(sizeOf(folder)).toBeLessThan(20_000);
  });

  it('counts a segment that could not be packed, and what was packed of it goes', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder, { ...room, faultPauseMs: 0 });
    // Whatever keeps a segment from its last name, as a disk that is full then.
    mkdirSync(join(folder, '000001.ndjson.gz', 'in-the-way'), { recursive: true });
    for (let number = 1; number <= 90; number += 1) {
      recorder.text(`${number} ${line}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (number === 9) {
        await until(() => recorder.stats().lastFault !== undefined);
        rmSync(join(folder, '000001.ndjson.gz'), { recursive: true });
        expect(readdirSync(folder)).not.toContain('000001.ndjson.gz.draft');
      }
    }
    await recorder.close();
    expect(recorder.stats().bytes).toBe(sizeOf(folder));
    expect(readdirSync(folder).filter((name) => name.endsWith('.open'))).toEqual([]);
  });

  it('is full where the oldest must not go, and nothing more is taken', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder, { ...room, whenFull: 'stop' });
    for (let number = 1; number <= 200 && !recorder.stats().isFull; number += 1) {
      recorder.text(`${number} ${line}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => recorder.stats().isFull);
    await recorder.close();
    expect((await readBack(folder)).texts[0]).toBe(`1 ${line}`);
    const again = recorderIn(folder, { ...room, whenFull: 'stop' });
    await expect(again).rejects.toThrow('the journal cannot be written');
  });
});

/** The next write of whoever has a file open takes half of its bytes, as on a disk that becomes full. */
async function halfWritten(): Promise<void> {
  const probe = await open(join(place, 'probe'), 'w');
  const handles: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  vi.spyOn(handles, 'appendFile').mockImplementationOnce(async function (this: FileHandle, bytes) {
    await this.write(Buffer.from(bytes.toString().slice(0, bytes.length / 2)));
    throw new Error('ENOSPC: no space left on device');
  });
}

describe('a disk that takes half a line', () => {
  it('leaves nothing of it, and the next line follows on the last whole one', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    const segment = await SegmentFile.create(folder, 1);
    await segment.append(['one\n']);
    await halfWritten();
    await expect(segment.append(['two\n'])).rejects.toThrow('ENOSPC');
    await segment.append(['three\n']);
    await segment.abandon();
    expect(readFileSync(join(folder, '000001.ndjson.open'), 'utf8')).toBe('one\nthree\n');
  });
});

describe('a disk that takes nothing', () => {
  it('costs lines, which the recording counts where they are missing, and the books follow', async () => {
    const folder = newFolder();
    const recorder = await recorderIn(folder, { faultPauseMs: 0, books: () => ['a book'] });
    rmSync(folder, { recursive: true });
    recorder.text('lost');
    await until(() => recorder.stats().linesLost > 0);
    mkdirSync(folder);
    recorder.text('after');
    await recorder.close();
    const { lines, texts } = await readBack(folder);
    expect(texts).toEqual(['after']);
    expect(lines.map(({ kind }) => kind)).toEqual(['gap', 'book', 'text']);
    expect(lines[0]).toMatchObject({ kind: 'gap', lines: 2 });
    expect(recorder.stats().lastFault).toContain('ENOENT');
  });
});
