// Recordings made up in a temporary folder, and the real ones beside the project.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const RECORDINGS = [
  'betfair-cricket-2022',
  'betfair-horse-place-2021',
  'betfair-greyhound-win-2022',
  'polymarket-bbo-2026-07',
  'loadtest-binance-2024',
] as const;

export type RecordingName = (typeof RECORDINGS)[number];

/** Path of a real recording's file, relative to the project's root. */
export function recordingPath(name: string, suffix = '.ndjson.gz'): string {
  return join('..', 'shared', 'data', `${name}${suffix}`);
}

/** False, with a loud word, where the recordings do not lie beside the project. */
export function hasRecordings(): boolean {
  const missing = RECORDINGS.filter((name) => !existsSync(recordingPath(name)));
  if (missing.length === 0) return true;
  process.emitWarning(
    `tests of recordings are skipped: ${missing.join(', ')} not in ../shared/data`,
  );
  return false;
}

export const YES = `0x${'a1'.repeat(32)}`;
export const NO = `0x${'b2'.repeat(32)}`;

/** A meta file of one event with one market in the venue's own shape. */
export function eventMeta(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const outcome = (name: string, tokenId: string, outcomeIndex: number) => ({
    id: `out-${name}`,
    name,
    tokenId,
    outcomeIndex,
  });
  return {
    event: {
      id: 'event-1',
      slug: 'rain',
      title: 'Rain?',
      category: 'weather',
      marketType: 'CTF',
      status: 'open',
      tickSize: '0.01',
      expiryTime: '2022-07-11T11:00:00.000Z',
      markets: [
        {
          id: 'market-1',
          title: null,
          status: 'open',
          enableOrderBook: true,
          // Array order says nothing: NO stands first.
          outcomes: [outcome('no', NO, 0), outcome('YES', YES, 1)],
        },
      ],
    },
    winningTokenIds: [YES],
    ...more,
  };
}

export type Line = Readonly<Record<string, unknown>> | string;

/** Frames of one binary market, short to write. */
export const frame = {
  snapshot: (ts: number, bids: readonly Level[], asks: readonly Level[], marketId = YES): Line => ({
    type: 'orderbook.snapshot',
    marketId,
    levels: { bids: bids.map(level), asks: asks.map(level) },
    ts,
  }),
  delta: (ts: number, side: string, price: number, size: number, marketId = YES): Line => ({
    type: 'orderbook.delta',
    ...{ marketId, side, price, size, ts },
  }),
  trade: (ts: number, price: number, size: number, side = 'BUY', tokenId = YES): Line => ({
    type: 'trade.executed',
    ...{ tokenId, price, size, side, ts },
  }),
  status: (ts: number, status: string, marketId = YES): Line => ({
    type: 'market.status_update',
    ...{ marketId, status, ts },
  }),
};

type Level = readonly [price: number, size: number];

function level([price, size]: Level) {
  return { price, size };
}

/** Files of made-up recordings; `remove` takes them all away. */
export class TempRecordings {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bookend-recording-'));
  #count = 0;

  /** Writes frames and meta, and returns the path of the frames. */
  write(lines: readonly Line[], meta: unknown = eventMeta(), suffix = '.ndjson.gz'): string {
    const texts = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    const text = texts.map((each) => `${each}\n`).join('');
    const bytes = suffix.endsWith('.gz') ? gzipSync(text) : Buffer.from(text);
    return this.writeRaw(bytes, typeof meta === 'string' ? meta : JSON.stringify(meta), suffix);
  }

  writeRaw(frames: Buffer, meta: string | undefined, suffix = '.ndjson.gz'): string {
    this.#count += 1;
    const name = join(this.#folder, `made-up-${this.#count}`);
    writeFileSync(`${name}${suffix}`, frames);
    if (meta !== undefined) writeFileSync(`${name}.meta.json`, meta);
    return `${name}${suffix}`;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
