// Limits change while orders are under way: which of them an order is held to.

import { expect, it } from 'vitest';
import { tokenId } from '../../src/domain/ids.ts';
import { loosest } from './audit/exposure.ts';
import { LoweredLimits, type Resting } from './audit/lowered.ts';

const YES = tokenId('0x01');

/** Limits came down at 100 s: orders of 60 shares each that were accepted then. */
function resting(...acceptedAtSec: readonly number[]): readonly Resting[] {
  return acceptedAtSec.map((sec) => ({
    tokenId: YES,
    acceptedAtMs: sec * 1_000,
    buyingMicro: 60e6,
  }));
}

function lowered(limits: { readonly maxOpenOrders: number; readonly maxPositionShares: number }) {
  const watch = new LoweredLimits({ maxOpenOrders: 20, maxPositionShares: 300 });
  watch.onLimits(limits, 100_000);
  return watch;
}

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

it('finds what rests from before beyond limits that came down, and nothing that came since', () => {
  const orders = lowered({ maxOpenOrders: 2, maxPositionShares: 300 });
  expect(orders.brokenBy(resting(80, 85, 90))).toBe('3 orders from before rest, 2 allowed');
  expect(orders.brokenBy(resting(80, 85, 110))).toBeUndefined();
  const shares = lowered({ maxOpenOrders: 20, maxPositionShares: 100 });
  expect(shares.brokenBy(resting(80, 85))).toBe('120 shares are bid for from before, 100 allowed');
  expect(shares.brokenBy(resting(80, 110))).toBeUndefined();
});

it('looks for it once cancels had their time, and lists came', () => {
  const watch = lowered({ maxOpenOrders: 2, maxPositionShares: 300 });
  expect(watch.isDue(140_000)).toBe(false);
  for (let list = 0; list < 6; list += 1) watch.onList();
  expect(watch.isDue(129_000)).toBe(false);
  expect(watch.isDue(130_000)).toBe(true);
  watch.onLifeStarts(140_000);
  expect(watch.isDue(150_000)).toBe(false);
});
