// A listing lacks an event for a moment. Frames are read by the catalogue, so that those of its markets are lost
// meanwhile; one with a fill that has yet to settle stays, and is quoted again when the event is back.

import { expect } from 'vitest';
import { EngineDriver, level, listing, NO, settings, YES } from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

function back(): EngineDriver {
  const driver = new EngineDriver();
  const list = (isThere: boolean) => {
    const value = isThere ? [listing()] : [];
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
  };
  driver.start(settings());
  driver.healthyBook();
  driver.tick();
  const [bid, ask] = driver.acceptPlacements();
  if (bid === undefined || ask === undefined) throw new Error('both sides were placed');
  driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
  list(false);
  driver.tick();
  driver.answerCancels();
  driver.update(ask.hash, ask.order, { status: 'CANCELLED' });
  driver.run(1_000);
  driver.sent = [];
  list(true);
  driver.run(500);
  return driver;
}

it('its books are asked for anew, and it is not quoted by what they said before', () => {
  const driver = back();
  expect(driver.placements()).toEqual([]);
  expect(driver.take('resubscribe').map(({ tokenId }) => tokenId)).toEqual([YES, NO]);
});

it('and it is quoted with the next snapshots', () => {
  const driver = back();
  driver.book(YES, [level(68, 500)], [level(72, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  const prices = driver.acceptPlacements().map(({ order }) => order.price);
  expect(prices).toEqual([28, 68]);
});
