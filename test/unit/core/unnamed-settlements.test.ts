// The older settlement frame names no token: what is known tells whose it is, or nobody's.

import { describe, expect, it } from 'vitest';
import { marketId, type TokenId } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { EngineDriver, level, NO, settings, YES } from '../../support/engine-driver.ts';

/** Bids for so many shares of either outcome matched, at 0.38 and 0.58, and wait for their settlement. */
function matched(size = 50): EngineDriver {
  const driver = new EngineDriver();
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size };
  driver.start(
    settings({ markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }] }),
  );
  driver.book(YES, [level(38, 500)], [level(42, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  for (const { hash, order } of driver.acceptPlacements()) {
    driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
  }
  return driver;
}

function settle(driver: EngineDriver, side: 'BUY' | 'SELL', price: number, size = 50): void {
  const unnamed = { tradeId: `t-${price}`, tokenId: undefined, marketId: undefined } as const;
  const quantity = shares(size);
  driver.tell({ kind: 'tradeSettled', ...unnamed, side, price: usdc(price), quantity });
}

const view = (driver: EngineDriver) => driver.engine.view().markets[0];

/** What the ledger was last told of a token. */
function isKeptInDoubt({ records }: EngineDriver, tokenId: TokenId): boolean | undefined {
  const told = records.flatMap((each) => (each.kind === 'token' ? [each.token] : []));
  return told.findLast((each) => each.tokenId === tokenId)?.isDoubted;
}

describe('a settlement that names no token', () => {
  it.each([
    { price: 0.38, settledYes: '50', settledNo: '0', why: 'of the match at just its price' },
    {
      price: 0.58,
      settledYes: '0',
      settledNo: '50',
      why: 'of the only match that allows its price',
    },
    { price: 0.45, settledYes: '0', settledNo: '50', why: 'of the only match that paid as much' },
    { price: 0.2, settledYes: '0', settledNo: '0', why: 'of nobody when it may be of either' },
    { price: 0.7, settledYes: '0', settledNo: '0', why: 'of nobody when no match paid as much' },
  ])('at $price is $why', ({ price, settledYes, settledNo }) => {
    const driver = matched();
    expect(view(driver)).toMatchObject({ positionYes: '50', positionNo: '50' });
    settle(driver, 'BUY', price);
    expect(view(driver)).toMatchObject({
      positionYes: '50',
      positionNo: '50',
      settledYes,
      settledNo,
    });
  });
});

describe('a settlement that names no token, of a match that may have settled unheard', () => {
  it.each([
    {
      price: 0.38,
      size: 50,
      isDoubted: false,
      why: 'leaves the others alone when it is just that',
    },
    { price: 0.36, size: 50, isDoubted: true, why: 'may be of any other at another price' },
    { price: 0.38, size: 20, isDoubted: true, why: 'may be of any other when it is a part' },
  ])('$why', ({ price, size, isDoubted }) => {
    const driver = matched();
    settle(driver, 'BUY', 0.58);
    driver.tick(60_000);
    expect(view(driver)).toMatchObject({ settledYes: '0', settledNo: '50' });
    settle(driver, 'BUY', price, size);
    expect(view(driver)).toMatchObject({ settledYes: `${size}`, positionYes: '50' });
    expect(isKeptInDoubt(driver, NO)).toBe(isDoubted);
  });
});

describe('a settlement that names no token and has another price than its only match', () => {
  it.each([
    { price: 0.58, isDoubted: false },
    { price: 0.45, isDoubted: true },
  ])('at $price leaves its token in doubt: $isDoubted', ({ price, isDoubted }) => {
    const driver = matched();
    settle(driver, 'BUY', price);
    driver.tick();
    // It may be of a match that nobody told of, in the other token.
    expect(view(driver)?.bidReason?.code === 'position_unproven').toBe(isDoubted);
  });
});

/** The bid for NO matched; that for YES, of 50 at 0.38, was cancelled, and nobody tells what it had traded. */
function endedUnheard(): { readonly driver: EngineDriver; readonly tellEnd: () => void } {
  const driver = new EngineDriver();
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 };
  driver.start(
    settings({ markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }] }),
  );
  driver.book(YES, [level(38, 500)], [level(42, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  const live = driver.acceptPlacements();
  const [yes, no] = [YES, NO].map((token) => live.find(({ order }) => order.tokenId === token));
  if (yes === undefined || no === undefined) throw new Error('there is a bid for each');
  driver.update(no.hash, no.order, { status: 'MATCHED', remaining: 0 });
  driver.book(YES, [level(30, 500)], [level(34, 500)]);
  driver.tick();
  expect(driver.answerCancels()).toContain(yes.hash);
  return {
    driver,
    tellEnd: () => driver.update(yes.hash, yes.order, { status: 'CANCELLED', remaining: 50 }),
  };
}

describe('a settlement that names no token, beside an order that ended unheard', () => {
  it.each([
    { price: 0.38, size: 13, afterMs: 1_000, why: 'at its price' },
    { price: 0.38, size: 13, afterMs: 11_000, why: 'while it is to be proven' },
    { price: 0.3, size: 50, afterMs: 1_000, why: 'of all of it, cheaper' },
  ])('may be of that, $why', ({ price, size, afterMs }) => {
    const { driver } = endedUnheard();
    driver.run(afterMs);
    settle(driver, 'BUY', price, size);
    expect(view(driver)).toMatchObject({ settledYes: '0', settledNo: `${size}` });
    expect(isKeptInDoubt(driver, YES)).toBe(true);
  });

  it.each([
    { price: 0.58, size: 50, why: 'when a match at just its price waits' },
    { price: 0.45, size: 13, why: 'when it had asked for less' },
  ])('is not of that $why', ({ price, size }) => {
    const { driver } = endedUnheard();
    driver.run(1_000);
    settle(driver, 'BUY', price, size);
    expect(isKeptInDoubt(driver, YES)).toBe(false);
  });

  it('is not of that once its end was told', () => {
    const { driver, tellEnd } = endedUnheard();
    driver.run(11_000);
    tellEnd();
    settle(driver, 'BUY', 0.38, 13);
    expect(isKeptInDoubt(driver, YES)).toBe(false);
  });
});

describe('a settlement of somebody else that names no token', () => {
  it('is of no match when each is smaller, whatever they are together', () => {
    const driver = matched(20);
    driver.book(YES, [level(36, 500)], [level(40, 500)]);
    driver.tick();
    for (const { hash, order } of driver.acceptPlacements()) {
      driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
    expect(view(driver)).toMatchObject({ positionYes: '40', positionNo: '40' });
    settle(driver, 'BUY', 0.5, 38);
    expect(view(driver)).toMatchObject({ positionYes: '40', positionNo: '40', settledNo: '0' });
  });
});

describe('a failed settlement', () => {
  it('that is told of twice at once reverses no part of another match, and waits for positions', () => {
    const driver = matched(80);
    expect(view(driver)).toMatchObject({ positionYes: '80' });
    for (let count = 0; count < 2; count += 1) fail(driver, 30);
    driver.tick();
    // The first may be a part of the 80, the second is one of them told twice or 30 more.
    expect(view(driver)).toMatchObject({
      positionYes: '50',
      bidReason: { code: 'position_unproven' },
      askReason: { code: 'position_unproven' },
    });
  });

  it('that is told of once leaves the market quoted', () => {
    const driver = matched(80);
    fail(driver, 80);
    driver.tick();
    expect(view(driver)).toMatchObject({ positionYes: '0' });
    expect(view(driver)?.bidReason?.code).not.toBe('position_unproven');
  });
});

function fail(driver: EngineDriver, size: number): void {
  const unnamed = { reason: 'reverted', marketId: marketId(YES), side: 'BUY' } as const;
  driver.tell({ kind: 'tradeFailed', ...unnamed, quantity: shares(size) });
}
