// Limits change while orders are under way: which of them an order is held to.

import { expect, it } from 'vitest';
import { marketId, tokenId } from '../../src/domain/ids.ts';
import { loosest } from './audit/exposure.ts';
import { LoweredLimits, type Resting } from './audit/lowered.ts';

const YES = tokenId('0x01');
const RAIN = marketId('rain');

/** Limits came down at 100 s: orders of 60 shares each that were accepted then. */
function resting(...acceptedAtSec: readonly number[]): readonly Resting[] {
  return acceptedAtSec.map((sec) => ({
    tokenId: YES,
    marketId: RAIN,
    acceptedAtMs: sec * 1_000,
    buyingMicro: 60e6,
    valueUsdc: 30,
  }));
}

function lowered(limits: ConstructorParameters<typeof LoweredLimits>[0]) {
  const watch = new LoweredLimits({ maxOpenOrders: 20, maxPositionShares: 300 });
  watch.onLimits(limits, 100_000);
  return watch;
}

it('holds an order to each limit as the loosest of the last settings had it', () => {
  const risk = { maxOrderNotionalUsdc: 60, maxLossUsdc: 220 };
  const before = { ...risk, maxPositionShares: 300, maxOpenOrders: 6, maxNetShares: 120 };
  const after = { ...risk, maxPositionShares: 100, maxOpenOrders: 20, maxNetShares: 80 };
  // Decided under 300 shares, it meets the orders of whoever was allowed twenty of them.
  expect(loosest([after, before])).toEqual({
    maxPositionShares: 300,
    maxOpenOrders: 20,
    maxOrderNotionalUsdc: 60,
    maxNetShares: 120,
    // Nobody set these.
    maxOrderShares: Number.POSITIVE_INFINITY,
    maxMarketOpenOrders: Number.POSITIVE_INFINITY,
    maxOpenNotionalUsdc: Number.POSITIVE_INFINITY,
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

it('finds what rests of one market, and what all of it is worth, beyond limits that came down', () => {
  const loose = { maxOpenOrders: 20, maxPositionShares: 300 };
  const orders = lowered({ ...loose, maxMarketOpenOrders: 2 });
  expect(orders.brokenBy(resting(80, 85, 90))).toBe(
    '3 orders of one market from before rest, 2 allowed',
  );
  const elsewhere = resting(90).map((each) => ({ ...each, marketId: marketId('vote') }));
  expect(orders.brokenBy([...resting(80, 85), ...elsewhere])).toBeUndefined();
  const worth = lowered({ ...loose, maxOpenNotionalUsdc: 60 });
  expect(worth.brokenBy(resting(80, 85, 90))).toBe(
    'orders of 90 USDC from before rest, 60 allowed',
  );
  expect(worth.brokenBy(resting(80, 85, 110))).toBeUndefined();
});

it('looks for it once cancels had their time, and lists came', () => {
  const watch = lowered({ maxOpenOrders: 2, maxPositionShares: 300 });
  expect(watch.isDue(140_000)).toBe(false);
  for (let list = 0; list < 6; list += 1) watch.onList();
  expect(watch.isDue(129_000)).toBe(false);
  expect(watch.isDue(130_000)).toBe(true);
  watch.onProcessStarts(140_000);
  expect(watch.isDue(150_000)).toBe(false);
});
