// What a trader tells its guard of its orders, and what an independent kill reads from a ledger.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LedgerOwn } from '../../../src/app/ledger-own.ts';
import { type OrdersMessage, OwnTeller } from '../../../src/app/own-orders.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { SIGNED_WITHIN_MS } from '../../../src/core/kernel/bounds.ts';
import { intentId, marketId, orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, StoredOrder } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';

function order(name: number, over: Partial<StoredOrder> = {}): LedgerRecord & { kind: 'order' } {
  const stored: StoredOrder = {
    intentId: intentId(`1-${name}`),
    marketId: marketId('m1'),
    tokenId: tokenId('0xaa'),
    leg: 'yes',
    side: 'BUY',
    price: ticks(tickGrid('0.01'), 40),
    ticksPerUnit: 100,
    quantity: shares(10),
    sentAtMs: unixMs(1_000),
    isExternal: false,
    orderHash: undefined,
    state: 'intended',
    stateSinceMs: unixMs(1_000),
    executed: shares(0),
    confirmedAtMs: undefined,
    settingsVersion: undefined,
    ...over,
  };
  return { kind: 'order', order: stored };
}

const NOW_MS = unixMs(2_000);
const ACCOUNT = { kind: 'account' } as const;

function listening(scope: 'account' | 'own') {
  const told: OrdersMessage[] = [];
  const guard = { isReading: true };
  const teller = new OwnTeller(scope, (words) => {
    if (guard.isReading) told.push(words());
    return guard.isReading;
  });
  return { teller, told, guard };
}

describe('a trader in the own scope', () => {
  it('tells how far its clock is ahead with what changes next, and with all that a previous run left', () => {
    const { teller, told } = listening('own');
    const clock = { offsetMs: -200_000, atMs: unixMs(1_000) };
    teller.seed({ orders: [order(1).order], clock }, NOW_MS);
    teller.flush();
    teller.onRecord({ kind: 'clock', clock: { ...clock, offsetMs: -300_000 } });
    teller.onRecord(order(2));
    teller.flush();
    expect(told.map(({ update }) => update.aheadMs)).toEqual([200_000, 300_000]);
  });

  it('tells what a previous run left, then only what changed, a batch at a time', () => {
    const { teller, told } = listening('own');
    teller.seed({ orders: [order(1).order], endedHashes: [orderHash('0x0e')] }, NOW_MS);
    teller.flush();
    teller.onRecord(order(2));
    teller.onRecord(order(3));
    teller.flush();
    teller.flush();
    expect(told).toHaveLength(2);
    expect(told[0]?.update).toMatchObject({
      isWhole: true,
      live: [{ intentId: '1-1', priceMilli: 400 }],
      ended: [{ orderHash: '0x0e' }],
    });
    expect(told[1]?.update).toMatchObject({
      isWhole: false,
      live: [{ intentId: '1-2' }, { intentId: '1-3' }],
    });
  });

  it('says each order as it stands when the guard reads again', () => {
    const { teller, told, guard } = listening('own');
    teller.flush();
    guard.isReading = false;
    teller.onRecord(order(1));
    teller.flush();
    teller.onRecord(order(1, { orderHash: orderHash('0x01'), state: 'resting' }));
    teller.onRecord(order(2));
    teller.onRecord(order(2, { state: 'refused' }));
    guard.isReading = true;
    teller.flush();
    expect(told).toHaveLength(2);
    expect(told[1]?.update).toMatchObject({
      live: [{ intentId: '1-1', orderHash: '0x01' }],
      ended: [{ intentId: '1-2' }],
    });
  });

  it('says all there is in one when its guard has not read for hours', () => {
    const { teller, told, guard } = listening('own');
    teller.flush();
    guard.isReading = false;
    for (let name = 0; name < 25_000; name += 1) {
      teller.onRecord(order(name));
      teller.onRecord(order(name, { state: 'refused' }));
    }
    teller.onRecord(order(25_000));
    teller.flush();
    guard.isReading = true;
    teller.flush();
    expect(told).toHaveLength(2);
    expect(told[1]?.update).toMatchObject({ isWhole: true, live: [{ intentId: '1-25000' }] });
    teller.onRecord(order(25_001));
    teller.flush();
    expect(told[2]?.update).toMatchObject({ isWhole: false, live: [{ intentId: '1-25001' }] });
  });

  it('tells nothing of external orders, and holds what is matched in full for ended', () => {
    const { teller } = listening('own');
    teller.onRecord(order(1, { isExternal: true, orderHash: orderHash('0x01'), state: 'resting' }));
    teller.onRecord(order(2, { orderHash: orderHash('0x02'), state: 'matched' }));
    expect(teller.meant?.live(ACCOUNT)).toEqual([]);
    expect(teller.meant?.whole().ended).toEqual([{ orderHash: '0x02' }]);
  });
});

