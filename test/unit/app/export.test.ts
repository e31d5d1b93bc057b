import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { exportRecording } from '../../../src/app/export.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  type MarketRecorderOptions,
  openMarketRecorder,
} from '../../../src/journal/market-recorder.ts';
import { eventMeta, NO, TempRecordings, YES } from '../../support/temp-recording.ts';

const files = new TempRecordings();
const place = mkdtempSync(join(tmpdir(), 'bookend-export-'));
afterAll(() => {
  files.remove();
  rmSync(place, { recursive: true });
});

const snapshot = (ts: number) => ({
  type: 'orderbook.snapshot',
  marketId: YES,
  levels: { bids: [{ price: 0.29, size: 10.5 }], asks: [{ price: 0.31, size: 3 }] },
  ts,
});
const delta = (ts: number) => ({
  ...{ type: 'orderbook.delta', marketId: NO, side: 'ask', price: 0.7, size: 0, ts },
});
const trade = (ts: number) => ({
  ...{ type: 'trade.executed', tokenId: YES, side: 'SELL', price: 0.29, size: 0.000001, ts },
});

async function exported(recording: string) {
  const out = join(place, String(readdirSync(place).length));
  const result = await exportRecording({
    ...{ recording, out, formats: ['csv', 'parquet'], exchange: 'here', onProgress: () => {} },
  });
  const csv = (name: string) =>
    gunzipSync(readFileSync(join(out, `${name}.csv.gz`)))
      .toString()
      .trimEnd()
      .split('\n');
  const parquet = async (name: string) =>
    await parquetReadObjects({ file: await asyncBufferFromFile(join(out, `${name}.parquet`)) });
  return { result, csv, parquet, names: readdirSync(out) };
}

describe('an export', () => {
  it('has the columns of Tardis.dev as CSV, with times in microseconds', async () => {
    const frames = [snapshot(1_000), delta(2_000), trade(3_000)];
    const { result, csv, names } = await exported(files.write(frames, eventMeta()));
    expect(csv('incremental_book_L2')).toEqual([
      'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount',
      `here,${YES},1000000,1000000,true,bid,0.29,10.5`,
      `here,${YES},1000000,1000000,true,ask,0.31,3`,
      `here,${NO},2000000,2000000,false,ask,0.7,0`,
    ]);
    expect(csv('trades')).toEqual([
      'exchange,symbol,timestamp,local_timestamp,id,side,price,amount',
      `here,${YES},3000000,3000000,,sell,0.29,0.000001`,
    ]);
    expect(result).toMatchObject({ bookRows: 3, trades: 1, badLines: 0 });
    expect(names.filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('has the same rows as Parquet, with types', async () => {
    const frames = [snapshot(1_000), delta(2_000), trade(3_000)];
    const { parquet } = await exported(files.write(frames, eventMeta()));
    const book = await parquet('incremental_book_L2');
    expect(book).toHaveLength(3);
    expect(book[2]).toEqual({
      ...{ exchange: 'here', symbol: NO, timestamp: new Date(2_000) },
      ...{ local_timestamp: new Date(2_000), is_snapshot: false, side: 'ask' },
      ...{ price: 0.7, amount: 0 },
    });
    expect(await parquet('trades')).toEqual([
      expect.objectContaining({ id: '', side: 'sell', price: 0.29, amount: 0.000001 }),
    ]);
  });

  it('says so where its folder is a file', async () => {
    const recording = files.write([snapshot(1_000)], eventMeta());
    const options = { formats: ['csv'], exchange: 'here', onProgress: () => {} } as const;
    const exporting = exportRecording({ recording, out: recording, ...options });
    await expect(exporting).rejects.toMatchObject({ code: 'settings.invalid' });
  });

  it('of raw market data has both times, and counts what cannot be read', async () => {
    const folder = raw('raw');
    const recorder = await recorderIn(folder);
    recorder.text(JSON.stringify([snapshot(8_990), trade(8_991)]));
    await recorder.close();
    writeFileSync(join(folder, '000002.ndjson.open'), 'no line\n');
    const { result, csv } = await exported(folder);
    expect(csv('incremental_book_L2')).toHaveLength(3);
    expect(csv('trades')[1]).toBe(`here,${YES},8991000,9000000,,sell,0.29,0.000001`);
    expect(result).toMatchObject({ bookRows: 2, trades: 1, badLines: 1 });
  });

  it('counts books and trades that cannot be read on the grid of their market', async () => {
    const folder = raw('grid');
    const recorder = await recorderIn(folder);
    recorder.text(JSON.stringify([snapshot(8_990), { ...trade(8_991), price: 0.295 }]));
    recorder.text(JSON.stringify({ ...delta(8_992), price: 0.705 }));
    await recorder.close();
    const { result } = await exported(folder);
    expect(result).toMatchObject({ bookRows: 2, trades: 0, badLines: 2 });
    expect(result.badLineExamples[0]).toMatch(/000001.ndjson.gz, line 2: .*0.295 on 0.01/);
  });

  it('begins with the books that a segment begins with, and has them again behind a hole alone', async () => {
    const folder = raw('hole');
    const books = () => [JSON.stringify(snapshot(8_999))];
    const recorder = await recorderIn(folder, { segmentBytesMax: 1, books });
    for (let ts = 8_990; ts < 8_995; ts += 1) recorder.text(JSON.stringify(delta(ts)));
    await recorder.close();
    // The first has nothing but its begin.
    for (const segment of [1, 2, 4]) rmSync(join(folder, `00000${segment}.ndjson.gz`));
    const { csv } = await exported(folder);
    const [, ...rows] = csv('incremental_book_L2').map((row) => row.split(','));
    const shown = rows.map(([, , ts, , isSnapshot]) => [Number(ts) / 1_000, isSnapshot]);
    const book = [8_999, 'true'];
    expect(shown).toEqual([
      ...[book, book, [8_991, 'false']],
      ...[book, book, [8_993, 'false'], [8_994, 'false']],
    ]);
  });
});

function raw(name: string): string {
  const folder = join(place, name);
  mkdirSync(folder);
  const { event } = eventMeta();
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ events: [event] }));
  return folder;
}

async function recorderIn(folder: string, more: Partial<MarketRecorderOptions> = {}) {
  return await openMarketRecorder({
    ...{ folder, bytesMax: 1e7, segmentBytesMax: 1e6, whenFull: 'drop', books: () => [] },
    ...{ nowMs: () => unixMs(9_000), ...more },
  });
}
