// The whole account rests after a refusal that every order would meet: what other markets lacked before it waits, too.

import { expect, it } from 'vitest';
import type { Market } from '../../../../src/domain/market.ts';
import { EngineDriver, level, settings } from '../../../support/engine-driver.ts';
import { listedEvent } from '../../../support/listed-event.ts';

const REFUSAL = { code: 'maintenance', message: 'x', httpStatus: 503, retryAfterMs: undefined };
const MAINTENANCE = { kind: 'refused', refusal: REFUSAL } as const;

function bookAt(driver: EngineDriver, market: Market | undefined, middle: number): void {
  if (market === undefined) throw new Error('the event has such a market');
  driver.book(market.yes.tokenId, [level(middle - 2, 500)], [level(middle + 2, 500)]);
  driver.book(market.no.tokenId, [], []);
}

it('nothing leaves before the pause is over, though a market lacked it before', () => {
  const event = listedEvent('rain', 2);
  const [first, second] = event.markets;
  const driver = new EngineDriver();
  const own = settings();
  driver.start({ ...own, orders: { ...own.orders, writesPer10s: 2, reservePart: 0 } });
  const list = () => driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [event] } });
  list();
  bookAt(driver, first, 50);
  driver.tick();
  expect(driver.acceptPlacements()).toHaveLength(2);
  driver.run(9_000, () => {
    for (const _ of driver.take('readCatalogue')) list();
    driver.answerReads(driver.openReports());
  });
  bookAt(driver, second, 50);
  driver.tick();
  // Both writes are used: what the first one lacks from here on waits for one.
  driver.run(800);
  bookAt(driver, first, 40);
  driver.run(200);
  expect(driver.answerPlacements(MAINTENANCE)).toHaveLength(2);
  driver.run(4_500);
  expect(driver.placements()).toEqual([]);
  driver.run(2_000);
  expect(driver.placements()).not.toEqual([]);
});

it('is not over sooner for an answer that asks for a shorter one', () => {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const codes = ['maintenance', 'expired_timestamp'] as const;
  for (const { requestId, orders } of driver.placements()) {
    const outcomes = orders.map(({ intentId }, at) => {
      const code = codes[at] ?? 'expired_timestamp';
      return { intentId, outcome: { kind: 'refused', refusal: { ...REFUSAL, code } } as const };
    });
    expect(outcomes).toHaveLength(2);
    driver.tell({ kind: 'placed', requestId, outcomes });
  }
  driver.run(4_500, () => driver.answerReads([]));
  expect(driver.placements()).toEqual([]);
});

it('is 5 s where a 401 names no code: the credentials are read again, and no side rests for it', () => {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const refusal = { code: undefined, message: 'no', httpStatus: 401, retryAfterMs: undefined };
  for (let time = 1; time <= 12; time += 1) {
    expect(driver.answerPlacements({ kind: 'refused', refusal })).toHaveLength(2);
    driver.run(4_500, () => driver.answerReads([]));
    expect(driver.placements()).toEqual([]);
    driver.run(2_000, () => driver.answerReads([]));
  }
  expect(driver.acceptPlacements()).toHaveLength(2);
});
