// Limits change while orders are under way: which of them an order is held to.

import { expect, it } from 'vitest';
import { loosest } from './audit/exposure.ts';

it('holds an order to each limit as the loosest of the last settings had it', () => {
  const risk = { maxOrderNotionalUsdc: 60, maxLossUsdc: 220 };
  const before = { ...risk, maxPositionShares: 300, maxOpenOrders: 6 };
  const after = { ...risk, maxPositionShares: 100, maxOpenOrders: 20 };
  // Decided under 300 shares, it meets the orders of whoever was allowed twenty of them.
  expect(loosest([after, before])).toEqual({
    maxPositionShares: 300,
    maxOpenOrders: 20,
    maxOrderNotionalUsdc: 60,
  });
});
