// What the venue holds back proves that nothing unknown has matched only where nothing else can hide it.

import { describe, expect, it } from 'vitest';
import { areSharesExplained, isHoldExplained } from '../../../../src/core/account/hold-proof.ts';
import { alignMarkets } from '../../../../src/core/catalogue.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { World } from '../../../../src/core/world.ts';
import { intentId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Strategy } from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import { balances, listing, MARKET, settings, YES } from '../../../support/engine-driver.ts';
import { ownOrder } from '../../../support/own-orders.ts';

const ASKED_AT = unixMs(10_000);
const CONFIRMED = { state: 'resting', confirmedAtMs: unixMs(9_000) } as const;

/** A world with these orders, 50 shares at 0.40 unless told, where the venue holds some USDC back. */
function holding(usdcOnHold: number, orders: readonly OwnOrder[]): World {
  const listener = { onMoved() {}, onChanged() {}, onExecuted() {}, onAnomaly() {} };
  const world = new World(new Map([['ladder', ladder as Strategy]]), listener);
  world.settings = settings();
  world.catalogue = [listing()];
  alignMarkets(world);
  for (const order of orders) world.ledger.add(order);
  world.account.onBalances(balances({ usdcOnHold: usdc(usdcOnHold) }), ASKED_AT);
  return world;
}

const isExplained = (held: number, ...orders: readonly OwnOrder[]) =>
  isHoldExplained(holding(held, orders), ASKED_AT);

/** 50 shares were bought at 0.40 and have not settled. */
function match(world: World): void {
  const quantity = shares(50);
  const fill = { tokenId: YES, intentId: intentId('i'), side: 'BUY', cashNano: -20e9 } as const;
  world.inventory.onMatched({ ...fill, quantity, original: quantity, atMs: unixMs(5_000) });
}

describe('cash that the venue holds back', () => {
  it('is explained by what rested when the balances were asked for', () => {
    expect(isExplained(20, ownOrder(CONFIRMED))).toBe(true);
    expect(isExplained(21, ownOrder(CONFIRMED))).toBe(false);
  });

  it('is not explained when it is less than what rests: something is gone, and nobody told of it', () => {
    expect(isExplained(19, ownOrder(CONFIRMED))).toBe(false);
    expect(isExplained(0, ownOrder(CONFIRMED))).toBe(false);
  });

  it('is not explained when it lacks a match that should wait, but for one of an earlier life', () => {
    const world = holding(0, []);
    match(world);
    expect(isHoldExplained(world, ASKED_AT)).toBe(false);
    const next = holding(0, []);
    next.inventory.restore([world.inventory.stored(YES)]);
    expect(isHoldExplained(next, ASKED_AT)).toBe(true);
  });

  it('is not explained by an order that may never have arrived, or may be gone', () => {
    expect(isExplained(5, ownOrder({ state: 'unknown', orderHash: undefined }))).toBe(false);
    expect(isExplained(5, ownOrder({ state: 'cancelUnproven' }))).toBe(false);
    expect(isExplained(20, ownOrder({ state: 'unknown', orderHash: undefined }))).toBe(false);
  });

  it('is explained by orders on their way as far as whole ones make it up', () => {
    const sending = ownOrder({ state: 'sending', orderHash: undefined, confirmedAtMs: undefined });
    const leaving = ownOrder({ state: 'cancelling', price: 30 });
    const held = [0, 15, 20, 35].map((each) => isExplained(each, sending, leaving));
    expect(held).toEqual([true, true, true, true]);
    const partly = [5, 16, 34].map((each) => isExplained(each, sending, leaving));
    expect(partly).toEqual([false, false, false]);
  });

  it('is not explained by a part of an order that came after the question', () => {
    const later = ownOrder({ state: 'resting', confirmedAtMs: unixMs(10_001) });
    expect(isExplained(5, later)).toBe(false);
    expect(isExplained(20, later)).toBe(true);
  });

  it('is explained by matches that have not settled, unless they may have failed', () => {
    const world = holding(20, []);
    match(world);
    expect(isHoldExplained(world, ASKED_AT)).toBe(true);
    world.inventory.doubt(YES, unixMs(6_000));
    expect(isHoldExplained(world, ASKED_AT)).toBe(false);
  });
});

describe('shares that the venue holds back', () => {
  const areExplained = (held: number, order: OwnOrder) => {
    const world = holding(0, [order]);
    const market = world.markets.get(MARKET);
    if (market === undefined) throw new Error('the market is known');
    const position = {
      tokenId: YES,
      marketId: MARKET,
      shareAmount: shares(100),
      onHoldShareAmount: shares(held),
    };
    return areSharesExplained(world, market, balances({ positions: [position] }), ASKED_AT);
  };

  it('are explained by sells that rest, and by no placement without an answer', () => {
    expect(areExplained(50, ownOrder({ ...CONFIRMED, side: 'SELL' }))).toBe(true);
    const unknown = ownOrder({ state: 'unknown', orderHash: undefined, side: 'SELL' });
    expect(areExplained(10, unknown)).toBe(false);
  });
});
