// Histories that are odd, and still within what the interface says: nothing in them counts twice, and
// nothing is counted as another's.

import { describe, expect, it } from 'vitest';
import { type TokenId, tokenId } from '../../../src/domain/ids.ts';
import type { Balances, SettledTrade } from '../../../src/domain/message.ts';
import type { PersistedState } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  level,
  listing,
  MARKET,
  NO,
  NOTHING_STORED,
  settings,
  YES,
} from '../../support/engine-driver.ts';

const READING = settings({ timing: { ...settings().timing, tradesMs: 5_000 } });

function bought(tradeId: string, token: TokenId | undefined, size = 1): SettledTrade {
  const quantity = shares(size);
  return { tradeId, side: 'BUY', tokenId: token, marketId: MARKET, price: usdc(0.3), quantity };
}

const OTHER = tokenId('0x09');
/** Oldest first. */
const TOLD = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => bought(`t-${name}`, OTHER));
const LOST = bought('t-lost', YES, 10);
const OLD = bought('t-old', YES, 40);

function frames(driver: EngineDriver, trades: readonly SettledTrade[]): void {
  for (const trade of trades) {
    driver.tell({ kind: 'tradeSettled', ...trade });
    driver.tick();
  }
}

function listening(): EngineDriver {
  const driver = new EngineDriver();
  driver.start(READING);
  frames(driver, TOLD);
  return driver;
}

function answering(
  driver: EngineDriver,
  trades: readonly SettledTrade[],
  { ms = 6_000, account = balances() }: { readonly ms?: number; readonly account?: Balances } = {},
): void {
  driver.run(ms, () => {
    driver.answerReads([], account);
    driver.answerCancels();
    driver.answerTrades({ kind: 'ok', value: trades });
  });
}

const view = (driver: EngineDriver) => driver.engine.view().markets[0];
const recovered = (driver: EngineDriver) =>
  driver.reported('trade.recovered').map(({ tradeId }) => tradeId);
const states = (driver: EngineDriver) => driver.reported('history.state').map(({ state }) => state);

describe('a list in no order of time', () => {
  it('is no list of what happened last', () => {
    const driver = listening();
    const [a, b, c, d, e, f, g, h] = TOLD;
    const shuffled = [f, a, OLD, g, b, h, c, d, e].flatMap((each) => each ?? []);
    answering(driver, shuffled);
    expect(recovered(driver)).toEqual([]);
    expect(view(driver)).toMatchObject({ settledYes: '0' });
  });

  it('is read the other way round where the venue turns it', () => {
    const driver = listening();
    answering(driver, [OLD, ...TOLD]);
    answering(driver, [OLD, ...TOLD].toReversed());
    expect(recovered(driver)).toEqual([]);
    answering(driver, [OLD, ...TOLD, LOST].toReversed());
    expect(recovered(driver)).toEqual(['t-lost']);
  });

  it('may have two reported the other way round than they are listed', () => {
    const driver = listening();
    const [a, b, ...rest] = TOLD;
    const listed = [b, a].flatMap((each) => each ?? []);
    answering(driver, [...listed, ...rest, LOST]);
    expect(recovered(driver)).toEqual(['t-lost']);
    expect(view(driver)).toMatchObject({ settledYes: '10' });
  });
});

describe('a list that misses what it showed before', () => {
  it('does not tell anew of what was older than that', () => {
    const driver = listening();
    answering(driver, [OLD, ...TOLD]);
    answering(driver, [OLD, ...TOLD.slice(1), LOST]);
    expect(recovered(driver)).toEqual(['t-lost']);
    expect(view(driver)).toMatchObject({ settledYes: '10' });
  });
});

describe('a history that names otherwise', () => {
  it('is not trusted where it names another token than the frame', () => {
    const driver = new EngineDriver();
    driver.start(READING);
    const named = TOLD.map((trade) => ({ ...trade, tokenId: YES }));
    frames(driver, named);
    answering(driver, [
      ...TOLD.map((trade) => ({ ...trade, tokenId: NO })),
      bought('t-lost', NO, 10),
    ]);
    expect(states(driver)).toEqual(['disbelieved']);
    expect(view(driver)).toMatchObject({ settledYes: '8', settledNo: '0' });
  });

  it('is trusted where only one of them names a token', () => {
    const driver = listening();
    answering(driver, [...TOLD.map((trade) => ({ ...trade, tokenId: undefined })), LOST]);
    expect(recovered(driver)).toEqual(['t-lost']);
  });

  it('is not trusted where two that differ have one name', () => {
    const driver = listening();
    answering(driver, [...TOLD, LOST, { ...LOST, tokenId: NO }]);
    expect(states(driver)).toEqual(['disbelieved']);
    expect(view(driver)).toMatchObject({ settledYes: '0', settledNo: '0' });
  });

  it('counts once what it lists twice', () => {
    const driver = listening();
    answering(driver, [...TOLD, LOST, LOST]);
    expect(view(driver)).toMatchObject({ settledYes: '10' });
  });
});

