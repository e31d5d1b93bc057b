import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { intentId, marketId, orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, StoredOrder } from '../../../src/domain/record.ts';
import type { StoredLatch } from '../../../src/domain/risk.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { SqlFile } from '../../../src/journal/ledger/database.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';
import { orderCells } from '../../../src/journal/ledger/rows.ts';
import { MIGRATIONS } from '../../../src/journal/ledger/schema.ts';
import { leftBehind } from './support.ts';

const GRID = tickGrid('0.01');
const NOW = unixMs(1_800_000_000_000);

let folder = '';
let path = '';
let nowMs = NOW;
const opened: Ledger[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-ledger-'));
  path = join(folder, 'deep', 'bookend.db');
  nowMs = NOW;
});

afterEach(async () => {
  for (const ledger of opened.splice(0)) ledger.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Ledger> {
  const ledger = await openLedger({ path, clock: { nowMs: () => nowMs } });
  opened.push(ledger);
  return ledger;
}

async function reopen(): Promise<Ledger> {
  for (const ledger of opened.splice(0)) ledger.close();
  return await open();
}

function order(name: string, change: Partial<StoredOrder> = {}): StoredOrder {
  return {
    intentId: intentId(name),
    marketId: marketId('m-1'),
    tokenId: tokenId('0x01'),
    leg: 'yes',
    side: 'BUY',
    price: ticks(GRID, 48),
    ticksPerUnit: 100,
    quantity: shares(50),
    sentAtMs: NOW,
    settingsVersion: 'abc',
    isExternal: false,
    orderHash: undefined,
    state: 'intended',
    stateSinceMs: NOW,
    executed: shares(0),
    failed: shares(2),
    confirmedAtMs: undefined,
    ...change,
  };
}

const kept = (stored: StoredOrder): LedgerRecord => ({ kind: 'order', order: stored });

function fill(name: string, executedAfter: number): LedgerRecord {
  return {
    kind: 'fill',
    fill: {
      intentId: intentId(name),
      marketId: marketId('m-1'),
      tokenId: tokenId('0x01'),
      side: 'BUY',
      price: ticks(GRID, 48),
      ticksPerUnit: 100,
      quantity: shares(10),
      executedAfter: shares(executedAfter),
      cashNano: -4_800_000_000,
      atMs: NOW,
    },
  };
}

function counted(table: string): number {
  for (const ledger of opened.splice(0)) ledger.close();
  const database = new Sqlite(path);
  try {
    return Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().all()[0]);
  } finally {
    database.close();
  }
}

function latch(change: Pick<StoredLatch, 'marketId' | 'resumes'> & Partial<StoredLatch>) {
  return {
    control: 'day_loss',
    level: 'reduce-only',
    detail: 'lost 3.00 USDC',
    sinceMs: NOW,
    ...change,
  } as const;
}

describe('the ledger', () => {
  it('gives back what was kept, exactly', async () => {
    const ledger = await open();
    const open1 = order('a', {
      state: 'resting',
      orderHash: orderHash('0xaa'),
      confirmedAtMs: NOW,
      isTake: true,
    });
    const token = {
      tokenId: tokenId('0x01'),
      confirmed: shares(12.5),
      pending: [
        {
          side: 'SELL',
          cashNano: 1.5,
          takerFeeRate: 0.03,
          quantity: shares(1),
          original: shares(2),
          atMs: NOW,
        },
      ],
      changedAtMs: NOW,
      uncertain: [
        {
          cause: 'order_end',
          intentId: intentId('a'),
          side: 'BUY',
          quantity: shares(2),
          cashNano: -960_000_000,
          sinceMs: NOW,
        },
      ],
      unreported: [{ side: 'BUY', quantity: shares(1), cashNano: -5, atMs: NOW }],
      shown: [{ side: 'SELL', quantity: shares(3), cashNano: 5, atMs: NOW }],
      past: [{ amount: shares(4), untilMs: NOW }],
    } as const;
    const settled = (name: string, atMs: number) =>
      ({
        tradeId: name,
        tokenId: name === 't-2' ? undefined : tokenId('0x01'),
        side: 'SELL',
        quantity: shares(3),
        cashNano: 1_500_000_000,
        atMs: unixMs(atMs),
        isRecovered: name === 't-2',
      }) as const;
    const flows = {
      marketId: marketId('m-1'),
      cashNano: -123_456_789_012.5,
      fills: 7,
      start: { yes: shares(1), no: shares(0) },
      startValueNano: 0.5,
    };
    const halt = { limit: 'max_loss_usdc', detail: 'lost', sinceMs: NOW };
    const stop = { marketId: marketId('m-1'), stop: 'kill', by: 'me', sinceMs: NOW } as const;
    ledger.commit([
      kept(open1),
      { kind: 'token', token },
      { kind: 'flows', flows },
      { kind: 'settlement', settlement: settled('t-2', NOW + 1) },
      { kind: 'settlement', settlement: settled('t-1', NOW) },
      { kind: 'cash', cashNano: 9_999.25, atMs: NOW },
      { kind: 'halt', halt },
      { kind: 'marketStops', stops: [stop] },
      { kind: 'memory', key: 'ladder@m-1', memory: { seen: [1, 2] } },
      { kind: 'memory', key: 'ladder@m-0', memory: { seen: [] } },
      { kind: 'forgotten', key: 'ladder@m-0' },
    ]);
    expect((await reopen()).load()).toEqual({
      endedHashes: [],
      orders: [open1],
      recent: { ordersAtMs: [NOW], fills: [], refusals: [], failuresAtMs: [], cleared: [] },
      tokens: [token],
      flows: [flows],
      tradeIds: ['t-1', 't-2'],
      settlements: [settled('t-1', NOW), settled('t-2', NOW + 1)],
      cashNano: 9_999.25,
      halt,
      memories: { 'ladder@m-1': { seen: [1, 2] } },
      sets: [],
      latches: [],
      marketStops: [stop],
      pause: undefined,
      baselines: undefined,
    });
  });

  it('says when own orders left of late, ended or not, and what they traded', async () => {
    const ledger = await open();
    const ended = { state: 'cancelled', stateSinceMs: unixMs(NOW + 5_000) } as const;
    ledger.commit([
      kept(order('a', { sentAtMs: unixMs(NOW + 1) })),
      kept(order('b', { sentAtMs: unixMs(NOW + 2), ...ended })),
      kept(order('c', { sentAtMs: unixMs(NOW + 3), ...ended, isExternal: true })),
      fill('b', 10),
    ]);
    expect((await reopen()).load().recent).toEqual({
      ordersAtMs: [NOW + 1, NOW + 2],
      fills: [{ marketId: 'm-1', quantity: shares(10), atMs: NOW }],
      refusals: [],
      failuresAtMs: [],
      cleared: [],
    });
  });

  it('says what was refused of late and why, and what else breakers count over runs', async () => {
    const ledger = await open();
    const refusalCode = 'invalid_price';
    const cleared = [
      { control: 'order_rate', atMs: NOW },
      { control: 'repeated_refusals', marketId: marketId('m-1'), code: refusalCode, atMs: NOW },
    ] as const;
    ledger.commit([
      kept(order('a', { state: 'refused', stateSinceMs: unixMs(NOW + 1), refusalCode })),
      kept(order('b', { state: 'refused', stateSinceMs: unixMs(NOW + 2) })),
      kept(order('c', { state: 'cancelled', stateSinceMs: unixMs(NOW + 3), refusalCode })),
      kept(order('d', { state: 'resting', refusalCode })),
      { kind: 'failures', failuresAtMs: [NOW, unixMs(NOW + 5)] },
      { kind: 'cleared', cleared },
    ]);
    const next = await reopen();
    expect(next.load().recent).toMatchObject({
      refusals: [{ marketId: 'm-1', code: 'invalid_price', atMs: NOW + 1 }],
      failuresAtMs: [NOW, NOW + 5],
      cleared,
    });
    next.setFact('cleared', '{torn');
    next.setFact('failures', '["lately"]');
    expect(next.load().recent).toMatchObject({ failuresAtMs: [], cleared: [] });
  });

  it("gives back latches, an operator's pause, baselines, the slowest acceptance and what clocks did", async () => {
    const ledger = await open();
    const timed = { kind: 'time', atMs: unixMs(NOW + 1_000) } as const;
    const latches: readonly StoredLatch[] = [
      latch({ marketId: undefined, resumes: { kind: 'operator' } }),
      latch({ control: 'fill_burst', marketId: marketId('m-1'), resumes: timed }),
    ];
    const baselines = {
      sessionNano: -1,
      dayNano: 2,
      day: 19_000,
      beginsAtHour: 6,
      peakNano: 3,
      left: [[marketId('m-9'), -4] as const],
    };
    const pause = { by: 'api', sinceMs: NOW };
    const slowest = { tookMs: 40_000, atMs: NOW };
    const ahead = { aheadMs: 20_000, atMs: NOW };
    const clock = { offsetMs: -90_000, atMs: NOW };
    ledger.commit([
      { kind: 'latches', latches },
      { kind: 'pause', pause },
      { kind: 'baselines', baselines },
      { kind: 'slowest', slowest },
      { kind: 'ahead', ahead },
      { kind: 'clock', clock },
    ]);
    const next = await reopen();
    expect(next.load()).toMatchObject({ latches, pause, baselines, slowest, ahead, clock });
    next.commit([
      { kind: 'latches', latches: [] },
      { kind: 'pause', pause: undefined },
    ]);
    expect((await reopen()).load()).toMatchObject({ latches: [], pause: undefined });
  });

  it('gives back the number of the last write that had stops in it, whatever was written since', async () => {
    const ledger = await open();
    expect(ledger.load().stopsNumber).toBeUndefined();
    ledger.commit([{ kind: 'pause', pause: { by: 'api', sinceMs: NOW } }], 7);
    ledger.commit([{ kind: 'cash', cashNano: 1, atMs: NOW }]);
    expect((await reopen()).load().stopsNumber).toBe(7);
  });

  it('keeps where an order stands now, and no order that has ended', async () => {
    const ledger = await open();
    ledger.commit([kept(order('a')), kept(order('b'))]);
    ledger.commit([
      kept(order('a', { state: 'resting', orderHash: orderHash('0xaa') })),
      kept(order('b', { state: 'refused' })),
    ]);
    const { orders } = (await reopen()).load();
    expect(orders.map((each) => [each.intentId, each.state, each.orderHash])).toEqual([
      ['a', 'resting', '0xaa'],
    ]);
  });

  it('keeps a fill and a settlement once, however often they are told', async () => {
    const settlement: LedgerRecord = {
      kind: 'settlement',
      settlement: {
        tradeId: 't-1',
        tokenId: tokenId('0x01'),
        side: 'BUY',
        quantity: shares(10),
        cashNano: -4_800_000_000,
        atMs: NOW,
      },
    };
    const first = await open();
    first.commit([fill('a', 10), settlement]);
    first.commit([fill('a', 10), fill('a', 20), settlement]);
    const second = await reopen();
    second.commit([fill('a', 20), settlement]);
    expect(second.load().tradeIds).toEqual(['t-1']);
    expect(counted('fills')).toBe(2);
    expect(counted('settlements')).toBe(1);
  });

  it('gives back chain actions that were under way', async () => {
    const ledger = await open();
    new Secret('0xsecret-of-the-venue');
    const action = {
      order: { id: 'w-1', by: 'x', action: 'redeem', marketId: marketId('m-1'), amount: undefined },
      state: 'accepted',
      detail: '0xabc',
      sentAtMs: NOW,
    } as const;
    const said = { ...action, detail: 'key 0xsecret-of-the-venue' };
    ledger.commit([{ kind: 'sets', requests: [action, said] }]);
    const kept = { ...said, detail: 'key [secret]' };
    expect((await reopen()).load().sets).toEqual([action, kept]);
  });

  it('keeps no secret that a venue gave as the code of its answer', async () => {
    const ledger = await open();
    const refusalCode = new Secret('0xanother-secret').reveal();
    ledger.commit([kept(order('a', { state: 'refused', refusalCode }))]);
    expect((await reopen()).load().recent?.refusals).toMatchObject([{ code: '[secret]' }]);
  });

  it('lifts a halt when an operator does', async () => {
    const ledger = await open();
    ledger.commit([{ kind: 'halt', halt: { limit: 'x', detail: 'y', sinceMs: NOW } }]);
    ledger.commit([{ kind: 'halt', halt: undefined }]);
    expect((await reopen()).load().halt).toBeUndefined();
  });

  it('holds 2,000 open orders over a restart', async () => {
    const ledger = await open();
    const names = Array.from({ length: 2_000 }, (_, at) => `o-${at}`);
    ledger.commit(names.map((name) => kept(order(name, { state: 'resting' }))));
    expect((await reopen()).load().orders).toHaveLength(2_000);
  });

  it('opens after its process was killed, with everything that was committed', async () => {
    const ledger = await open();
    ledger.setFact('who', 'the one that died');
    path = leftBehind(path);
    expect((await open()).fact('who')).toBe('the one that died');
  });

  it('forgets what it said of a venue that is gone', async () => {
    const ledger = await open();
    ledger.commit([kept(order('a'))]);
    ledger.setFact('venue_base_url', 'http://old');
    ledger.forget();
    expect(ledger.load().orders).toEqual([]);
    expect(ledger.fact('venue_base_url')).toBeUndefined();
  });

  it('drops ended orders after an hour and keeps the books', async () => {
    const ledger = await open();
    ledger.commit([kept(order('a', { state: 'filled' })), fill('a', 10)]);
    nowMs = unixMs(NOW + 2 * 3_600_000);
    ledger.commit([kept(order('b', { stateSinceMs: nowMs }))]);
    expect(counted('orders')).toBe(1);
    await open();
    expect(counted('fills')).toBe(1);
  });

  it('drops a thousand of them in a second at most, so that a start behind a busy hour quotes', async () => {
    const ledger = await open();
    const ended = (index: number) => order(`o-${index}`, { state: 'cancelled' });
    ledger.commit(Array.from({ length: 2_500 }, (_, index) => kept(ended(index))));
    const left: number[] = [];
    for (let second = 0; second < 3; second += 1) {
      nowMs = unixMs(NOW + 2 * 3_600_000 + second * 1_000);
      ledger.commit([]);
      left.push(ledger.orders(unixMs(0), nowMs, 10_000).length);
    }
    expect(left).toEqual([1_500, 500, 0]);
  });

  it('keeps no more ended orders of a busy hour than a start reads at once', async () => {
    const ledger = await open();
    const ended = (index: number) =>
      order(`o-${index}`, {
        state: 'cancelled',
        sentAtMs: unixMs(NOW + index),
        stateSinceMs: unixMs(NOW + index),
      });
    ledger.commit(Array.from({ length: 31_200 }, (_, index) => kept(ended(index))));
    ledger.commit([kept(order('rests', { state: 'resting', sentAtMs: unixMs(NOW - 1) }))]);
    for (const seconds of [40, 41, 42]) {
      nowMs = unixMs(NOW + seconds * 1_000);
      ledger.commit([]);
    }
    const [oldest, ...later] = ledger.orders(unixMs(0), nowMs, 40_000);
    expect([oldest?.intentId, later.length]).toEqual(['rests', 29_200]);
    expect(later[0]?.intentId).toBe('o-2000');
  });

  it('keeps every set of settings with its time, and the version with each order', async () => {
    const ledger = await open();
    const applied = (version: string, at: number): LedgerRecord => ({
      kind: 'settings',
      applied: { version, appliedAtMs: unixMs(at), settings: { book: { depth: 50 } } },
    });
    ledger.commit([applied('one', NOW), kept(order('a', { settingsVersion: 'one' }))]);
    ledger.commit([applied('two', NOW + 1), applied('one', NOW + 2)]);
    const next = await reopen();
    expect(next.load().orders[0]?.settingsVersion).toBe('one');
    expect(counted('settings')).toBe(3);
  });

  it('keeps no more than the latest thousand sets of settings', async () => {
    const ledger = await open();
    ledger.commit(
      Array.from({ length: 1_001 }, (_, index) => ({
        kind: 'settings',
        applied: { version: `v${index}`, appliedAtMs: unixMs(NOW + index), settings: {} },
      })),
    );
    nowMs = unixMs(NOW + 86_400_000);
    ledger.commit([kept(order('a'))]);
    expect(counted('settings')).toBe(1_000);
  });

  it('keeps no more sets of settings than a start reads at once, the latest in any case', async () => {
    const ledger = await open();
    const applied = (index: number, length: number): LedgerRecord => ({
      kind: 'settings',
      applied: {
        version: `v${index}`,
        appliedAtMs: unixMs(NOW + index),
        settings: { markets: 'x'.repeat(length) },
      },
    });
    ledger.commit(Array.from({ length: 22 }, (_, index) => applied(index, 390_000)));
    const left = [counted('settings')];
    for (const more of [[], [applied(22, 5_000_000)]]) {
      (await reopen()).commit(more);
      left.push(counted('settings'));
    }
    expect(left).toEqual([12, 10, 1]);
  });

  it('looks once a minute for settings that are too many', async () => {
    const ledger = await open();
    const settings = (from: number, length: number): readonly LedgerRecord[] =>
      Array.from({ length }, (_, index) => ({
        kind: 'settings',
        applied: {
          version: `v${from + index}`,
          appliedAtMs: unixMs(NOW + from + index),
          settings: {},
        },
      }));
    ledger.commit(settings(0, 1_000));
    nowMs = unixMs(NOW + 59_000);
    ledger.commit(settings(1_000, 1));
    ledger.commit([kept(order('a'))]);
    expect(counted('settings')).toBe(1_001);
  });

  it('refuses a file that is no ledger, and one of a later version', async () => {
    mkdirSync(path, { recursive: true });
    await expect(open()).rejects.toMatchObject({ code: 'journal.write' });
    path = join(folder, 'later.db');
    const database = new Sqlite(path);
    database.exec('PRAGMA user_version = 999');
    database.close();
    await expect(open()).rejects.toThrow(/later version/);
  });

  it('commits all of a step or nothing of it, and works again after a failure', async () => {
    const ledger = await open();
    const broken = { kind: 'cash', cashNano: Number.NaN, atMs: NOW } as const;
    const bad: LedgerRecord = { kind: 'memory', key: 'k', memory: undefined };
    expect(() => ledger.commit([kept(order('a')), broken, bad])).toThrow(
      expect.objectContaining({ code: 'journal.write' }),
    );
    expect(ledger.load().orders).toEqual([]);
    ledger.commit([kept(order('a'))]);
    expect((await reopen()).load().orders).toHaveLength(1);
  });
});

describe('a ledger of an older version', () => {
  it.each([
    ['submitting', 'sending'],
    ['uncertain', 'unknown'],
    ['open', 'resting'],
    ['partiallyFilled', 'partiallyFilled'],
    ['cancelUnresolved', 'cancelUnresolved'],
    ['settling', 'matched'],
  ])('has its orders that were %s taken over as %s', async (before, now) => {
    mkdirSync(join(folder, 'deep'));
    const database = new Sqlite(path);
    database.exec(MIGRATIONS[0] ?? '');
    database.exec('PRAGMA user_version = 1');
    const { expiresAtMs: _, ...old } = order('a', { orderHash: orderHash('0xaa') });
    const cells = orderCells(old).slice(0, 16).with(11, before);
    const places = cells.map(() => '?').join(',');
    database.prepare(`INSERT INTO orders VALUES (${places})`).run([...cells]);
    database.close();
    const { orders } = (await open()).load();
    const absent = { expiresAtMs: undefined, isTake: undefined };
    expect(orders).toMatchObject([{ intentId: 'a', state: now, ...absent }]);
  });

  it('has what its ended orders may have traded as uncertain shares of their token', async () => {
    mkdirSync(join(folder, 'deep'));
    const database = new Sqlite(path);
    const older = MIGRATIONS.slice(0, 14);
    for (const step of older) database.exec(step);
    database.exec(`PRAGMA user_version = ${older.length}`);
    database.prepare('INSERT INTO tokens VALUES (?,?,?,?,?,?)').run(['0x01', 10, '[]', 1, 1, 1]);
    const ended = order('a', { state: 'absent', quantity: shares(50), executed: shares(20) });
    const cells = [...orderCells(ended), 1];
    const sql = `INSERT INTO orders VALUES (${cells.map(() => '?').join(',')})`;
    database.prepare(sql).run(cells);
    database.close();
    const [held] = (await open()).load().tokens;
    expect(held).toMatchObject({
      tokenId: '0x01',
      uncertain: [{ cause: 'previous_run', intentId: 'a', side: 'BUY', quantity: shares(30) }],
    });
    expect((await reopen()).load().tokens).toEqual([held]);
  });
});

describe('a ledger that is closed twice', () => {
  it('closes nothing of anybody who has its number of a file by then', async () => {
    const ledger = await openLedger({ path, clock: { nowMs: () => nowMs } });
    ledger.close();
    const others = ['one', 'two', 'three', 'four'].map((name) => openSync(join(folder, name), 'w'));
    ledger.close();
    for (const fd of others) expect(writeSync(fd, 'x')).toBe(1);
    for (const fd of others) closeSync(fd);
  });
});

describe('a ledger that is written ahead of its disk', () => {
  it('says so before it is, also where the disk was full when it said so first', async () => {
    const ledger = await open();
    const full = new Error('database or disk is full');
    vi.spyOn(SqlFile.prototype, 'commit').mockImplementationOnce(() => {
      throw full;
    });
    const cash = { kind: 'cash', cashNano: 1, atMs: NOW } as const;
    expect(() => ledger.write([cash])).toThrow(full.message);
    ledger.write([cash]);
    expect(ledger.fact('written_unsynced')).toBeDefined();
  });
});
