// Somebody else's order rests on a market that leaves, or that gets another tick size: nobody here ends it,
// and the market does not wait for it.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import {
  EngineDriver,
  level,
  listing,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';

const THEIRS = orderHash('0xf0f0');
const OWN = { ...settings(), orders: { ...settings().orders, scope: 'own' as const } };

/** Two quotes of ours rest, and a bid of somebody else at 0.30. */
function quoting() {
  const driver = new EngineDriver();
  driver.start(OWN);
  driver.healthyBook();
  driver.tick();
  const quotes = driver.acceptPlacements();
  const [bid] = quotes;
  if (bid === undefined) throw new Error('a bid was placed');
  const theirs = {
    ...reportOf(THEIRS, bid.order),
    price: ticks(tickGrid('0.01'), 30),
    ticksPerUnit: 100,
    quantity: shares(7),
  } as const;
  const open: OrderReport[] = [...driver.openReports(), theirs];
  const named: string[] = [];
  const pass = (durationMs: number, event: Event = listing()) =>
    driver.run(durationMs, () => {
      for (const hash of driver.answerCancels()) {
        named.push(hash);
        const at = open.findIndex((each) => each.orderHash === hash);
        if (at !== -1) open.splice(at, 1);
      }
      for (const _ of driver.take('readCatalogue'))
        driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [event] } });
      driver.answerReads(open);
    });
  pass(6_000);
  expect(driver.engine.view().ordersOfOthers).toBe(1);
  return { driver, named, pass };
}

describe('a market on which somebody else has an order', () => {
  it('leaves all the same', () => {
    const { driver, named, pass } = quoting();
    driver.settings({ ...OWN, markets: [] });
    pass(20_000);
    expect(driver.engine.view().markets).toEqual([]);
    expect(driver.engine.view().ordersOfOthers).toBe(1);
    expect(named).not.toContain(THEIRS);
  });

  it('is quoted again on another tick size', () => {
    const { driver, named, pass } = quoting();
    const event = listing('0.001');
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [event] } });
    pass(20_000, event);
    expect(driver.reported('market.listed')).toHaveLength(2);
    driver.book(YES, [level(480, 500)], [level(520, 500)]);
    driver.book(NO);
    driver.tick();
    expect(driver.placements()).not.toEqual([]);
    expect(driver.engine.view().ordersOfOthers).toBe(1);
    expect(named).not.toContain(THEIRS);
  });
});
