// Breakers against strategies and venues that do the same thing again and again.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingCount } from '../../../../src/core/risk/counts.ts';
import type { RiskLimits } from '../../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS, type RiskControls } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import { EngineDriver, YES } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

function quoting(quotes: () => readonly Quote[], change: Partial<RiskLimits>): EngineDriver {
  const driver = new EngineDriver([wishing(quotes)]);
  driver.start(controlled(change));
  driver.healthyBook();
  driver.run(100);
  return driver;
}

const tripped = (driver: EngineDriver) =>
  driver.reported('control.tripped').map((each) => [each.control, each.marketId, each.raisedTo]);

/** Keeps the venue agreeing with whatever was placed and cancelled. */
function obedient(driver: EngineDriver): () => void {
  return () => {
    driver.acceptPlacements();
    driver.answerCancels();
    driver.answerReads([]);
  };
}

describe('a runaway of placements', () => {
  const rate = { orders: 20, intervalMs: 10_000, action: 'cancel', coolOffMs: 5_000 } as const;

  it('is stopped at the send point, and goes on after it has cooled off', () => {
    let price = 40;
    // It target quotes elsewhere at every look, and would place 20 orders a second for ever.
    const restless = () => {
      price = price === 40 ? 41 : 40;
      return [bid(price, 10), ask(100 - price, 10)];
    };
    const driver = quoting(restless, { orderRate: rate });
    driver.run(4_000, () => {
      const sent = driver.acceptPlacements();
      for (const { hash, order } of sent) driver.update(hash, order, { status: 'CANCELLED' });
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(tripped(driver)).toEqual([['order_rate', undefined, 'cancel']]);
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('order_rate');
    driver.run(6_000, () => driver.answerReads([]));
    expect(driver.reported('control.eased')).toHaveLength(1);
    expect(placed(driver).length).toBeGreaterThan(0);
  });
});

describe('a burst of fills', () => {
  const burst: RiskControls['fillBurst'] = {
    ...RISK_CONTROL_DEFAULTS.fillBurst,
    marketFills: 3,
    marketShares: 0,
    accountFills: 0,
    accountShares: 0,
    intervalMs: 10_000,
    action: 'cancel',
    coolOffMs: 5_000,
  };

  function filledThrice(change: Partial<typeof burst>, gapMs: number): EngineDriver {
    const driver = quoting(() => [bid(48, 30)], { fillBurst: { ...burst, ...change } });
    const [order] = driver.acceptPlacements();
    if (order === undefined) throw new Error('a bid was placed');
    for (const filled of [5, 10, 15]) {
      driver.update(order.hash, order.order, {
        status: 'PARTIALLY_FILLED',
        filled,
        remaining: 30 - filled,
      });
      driver.run(gapMs, () => driver.answerReads([]));
    }
    return driver;
  }

  it('of one market pulls what adds there', () => {
    const driver = filledThrice({}, 100);
    expect(tripped(driver)).toEqual([['fill_burst', 'm-1', 'cancel']]);
    expect(driver.answerCancels()).toHaveLength(1);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('fill_burst');
  });

  it('is none when the fills are far apart', () => {
    expect(tripped(filledThrice({}, 6_000))).toEqual([]);
  });

  it('counts shares as well as fills, and the account as well as a market', () => {
    const byShares = filledThrice({ marketFills: 0, marketShares: 15 }, 100);
    expect(tripped(byShares)).toEqual([['fill_burst', 'm-1', 'cancel']]);
    const ofAccount = filledThrice({ marketFills: 0, accountShares: 15 }, 100);
    expect(tripped(ofAccount)).toEqual([['fill_burst', undefined, 'cancel']]);
  });

  it('that goes on while it cools off lets go only when it is over', () => {
    const wide = { intervalMs: 60_000, coolOffMs: 60_000, action: 'stop-adding' } as const;
    const driver = quoting(() => [bid(48, 100)], { fillBurst: { ...burst, ...wide } });
    const [order] = driver.acceptPlacements();
    if (order === undefined) throw new Error('a bid was placed');
    // Fills every six seconds for two minutes: three of them trip it, and trip it again.
    for (let filled = 4; filled <= 80; filled += 4) {
      const remaining = 100 - filled;
      driver.update(order.hash, order.order, { status: 'PARTIALLY_FILLED', filled, remaining });
      driver.run(6_000, () => driver.answerReads([]));
    }
    expect(driver.reported('control.eased')).toEqual([]);
    expect(driver.engine.view().risk?.latches[0]?.detail).toBe('3 fills in 60 s');
    driver.run(60_000, () => driver.answerReads([]));
    expect(driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
  });

  it('of the account stops adding everywhere until it has cooled off', () => {
    const driver = filledThrice({ marketFills: 0, accountFills: 3 }, 100);
    driver.answerCancels();
    driver.run(1_000, obedient(driver));
    expect(placed(driver)).toEqual([]);
    driver.run(5_000, obedient(driver));
    expect(driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
  });
});

describe('the same refusal again and again', () => {
  const limit = {
    ...RISK_CONTROL_DEFAULTS.refusals,
    side: 3,
    market: 0,
    account: 0,
    coolOffMs: 40_000,
  };
  const refusal = (code: string) =>
    ({
      kind: 'refused',
      refusal: { code, message: 'x', httpStatus: 422, retryAfterMs: undefined },
    }) as const;

  function refused(code: string, change: Partial<typeof limit>, durationMs: number): EngineDriver {
    const driver = quoting(() => [bid(48, 50)], { refusals: { ...limit, ...change } });
    driver.run(durationMs, () => {
      driver.answerPlacements(refusal(code));
      driver.answerReads([]);
    });
    return driver;
  }

  it('rests the side, beyond the pause that each refusal brings', () => {
    // Pauses of 1, 2, 4 and 8 s would allow five placements in 16 s.
    const driver = refused('insufficient_balance', {}, 16_000);
    expect(driver.reported('order.refused')).toHaveLength(3);
    expect(driver.engine.view().markets[0]?.bidReason).toMatchObject({
      code: 'repeated_refusals',
      detail: '3 times insufficient_balance in 60 s',
    });
  });

  it('trips the market and the account at their own counts', () => {
    const ofMarket = refused('invalid_price', { side: 0, market: 3 }, 16_000);
    expect(tripped(ofMarket)).toEqual([['repeated_refusals', 'm-1', 'cancel']]);
    const ofAccount = refused('invalid_price', { side: 0, account: 3 }, 16_000);
    expect(tripped(ofAccount)).toEqual([['repeated_refusals', undefined, 'cancel']]);
    expect(ofAccount.engine.view().markets[0]?.askReason?.code).toBe('repeated_refusals');
  });

  it('is not what a full budget, a clock or a paused market says', () => {
    for (const code of ['rate_limited', 'expired_timestamp', 'market_paused', 'maintenance']) {
      expect(tripped(refused(code, { side: 1, market: 1, account: 1 }, 5_000))).toEqual([]);
    }
  });
});

describe('settlements that fail', () => {
  it('stop adding once there are too many of them', () => {
    const { settlements: usual } = RISK_CONTROL_DEFAULTS;
    const settlements = { ...usual, failures: 2, action: 'stop-adding' } as const;
    const driver = quoting(() => [bid(48, 50)], { settlements });
    const [order] = driver.acceptPlacements();
    if (order === undefined) throw new Error('a bid was placed');
    driver.update(order.hash, order.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    const failed = { kind: 'tradeFailed', reason: 'x', marketId: undefined, side: 'BUY' } as const;
    driver.tell({ ...failed, quantity: shares(25) });
    expect(tripped(driver)).toEqual([]);
    driver.tell({ ...failed, quantity: shares(25) });
    expect(tripped(driver)).toEqual([['settlement_failures', undefined, 'stop-adding']]);
    driver.placements();
    driver.run(3_000, () => driver.answerReads([]));
    expect(placed(driver).filter(([what]) => what === 'BUY YES')).toEqual([]);
    expect(driver.engine.view().markets[0]?.positionYes).toBe('0');
    expect(YES).toBe(order.order.tokenId);
  });
});

describe('a sliding count', () => {
  it('is what the last interval held, and at most what was a twentieth of it before', () => {
    const anyTimes = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(anyTimes, (gaps) => {
        const window = new SlidingCount();
        const times: number[] = [];
        let now = 1_700_000_000_000;
        for (const gap of gaps) {
          now += gap;
          times.push(now);
          window.add(unixMs(now), 10_000, { count: 1, amount: 5 });
          const within = (ms: number) => times.filter((at) => at > now - ms).length;
          expect(window.count).toBeGreaterThanOrEqual(within(10_001));
          expect(window.count).toBeLessThanOrEqual(within(10_500));
          expect(window.amount).toBe(window.count * 5);
        }
      }),
    );
  });

  it('begins anew when its interval is changed', () => {
    const window = new SlidingCount();
    window.add(unixMs(1_000), 10_000, { count: 3, amount: 1 });
    window.advance(unixMs(1_001), 5_000);
    expect(window.count).toBe(0);
  });
});