describe('what balances have shown', () => {
  it('is in doubt however late the history tells of it', () => {
    const driver = listening();
    answering(driver, TOLD);
    // Balances show it after the quiet of the token, and are trusted; a replica is ten minutes late.
    answering(driver, TOLD, { ms: 600_000, account: holding(9_997, 10, 0) });
    expect(view(driver)).toMatchObject({ settledYes: '10' });
    answering(driver, [...TOLD, LOST], { account: holding(9_997, 10, 0) });
    expect(view(driver)).toMatchObject({ settledYes: '10' });
  });

  it('is in doubt where this run began with it', () => {
    const driver = new EngineDriver();
    driver.settings(READING);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    frames(driver, TOLD);
    driver.run(6_000, () => driver.answerCancels());
    answering(driver, [...TOLD, LOST], { account: holding(9_997, 10, 0), ms: 20_000 });
    expect(view(driver)).toMatchObject({ settledYes: '10', positionYes: '10' });
  });

  it('is as long ago as its frame, though that waited for the catalogue', () => {
    const driver = new EngineDriver();
    driver.settings(READING);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    frames(driver, TOLD);
    answeringBalances(driver, holding(9_997, 10, 0));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    answering(driver, [...TOLD, LOST], { account: holding(9_997, 10, 0), ms: 20_000 });
    expect(view(driver)).toMatchObject({ settledYes: '10', positionYes: '10' });
  });
});

describe('a record that names no token', () => {
  const nameless = (trade: SettledTrade) => ({ ...trade, tokenId: undefined });

  it('is not taken for another match where balances have shown its own', () => {
    const driver = listening();
    driver.settings({ ...READING, orders: { ...READING.orders, preferSell: false } });
    const account = holding(9_980, 50, 0);
    answering(driver, TOLD);
    // Frames of 50 YES are lost, and balances show them after their quiet.
    answering(driver, TOLD, { ms: 400_000, account });
    driver.book(YES, [level(38, 500)], [level(42, 500)]);
    driver.book(NO, [], []);
    driver.tick();
    const placed = driver.acceptPlacements().filter(({ order }) => order.tokenId === NO);
    const [bid] = placed.filter(({ order }) => order.side === 'BUY');
    if (bid === undefined) throw new Error('nothing was bid for NO');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    const size = bid.order.quantity / 1_000_000;
    answering(driver, [...TOLD, nameless(bought('t-lost', YES, size))], { account });
    frames(driver, [{ ...bought('t-no', NO, size), price: usdc(0.58) }]);
    expect(view(driver)).toMatchObject({ settledYes: '50', settledNo: String(size) });
  });
});

describe('a read that is refused', () => {
  it.each([400, 404, 422])(
    'with status %i is one that a venue does not know, and is asked for rarely',
    (status) => {
      const driver = listening();
      let asked = 0;
      driver.run(120_000, () => {
        driver.answerReads([]);
        driver.answerCancels();
        const refusal = {
          code: 'invalid_parameter',
          message: 'limit',
          httpStatus: status,
          retryAfterMs: undefined,
        } as const;
        asked += driver.answerTrades({ kind: 'refused', refusal });
      });
      expect(asked).toBeLessThanOrEqual(4);
      expect(states(driver)).toEqual(['unreadable']);
    },
  );
});

describe('a list of all there ever was', () => {
  it('tells as much as is remembered of it, and counts nothing again', () => {
    const driver = new EngineDriver();
    driver.start(READING);
    const all = Array.from({ length: 1_500 }, (_, index) => bought(`t-${index}`, YES));
    for (const trade of all) driver.tell({ kind: 'tradeSettled', ...trade });
    answering(driver, [OLD, ...all, LOST]);
    answering(driver, [OLD, ...all, LOST].toReversed());
    expect(recovered(driver)).toEqual(['t-lost']);
    expect(view(driver)).toMatchObject({ settledYes: '1510' });
  });
});

