import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { profitOf } from '../../../src/backtest/fills.ts';
import { openRecordedWorld } from '../../../src/backtest/recorded-world.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { openMarketRecorder } from '../../../src/journal/market-recorder.ts';
import { openRecording, type Recording } from '../../../src/paper/crowd/recording.ts';
import {
  eventMeta,
  frame,
  hasRecordings,
  NO,
  recordingPath,
  TempRecordings,
  YES,
} from '../../support/temp-recording.ts';
import { recorded, runIn } from './support.ts';

const files = new TempRecordings();
afterAll(() => files.remove());

const START_MS = Date.UTC(2022, 6, 11, 10);

const HOUR_MS = 3_600_000;

/** Its later frames a week later. */
async function* late(recording: Recording): ReturnType<Recording['batches']> {
  for await (const { frames, ...batch } of recording.batches()) {
    const [first, ...rest] = frames;
    const later = rest.map((each) => ({ ...each, atMs: unixMs(each.atMs + 7 * 24 * HOUR_MS) }));
    yield { ...batch, frames: first === undefined ? [] : [first, ...later] };
  }
}

/** A book from 0.40 to 0.60, and a minute later a sale that sweeps its bids; it resolves for YES. */
function sweep(more: readonly (string | ReturnType<typeof frame.delta>)[] = []) {
  return [
    frame.snapshot(
      START_MS,
      [
        [0.4, 100],
        [0.39, 100],
      ],
      [[0.6, 100]],
    ),
    frame.delta(START_MS + 5_000, 'bid', 0.4, 101),
    ...more,
    frame.trade(START_MS + 60_000, 0.4, 300, 'SELL'),
    frame.delta(START_MS + 60_000, 'bid', 0.4, 0),
    frame.delta(START_MS + 70_000, 'bid', 0.38, 5),
  ];
}

/** In a folder of raw market data, which begins with both books at the same moment. */
async function runInFolder(
  record: (by: { text: (line: unknown) => void; pass: (ms: number) => void }) => void,
) {
  const folder = mkdtempSync(join(tmpdir(), 'bookend-folder-'));
  const { event } = eventMeta();
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ events: [event] }));
  let atMs: number = START_MS;
  const recorder = await openMarketRecorder({
    ...{ folder, bytesMax: 1e7, segmentBytesMax: 1e7, whenFull: 'drop', books: () => [] },
    nowMs: () => unixMs(atMs),
  });
  const text = (line: unknown) => recorder.text(JSON.stringify(line));
  for (const token of [YES, NO]) text(frame.snapshot(0, [[0.4, 100]], [[0.6, 100]], token));
  const pass = (ms: number) => {
    atMs += ms;
  };
  record({ text, pass });
  await recorder.close();
  const run = await runIn(await recorded(folder));
  rmSync(folder, { recursive: true });
  return run;
}

