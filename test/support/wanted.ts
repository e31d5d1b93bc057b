// A strategy that wants just what a test says, however foolish: what stops it is the core.

import type { CoreSettings, RiskLimits } from '../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS } from '../../src/domain/risk.ts';
import { shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { defineStrategy, type Quote, type Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { type EngineDriver, GRID, settings, YES } from './engine-driver.ts';

/** Stands in for `ladder`, so that the usual settings name it. */
export function wishing(quotes: () => readonly Quote[]): Strategy {
  return { ...ladder, quote: () => ({ quotes: quotes(), reasons: [] }) } as Strategy;
}

/** Quotes whatever `wanted` holds, and says so where that is nothing. */
export class Scripted {
  wanted: readonly Quote[] = [];
  readonly strategy = defineStrategy<object>({
    name: 'scripted',
    summary: 'Quotes what the test says.',
    params: {},
    quote: () => ({
      quotes: this.wanted,
      reasons:
        this.wanted.length > 0 ? [] : [{ side: 'both', code: 'told', detail: 'x', clears: 'x' }],
    }),
  });
  /** The market of every test, quoted by it. */
  readonly markets = [{ event: 'rain', market: undefined, strategy: 'scripted', params: {} }];
}

export function bid(price: number, size: number): Quote {
  return { side: 'bid', price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}

export function ask(price: number, size: number): Quote {
  return { side: 'ask', price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}

/** The usual settings with every control as it is by default, and some changed. */
export function controlled(change: Partial<RiskLimits> = {}): CoreSettings {
  const own = settings();
  return { ...own, risk: { ...own.risk, ...RISK_CONTROL_DEFAULTS, ...change } };
}

/** What was placed and not looked at yet: leg and side, price in ticks, shares. */
export function placed(driver: EngineDriver): readonly (readonly [string, number, number])[] {
  return driver
    .placements()
    .flatMap((each) => each.orders)
    .map(({ tokenId, side, price, quantity }) => [
      `${side} ${tokenId === YES ? 'YES' : 'NO'}`,
      price,
      quantity / 1e6,
    ]);
}
