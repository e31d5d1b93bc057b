// A market of which no price is known in this run: what it earned is known where no price matters.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import {
  EngineDriver,
  MARKET,
  NO,
  NOTHING_STORED,
  settings,
  YES,
} from '../../support/engine-driver.ts';

/** A run whose books never come, after one that traded and left so many of both. */
function runAfter(yes: number, no: number): EngineDriver {
  const driver = new EngineDriver();
  const flat = { yes: shares(0), no: shares(0) };
  const token = { pending: [], uncertain: [], unreported: [], shown: [], changedAtMs: undefined };
  driver.settings(settings());
  driver.restore({
    ...NOTHING_STORED,
    tokens: [
      { ...token, tokenId: YES, confirmed: shares(yes) },
      { ...token, tokenId: NO, confirmed: shares(no) },
    ],
    flows: [{ marketId: MARKET, cashNano: -17e9, fills: 4, start: flat, startValueNano: 0 }],
  });
  driver.start(settings());
  return driver;
}

const profit = (driver: EngineDriver) => driver.engine.view().markets[0]?.pnlUsdc;

describe('the profit of a market without a price', () => {
  it('is what was paid and got where nothing is held, so that losses go on being watched', () => {
    expect(profit(runAfter(0, 0))).toBe('-17.000000');
  });

  it('counts complete sets for what they pay', () => {
    expect(profit(runAfter(20, 20))).toBe('3.000000');
  });

  it('is not known where the price matters', () => {
    expect(profit(runAfter(20, 10))).toBeUndefined();
  });
});