describe('a backtest on a recording', () => {
  it('fills quotes by recorded trades, and values what it holds by the outcome', async () => {
    const { total, frames, failure } = await runIn(await recorded(files.write(sweep())));
    expect(failure).toBeUndefined();
    expect(frames).toBe(5);
    // Bids at 0.48 and 0.47 in front of everybody; the ladder stands two ticks from the middle.
    expect(total).toMatchObject({ fills: 2, makerShares: 40, takerShares: 0, mark: 'settlement' });
    expect(total.pnlUsdc).toBeCloseTo(20 * (1 - 0.48) + 20 * (1 - 0.47), 6);
    expect(total.parts.spread).toBeCloseTo(20 * 0.02 + 20 * 0.03, 6);
  });

  it('starts before the first frame and quotes when it comes', async () => {
    const { fromMs, toMs } = await runIn(await recorded(files.write(sweep())));
    expect([fromMs, toMs]).toEqual([START_MS, START_MS + 70_000]);
  });

  it('waits behind the displayed size where only trades bring an order forward', async () => {
    // Joins at 0.40 behind 100; 90 of them are cancelled; then 60 trade there.
    const lines = [
      frame.snapshot(START_MS, [[0.4, 100]], [[0.44, 100]]),
      frame.delta(START_MS + 20_000, 'bid', 0.4, 10),
      frame.trade(START_MS + 60_000, 0.4, 60, 'SELL'),
      frame.delta(START_MS + 61_000, 'bid', 0.38, 5),
    ];
    const path = files.write(lines);
    const run = async (queue: 'conservative' | 'optimistic') =>
      await runIn(await recorded(path), { conditions: { queue }, params: { levels: 1 } });
    expect((await run('conservative')).total.fills).toBe(0);
    const { total, markets } = await run('optimistic');
    expect(total.makerShares).toBe(20);
    expect(markets[0]?.queue.map(({ ahead, shares }) => [ahead, shares])).toEqual([
      ['up to 200', 20],
    ]);
  });

  it('skips a bad line, however long, and counts it', async () => {
    const lines = sweep(['{ no frame', `"${'x'.repeat(5_000_000)}"`]);
    const { badLines, badLineExamples, frames, total } = await runIn(
      await recorded(files.write(lines)),
    );
    expect([badLines, frames, total.fills]).toEqual([2, 5, 2]);
    expect(badLineExamples[0]).toMatch(/^line 3: /);
  });

  it('ends where a damaged file ends, and says so', async () => {
    const whole = gunzipSync(readFileSync(files.write(sweep())));
    const packed = gzipSync(Buffer.concat(Array.from({ length: 200 }, () => whole)));
    const path = files.writeRaw(packed.subarray(0, packed.length - 20), undefined);
    const meta = files.write(sweep()).replace(/\.ndjson\.gz$/, '.meta.json');
    writeFileSync(path.replace(/\.ndjson\.gz$/, '.meta.json'), readFileSync(meta));
    const { failure } = await runIn(await recorded(path));
    expect(failure).toMatch(/a recording is not usable: .*unexpected end of file/);
  });

  it('goes on past a date that is far off, which no clock is to follow', async () => {
    const lines = sweep([
      frame.delta(9_000_000_000_000, 'bid', 0.4, 102),
      frame.delta(START_MS - 90 * 60_000, 'bid', 0.4, 103),
    ]);
    const { badLines, badLineExamples, frames, toMs } = await runIn(
      await recorded(files.write(lines)),
    );
    expect([badLines, frames, toMs]).toEqual([2, 5, START_MS + 70_000]);
    expect(badLineExamples[0]).toMatch(
      /^line 3: has the ts 9000000000000: must be from 1 h before to 7 days after/,
    );
  });

  it.each([
    ['before the first of all', 0, START_MS - 40 * 365 * 86_400_000],
    ['two hours ahead', 2, START_MS + 2 * 3_600_000],
    ['six days ahead', 2, START_MS + 6 * 86_400_000],
  ])('loses no other frame to one that is dated %s', async (_, at, atMs) => {
    const lines = sweep().toSpliced(at, 0, frame.delta(atMs, 'bid', 0.4, 102));
    const { badLines, frames, fromMs, toMs } = await runIn(await recorded(files.write(lines)));
    expect([badLines, frames, fromMs, toMs]).toEqual([1, 5, START_MS, START_MS + 70_000]);
  });

  it('goes on behind a clock that was set back by hours, and plays them in no single moment', async () => {
    const [book, ...rest] = sweep();
    const ahead = [0, 1_000].map((ms) =>
      frame.delta(START_MS + 2 * HOUR_MS + ms, 'bid', 0.39, 100 + ms),
    );
    const lines = [...ahead, ...(book === undefined ? [] : [book]), ...rest];
    const { fromMs, toMs, frames, total } = await runIn(await recorded(files.write(lines)));
    expect([frames, toMs - fromMs]).toEqual([7, 71_000]);
    expect(total.fills).toBe(2);
  });

  it('makes up no silence where books alone are dated back, as they had long stood still', async () => {
    const atMs = START_MS - 5 * HOUR_MS;
    const levels = [[[0.4, 101]], [[0.6, 100]]] as const;
    const books = [frame.snapshot(atMs, ...levels), frame.snapshot(atMs, [], [[0.6, 101]], NO)];
    const { fromMs, toMs, badLines } = await runIn(await recorded(files.write(sweep(books))));
    expect([badLines, toMs - fromMs]).toEqual([0, 70_000]);
  });

  it('follows a silence of more than an hour, whose end is its end', async () => {
    const later = frame.delta(START_MS + 90 * 60_000, 'bid', 0.4, 102);
    const { badLines, frames, toMs } = await runIn(
      await recorded(files.write([...sweep(), later])),
    );
    expect([badLines, frames, toMs]).toEqual([0, 6, START_MS + 90 * 60_000]);
  });

  it.each([
    ['without a frame', [], undefined, /no frame could be read/],
    ['of noise', ['{ no frame'], undefined, /no frame could be read/],
    [
      'that ends before the start',
      sweep(),
      unixMs(START_MS + 80_000),
      /last frame is of 2022-07-11T10:01:10.000Z, before the start/,
    ],
  ])('fails on one %s', async (_, lines, from, failure) => {
    const recording = await openRecording(files.write(lines));
    const result = await runIn(await openRecordedWorld(recording, from));
    expect(result.failure).toMatch(failure);
    expect(result.total.fills).toBe(0);
  });

  it('tells how far it is hour by hour in a long silence, and ends before one of more than a week', async () => {
    const path = files.write([
      frame.snapshot(START_MS, [[0.4, 100]], [[0.6, 100]]),
      frame.delta(START_MS + 5 * HOUR_MS, 'bid', 0.4, 101),
    ]);
    const told: number[] = [];
    const onProgress = ({ atMs }: { readonly atMs: number }) =>
      void told.push((atMs - START_MS) / HOUR_MS);
    const { failure } = await runIn(await recorded(path), { onProgress });
    expect(failure).toBeUndefined();
    expect(told).toEqual([1, 2, 3, 4, 5]);
    // As of a folder, which was recorded to now and then.
    const recording = await openRecording(path);
    const silent = await openRecordedWorld(
      { ...recording, batches: () => late(recording) },
      undefined,
    );
    const result = await runIn(silent);
    expect(result.failure).toContain(
      'nothing was recorded from 2022-07-11T10:00:00.000Z to 2022-07-18T15:00:00.000Z, more than a week; --from 2022-07-18T15:00:00.000Z plays what comes after it',
    );
  });

  it('fails where a damaged file ends before the start, with its line', async () => {
    const path = files.write(sweep());
    const packed = gzipSync(`${JSON.stringify(sweep()[0])}\n`);
    writeFileSync(path, packed.subarray(0, packed.length - 9));
    const recording = await openRecording(path);
    const { failure } = await runIn(await openRecordedWorld(recording, unixMs(START_MS + 60_000)));
    expect(failure).toMatch(/line 2: unexpected end of file/);
  });

  it('begins at its start with the books that were built before', async () => {
    const recording = await openRecording(files.write(sweep()));
    const from = unixMs(START_MS + 30_000);
    const { fromMs, frames, total } = await runIn(await openRecordedWorld(recording, from));
    expect([fromMs, frames, total.fills]).toEqual([START_MS + 60_000, 5, 2]);
  });

  it('counts an outcome that becomes known within a minute of a fill as no adverse selection', async () => {
    const { total } = await runIn(await recorded(files.write(sweep())));
    expect(total.parts.adverse[2]).toBe(0);
    const held = 40;
    // From the last middle, 0.495 of what is left, to the outcome.
    expect(total.parts.inventory).toBeGreaterThan(held * 0.45);
    expect(profitOf(total.parts)).toBeCloseTo(total.pnlUsdc, 9);
  });

  it('goes on in a folder where the tick size of a market changes, however many of its frames are lost', async () => {
    const { failure, badLines, toMs } = await runInFolder(({ text, pass }) => {
      for (let ms = 0; ms < 60_000; ms += 300, pass(300)) text(frame.delta(0, 'bid', 0.405, 100));
      text(frame.trade(0, 0.405, 100));
    });
    expect([failure, badLines]).toEqual([undefined, 201]);
    expect(toMs).toBe(START_MS);
  });

  it('reads many frames that are lost in hardly more time than as many others', async () => {
    const cpuOf = async (price: number) => {
      const before = process.cpuUsage();
      await runInFolder(({ text }) => {
        for (let size = 1; size <= 40_000; size += 1) text(frame.delta(0, 'bid', price, size));
      });
      return process.cpuUsage(before).user / 1e6;
    };
    const readable = await cpuOf(0.4);
    expect(await cpuOf(0.405)).toBeLessThan(2 * readable + 1);
  }, 120_000);

  it('plays no minutes in one moment where the clock of whoever recorded was set back by some', async () => {
    const { fromMs, toMs, frames } = await runInFolder(({ text, pass }) => {
      for (let sec = 0; sec < 60; sec += 1, pass(1_000)) text(frame.delta(0, 'bid', 0.4, sec + 1));
      pass(-20 * 60_000);
      for (let sec = 0; sec < 1_200; sec += 1, pass(1_000))
        text(frame.delta(0, 'bid', 0.4, sec + 200));
    });
    expect([frames, toMs - fromMs]).toEqual([1_266, 59_000 + 1_199_000]);
  });

  it('plays a real recording to its end', async (context) => {
    if (!hasRecordings()) context.skip();
    const run = await runIn(await recorded(recordingPath('betfair-greyhound-win-2022')));
    expect(run.failure).toBeUndefined();
    expect(run.frames).toBe(8_141);
    expect(run.badLines).toBe(0);
    expect(run.markets).toHaveLength(6);
    expect(run.total.fills).toBeGreaterThan(10);
    expect(run.total.mark).toBe('settlement');
  });
});
