import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import {
  frame,
  hasRecordings,
  recordingPath,
  TempRecordings,
} from '../../support/temp-recording.ts';
import { recorded, runIn } from './support.ts';

const files = new TempRecordings();
afterAll(() => files.remove());

const START_MS = Date.UTC(2022, 6, 11, 10);

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
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path.replace(/\.ndjson\.gz$/, '.meta.json'), readFileSync(meta));
    const { failure } = await runIn(await recorded(path));
    expect(failure).toMatch(/a recording is not usable: .*unexpected end of file/);
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
