// The history of settled trades tells what a lost frame would have: what is trusted of it, and when.

import { describe, expect, it } from 'vitest';
import { requestId, type TokenId, tokenId } from '../../../../src/domain/ids.ts';
import type { ReadOutcome, SettledTrade } from '../../../../src/domain/message.ts';
import type { PersistedState } from '../../../../src/domain/record.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  level,
  MARKET,
  NO,
  NOTHING_STORED,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const READING = settings({ timing: { ...settings().timing, tradesMs: 5_000 } });

/** Bids for 50 of either outcome matched, at 0.38 and 0.58, and wait for their settlement. */
function matched(): EngineDriver {
  const driver = new EngineDriver();
  driver.start(READING);
  fillBoth(driver);
  for (const trade of TOLD.toReversed()) frame(driver, trade);
  return driver;
}

function fillBoth(driver: EngineDriver): void {
  driver.book(YES, [level(38, 500)], [level(42, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  for (const { hash, order } of driver.acceptPlacements()) {
    driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
  }
}

function bought(tradeId: string, token: TokenId | undefined, price: number, size = 50) {
  const trade: SettledTrade = {
    tradeId,
    side: 'BUY',
    tokenId: token,
    marketId: MARKET,
    price: usdc(price),
    quantity: shares(size),
  };
  return trade;
}

function frame(driver: EngineDriver, trade: SettledTrade): void {
  driver.tell({ kind: 'tradeSettled', ...trade });
}

/** Waits until the history is asked for, and answers; the account shows so much meanwhile. */
function history(
  driver: EngineDriver,
  trades: readonly SettledTrade[],
  account = balances(),
): void {
  answer(driver, { kind: 'ok', value: trades }, account);
}

function answer(
  driver: EngineDriver,
  outcome: ReadOutcome<readonly SettledTrade[]>,
  account = balances(),
): void {
  let answered = 0;
  driver.run(6_000, () => {
    driver.answerReads([], account);
    driver.answerCancels();
    answered += driver.answerTrades(outcome);
  });
  expect(answered).toBeGreaterThan(0);
}

const view = (driver: EngineDriver) => driver.engine.view().markets[0];
const recovered = (driver: EngineDriver) =>
  driver.reported('trade.recovered').map(({ tradeId }) => tradeId);
const states = (driver: EngineDriver) => driver.reported('history.state').map(({ state }) => state);

const YES_TRADE = bought('t-yes', YES, 0.38);
const NO_TRADE = bought('t-no', NO, 0.58);

/** What frames told at first, the newest first: so many say which way a list goes. */
const TOLD = ['t-f', 't-e', 't-d', 't-c', 't-b', 't-a'].map((name) =>
  bought(name, tokenId('0x09'), 0.3, 1),
);

describe('a settlement whose frame is lost', () => {
  it('is counted when the history tells of it', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD]);
    expect(recovered(driver)).toEqual(['t-no']);
    expect(view(driver)).toMatchObject({ settledYes: '50', settledNo: '50', positionNo: '50' });
    expect(states(driver)).toEqual(['counted']);
  });

  it('counts once, though its frame comes after all', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD]);
    frame(driver, NO_TRADE);
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD]);
    expect(view(driver)).toMatchObject({ settledYes: '50', settledNo: '50' });
    const kept = driver.records.filter(
      (each) => each.kind === 'settlement' && each.settlement.tradeId === 't-no',
    );
    expect(kept).toHaveLength(1);
  });

  it('costs what the history says, when that is better than its order asked for', () => {
    const worse = matched();
    frame(worse, YES_TRADE);
    history(worse, [NO_TRADE, YES_TRADE, ...TOLD]);
    const driver = matched();
    frame(driver, YES_TRADE);
    history(driver, [{ ...NO_TRADE, price: usdc(0.5) }, YES_TRADE, ...TOLD]);
    const gained = Number(view(driver)?.pnlUsdc) - Number(view(worse)?.pnlUsdc);
    expect(gained).toBeCloseTo(50 * 0.08, 6);
  });

  it('is found in a list that begins with the oldest', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    history(driver, [...TOLD.toReversed(), YES_TRADE, NO_TRADE]);
    expect(recovered(driver)).toEqual(['t-no']);
  });

  it('counts once where balances had shown it before', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    history(driver, [YES_TRADE, ...TOLD]);
    // Nothing is reported for NO for longer than positions lag, which show what settled unreported.
    driver.run(120_000, () => {
      driver.answerReads([], holding(9_952, 51, 50));
      driver.answerCancels();
      driver.answerTrades({ kind: 'ok', value: [YES_TRADE, ...TOLD] });
    });
    expect(view(driver)).toMatchObject({ settledNo: '50', positionNo: '50' });
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD], holding(9_952, 51, 50));
    expect(view(driver)).toMatchObject({ settledNo: '50', positionNo: '50' });
  });

  it('counts once where balances had shown it long before the history was first trusted', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    driver.run(400_000, () => {
      driver.answerReads([], holding(9_952, 51, 50));
      driver.answerCancels();
      driver.answerTrades({ kind: 'unknown', cause: 'timeout', detail: '10 s' });
    });
    expect(view(driver)).toMatchObject({ settledNo: '50', positionNo: '50' });
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD], holding(9_952, 51, 50));
    expect(view(driver)).toMatchObject({ settledNo: '50', positionNo: '50' });
  });
});

