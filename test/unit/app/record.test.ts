import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openMarketTap } from '../../../src/app/market-tap.ts';
import { type RecordOptions, startRecording } from '../../../src/app/record.ts';
import { strategiesFor } from '../../../src/app/strategies.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import type { RecordedFrame } from '../../../src/paper/crowd/recorded-frame.ts';
import { openRecording } from '../../../src/paper/crowd/recording.ts';
import { startPaperVenue } from '../../../src/paper/server.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import { listedEvent } from '../../support/listed-event.ts';

const EVENT = listedEvent('rain', 2);
const [MARKET, OTHER] = EVENT.markets;
if (MARKET === undefined || OTHER === undefined) throw new Error('two markets');
const YES = MARKET.yes.tokenId;
const shares = (count: number) => microShares(count * 1_000_000);
const at = (price: number) => ticks(EVENT.grid, price);

/** Texts of a connection at its begin: `connected`, a `pong`, and the snapshots of two markets. */
const HELLO = 6;

const place = mkdtempSync(join(tmpdir(), 'bookend-record-'));
afterAll(() => rmSync(place, { recursive: true }));
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

async function start(name: string, more: Partial<RecordOptions> = {}) {
  const real = await startPaperVenue({ events: [EVENT], sockets: { deltaFlushMs: 5 } });
  running.push(real);
  const requests = vi.spyOn(real.gate, 'handle');
  for (const { yes, no } of EVENT.markets) {
    real.desk.setRecordedLevel(yes.tokenId, 'bid', at(40), shares(100));
    real.desk.setRecordedLevel(yes.tokenId, 'ask', at(60), shares(12.34));
    real.desk.setRecordedLevel(no.tokenId, 'bid', at(35), shares(100));
  }
  const file = 'config/paper.yaml';
  const base = await loadSettings({ file, env: {}, strategies: await strategiesFor(file) });
  const clock = systemClock();
  const folder = join(place, name);
  const log = { info: () => {}, warn: () => {} };
  const recording = await startRecording({
    ...{ folder, clock, timers: clock, log, bytesMax: 50_000_000, whenFull: 'drop' },
    settings: { ...base, venue: { ...base.venue, baseUrl: real.baseUrl, wsUrl: real.wsUrl } },
    ...{ events: [EVENT.slug], marketsMax: 10, onLost: () => {} },
    ...more,
  });
  running.push(recording);
  return { real, recording, folder, requests };
}

/** The frames of the recording of what has been recorded so far. */
async function framesIn(folder: string): Promise<readonly RecordedFrame[]> {
  const frames: RecordedFrame[] = [];
  for await (const batch of (await openRecording(folder)).batches()) {
    expect(batch.badLines).toEqual([]);
    frames.push(...batch.frames);
  }
  return frames;
}

async function until(holds: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(holds()).toBe(true), { timeout: 20_000, interval: 10 });
}

const statuses = (frames: readonly RecordedFrame[]) =>
  frames.flatMap((frame) =>
    frame.kind === 'status' && frame.tokenId === YES ? [frame.status] : [],
  );

describe('a recording of a venue', () => {
  it('is played as its books and trades were, without an account and without a write', async () => {
    const { real, recording, folder, requests } = await start('plain');
    await until(() => recording.stats().texts >= HELLO);
    real.desk.setRecordedLevel(YES, 'bid', at(41), shares(7));
    real.desk.printRecordedTrade(YES, at(41), shares(3), 'SELL');
    await until(() => recording.stats().texts >= HELLO + 2);
    await recording.stop();
    const played = await openRecording(folder);
    expect(played.events.map(({ slug, markets }) => [slug, markets.length])).toEqual([['rain', 2]]);
    const frames = await framesIn(folder);
    expect(statuses(frames)).toEqual(['paused', 'open']);
    const ofYes = frames.filter((frame) => frame.tokenId === YES && frame.kind !== 'status');
    expect(ofYes.map(({ atMs: _, tokenId: __, ...rest }) => rest)).toEqual(
      expect.arrayContaining([
        { kind: 'delta', side: 'bid', price: 40, size: shares(100) },
        { kind: 'delta', side: 'ask', price: 60, size: shares(12.34) },
        { kind: 'delta', side: 'bid', price: 41, size: shares(7) },
        { kind: 'trade', price: 41, size: shares(3), takerSide: 'SELL' },
      ]),
    );
    expect(requests.mock.calls.filter(([{ method }]) => method !== 'GET')).toEqual([]);
  });

  it('pauses where the socket was lost, until both books have come anew', async () => {
    const { real, recording, folder } = await start('gap');
    await until(() => recording.stats().texts >= HELLO);
    real.dropSockets();
    real.desk.setRecordedLevel(YES, 'bid', at(40), shares(0));
    await until(() => recording.stats().texts >= 2 * HELLO);
    await recording.stop();
    expect(recording.stats().gaps).toBe(1);
    const frames = await framesIn(folder);
    expect(statuses(frames)).toEqual(['paused', 'open', 'paused', 'open']);
    const removal = frames.findLastIndex(({ kind }) => kind === 'status');
    expect(frames.slice(0, removal)).toContainEqual(
      expect.objectContaining({ tokenId: YES, side: 'bid', price: 40, size: 0 }),
    );
  });

  it('goes on in the same folder, and never with the data of another venue', async () => {
    const first = await start('again', { marketsMax: 1 });
    await until(() => first.recording.stats().texts >= 3);
    expect(first.recording.marketsLeftOut).toBe(1);
    await first.recording.stop();
    expect((await openRecording(first.folder)).events[0]?.markets).toHaveLength(1);
    await expect(start('again')).rejects.toThrow(`has a recording of ${first.real.baseUrl}`);
  });

  it('plays a market that its event had not at first', async () => {
    const clock = systemClock();
    const folder = join(place, 'grown');
    const of = { folder, clock, bytesMax: 50_000_000, whenFull: 'drop', venue: 'v' } as const;
    const listings = [{ ...EVENT, markets: [MARKET] }, EVENT];
    for (const event of listings) {
      const tap = await openMarketTap({ ...of, onLost: () => {} });
      tap.listed([event]);
      const levels = { bids: [{ price: 0.4, size: 5 }], asks: [] };
      for (const { yes } of event.markets) {
        const book = { type: 'orderbook.snapshot', marketId: yes.tokenId, levels, ts: 1 };
        tap.onText(JSON.stringify(book));
      }
      await tap.close();
    }
    expect((await openRecording(folder)).events[0]?.markets).toHaveLength(2);
    const tokens = new Set((await framesIn(folder)).map(({ tokenId }) => tokenId));
    expect([...tokens]).toEqual(expect.arrayContaining([YES, OTHER.yes.tokenId]));
  });

  it('refuses a folder that another recorder writes', async () => {
    const { folder } = await start('busy');
    await expect(start('busy')).rejects.toThrow('another instance holds this journal');
    expect(folder).toBe(join(place, 'busy'));
  });
});