describe('a trader in the scope of the account', () => {
  it('says so once, and all there is when the scope becomes its own', () => {
    const { teller, told } = listening('account');
    teller.flush();
    teller.onRecord(order(1));
    teller.flush();
    expect(teller.meant).toBeUndefined();
    expect(told).toEqual([
      { kind: 'orders', scope: 'account', update: { isWhole: false, live: [], ended: [] } },
    ]);
    teller.setScope('own');
    expect(told[1]).toMatchObject({ scope: 'own', update: { isWhole: true, live: [{}] } });
    expect(teller.meant).toBeDefined();
  });
});

describe('a trader that learns how late its orders may be accepted', () => {
  const ahead = (aheadMs: number) =>
    ({ kind: 'ahead', ahead: { aheadMs, atMs: unixMs(1_000) } }) as const;

  it('tells each of it once, with the next turn', () => {
    const { teller, told } = listening('account');
    teller.setHorizon(45_000);
    teller.flush();
    expect(told[0]).toMatchObject({ horizonMs: 45_000 });
    teller.setHorizon(45_000);
    teller.flush();
    expect(told).toHaveLength(1);
    teller.setHorizon(60_000);
    teller.onRecord(ahead(20_000));
    teller.flush();
    teller.flush();
    expect(told).toHaveLength(2);
    expect(told[1]).toMatchObject({ horizonMs: 60_000, aheadMs: 20_000 });
  });

  it('tells with its first words what a previous run had learnt, and waits for it by itself', () => {
    const { teller, told } = listening('account');
    teller.seed({ orders: [order(1).order] }, NOW_MS, { slowestMs: 30_000, aheadMs: 20_000 });
    teller.flush();
    expect(told).toMatchObject([{ slowestMs: 30_000, aheadMs: 20_000 }]);
    const { sentAtMs } = order(1).order;
    expect(teller.inFlightUntilMs(45_000)).toBe(sentAtMs + SIGNED_WITHIN_MS + 65_000);
  });

  it('waits from now on for what a clock that was ahead has dated an hour later, and no hour', () => {
    const { teller } = listening('account');
    const sentAtMs = unixMs(NOW_MS + 3_600_000);
    teller.seed({ orders: [order(1, { sentAtMs }).order] }, NOW_MS);
    expect(teller.inFlightUntilMs(45_000)).toBe(NOW_MS + SIGNED_WITHIN_MS + 45_000);
  });

  it('keeps the worst of it for a guard that does not read', () => {
    const { teller, told, guard } = listening('account');
    teller.flush();
    guard.isReading = false;
    teller.onRecord(ahead(20_000));
    teller.flush();
    teller.onRecord(ahead(5_000));
    guard.isReading = true;
    teller.flush();
    expect(told).toHaveLength(2);
    expect(told[1]).toMatchObject({ aheadMs: 20_000 });
  });
});

describe('a kill that reads the ledger', () => {
  const clock = systemClock();
  const baseUrl = 'http://127.0.0.1:1/api';
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bookend-ledger-own-'));
    path = join(folder, 'test.db');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('reads beside a daemon that has it open, and sees what that writes later', async () => {
    const ledger = await openLedger({ path, clock });
    ledger.setFact('venue_base_url', baseUrl);
    ledger.commit([order(1, { orderHash: orderHash('0x01'), state: 'resting' })]);
    const own = await LedgerOwn.open({ path, baseUrl, clock });
    expect(own.live(ACCOUNT)).toEqual(['0x01']);
    expect(own.unansweredSinceMs).toBeUndefined();
    ledger.commit([order(2)]);
    await expect
      .poll(async () => {
        await own.refresh();
        return own.unansweredSinceMs;
      })
      .toBe(1_000);
    ledger.commit([order(2, { state: 'refused' })]);
    expect(own.clockOffsetMs).toBeUndefined();
    ledger.commit([{ kind: 'clock', clock: { offsetMs: 90_000, atMs: unixMs(1_000) } }]);
    await expect
      .poll(async () => {
        await own.refresh();
        return own.clockOffsetMs;
      })
      .toBe(90_000);
    ledger.close();
  });

  it('does not know all that is ours where a disk has changed the hash of an order', async () => {
    const ledger = await openLedger({ path, clock });
    ledger.commit([order(1, { orderHash: orderHash('0xfeedbeef'), state: 'resting' })]);
    ledger.close();
    const whole = await LedgerOwn.open({ path, baseUrl, clock });
    expect([whole.live(ACCOUNT), whole.isWhole]).toEqual([['0xfeedbeef'], true]);
    const bytes = await readFile(path, 'latin1');
    await writeFile(path, bytes.replaceAll('0xfeedbeef', '0xfeedbeee'), 'latin1');
    const changed = await LedgerOwn.open({ path, baseUrl, clock });
    expect([changed.live(ACCOUNT), changed.isWhole]).toEqual([['0xfeedbeee'], false]);
  });

  it('refuses where there is no ledger, and one of another venue', async () => {
    await expect(LedgerOwn.open({ path, baseUrl, clock })).rejects.toThrow('there is no journal');
    const ledger = await openLedger({ path, clock });
    ledger.setFact('venue_base_url', 'http://elsewhere/api');
    ledger.close();
    await expect(LedgerOwn.open({ path, baseUrl, clock })).rejects.toThrow('another venue');
  });
});