describe('the history', () => {
  it('is not trusted before it told what frames did, and in which order', () => {
    const driver = new EngineDriver();
    driver.start(READING);
    fillBoth(driver);
    for (const trade of TOLD.slice(1).toReversed()) frame(driver, trade);
    history(driver, [NO_TRADE, ...TOLD]);
    expect(recovered(driver)).toEqual([]);
    expect(view(driver)).toMatchObject({ settledNo: '0' });
    frame(driver, YES_TRADE);
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD]);
    expect(recovered(driver)).toEqual(['t-f', 't-no']);
  });

  it('is never trusted again once it told a settlement otherwise', () => {
    const driver = matched();
    history(driver, TOLD);
    frame(driver, YES_TRADE);
    history(driver, [NO_TRADE, { ...YES_TRADE, quantity: shares(49) }, ...TOLD]);
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD]);
    expect(recovered(driver)).toEqual([]);
    expect(states(driver)).toEqual(['counted', 'disbelieved']);
  });

  it('tells nothing new of what was there before this run listened', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    // A list that was empty at first, and is whole now, says nothing of when its trades settled.
    history(driver, [YES_TRADE, ...TOLD, bought('t-old', YES, 0.4)]);
    expect(recovered(driver)).toEqual([]);
    expect(view(driver)).toMatchObject({ settledYes: '50' });
  });

  it('says of which token a settlement was that named none', () => {
    const driver = matched();
    frame(driver, bought('t-x', undefined, 0.2));
    frame(driver, YES_TRADE);
    history(driver, [YES_TRADE, bought('t-x', NO, 0.2), ...TOLD]);
    expect(view(driver)).toMatchObject({ settledYes: '50', settledNo: '50' });
    expect(recovered(driver)).toEqual([]);
  });

  it('that cannot be read three times is reported once, and asked for ten minutes later', () => {
    const driver = matched();
    const garbage = { kind: 'unknown', cause: 'unreadable', detail: 'trades[0].tradeId' } as const;
    const asked = (ms: number): number => {
      let count = 0;
      driver.run(ms, () => {
        driver.answerReads([]);
        count += driver.answerTrades(garbage);
      });
      return count;
    };
    expect(asked(20_000)).toBe(4);
    expect(asked(540_000)).toBeLessThanOrEqual(1);
    expect(asked(120_000)).toBe(1);
    expect(states(driver)).toEqual(['unreadable']);
  });

  it('is read on after an answer that nobody could understand', () => {
    const driver = matched();
    frame(driver, YES_TRADE);
    driver.tell({
      kind: 'trades',
      requestId: requestId(0),
      askedAtMs: unixMs(driver.nowMs),
      outcome: { kind: 'unknown', cause: 'unreadable', detail: '<html>' },
    });
    history(driver, [NO_TRADE, YES_TRADE, ...TOLD]);
    expect(recovered(driver)).toEqual(['t-no']);
    expect(states(driver)).toEqual(['counted']);
  });

  it('is not asked for where its period is 0', () => {
    const driver = new EngineDriver();
    driver.start(settings());
    driver.run(30_000, () => driver.answerReads([]));
    expect(driver.take('readTrades')).toEqual([]);
  });
});

describe('a list that does not show what was told last', () => {
  it('tells nothing, since nobody knows what part of the history it is', () => {
    const driver = matched();
    history(driver, [bought('t-old', YES, 0.4), ...TOLD.slice(0, -1)]);
    expect(recovered(driver)).toEqual([]);
  });

  it('is trusted when it is about what came after', () => {
    const driver = matched();
    history(driver, TOLD);
    frame(driver, YES_TRADE);
    history(driver, [NO_TRADE, YES_TRADE]);
    expect(recovered(driver)).toEqual(['t-no']);
  });
});

describe('a run that follows another', () => {
  const beganAtMs = 1_700_000_000_000;
  const told = (tradeId: string, agoMs: number) => ({
    tradeId,
    tokenId: YES,
    side: 'BUY' as const,
    quantity: shares(10),
    cashNano: -3_000_000_000,
    atMs: unixMs(beganAtMs - agoMs),
  });
  const trade = (tradeId: string) => bought(tradeId, YES, 0.3, 10);
  const left: PersistedState = {
    ...NOTHING_STORED,
    tokens: [
      {
        tokenId: YES,
        confirmed: shares(20),
        pending: [
          {
            side: 'BUY',
            cashNano: -3_000_000_000,
            quantity: shares(10),
            original: shares(10),
            atMs: unixMs(beganAtMs - 30_000),
          },
        ],
        uncertain: [],
        unreported: [],
        shown: [],
        changedAtMs: unixMs(beganAtMs - 30_000),
      },
    ],
    flows: [
      {
        marketId: MARKET,
        cashNano: -9_000_000_000,
        fills: 3,
        start: { yes: shares(0), no: shares(0) },
        startValueNano: 0,
      },
    ],
    tradeIds: ['t-x', 't-y', 't-1', 't-2', 't-3', 't-4'],
    settlements: [
      told('t-x', 140_000),
      told('t-y', 130_000),
      told('t-1', 120_000),
      told('t-2', 110_000),
      told('t-3', 100_000),
      told('t-4', 60_000),
    ],
  };

  it('counts what settled while nobody listened', () => {
    const driver = new EngineDriver();
    driver.restore(left);
    const listed = ['t-5', 't-4', 't-3', 't-2', 't-1', 't-y', 't-x', 't-0'].map(trade);
    driver.start(READING, holding(9_991, 20, 0), listed);
    expect(recovered(driver)).toEqual(['t-5']);
    expect(view(driver)).toMatchObject({ settledYes: '30', positionYes: '30' });
  });

  it('leaves to positions what the one before had not been reported in its time', () => {
    const driver = new EngineDriver();
    driver.restore(left);
    const listed = ['t-4', 't-lost', 't-3', 't-2', 't-1', 't-y', 't-x'].map(trade);
    driver.start(READING, holding(9_991, 20, 0), listed);
    expect(recovered(driver)).toEqual([]);
    expect(view(driver)).toMatchObject({ settledYes: '20', positionYes: '30' });
  });
});
