// An operator may say of an event with one market that exactly one of its markets comes true, meaning its
// two outcomes: that makes nothing certain, and no limit laxer.

import { expect, it } from 'vitest';
import { EngineDriver, settings } from '../../../support/engine-driver.ts';
import { ask, bid, placed, wishing } from '../../../support/wanted.ts';

it.each([false, true])('a market alone loses its own worst case (exclusive: %s)', (isExclusive) => {
  const own = settings();
  const value = {
    ...own,
    risk: { ...own.risk, maxLossUsdc: 20 },
    markets: own.markets.map((choice) => ({ ...choice, isExclusive })),
  };
  // Of 20 that are allowed a bid of 30 loses 14.40 where NO comes true, and two of them 28.50.
  const driver = new EngineDriver([wishing(() => [bid(48, 30), bid(47, 30), ask(52, 30)])]);
  driver.start(value);
  driver.healthyBook();
  driver.run(300);
  expect(placed(driver).toSorted()).toEqual([
    ['BUY NO', 48, 30],
    ['BUY YES', 48, 30],
  ]);
  expect(Number(driver.engine.view().account.worstCaseLossUsdc)).toBeCloseTo(14.4);
});
