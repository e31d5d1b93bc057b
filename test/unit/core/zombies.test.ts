// An order whose cancel was answered whole, and that a later list shows all the same.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { EngineDriver, level, reportOf, YES } from '../../support/engine-driver.ts';

/** The bid was cancelled by its answer, and nobody reported how much had traded; then the list shows it. */
function listedAfterCancel(traded: number) {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const bid = driver.acceptPlacements().find(({ order }) => order.tokenId === YES);
  if (bid === undefined) throw new Error('a bid was placed');
  driver.book(YES, [level(40, 500)], [level(44, 500)]);
  driver.tick();
  expect(driver.answerCancels()).toContain(bid.hash);
  const named: string[] = [];
  driver.run(6_000, () => {
    driver.placements();
    named.push(...driver.answerCancels());
    driver.answerReads(named.includes(bid.hash) ? [] : [reportOf(bid.hash, bid.order, traded)]);
  });
  return { driver, bid, named };
}

const position = (driver: EngineDriver) => driver.engine.view().markets[0]?.positionYes;
const fills = (driver: EngineDriver) => driver.records.filter(({ kind }) => kind === 'fill');

describe('an order that the list still shows after its cancel was answered', () => {
  it('has its trades counted once, and is cancelled again', () => {
    const { driver, bid, named } = listedAfterCancel(20);
    expect(named).toContain(bid.hash);
    expect(driver.reported('order.filled')).toMatchObject([{ quantity: '20' }]);
    expect(position(driver)).toBe('20');
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 20, remaining: 0 });
    expect(fills(driver)).toHaveLength(1);
    expect(position(driver)).toBe('20');
  });

  it('has what it trades beyond that counted, too', () => {
    const { driver, bid } = listedAfterCancel(20);
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 35, remaining: 0 });
    expect(fills(driver)).toHaveLength(2);
    expect(position(driver)).toBe('35');
  });

  it('has no trades counted where it shows none', () => {
    const { driver, bid, named } = listedAfterCancel(0);
    expect(named).toContain(bid.hash);
    expect(bid.order.quantity).toBe(shares(50));
    expect(fills(driver)).toEqual([]);
  });
});
