// Others show as many shares in a level as an own order there. What is left when ours is cancelled is theirs: taken
// for a trace of ours it vanishes with each cancel, is back a moment later, and quotes go to and fro over it.

import { describe, expect, it } from 'vitest';
import type { OrderHash } from '../../../../src/domain/ids.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { balances, EngineDriver, level, NO, YES } from '../../../support/engine-driver.ts';
import { LateVenue } from '../../../support/late-venue.ts';

const SIZE = 50;

/** Prices that bids went to, one after the other, in the minute after others have come to the best of them. */
function movesBeside(delayMs: number, levels: number): readonly number[] {
  const venue = new LateVenue(delayMs, { levels });
  venue.pass(20_000);
  venue.bids.length = 0;
  venue.others('bid', 48, SIZE);
  venue.pass(60_000);
  return venue.bids.filter((price, index) => price !== venue.bids[index - 1]);
}

describe('a level of others of the size of an own order', () => {
  it.each([0, 100, 400])('moves a quote once, and not to and fro: %s ms late', (delayMs) => {
    expect(movesBeside(delayMs, 1)).toEqual([52]);
  });

  it.each([0, 100])('moves each quote of a ladder at most once: %s ms late', (delayMs) => {
    const moves = movesBeside(delayMs, 3);
    expect(new Set(moves)).toEqual(new Set([50, 51, 52]));
    // An end that nobody tells of is a doubt, and then each of them is placed once more.
    expect(moves.length).toBeLessThanOrEqual(6);
  });

  it('is the own order for as long as the book has not reported its end', () => {
    const venue = new LateVenue(250);
    venue.pass(20_000);
    venue.others('ask', 56, SIZE);
    venue.pass(60_000);
    expect(new Set(venue.bids)).toEqual(new Set([48, 46]));
    expect(venue.bids.slice(0, 2)).toEqual([48, 46]);
    expect(venue.bids.lastIndexOf(48)).toBe(0);
  });

  it('is theirs where two own orders make up for as much, once both have gone', () => {
    const driver = new EngineDriver();
    driver.start();
    const show = (bid: number, ask: number) =>
      driver.book(YES, [level(48, bid)], [level(ask, 500)]);
    show(SIZE, 52);
    driver.book(NO, [], []);
    driver.tick();
    const { hash, order } = bidOf(driver);
    show(2 * SIZE, 52);
    pass(driver, 500);
    driver.update(hash, order, { status: 'MATCHED', filled: 20, remaining: 30 });
    show(2 * SIZE - 20, 52);
    pass(driver, 500);
    // What has traded is wanted for again, beside the rest.
    expect(bidOf(driver).order.quantity).toBe(20_000_000);
    show(2 * SIZE, 52);
    pass(driver, 500);
    show(2 * SIZE, 60);
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(3);
    show(SIZE, 60);
    driver.tick();
    expect(driver.engine.view().markets[0]?.bestBid).toBe('0.48');
  });
});

/** Accepts what was placed. @returns The bid among it. */
function bidOf(driver: EngineDriver): { readonly hash: OrderHash; readonly order: LimitOrder } {
  const bid = driver.acceptPlacements().find(({ order }) => order.tokenId === YES);
  if (bid === undefined) throw new Error('a bid was placed');
  return bid;
}

function pass(driver: EngineDriver, durationMs: number): void {
  driver.run(durationMs, () => driver.answerReads(driver.openReports(), balances()));
}
