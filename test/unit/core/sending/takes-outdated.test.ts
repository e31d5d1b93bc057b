// A round of takes that a cancel of everything has held up, of a book that has moved since.

import { expect, it } from 'vitest';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { defineStrategy, type Take } from '../../../../src/strategy/index.ts';
import { EngineDriver, GRID, level, settings } from '../../../support/engine-driver.ts';
import { ask, bid } from '../../../support/wanted.ts';

const FAILED = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;

it('is not sent before its strategy has been asked again', () => {
  let takes: readonly Take[] = [];
  let middle = 50;
  const strategy = defineStrategy<object>({
    name: 'taker',
    summary: 'Quotes, and takes when told.',
    params: {},
    takes: true,
    quote: () => ({ quotes: [bid(middle - 5, 50), ask(middle + 5, 50)], reasons: [], takes }),
  });
  const driver = new EngineDriver([strategy]);
  const choice = { event: 'rain', market: undefined, strategy: 'taker', params: {} };
  driver.start(settings({ markets: [{ ...choice, takerFeeRate: 0.03 }] }));
  driver.healthyBook();
  driver.tick();
  expect(driver.acceptPlacements()).toHaveLength(2);
  // Cancels by name fail until one of the market is asked for, which nobody answers for a while.
  middle = 40;
  driver.book(undefined, [level(38, 500)], [level(42, 500)]);
  driver.run(5_000, () => {
    for (const { requestId } of driver.take('cancelOrders'))
      driver.tell({ kind: 'cancelled', requestId, outcome: FAILED });
    driver.answerReads(driver.openReports());
  });
  const bulk = driver.take('cancelAll');
  expect(bulk).toHaveLength(1);
  driver.take('placeOrders');
  takes = [{ leg: 'yes', side: 'BUY', price: ticks(GRID, 42), quantity: shares(20) }];
  driver.book(undefined, [level(38, 400)], [level(42, 400)]);
  driver.tick();
  expect(driver.take('placeOrders')).toEqual([]);
  // The book moves, the cancel is answered, and the strategy has to wait for its turn.
  driver.book(undefined, [level(30, 400)], [level(42, 400)]);
  const outcome = { kind: 'accepted', cancelled: 2, failed: 0 } as const;
  for (const { requestId } of bulk) driver.tell({ kind: 'cancelled', requestId, outcome });
  driver.nowMs += 50;
  driver.step({ kind: 'tick', atMs: unixMs(driver.nowMs), asksMax: 0 });
  expect(driver.take('placeOrders')).toEqual([]);
});
