// Which writes are served while the budget shrinks, through the whole engine.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import {
  balances,
  EngineDriver,
  GRID,
  MARKET,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { Scripted } from '../../../support/wanted.ts';

const script = new Scripted();

function quote(side: 'bid' | 'ask', price: number, purpose: Quote['purpose'] = 'add'): Quote {
  return { side, price: ticks(GRID, price), quantity: shares(20), purpose };
}

/** An engine with a bid that rests, ten writes in all, and so many of them used. */
function withUsed(
  writes: number,
  risk: { maxOpenOrders?: number } = {},
  orders: { reservePart?: number } = {},
): EngineDriver {
  const base = settings();
  const driver = new EngineDriver([script.strategy]);
  const account = balances({
    positions: [
      { tokenId: YES, marketId: MARKET, shareAmount: shares(100), onHoldShareAmount: shares(0) },
    ],
    cashBalance: usdc(1_000),
    availableBalance: usdc(1_000),
  });
  script.wanted = [];
  driver.start(
    {
      ...base,
      risk: { ...base.risk, ...risk },
      orders: { ...base.orders, writesPer10s: 10, ...orders },
      markets: script.markets,
    },
    account,
  );
  driver.healthyBook();
  for (let used = 0; used < writes; used += 1) {
    // Each repairs a bare side, moves it, and so costs one write.
    script.wanted = [quote('bid', 30 + used)];
    driver.healthyBook();
    driver.run(300);
    expect(driver.acceptPlacements()).toHaveLength(1);
    driver.answerCancels();
  }
  return driver;
}

function sentFor(driver: EngineDriver, quotes: readonly Quote[]): readonly number[] {
  script.wanted = quotes;
  driver.healthyBook();
  // Writes are scarce now, so what is missing gathers for a while first.
  driver.run(400);
  return driver.placements().flatMap(({ orders }) => orders.map(({ price }) => price));
}

describe('the write budget', () => {
  it('serves improvements as long as a write for bare sides and one for positions are left', () => {
    expect(sentFor(withUsed(7), [quote('bid', 36), quote('bid', 20)])).toEqual([20]);
  });

  it('keeps these from improvements, which come when earlier writes have left the window', () => {
    const driver = withUsed(8);
    expect(sentFor(driver, [quote('bid', 37), quote('bid', 20)])).toEqual([]);
    driver.run(11_000);
    expect(driver.placements().flatMap(({ orders }) => orders.map(({ price }) => price))).toEqual([
      20,
    ]);
  });

  it('serves what reduces the position first, and lets the rest ride along', () => {
    const driver = withUsed(9);
    const both = [quote('bid', 38), quote('bid', 20), quote('ask', 60, 'reduce')];
    expect(sentFor(driver, both)).toEqual([60, 20]);
  });

  it('repairs a bare side with what improvements leave', () => {
    expect(sentFor(withUsed(8), [quote('bid', 37), quote('ask', 60)])).toEqual([60]);
  });

  it('keeps as much from improvements as it is told', () => {
    const options = { reservePart: 0.5 };
    expect(sentFor(withUsed(4, {}, options), [quote('bid', 33), quote('bid', 20)])).toEqual([20]);
    expect(sentFor(withUsed(5, {}, options), [quote('bid', 34), quote('bid', 20)])).toEqual([]);
  });

  it('names itself as the reason of a side that waits for it', () => {
    const driver = withUsed(9);
    expect(sentFor(driver, [quote('bid', 38), quote('ask', 60)])).toEqual([]);
    // A market nothing happens to is looked at once a second.
    driver.run(1_100);
    expect(driver.engine.view().markets[0]?.askReason?.code).toBe('write_budget');
  });

  it('lets few wait for the answers to cancels that make room for more', () => {
    const driver = withUsed(0, { maxOpenOrders: 2 });
    script.wanted = [quote('bid', 30), quote('ask', 60)];
    driver.healthyBook();
    driver.run(300);
    expect(driver.acceptPlacements()).toHaveLength(2);
    script.wanted = [quote('bid', 32), quote('ask', 58)];
    driver.healthyBook();
    driver.run(100);
    expect(driver.placements()).toEqual([]);
    driver.answerCancels();
    driver.run(100);
    expect(driver.placements().map(({ orders }) => orders.length)).toEqual([2]);
  });
});

describe('the wait for company', () => {
  const gathering = (): EngineDriver => {
    const base = settings();
    const driver = new EngineDriver([script.strategy]);
    script.wanted = [quote('bid', 40)];
    driver.start({
      ...base,
      orders: { ...base.orders, gatherMs: 20 },
      markets: script.markets,
    });
    driver.healthyBook();
    driver.run(300);
    driver.acceptPlacements();
    return driver;
  };

  it('is none for what takes the place of the last order of a side', () => {
    const driver = gathering();
    script.wanted = [quote('bid', 41)];
    driver.healthyBook();
    driver.tick(0);
    expect(driver.take('cancelOrders')).toHaveLength(1);
    expect(driver.placements()).toHaveLength(1);
  });

  it('is kept for a level beside others', () => {
    const driver = gathering();
    script.wanted = [quote('bid', 40), quote('bid', 39)];
    driver.healthyBook();
    driver.tick(0);
    expect(driver.placements()).toHaveLength(0);
    driver.tick(20);
    expect(driver.placements()).toHaveLength(1);
  });
});
