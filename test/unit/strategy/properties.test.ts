// The rules for strategies, shown on two that keep them and on some that break one each.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OVERLAY_DEFAULTS } from '../../../src/domain/overlays.ts';
import { shares } from '../../../src/domain/shares.ts';
import { type Ticks, ticks } from '../../../src/domain/ticks.ts';
import type { QuoteContext, Strategy, TargetQuotes } from '../../../src/strategy/index.ts';
import { strategy as skew } from '../../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { quoteContext } from '../../support/strategy-context.ts';
import { faultsOf, itKeepsTheRules } from '../../support/strategy-properties.ts';
import { itKeepsTheRulesInTheEngine } from '../../support/strategy-worlds.ts';

const ladderParams = fc.record({
  halfSpreadTicks: fc.integer({ min: 1, max: 6 }),
  levels: fc.integer({ min: 1, max: 5 }),
  levelSpacingTicks: fc.integer({ min: 1, max: 4 }),
  size: fc.constantFrom(1, 20, 50),
});

const REQUOTE = {
  policy: 'value',
  driftTicksMax: 1,
  writeCostUsdc: 0.001,
  marginUsdc: 0.0003,
} as const;

describe('the ladder', () => {
  itKeepsTheRules({ strategy: ladder, params: ladderParams });
  itKeepsTheRulesInTheEngine({ strategy: ladder as Strategy, params: ladderParams });
});

describe('the inventory skew', () => {
  const params = fc
    .tuple(ladderParams, fc.constantFrom(0, 1.5, 3))
    .map(([base, skewTicks]) => ({ ...base, skewTicks }));
  itKeepsTheRules({ strategy: skew, params });
  itKeepsTheRulesInTheEngine({
    strategy: skew as Strategy,
    params,
    change: (settings) => ({
      ...settings,
      orders: { ...settings.orders, requote: REQUOTE },
      markets: settings.markets.map((each) => ({ ...each, overlays: OVERLAY_DEFAULTS })),
    }),
  });
});

describe('the rules', () => {
  const context = quoteContext(
    { yes: { bids: [[48, 100]], asks: [[52, 100]] } },
    undefined,
  ) satisfies QuoteContext<undefined>;
  const at = (count: number): Ticks => ticks(context.grid, count);
  const quote = (side: 'bid' | 'ask', price: number) =>
    ({ side, price: at(price), quantity: shares(10), purpose: 'add' }) as const;

  const wrong: readonly (readonly [string, TargetQuotes, string])[] = [
    ['a bid at the ask', { quotes: [quote('bid', 52), quote('ask', 53)], reasons: [] }, 'crosses'],
    [
      'own quotes that meet',
      { quotes: [quote('bid', 50), quote('ask', 50)], reasons: [] },
      'meets',
    ],
    ['an empty side in silence', { quotes: [quote('bid', 47)], reasons: [] }, 'without a reason'],
    [
      'a price twice',
      { quotes: [quote('bid', 47), quote('bid', 47), quote('ask', 53)], reasons: [] },
      'a price twice',
    ],
    [
      'a memory that is none',
      { quotes: [quote('bid', 47), quote('ask', 53)], reasons: [], memory: Number.NaN },
      'the memory holds the number NaN',
    ],
  ];

  it.each(wrong)('notice %s', (_, targetQuotes, fault) => {
    expect(faultsOf(context, targetQuotes).join('; ')).toContain(fault);
  });
});