describe('a split that is listed as trades', () => {
  const half = (name: string, token: TokenId) => ({
    ...bought(name, token, 100),
    price: usdc(0.5),
  });
  const LISTED = [...TOLD, half('t-yes', YES), half('t-no', NO)];

  function splitting(): EngineDriver {
    const driver = new EngineDriver();
    driver.start(READING, balances({ cashBalance: usdc(1_000) }));
    frames(driver, TOLD);
    driver.sets({ id: 'w', by: 'test', action: 'split', marketId: MARKET, amount: shares(100) });
    for (const { requestId } of driver.take('changeSets')) {
      const outcome = { kind: 'accepted', txHash: '0xabc' } as const;
      driver.tell({ kind: 'setsChanged', requestId, outcome });
    }
    return driver;
  }

  it('counts once, whether balances or the list show it first', () => {
    for (const firstMs of [0, 20_000]) {
      const driver = splitting();
      answering(driver, LISTED, { account: holding(900, 0, 0), ms: firstMs });
      answering(driver, TOLD, { account: holding(900, 100, 100), ms: 20_000 });
      answering(driver, LISTED, { account: holding(900, 100, 100), ms: 20_000 });
      expect(view(driver)).toMatchObject({ settledYes: '100', settledNo: '100' });
    }
  });
});

/** The venue shows what the account has, and no catalogue yet. */
function answeringBalances(driver: EngineDriver, account: Balances): void {
  driver.run(6_000, () => {
    const askedAtMs = unixMs(driver.nowMs);
    for (const { requestId } of driver.take('readBalances')) {
      driver.tell({
        kind: 'balances',
        requestId,
        askedAtMs,
        outcome: { kind: 'ok', value: account },
      });
    }
    driver.answerCancels();
  });
}

describe('a run that follows another', () => {
  const beganAtMs = 1_700_000_000_000;
  const settled = (name: string, agoMs: number) => ({
    tradeId: name,
    tokenId: OTHER,
    side: 'BUY' as const,
    quantity: shares(1),
    cashNano: -300_000_000,
    atMs: unixMs(beganAtMs - agoMs),
  });

  it('does not count what was bought by hand in between, and shown to it when it began', () => {
    const driver = new EngineDriver();
    const settlements = TOLD.map(({ tradeId }, index) => settled(tradeId, 900_000 - index));
    driver.restore({ ...NOTHING_STORED, tradeIds: TOLD.map((each) => each.tradeId), settlements });
    driver.start(READING, holding(9_997, 10, 0), [...TOLD, LOST]);
    answering(driver, [...TOLD, LOST], { account: holding(9_997, 10, 0) });
    expect(view(driver)).toMatchObject({ settledYes: '10', positionYes: '10' });
  });

  it('takes no order from what only the history had told', () => {
    const late = ['1', '2', '3', '4'].map((name) => bought(`t-late-${name}`, OTHER));
    const told = TOLD.map(({ tradeId }, index) => settled(tradeId, 900_000 - index));
    const found = late.map(({ tradeId }, index) => ({
      ...settled(tradeId, 800_000 - index),
      isRecovered: true,
    }));
    const driver = new EngineDriver();
    const tradeIds = [...TOLD, ...late].map(({ tradeId }) => tradeId);
    driver.restore({ ...NOTHING_STORED, tradeIds, settlements: [...told, ...found] });
    const list = [...late, ...TOLD];
    driver.start(READING, balances(), list);
    answering(driver, list);
    answering(driver, [...list, LOST], { account: holding(9_997, 10, 0) });
    expect(recovered(driver)).toEqual(['t-lost']);
  });

  it('takes no order from what was kept at one moment', () => {
    const driver = new EngineDriver();
    const left: PersistedState = {
      ...NOTHING_STORED,
      tradeIds: TOLD.map((each) => each.tradeId),
      settlements: TOLD.toReversed().map(({ tradeId }) => settled(tradeId, 60_000)),
    };
    driver.restore(left);
    driver.start(READING, balances(), [OLD, ...TOLD]);
    answering(driver, [OLD, ...TOLD]);
    expect(recovered(driver)).toEqual([]);
  });
});
