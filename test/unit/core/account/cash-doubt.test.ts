// Cash that nothing explains leaves every market unproven, whatever its positions may show by chance.

import { describe, expect, it } from 'vitest';
import type { Balances } from '../../../../src/domain/message.ts';
import type { MicroShares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const LESSER = balances({ cashBalance: usdc(9_952), availableBalance: usdc(9_952) });
const LESS = balances({ cashBalance: usdc(9_976), availableBalance: usdc(9_976) });

type Live = ReturnType<EngineDriver['acceptPlacements']>;

/** A life that has a bid of 50 shares at 0.48 and an ask resting, and no automatic control. */
function quoting(): { readonly driver: EngineDriver; readonly live: Live } {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  return { driver, live: driver.acceptPlacements() };
}

/** What rests is on every list, and so is what is placed meanwhile. */
function pass(driver: EngineDriver, durationMs: number, account: Balances, live: Live): Live {
  const resting = [...live];
  driver.run(durationMs, () => {
    resting.push(...driver.acceptPlacements());
    const gone = driver.answerCancels();
    for (const { hash, order } of resting.filter((each) => gone.includes(each.hash))) {
      driver.update(hash, order, { status: 'CANCELLED' });
    }
    const open = resting.filter(({ hash }) => !gone.includes(hash));
    resting.splice(0, resting.length, ...open);
    driver.answerReads(
      open.map(({ order, hash }) => reportOf(hash, order)),
      account,
    );
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
  });
  return resting;
}

/** The bid matches, which takes 24 USDC when it settles. */
function matched(driver: EngineDriver, live: Live) {
  const bid = live.find(({ order }) => order.tokenId === YES && order.side === 'BUY');
  if (bid === undefined) throw new Error('there is a bid');
  driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
  return { bid: bid.order, others: live.filter((each) => each !== bid) };
}

function settled(driver: EngineDriver, quantity: MicroShares): void {
  const trade = { tradeId: 't-1', tokenId: YES, marketId: MARKET, side: 'BUY', quantity } as const;
  driver.tell({ kind: 'tradeSettled', ...trade, price: usdc(0.48) });
}

const whyNot = (driver: EngineDriver) => driver.engine.view().markets[0]?.bidReason?.code;

describe('cash that nothing explains', () => {
  it('leaves markets unproven after a minute, until positions agree for as long as they lag', () => {
    const { driver, live } = quoting();
    const early = pass(driver, 55_000, LESS, live);
    expect(whyNot(driver)).not.toBe('position_unproven');
    const late = pass(driver, 20_000, LESS, early);
    expect(whyNot(driver)).toBe('position_unproven');
    const last = pass(driver, 60_000, LESS, late);
    expect(whyNot(driver)).toBe('position_unproven');
    pass(driver, 60_000, LESS, last);
    // Once is enough: the same cash asks no second time.
    expect(whyNot(driver)).not.toBe('position_unproven');
  });

  it('leaves no market unproven where positions have had their time since, and agree', () => {
    const value = settings();
    const driver = new EngineDriver();
    driver.start({ ...value, timing: { ...value.timing, positionLagMs: 50_000 } });
    driver.healthyBook();
    driver.tick();
    let open = driver.acceptPlacements();
    const reasons = new Set<string | undefined>();
    for (let second = 0; second < 90; second += 1) {
      open = pass(driver, 1_000, LESS, open);
      reasons.add(whyNot(driver));
    }
    expect(reasons).not.toContain('position_unproven');
  });

  it('is neither old nor forgotten by a clock that is set ahead', () => {
    const { driver, live } = quoting();
    const early = pass(driver, 10_000, LESS, live);
    driver.tick(400_000);
    const late = pass(driver, 35_000, LESS, early);
    expect(whyNot(driver)).not.toBe('position_unproven');
    pass(driver, 30_000, LESS, late);
    expect(whyNot(driver)).toBe('position_unproven');
  });

  it('leaves them alone when it comes back', () => {
    const { driver, live } = quoting();
    const open = pass(driver, 30_000, LESS, live);
    pass(driver, 60_000, balances(), open);
    expect(whyNot(driver)).not.toBe('position_unproven');
  });

  it('leaves them alone when just a match that we know of may have settled', () => {
    const { driver, live } = quoting();
    const bid = live.find(({ order }) => order.side === 'BUY');
    if (bid === undefined) throw new Error('there is a bid');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    const others = live.filter((each) => each !== bid);
    const open = pass(driver, 20_000, balances(), others);
    const rest = pass(driver, 70_000, LESS, open);
    expect(whyNot(driver)).not.toBe('position_unproven');
    // The index shows it by now, and no frame has told of it.
    pass(driver, 60_000, holding(9_976, 50, 0), rest);
    expect(whyNot(driver)).not.toBe('position_unproven');
  });

  it('is not passed over for a match that came after it', () => {
    const { driver, live } = quoting();
    const early = pass(driver, 58_000, LESS, live);
    const { bid, others } = matched(driver, early);
    const open = pass(driver, 18_000, LESS, others);
    // By then it was asked about, with a match of just as much that waits.
    expect(whyNot(driver)).toBe('position_unproven');
    settled(driver, bid.quantity);
    pass(driver, 5_000, LESSER, open);
    expect(whyNot(driver)).toBe('position_unproven');
  });

  it('is asked about when the match that explained it has settled with its own cash', () => {
    const { driver, live } = quoting();
    const { bid, others } = matched(driver, live);
    const open = pass(driver, 75_000, LESS, others);
    expect(whyNot(driver)).not.toBe('position_unproven');
    settled(driver, bid.quantity);
    pass(driver, 20_000, LESSER, open);
    expect(whyNot(driver)).toBe('position_unproven');
  });

  it('is asked about when the match that explained it has failed', () => {
    const { driver, live } = quoting();
    const { bid, others } = matched(driver, live);
    const open = pass(driver, 75_000, LESS, others);
    const { quantity } = bid;
    driver.tell({
      kind: 'tradeFailed',
      marketId: MARKET,
      side: 'BUY',
      quantity,
      reason: 'reverted',
    });
    pass(driver, 20_000, LESS, open);
    expect(whyNot(driver)).toBe('position_unproven');
  });

  it('is explained by a settlement that is told late', () => {
    const { driver, live } = quoting();
    const { bid, others } = matched(driver, live);
    const open = pass(driver, 75_000, LESS, others);
    settled(driver, bid.quantity);
    pass(driver, 120_000, LESS, open);
    expect(whyNot(driver)).not.toBe('position_unproven');
  });

  it('is forgotten together with the settlement that explained it', () => {
    const { driver, live } = quoting();
    const { bid, others } = matched(driver, live);
    const shown = holding(9_976, 50, 0);
    let open = pass(driver, 3_000, shown, others);
    settled(driver, bid.quantity);
    const reasons = new Set<string | undefined>();
    for (let second = 0; second < 320; second += 1) {
      open = pass(driver, 1_000, shown, open);
      reasons.add(whyNot(driver));
    }
    expect(reasons).not.toContain('position_unproven');
  });
});
