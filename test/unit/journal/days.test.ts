// Files of past days: what is written is read back, and what is too old or too much goes.

import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { daysFolder, daysToDrop } from '../../../src/journal/days/day-files.ts';
import type { DayLine } from '../../../src/journal/days/day-line.ts';
import { pastLines } from '../../../src/journal/days/day-reader.ts';
import { openDays } from '../../../src/journal/days/day-writer.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const DAY = 86_400_000;
const KEPT = { days: 400, bytes: 1_000_000 };

function journal(): string {
  return join(tempFolder('days'), 'run.db');
}

async function written(path: string, lines: readonly DayLine[], kept = KEPT) {
  const faults: string[] = [];
  const clock = { nowMs: () => unixMs(NOON) };
  const onFault = (why: string) => void faults.push(why);
  const days = await openDays({ journal: path, clock, kept, onFault });
  for (const line of lines) days.write(line);
  await days.close();
  return { faults, dropped: days.dropped };
}

async function read(path: string, part: 'orders' | 'rest' = 'rest', fromMs = 0, toMs = 8.64e15) {
  const found: DayLine[] = [];
  for await (const line of pastLines({ journal: path, fromMs, toMs, part })) found.push(line);
  return found;
}

const run = (atMs: number): DayLine => ({ kind: 'run', atMs, version: '1' });
const order = (atMs: number): DayLine => ({
  kind: 'order',
  atMs,
  order: {
    ...{ intentId: `i-${atMs}`, marketId: 'm', tokenId: '0x01', side: 'BUY', price: '0.48' },
    ...{ shares: '50', filled: '0', sentAtMs: atMs - 1_000, state: 'cancelled' },
  },
});

describe('files of past days', () => {
  it('are read without making anything, for a reader may have no right to write', async () => {
    const folder = tempFolder('days');
    expect(await read(join(folder, 'none', 'run.db'))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('give back what was written, each day and its orders from files of their own', async () => {
    const path = journal();
    await written(path, [run(NOON - DAY), run(NOON), order(NOON)]);
    expect(readdirSync(daysFolder(path))).toEqual([
      '2026-11-22.jsonl',
      '2026-11-23.jsonl',
      '2026-11-23.orders.jsonl',
    ]);
    expect(await read(path)).toEqual([run(NOON - DAY), run(NOON)]);
    expect(await read(path, 'orders')).toEqual([order(NOON)]);
    expect(await read(path, 'rest', NOON - DAY / 2 + 1)).toEqual([run(NOON)]);
  });

  it('lose only the line that a process was killed in', async () => {
    const path = journal();
    await written(path, [run(NOON)]);
    appendFileSync(join(daysFolder(path), '2026-11-23.jsonl'), '{"kind":"run","atMs":17');
    await written(path, [run(NOON + 1)]);
    expect(await read(path)).toEqual([run(NOON), run(NOON + 1)]);
  });

  it('are none where nothing was written', async () => {
    expect(await read(journal())).toEqual([]);
  });

  it('cost lines, and no more, where they cannot be written', async () => {
    const path = journal();
    writeFileSync(daysFolder(path), 'in the way');
    const { faults, dropped } = await written(path, [run(NOON), order(NOON)]);
    expect(faults[0]).toMatch(/EEXIST|ENOTDIR/);
    expect(dropped).toBe(2);
  });

  it('keep room for the rest where a day has very many orders', async () => {
    const path = journal();
    const orders = Array.from({ length: 400 }, (_, index) => order(NOON + index));
    const kept = { days: 400, bytes: 100_000 };
    const { dropped, faults } = await written(path, [...orders, run(NOON)], kept);
    expect(dropped).toBeGreaterThan(0);
    expect(faults).toEqual(['2026-11-23.orders.jsonl has no room left (journal.daysMbMax)']);
    expect(await read(path)).toEqual([run(NOON)]);
  });

  it('say once of each file that a slow disk costs lines', async () => {
    const path = journal();
    const lines = [NOON - DAY, NOON].flatMap((atMs) =>
      Array.from(
        { length: 50 },
        () => ({ kind: 'run', atMs, version: 'v'.repeat(100_000) }) as const,
      ),
    );
    const { dropped, faults } = await written(path, [...lines, order(NOON)], {
      ...KEPT,
      bytes: 1e9,
    });
    expect(dropped).toBeGreaterThan(0);
    expect(faults).toEqual(['2026-11-23.jsonl waits for a disk that is slow']);
    expect((await read(path)).length + dropped).toBe(100);
  });
});

describe('what is dropped of past days', () => {
  const file = (daysAgo: number, isOfOrders = false, bytes = 100) => {
    const day = new Date(NOON - daysAgo * DAY).toISOString().slice(0, 10);
    return { name: `${day}${isOfOrders ? ' orders' : ''}`, day, isOfOrders, bytes };
  };
  const names = (files: readonly { readonly name: string }[]) => files.map(({ name }) => name);
  const dropped = (files: readonly ReturnType<typeof file>[], kept: typeof KEPT) =>
    names(daysToDrop(files, kept, NOON));

  it('is what is older than the days that are kept', () => {
    const files = [file(400), file(399), file(1), file(0)];
    expect(dropped(files, KEPT)).toEqual(names([file(400)]));
  });

  it('is, while all are too large, the oldest orders first, then the oldest days, and never today', () => {
    const files = [file(2, true), file(2), file(1, true), file(1), file(0, true), file(0)];
    expect(dropped(files, { days: 400, bytes: 450 })).toEqual(
      names([file(2, true), file(1, true)]),
    );
    expect(dropped(files, { days: 400, bytes: 300 })).toEqual(
      names([file(2, true), file(1, true), file(2)]),
    );
    expect(dropped(files, { days: 400, bytes: 0 })).toHaveLength(4);
  });

  it('holds a year of days within the room, by the clock', () => {
    let files: ReturnType<typeof file>[] = [];
    for (let day = 0; day <= 365; day += 1) {
      const nowMs = NOON + day * DAY;
      const name = new Date(nowMs).toISOString().slice(0, 10);
      files.push({ name, day: name, isOfOrders: false, bytes: 1_000 });
      files.push({ name: `${name} orders`, day: name, isOfOrders: true, bytes: 50_000 });
      const gone = new Set(daysToDrop(files, KEPT, nowMs));
      files = files.filter((each) => !gone.has(each));
      expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(KEPT.bytes);
    }
    // Orders make room; what pnl and report need of the whole year is there.
    expect(files.filter(({ isOfOrders }) => !isOfOrders)).toHaveLength(366);
  });
});
