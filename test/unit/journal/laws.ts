// What holds for a journal whatever happens to it: each law by itself, so that it can be put to a journal with a
// bug in it as well.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { expect } from 'vitest';
import { intentId, marketId, orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, StoredOrder } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { type UnixMs, unixMs } from '../../../src/domain/time.ts';
import type * as Latches from '../../../src/journal/latch.ts';
import type * as KeptStops from '../../../src/journal/ledger/kept-stops.ts';
import type * as Ledgers from '../../../src/journal/ledger/ledger.ts';
import type * as Locks from '../../../src/journal/lock.ts';
import { CutDisk } from '../../support/cut-disk.ts';
import { leftBehind } from './support.ts';

/** The doors of a journal. */
export type Journal = Pick<typeof Ledgers, 'openLedger'> &
  Pick<typeof KeptStops, 'stricterStops'> &
  Pick<typeof Latches, 'readLatch' | 'setLatch'> &
  Pick<typeof Locks, 'lockJournal'>;

export type Law = (journal: Journal, folder: string) => Promise<void>;

const NOW = unixMs(1_800_000_000_000);
const HOUR_MS = 3_600_000;
/** Hashes of ended orders that a start is reported. */
const HASHES_MAX = 20_000;
const clockAt = (nowMs: UnixMs) => ({ nowMs: () => nowMs });
const clock = clockAt(NOW);

const cash = (cashNano: number): LedgerRecord => ({ kind: 'cash', cashNano, atMs: NOW });

function order(name: string, change: Partial<StoredOrder> = {}): LedgerRecord {
  const stored: StoredOrder = {
    intentId: intentId(name),
    marketId: marketId('m-1'),
    tokenId: tokenId('0x01'),
    leg: 'yes',
    side: 'BUY',
    price: ticks(tickGrid('0.01'), 48),
    ticksPerUnit: 100,
    quantity: shares(50),
    sentAtMs: NOW,
    settingsVersion: 'abc',
    isExternal: false,
    orderHash: undefined,
    state: 'intended',
    stateSinceMs: NOW,
    executed: shares(0),
    confirmedAtMs: undefined,
    ...change,
  };
  return { kind: 'order', order: stored };
}

async function refusal(opening: Promise<Ledgers.Ledger>): Promise<string> {
  return await opening.then(
    (ledger) => {
      ledger.close();
      return 'it was opened';
    },
    (error: unknown) => String(error),
  );
}

/** Puts another file in the place of a ledger. */
function putInPlace(file: string, by: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  writeFileSync(file, readFileSync(by));
}

async function written(journal: Journal, path: string): Promise<Ledgers.Ledger> {
  const ledger = await journal.openLedger({ path, clock });
  ledger.commit([cash(1), order('a', { state: 'resting' })]);
  return ledger;
}

/** The orders of a ledger as somebody finds it who opens it. */
async function ordersIn(journal: Journal, path: string): Promise<readonly string[]> {
  const ledger = await journal.openLedger({ path, clock });
  const orders = ledger.load().orders.map(({ intentId: name }) => String(name));
  ledger.close();
  return orders.toSorted();
}

/** The same, of the one on a disk whose power is cut now. */
async function ordersAfter(journal: Journal, disk: CutDisk): Promise<readonly string[]> {
  return await ordersIn(journal, join(disk.cut().folder, 'l.db'));
}

async function synced(ledger: Ledgers.Ledger): Promise<void> {
  const fault = await new Promise<Error | undefined>((resolve) => ledger.sync(resolve));
  expect(fault).toBeUndefined();
}

