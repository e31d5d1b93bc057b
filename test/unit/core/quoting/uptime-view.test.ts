// Quoting uptime as the whole engine reports it.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { defineStrategy, type Quote } from '../../../../src/strategy/index.ts';
import { balances, EngineDriver, GRID, MARKET, settings } from '../../../support/engine-driver.ts';

function quote(side: 'bid' | 'ask', price: number): Quote {
  return { side, price: ticks(GRID, price), quantity: shares(50), purpose: 'add' };
}

function running(quotes: readonly Quote[]): EngineDriver {
  const strategy = defineStrategy<object>({
    name: 'still',
    summary: 'Quotes always the same.',
    params: {},
    quote: () => ({ quotes, reasons: [] }),
  });
  const driver = new EngineDriver([strategy]);
  driver.start({
    ...settings(),
    markets: [{ event: 'rain', market: undefined, strategy: 'still', params: {} }],
  });
  driver.healthyBook();
  driver.tick();
  return driver;
}

function minute(driver: EngineDriver): void {
  driver.run(60_000, () => driver.answerReads(driver.openReports(), balances()));
}

function uptimeOf(driver: EngineDriver) {
  const found = driver.engine.view().markets.find(({ marketId }) => marketId === MARKET);
  if (found === undefined) throw new Error('the market is quoted');
  return found.uptime;
}

describe('quoting uptime', () => {
  it('leaves a side out that the strategy does not want', () => {
    const driver = running([quote('bid', 48)]);
    driver.acceptPlacements();
    minute(driver);
    const { bid, ask } = uptimeOf(driver);
    expect(bid.sinceStart).toBeGreaterThan(0.9);
    expect(ask.sinceStart ?? 0).toBeLessThan(0.1);
    expect(ask.excludedMs.strategy).toBeGreaterThan(55_000);
  });

  it('counts a placement that nobody answers against it', () => {
    const driver = running([quote('bid', 48), quote('ask', 52)]);
    minute(driver);
    const { bid } = uptimeOf(driver);
    expect(bid.sinceStart).toBe(0);
    expect(Object.values(bid.excludedMs).every((ms) => ms === 0)).toBe(true);
  });

  it('leaves an operator’s pause out', () => {
    const driver = running([quote('bid', 48), quote('ask', 52)]);
    driver.acceptPlacements();
    driver.tick(1_000);
    driver.operator('pause');
    driver.run(30_000, () => {
      driver.answerCancels();
      driver.answerReads(driver.openReports(), balances());
    });
    expect(uptimeOf(driver).bid.excludedMs.operator).toBeGreaterThan(25_000);
  });

  it('leaves out the time in which reads are not answered', () => {
    const driver = running([quote('bid', 48), quote('ask', 52)]);
    driver.acceptPlacements();
    minute(driver);
    const before = uptimeOf(driver).bid.sinceStart;
    driver.run(30_000, () => failReads(driver));
    const { bid } = uptimeOf(driver);
    expect(bid.excludedMs.venue).toBeGreaterThan(15_000);
    expect(bid.sinceStart).toBeGreaterThanOrEqual(before ?? 1);
  });
});

function failReads(driver: EngineDriver): void {
  const outcome = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;
  for (const { requestId } of driver.take('readBalances')) {
    driver.tell({ kind: 'balances', requestId, askedAtMs: unixMs(driver.nowMs), outcome });
  }
}
