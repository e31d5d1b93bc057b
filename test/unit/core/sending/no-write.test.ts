// While no order write is allowed at all, a side without a quote says why.

import { expect, it } from 'vitest';
import { EngineDriver, level, settings } from '../../../support/engine-driver.ts';

/** Both sides are wanted, and their first write has left. */
function quoting(writesPer10s: number): EngineDriver {
  const driver = new EngineDriver();
  const { orders } = settings();
  driver.start(settings({ orders: { ...orders, writesPer10s } }));
  driver.healthyBook();
  driver.tick();
  return driver;
}

/** Of both sides, which lack their quotes for the same reason. */
function reasonOf({ engine }: EngineDriver) {
  const [market] = engine.view().markets;
  expect(market?.askReason?.code).toBe(market?.bidReason?.code);
  return market?.bidReason;
}

it('names the wait that the venue asks for, and its end', () => {
  const driver = quoting(300);
  const refusal = { code: 'rate_limited', message: '', httpStatus: 429, retryAfterMs: 30_000 };
  expect(driver.answerPlacements({ kind: 'refused', refusal })).toHaveLength(2);
  driver.run(2_500);
  expect(reasonOf(driver)).toMatchObject({ code: 'rate_limited' });
  expect(reasonOf(driver)?.clears).toMatch(/ in 2[789] s$/);
  driver.run(28_000);
  expect(driver.acceptPlacements()).toHaveLength(2);
  driver.run(1_100);
  expect(reasonOf(driver)).toBeUndefined();
});

it('names the writes that are used up', () => {
  const driver = quoting(1);
  driver.acceptPlacements();
  driver.book(undefined, [level(40, 500)], [level(44, 500)]);
  driver.run(1_500, () => driver.answerCancels());
  expect(driver.acceptPlacements()).toEqual([]);
  expect(reasonOf(driver)).toMatchObject({ code: 'write_budget' });
});
