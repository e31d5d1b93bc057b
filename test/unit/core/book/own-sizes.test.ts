// The answer to a placement is often faster than the frame that shows it. Until the book moves, an own
// order is not in it, and what others show there stays theirs.

import { describe, expect, it } from 'vitest';
import { defineStrategy, type Strategy } from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import { balances, EngineDriver, level, NO, YES } from '../../../support/engine-driver.ts';

/** Others show so much where we quote: the bid is an own YES order, the ask one for NO at 48. */
function quotingBeside(othersShares: number, driver = new EngineDriver()): EngineDriver {
  driver.start();
  show(driver, othersShares);
  driver.book(NO, [], []);
  driver.tick();
  return driver;
}

function show(driver: EngineDriver, size: number): void {
  driver.book(YES, [level(48, size)], [level(52, size)]);
}

/** Nobody sends a frame meanwhile. */
function pass(driver: EngineDriver, durationMs: number): void {
  driver.run(durationMs, () => driver.answerReads(driver.openReports(), balances()));
}

function writes(driver: EngineDriver): number {
  return driver.take('cancelOrders').length + driver.placements().length;
}

describe('an own order that its book does not show yet', () => {
  it.each([20, 50, 80])('leaves %d shares of others where they are', (othersShares) => {
    const driver = quotingBeside(othersShares);
    expect(driver.acceptPlacements()).toHaveLength(2);
    pass(driver, 9_500);
    expect(writes(driver)).toBe(0);
    expect(driver.engine.view().markets[0]?.bestBid).toBe('0.48');
  });

  it('is taken out when its frame comes, long after the answer', () => {
    const driver = quotingBeside(20);
    driver.acceptPlacements();
    pass(driver, 1_000);
    // The bid is our own YES order; the ask is an order for NO, so that all asks are of others.
    driver.book(YES, [level(48, 70), level(45, 10)], [level(52, 20)]);
    pass(driver, 200);
    expect(writes(driver)).toBe(0);
    driver.book(YES, [level(48, 50), level(45, 10)], [level(52, 20)]);
    pass(driver, 100);
    expect(driver.engine.view().markets[0]?.bestBid).toBe('0.45');
  });

  it('counts as shown after ten seconds, when own-order audits have asked for it long since', () => {
    const driver = quotingBeside(20);
    driver.acceptPlacements();
    pass(driver, 11_500);
    expect(driver.engine.view().markets[0]?.bestBid).toBeUndefined();
  });

  it('waits for own-order audits where its level moved, and yet shows less than all of it', () => {
    const driver = quotingBeside(20);
    driver.acceptPlacements();
    show(driver, 15);
    pass(driver, 9_000);
    expect(driver.engine.view().markets[0]?.bestBid).toBe('0.48');
  });

  it('has its market looked at once a second like any other, and at the moment when it counts as shown', () => {
    const askedMs: number[] = [];
    const noting = defineStrategy({
      ...ladder,
      quote: (context) => {
        askedMs.push(context.nowMs);
        return ladder.quote(context);
      },
    });
    const driver = quotingBeside(20, new EngineDriver([noting as Strategy]));
    driver.acceptPlacements();
    const acceptedMs = driver.nowMs;
    pass(driver, 300);
    // The looks of every second fall between full seconds from here on.
    show(driver, 20);
    pass(driver, 9_700);
    const looksMs = askedMs.map((at) => at - acceptedMs).filter((at) => at > 1_000);
    expect(looksMs).toEqual([1350, 2350, 3350, 4350, 5350, 6350, 7350, 8350, 9350, 10_000]);
  });

  it('makes nothing vanish when it is cancelled before it showed', () => {
    const driver = quotingBeside(50);
    const [bid] = driver.acceptPlacements();
    if (bid === undefined) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'CANCELLED' });
    driver.tick();
    expect(driver.engine.view().markets[0]?.bestBid).toBe('0.48');
  });
});

describe('a level of our own at which trades and orders come within one flush', () => {
  /** Others stand two ticks behind both quotes. */
  function quotingAlone(): { readonly driver: EngineDriver; readonly bid: Placed } {
    const driver = new EngineDriver();
    driver.start();
    driver.book(YES, [level(46, 50)], [level(54, 50)]);
    driver.book(NO, [], []);
    driver.tick();
    const bid = bidOf(driver);
    showBid(driver, 50);
    pass(driver, 500);
    return { driver, bid };
  }

  function showBid(driver: EngineDriver, size: number): void {
    const own = size === 0 ? [] : [level(48, size)];
    driver.book(YES, [...own, level(46, 50)], [level(54, 50)]);
  }

  function bestBid(driver: EngineDriver): string | undefined {
    return driver.engine.view().markets[0]?.bestBid;
  }

  it('is none of others while the book shows it as it was before two trades', () => {
    const { driver, bid } = quotingAlone();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    driver.tick();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 35, remaining: 15 });
    driver.tick();
    expect(bestBid(driver)).toBe('0.46');
  });

  it('is none of others when all of it traded and as much was placed there again', () => {
    const { driver, bid } = quotingAlone();
    driver.take('cancelOrders');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 30, remaining: 20 });
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    driver.tick();
    expect(bidOf(driver).order.quantity).toBe(50_000_000);
    const seen: (string | undefined)[] = [];
    for (let passed = 0; passed < 600; passed += 50) {
      if (passed === 150) showBid(driver, 50);
      pass(driver, 50);
      seen.push(bestBid(driver));
    }
    expect(new Set(seen)).toEqual(new Set(['0.46']));
    expect(driver.take('cancelOrders')).toEqual([]);
  });

  it('is of others as soon as it shows more than all that may be ours', () => {
    const { driver, bid } = quotingAlone();
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 20, remaining: 30 });
    showBid(driver, 51);
    driver.tick();
    expect(bestBid(driver)).toBe('0.48');
  });

  it('is of others for what it shows beside ours once ours rests', () => {
    const { driver, bid } = quotingAlone();
    driver.update(bid.hash, bid.order, { status: 'CANCELLED' });
    driver.tick();
    bidOf(driver);
    showBid(driver, 85);
    driver.tick();
    expect(bestBid(driver)).toBe('0.46');
    const seen: (string | undefined)[] = [];
    for (let passed = 0; passed < 1_500; passed += 50) {
      pass(driver, 50);
      seen.push(bestBid(driver));
    }
    expect(seen).toContain('0.48');
  });
});

type Placed = ReturnType<EngineDriver['acceptPlacements']>[number];

/** Accepts what was placed. @returns The bid among it. */
function bidOf(driver: EngineDriver): Placed {
  const bid = driver.acceptPlacements().find(({ order }) => order.tokenId === YES);
  if (bid === undefined) throw new Error('a bid was placed');
  return bid;
}