export const LAWS = {
  'a commit outlives a power cut a moment later, and nothing is taken for damaged': async (
    journal,
    folder,
  ) => {
    const disk = CutDisk.make(folder);
    try {
      const ledger = await journal.openLedger({ path: join(disk.folder, 'l.db'), clock });
      for (const amount of [1, 2, 3]) {
        ledger.commit([cash(amount), order(`o-${amount}`, { state: 'resting' })]);
        const after = await journal.openLedger({ path: join(disk.cut().folder, 'l.db'), clock });
        expect(after.load()).toMatchObject({ cashNano: amount });
        expect(after.load().orders).toHaveLength(amount);
        after.close();
      }
      ledger.close();
    } finally {
      disk.end();
    }
  },

  'what is written outlives the process, and a power cut once it is synced': async (
    journal,
    folder,
  ) => {
    const disk = CutDisk.make(folder);
    try {
      const path = join(disk.folder, 'l.db');
      const ledger = await written(journal, path);
      ledger.write([order('b', { state: 'resting' })]);
      // Whatever else the system has brought to the disk meanwhile, the mark tells of nothing that may not be there.
      execFileSync('sync', [`${path}.mark`]);
      expect((await ordersAfter(journal, disk)).slice(0, 1)).toEqual(['a']);
      expect(await ordersIn(journal, leftBehind(path))).toEqual(['a', 'b']);
      await synced(ledger);
      expect(await ordersAfter(journal, disk)).toEqual(['a', 'b']);
      // What is committed is on the disk, and with it all that was written before.
      ledger.write([order('c', { state: 'resting' })]);
      ledger.commit([cash(2)]);
      expect(await ordersAfter(journal, disk)).toEqual(['a', 'b', 'c']);
      ledger.close();
    } finally {
      disk.end();
    }
  },

  'whole commits outlive a power cut while the log is moved into the data': async (
    journal,
    folder,
  ) => {
    const disk = CutDisk.make(folder);
    try {
      const ledger = await journal.openLedger({ path: join(disk.folder, 'l.db'), clock });
      for (let count = 1; count <= 60; count += 1) {
        // More than the log holds between two moves, and never the same pages.
        const much = { kind: 'memory', key: `k-${count % 7}`, memory: `${count}`.repeat(150_000) };
        ledger.write([much as LedgerRecord, cash(count)]);
      }
      ledger.commit([cash(61)]);
      const after = await journal.openLedger({ path: join(disk.cut().folder, 'l.db'), clock });
      expect(after.load().cashNano).toBe(61);
      after.close();
      ledger.close();
    } finally {
      disk.end();
    }
  },

  'a run that a power cut may have cost its last words is known by it, and no other': async (
    journal,
    folder,
  ) => {
    const path = join(folder, 'l.db');
    const boot = { id: 'one', atMs: NOW };
    const next = { id: 'two', atMs: unixMs(NOW + HOUR_MS) };
    const cutBefore = async (at: string, of: typeof boot): Promise<UnixMs | undefined> => {
      const later = await journal.openLedger({ path: at, clock, boot: of });
      later.close();
      return later.cutBeforeMs;
    };
    const ledger = await journal.openLedger({ path, clock, boot });
    ledger.commit([cash(1)]);
    const committed = leftBehind(path);
    ledger.write([cash(2)]);
    const early = leftBehind(path);
    const killed = leftBehind(path);
    ledger.close();
    expect(await cutBefore(committed, next)).toBeUndefined();
    expect(await cutBefore(early, next)).toBe(next.atMs);
    expect(await cutBefore(killed, boot)).toBeUndefined();
    expect(await cutBefore(path, next)).toBeUndefined();
  },

  'a power cut is over once a start has done what it asks, also where nothing is written ahead of the disk':
    async (journal, folder) => {
      const path = join(folder, 'l.db');
      const next = { id: 'two', atMs: unixMs(NOW + HOUR_MS) };
      const ledger = await journal.openLedger({ path, clock, boot: { id: 'one', atMs: NOW } });
      ledger.write([cash(1)]);
      const cut = leftBehind(path);
      ledger.close();
      const first = await journal.openLedger({ path: cut, clock, boot: next });
      expect(first.cutBeforeMs).toBe(next.atMs);
      first.endCut();
      first.close();
      const second = await journal.openLedger({ path: cut, clock, boot: next });
      second.close();
      expect(second.cutBeforeMs).toBeUndefined();
    },

  'a start behind a power cut takes back no word of what it has written ahead of the disk itself':
    async (journal, folder) => {
      const path = join(folder, 'l.db');
      const next = { id: 'two', atMs: unixMs(NOW + HOUR_MS) };
      const ledger = await journal.openLedger({ path, clock, boot: { id: 'one', atMs: NOW } });
      ledger.write([cash(1)]);
      const cut = leftBehind(path);
      ledger.close();
      const start = await journal.openLedger({ path: cut, clock, boot: next });
      start.write([cash(2)]);
      start.endCut();
      const third = { id: 'three', atMs: NOW };
      const later = await journal.openLedger({ path: leftBehind(cut), clock, boot: third });
      later.close();
      start.close();
      expect(later.cutBeforeMs).toBe(NOW);
    },

  'stops outlive a power cut in both places': async (journal, folder) => {
    const disk = CutDisk.make(folder);
    try {
      const ledger = await journal.openLedger({ path: join(disk.folder, 'l.db'), clock });
      ledger.commit([{ kind: 'pause', pause: { by: 'somebody', sinceMs: NOW } }]);
      const after = await journal.openLedger({ path: join(disk.cut().folder, 'l.db'), clock });
      expect([after.load().pause?.by, after.keptStops()?.pause?.by]).toEqual([
        'somebody',
        'somebody',
      ]);
      after.close();
      ledger.close();
    } finally {
      disk.end();
    }
  },

  'a disk that is full takes nothing, damages nothing, and is written again when it has room':
    async (journal, folder) => {
      const disk = CutDisk.make(folder);
      try {
        const path = join(disk.folder, 'l.db');
        const ledger = await written(journal, path);
        const ballast = join(disk.folder, 'ballast');
        spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']);
        const much = { kind: 'memory', key: 'much', memory: 'x'.repeat(6_000_000) } as const;
        const pause = { kind: 'pause', pause: { by: 'somebody', sinceMs: NOW } } as const;
        expect(() => ledger.commit([order('b'), pause, much])).toThrow(/cannot be written/);
        rmSync(ballast);
        ledger.commit([cash(5), pause]);
        ledger.close();
        const next = await journal.openLedger({ path, clock });
        expect(next.load()).toMatchObject({ cashNano: 5, pause: { by: 'somebody' }, memories: {} });
        next.close();
      } finally {
        disk.end();
      }
    },

  'of ended orders the oldest are forgotten': async (journal, folder) => {
    const ledger = await journal.openLedger({ path: join(folder, 'l.db'), clock });
    const hashOf = (at: number) => orderHash(`0x${at.toString(16).padStart(8, '0')}`);
    const ended = Array.from({ length: HASHES_MAX + 1 }, (_, at) =>
      order(`o-${at}`, {
        state: 'cancelled',
        orderHash: hashOf(at),
        stateSinceMs: unixMs(NOW - HASHES_MAX + at),
      }),
    );
    ledger.commit(ended);
    const { endedHashes } = ledger.load();
    expect([endedHashes?.length, endedHashes?.at(0), endedHashes?.at(-1)]).toEqual([
      HASHES_MAX,
      hashOf(1),
      hashOf(HASHES_MAX),
    ]);
    ledger.close();
  },

  'a ledger that lacks its latest commit is damaged': async (journal, folder) => {
    const ledger = await written(journal, join(folder, 'l.db'));
    const before = leftBehind(join(folder, 'l.db'));
    ledger.commit([cash(2)]);
    const left = leftBehind(join(folder, 'l.db'));
    ledger.close();
    writeFileSync(left, readFileSync(before));
    writeFileSync(`${left}-wal`, readFileSync(`${before}-wal`));
    rmSync(`${left}-shm`);
    expect(await refusal(journal.openLedger({ path: left, clock }))).toContain('latest 1 commits');
  },

  'a fork of a ledger is not the ledger': async (journal, folder) => {
    const ledger = await written(journal, join(folder, 'l.db'));
    const fork = leftBehind(join(folder, 'l.db'));
    ledger.commit([cash(2)]);
    ledger.close();
    (await journal.openLedger({ path: fork, clock })).close();
    putInPlace(join(folder, 'l.db'), fork);
    const opening = journal.openLedger({ path: join(folder, 'l.db'), clock });
    expect(await refusal(opening)).toContain('they are others');
  },

  'the ledger of another journal is not the ledger': async (journal, folder) => {
    (await written(journal, join(folder, 'l.db'))).close();
    const other = await written(journal, join(folder, 'other', 'l.db'));
    other.commit([cash(7)]);
    other.close();
    putInPlace(join(folder, 'l.db'), join(folder, 'other', 'l.db'));
    const opening = journal.openLedger({ path: join(folder, 'l.db'), clock });
    expect(await refusal(opening)).toContain('replaced by another one');
  },

  'a row that was changed by somebody else is damage': async (journal, folder) => {
    const path = join(folder, 'l.db');
    (await written(journal, path)).close();
    const database = new Sqlite(path);
    database.exec("UPDATE orders SET state = 'intended'");
    database.close();
    expect(await refusal(journal.openLedger({ path, clock }))).toContain('not as they were kept');
  },

  'an order that has ended is reported for an hour': async (journal, folder) => {
    const path = join(folder, 'l.db');
    const ledger = await journal.openLedger({ path, clock });
    const ended = { state: 'cancelled', orderHash: orderHash('0xaa') } as const;
    ledger.commit([order('a', ended)]);
    ledger.close();
    const hashesAfter = async (ms: number): Promise<number> => {
      const next = await journal.openLedger({ path, clock: clockAt(unixMs(NOW + ms)) });
      next.commit([cash(ms)]);
      const { endedHashes = [] } = next.load();
      next.close();
      return endedHashes.length;
    };
    expect([await hashesAfter(HOUR_MS - 1_000), await hashesAfter(HOUR_MS + 1_000)]).toEqual([
      1, 0,
    ]);
  },

  'what is pruned, replaced and removed is no damage': async (journal, folder) => {
    const path = join(folder, 'l.db');
    const ledger = await written(journal, path);
    const halt = { limit: 'a', detail: 'b', sinceMs: NOW };
    ledger.commit([order('b', { state: 'cancelled' }), { kind: 'halt', halt }]);
    ledger.commit([order('a', { state: 'filled' }), { kind: 'halt', halt: undefined }]);
    ledger.close();
    const later = clockAt(unixMs(NOW + 2 * HOUR_MS));
    const next = await journal.openLedger({ path, clock: later });
    next.commit([cash(3)]);
    next.close();
    const last = await journal.openLedger({ path, clock: later });
    expect(last.load()).toMatchObject({ cashNano: 3, orders: [], endedHashes: [] });
    last.close();
  },

  'a settlement that is told again counts once, as it was told first': async (journal, folder) => {
    const ledger = await journal.openLedger({ path: join(folder, 'l.db'), clock });
    const settled = (cashNano: number): LedgerRecord => ({
      kind: 'settlement',
      settlement: {
        tradeId: 't-1',
        tokenId: undefined,
        side: 'BUY',
        quantity: shares(1),
        cashNano,
        atMs: NOW,
      },
    });
    ledger.commit([settled(1)]);
    ledger.commit([settled(2)]);
    expect(ledger.load().settlements).toMatchObject([{ cashNano: 1 }]);
    ledger.close();
  },

  'nobody else writes a ledger that is open, and everybody reads it': async (journal, folder) => {
    const path = join(folder, 'l.db');
    const ledger = await written(journal, path);
    ledger.commit([cash(2)]);
    const other = new Sqlite(path);
    expect(() => other.exec('DELETE FROM facts')).toThrow(/locked/);
    const read = other.prepare("SELECT value FROM facts WHERE name = 'cash_nano'");
    expect(read.pluck().all([])).toEqual(['2']);
    other.close();
    ledger.close();
  },

  'a ledger that somebody else has written to is written no more': async (journal, folder) => {
    const path = join(folder, 'l.db');
    const ledger = await written(journal, path);
    // It is held by nobody after a failure, until the next commit.
    expect(() => ledger.commit([{ kind: 'memory', key: 'k', memory: undefined }])).toThrow();
    const other = new Sqlite(path);
    other.exec("UPDATE facts SET value = '9' WHERE name = 'cash_nano'");
    other.close();
    for (const amount of [2, 3])
      expect(() => ledger.commit([cash(amount)])).toThrow(/else has written/);
    ledger.close();
    expect(await refusal(journal.openLedger({ path, clock }))).toContain('not as they were kept');
  },

  'stops stand beside the ledger, too, with the number of their write in it': async (
    journal,
    folder,
  ) => {
    const ledger = await journal.openLedger({ path: join(folder, 'l.db'), clock });
    const halt = { limit: 'a', detail: 'b', sinceMs: NOW };
    const stop = { marketId: marketId('m'), stop: 'pause', by: 'b', sinceMs: NOW } as const;
    ledger.commit(
      [
        { kind: 'halt', halt },
        { kind: 'marketStops', stops: [stop] },
      ],
      7,
    );
    expect(ledger.keptStops()).toMatchObject({ halt, marketStops: [stop] });
    expect(ledger.load().stopsNumber).toBe(7);
    ledger.close();
  },

  'the stricter of two stops holds': async ({ stricterStops }) => {
    const none = {
      ...{ halt: undefined, pause: undefined, latches: [], baselines: undefined },
      marketStops: [],
    };
    const halt = { limit: 'a', detail: 'b', sinceMs: NOW };
    const mild = {
      control: 'day_loss',
      marketId: undefined,
      level: 'widen',
      detail: '',
      sinceMs: NOW,
      resumes: { kind: 'operator' },
    } as const;
    const hard = { ...mild, level: 'killed' } as const;
    const base = { dayNano: 1, day: 1, peakNano: 5, left: [] };
    const paused = { marketId: marketId('m'), stop: 'pause', by: 'b', sinceMs: NOW } as const;
    const killed = { ...paused, stop: 'kill' } as const;
    const one = {
      ...none,
      latches: [mild],
      marketStops: [paused],
      baselines: { ...base, sessionNano: 1 },
    };
    const other = {
      ...none,
      halt,
      latches: [hard],
      marketStops: [killed],
      baselines: { ...base, sessionNano: 9 },
    };
    for (const both of [stricterStops(one, other), stricterStops(other, one)]) {
      expect(both).toMatchObject({
        halt,
        latches: [hard],
        marketStops: [killed],
        baselines: { sessionNano: 9 },
      });
    }
  },

  'the files are for their owner alone': async (journal, folder) => {
    const path = join(folder, 'data', 'l.db');
    const ledger = await written(journal, path);
    ledger.commit([{ kind: 'pause', pause: { by: 'somebody', sinceMs: NOW } }]);
    await journal.setLatch(path, { by: 'somebody', reason: 'kill', at: undefined });
    const lock = await journal.lockJournal({ journal: path, clock, onLost: () => {} });
    const list = spawnSync('find', [join(folder, 'data'), '-printf', '%m\n']).stdout.toString();
    expect([...new Set(list.trim().split('\n'))].toSorted()).toEqual(['600', '700']);
    expect(statSync(path).isFile()).toBe(true);
    await lock.release();
    ledger.close();
  },

  'a latch that cannot be read is a latch': async (journal, folder) => {
    mkdirSync(join(folder, 'l.db.killed'));
    expect(await journal.readLatch(join(folder, 'l.db'))).toMatchObject({ by: 'unknown' });
  },

  'a journal that is held is held by one': async (journal, folder) => {
    const path = join(folder, 'l.db');
    const lock = await journal.lockJournal({ journal: path, clock, onLost: () => {} });
    const second = journal.lockJournal({ journal: path, clock, onLost: () => {} });
    await expect(second).rejects.toMatchObject({ code: 'journal.busy' });
    await lock.release();
  },
} satisfies Readonly<Record<string, Law>>;

export type LawName = keyof typeof LAWS;
/** Laws that need a disk of their own. */
export const POWER_LAWS: readonly LawName[] = [
  'a commit outlives a power cut a moment later, and nothing is taken for damaged',
  'what is written outlives the process, and a power cut once it is synced',
  'whole commits outlive a power cut while the log is moved into the data',
  'stops outlive a power cut in both places',
  'a disk that is full takes nothing, damages nothing, and is written again when it has room',
];

/** A folder of a law's own. */
export function lawFolder(within: string): string {
  return mkdtempSync(join(within, 'law-'));
}
