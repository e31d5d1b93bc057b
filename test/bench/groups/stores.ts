// What holds books: a snapshot of 200 levels from its bytes to its book, and ten thousand books in no order.

import { BookMirror } from '../../../src/core/book/mirror.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { FastSnapshotReader } from '../../../src/wire/fast-snapshot.ts';
import type { TokenLookup } from '../../../src/wire/tokens.ts';
import { seeded } from '../../support/generated-frames.ts';
import { idText } from '../rig/desk.ts';
import { inProcesses } from '../rig/processes.ts';
import { byItself, check, type GroupResult, type RunOptions } from '../rig/report.ts';

const GRID = tickGrid('0.001');
const CENTS = tickGrid('0.01');
const SIDE_LEVELS = 100;
const SNAPSHOTS = 200;
const BOOKS = 10_000;
const UPDATES = 20_000;
/** Of a side in the slab: one for each legal price, from 0 on. */
const SIDE = 100;
const LOOKUP: TokenLookup = { gridOf: () => GRID, tokensOf: () => [] };

export function stores({ isShort }: RunOptions): GroupResult {
  const names = ['snapshot', 'snapshot least', 'random', 'random least'] as const;
  const times = inProcesses('stores', names, { isShort });
  const snapshot = { ours: times.snapshot, least: times['snapshot least'] };
  const random = { ours: times.random, least: times['random least'] };
  return {
    title: 'what holds books, processes of their own',
    head: ['work', 'ours', 'least', 'ratio'],
    rows: [
      [`snapshot of ${2 * SIDE_LEVELS} levels → book, least: a scan of its bytes`, ...us(snapshot)],
      [`update of one of ${BOOKS} books, least: one slab`, ...us(random)],
    ],
    ratios: [
      { name: 'stores.snapshot', value: snapshot.ours / snapshot.least, aimMax: 2 },
      { name: 'stores.random', value: random.ours / random.least, aimMax: 1 },
    ],
  };
}

/** In ms, of one. */
type Times = { readonly ours: number; readonly least: number };

function us({ ours, least }: Times): readonly string[] {
  const text = (ms: number) => `${(ms * 1e3).toPrecision(3)} µs`;
  return [text(ours), text(least), (ours / least).toFixed(2)];
}

/** In ms, of one snapshot or one update. */
export function alone(name: string, isShort: boolean): number {
  const [work, side = 'ours'] = name.split(' ');
  check(work === 'snapshot' || work === 'random', `there is work ${name}`);
  const isOurs = side === 'ours';
  return work === 'snapshot' ? snapshots(isOurs, isShort) : randomBooks(isOurs, isShort);
}

function snapshots(isOurs: boolean, isShort: boolean): number {
  const frames = Array.from({ length: SNAPSHOTS }, (_, at) => Buffer.from(snapshotText(at)));
  const mirror = new BookMirror(GRID, 1_000);
  const reader = new FastSnapshotReader(LOOKUP);
  let seen = 0;
  const read = (): void => {
    for (const bytes of frames) {
      const message = reader.read(bytes);
      if (message === undefined) throw new Error('a snapshot is read as one');
      mirror.onSnapshot(message, unixMs(0));
      seen += mirror.best('bid') ?? 0;
    }
  };
  const scan = (): void => {
    for (const bytes of frames) {
      // A sum of its own for each: one that outgrows a small integer is a new object with every byte.
      let sum = 0;
      for (let at = 0; at < bytes.length; at += 1) sum += bytes[at] ?? 0;
      seen += sum % 7;
    }
  };
  const run = isOurs ? read : scan;
  const ms = byItself({ run }, isShort ? 2 : 100);
  check(seen > 0, 'snapshots are read');
  return ms / SNAPSHOTS;
}

function snapshotText(at: number): string {
  const side = (best: number, away: number) =>
    Array.from({ length: SIDE_LEVELS }, (_, level) => ({
      price: (best + level * away) / 1_000,
      size: 1 + ((level * 7 + at) % 900),
    }));
  const levels = { bids: side(480, -1), asks: side(520, 1) };
  return JSON.stringify({ type: 'orderbook.snapshot', marketId: idText(1), levels, ts: 1 + at });
}

type Update = { readonly book: number; readonly price: number; readonly size: number };

function randomBooks(isOurs: boolean, isShort: boolean): number {
  const count = isShort ? 100 : BOOKS;
  const random = seeded(11);
  const updates = Array.from({ length: UPDATES }, (): Update => {
    const price = 20 + Math.floor(random() * 20);
    const size = 1 + Math.floor(random() * 500);
    return { book: Math.floor(random() * count), price, size };
  });
  const mirrors = Array.from({ length: isOurs ? count : 0 }, () => startedMirror());
  const slab = new Float64Array(2 * SIDE * count);
  const best = new Uint16Array(2 * count).fill(40);
  let atMs = 1;
  let seen = 0;
  const ours = (): void => {
    for (const { book, price, size } of updates) {
      atMs += 1;
      const mirror = mirrors[book];
      const change = { price: ticks(CENTS, price), size: shares(size), venueTs: undefined };
      mirror?.onDelta({ side: 'bid', ...change }, unixMs(atMs));
      seen += mirror?.best('bid') ?? 0;
    }
  };
  const least = (): void => {
    for (const { book, price, size } of updates) {
      slab[book * 2 * SIDE + price] = size;
      const held = best[book * 2] ?? 0;
      if (price > held) best[book * 2] = price;
      seen += held;
    }
  };
  const ms = byItself({ run: isOurs ? ours : least }, isShort ? 2 : 60);
  check(seen > 0, 'books are read');
  return ms / UPDATES;
}

function startedMirror(): BookMirror {
  const mirror = new BookMirror(CENTS, 1_000);
  const level = { price: ticks(CENTS, 40), size: shares(5) };
  mirror.onSnapshot({ bids: [level], asks: [], venueTs: undefined }, unixMs(0));
  return mirror;
}
