// Shares that stay when their market is taken out of the settings may be lost as before, and count
// against the worst case that limits everything else.

import { describe, expect } from 'vitest';
import { LeftMarkets } from '../../../src/core/risk/left-markets.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import { marketId, tokenId } from '../../../src/domain/ids.ts';
import type { Balances } from '../../../src/domain/message.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../src/domain/risk.ts';
import { shares } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { balances, EngineDriver, MARKET, settings, YES } from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

const { loss } = RISK_CONTROL_DEFAULTS;
const SETTINGS = settings({ risk: { ...settings().risk, loss } });
const NONE_CHOSEN = { ...SETTINGS, markets: [] };
const LAG_MS = SETTINGS.timing.positionLagMs;

/** The venue's account with the shares of the bid that was filled. */
function holding(bought: number): Balances {
  const amount = shares(bought);
  const position = {
    marketId: MARKET,
    tokenId: YES,
    shareAmount: amount,
    onHoldShareAmount: shares(0),
  };
  return balances({ cashBalance: usdc(9_976), positions: [position] });
}

/** A run that bought 50 shares at 0.48, for 24 USDC, and what it has at rest. */
function bought(chosen = SETTINGS) {
  const driver = new EngineDriver();
  driver.start(chosen);
  driver.healthyBook();
  driver.tick();
  const orders = driver.acceptPlacements();
  const bid = orders.find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
  if (bid === undefined) throw new Error('a bid rests');
  driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
  driver.tell({
    kind: 'tradeSettled',
    tradeId: 't-1',
    tokenId: YES,
    marketId: MARKET,
    side: 'BUY',
    price: usdc('0.48'),
    quantity: shares(50),
  });
  driver.tick();
  return {
    driver,
    resting: [...orders.filter((each) => each !== bid), ...driver.acceptPlacements()],
  };
}

/** The same, and the market was taken out of the settings. */
function left(chosen = SETTINGS): EngineDriver {
  const { driver, resting } = bought(chosen);
  driver.settings({ ...chosen, markets: [] });
  driver.tick();
  driver.answerCancels();
  for (const { hash, order } of resting) driver.update(hash, order, { status: 'CANCELLED' });
  driver.run(15_000, () => driver.answerReads([], holding(50)));
  expect(driver.engine.view().markets).toEqual([]);
  return driver;
}

const worst = (driver: EngineDriver) => Number(driver.engine.view().account.worstCaseLossUsdc);
const profit = (driver: EngineDriver) => Number(driver.engine.view().account.pnlUsdc);

describe('shares of a market that left', () => {
  it('count in the worst case as long as the venue shows them', () => {
    const driver = left();
    const paid = worst(driver);
    expect(paid).toBeGreaterThan(20);
    driver.run(2 * LAG_MS, () => driver.answerReads([], holding(50)));
    expect(worst(driver)).toBe(paid);
    expect(profit(driver)).toBeGreaterThan(-5);
  });

  it('count with the last known profit once the venue has shown none of them for the whole lag', () => {
    const driver = left();
    const paid = worst(driver);
    driver.run(LAG_MS - 10_000, () => driver.answerReads([], balances()));
    expect(worst(driver)).toBe(paid);
    driver.run(20_000, () => driver.answerReads([], balances()));
    expect(worst(driver)).toBe(-profit(driver));
  });

  it('count in the next run, which does not quote their market either', ({ runs }) => {
    const driver = left();
    const after = runs.restored(driver, NONE_CHOSEN);
    after.start(NONE_CHOSEN, holding(50));
    expect(worst(after)).toBe(worst(driver));
  });

  it('count in the next run where no loss has a limit', ({ runs }) => {
    const unlimited = settings();
    expect(unlimited.risk.loss).toBe(undefined);
    const driver = left(unlimited);
    expect(worst(driver)).toBeGreaterThan(20);
    const chosen = { ...unlimited, markets: [] };
    const after = runs.restored(driver, chosen);
    after.start(chosen, holding(50));
    expect(worst(after)).toBe(worst(driver));
  });

  it('count once when a restart takes their market out, and once when it is quoted again', ({
    runs,
  }) => {
    const { driver } = bought();
    driver.run(1_100, () => driver.answerReads(driver.openReports().slice(-1), holding(50)));
    const after = runs.restored(driver, NONE_CHOSEN);
    after.start(NONE_CHOSEN, holding(50));
    expect(worst(after)).toBeGreaterThan(20);
    after.settings(SETTINGS);
    after.tick();
    // Bids that rested may have traded unreported, until cash and locks say that they have not.
    expect(worst(after)).toBe(48);
    after.run(60_000, () => after.answerReads([], holding(50)));
    expect(worst(after)).toBe(24);
  });
});

describe('markets that left', () => {
  const id = (name: string): MarketId => marketId(name);
  const held = (name: string, lossNano: number) => ({
    marketId: id(name),
    lossNano,
    tokenIds: [tokenId(`0x${name}`)],
  });

  it('lose what their shares may lose, or what they have lost', () => {
    const markets = new LeftMarkets();
    markets.add(id('a'), 3, held('a', 20));
    markets.add(id('b'), -5, undefined);
    expect(markets.lossNano).toBe(25);
    expect(markets.profitNano).toBe(-2);
    markets.take(id('a'));
    expect(markets.lossNano).toBe(5);
    expect([...markets.held()]).toEqual([]);
  });

  it('come back with the baselines of a previous run, but for what counts itself', () => {
    const markets = new LeftMarkets();
    const stored = { left: [[id('a'), 3] as const], held: [held('a', 20), held('b', 7)] };
    markets.restore(stored, (each) => each === id('b'));
    expect(markets.lossNano).toBe(20);
    // Baselines of before shares were kept tell profits alone.
    const older = new LeftMarkets();
    older.restore({ left: [[id('a'), -3]] }, () => false);
    expect(older.lossNano).toBe(3);
  });

  it('wait the whole lag anew when shares show again', () => {
    const markets = new LeftMarkets();
    markets.add(id('a'), 3, held('a', 20));
    const none = new Map();
    const some = new Map([[tokenId('0xa'), shares(1)]]);
    const read = (amounts: typeof some, atMs: number) =>
      markets.onBalances(amounts, { askedAtMs: unixMs(atMs), positionLagMs: 100 });
    read(none, 0);
    read(some, 90);
    read(none, 95);
    read(none, 195);
    expect(markets.lossNano).toBe(20);
    read(none, 196);
    expect(markets.lossNano).toBe(-3);
  });
});
