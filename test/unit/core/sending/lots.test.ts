// How fine a quantity may be: stated, or taught by a venue that has one word for a quantity that is too fine.

import { describe, expect, it } from 'vitest';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { decimalsOf, microShares, shares, withDecimals } from '../../../../src/domain/shares.ts';
import { balances, EngineDriver, holding, settings } from '../../../support/engine-driver.ts';
import { TerseVenue } from '../../../support/terse-venue.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

const ODD = 33.123456;

/** A ladder of a size with six decimals. */
function odd(quantityDecimals?: number) {
  const [choice] = settings().markets;
  if (choice === undefined) throw new Error('a market is quoted');
  const params = { ...choice.params, size: ODD };
  return settings({ markets: [{ ...choice, params, quantityDecimals }] });
}

const takes = (decimals: number) => (order: LimitOrder) =>
  decimalsOf(order.quantity) > decimals ? 'invalid_quantity' : undefined;

const restingOf = (venue: TerseVenue) => [...venue.open.values()].map(({ quantity }) => quantity);

describe('the decimals of a quantity', () => {
  it('are counted, and cut off', () => {
    expect([50, 12.5, 0.000001, ODD].map((count) => decimalsOf(shares(count)))).toEqual([
      0, 1, 6, 6,
    ]);
    expect(withDecimals(shares(ODD), 2)).toBe(shares(33.12));
    expect(withDecimals(shares(ODD), 0)).toBe(shares(33));
  });

  it.each([0, 2, 5])('are learnt of a venue that takes %i, within seconds', (decimals) => {
    const venue = new TerseVenue(1);
    venue.judge = takes(decimals);
    venue.start(odd());
    venue.run(3_000);
    const most = withDecimals(shares(ODD), Math.min(decimals, 2));
    expect(restingOf(venue)).toEqual([most, most]);
    const told = venue.driver.reported('market.quantity_decimals');
    expect(told.at(-1)).toMatchObject({ decimals: Math.min(decimals, 2) });
    expect(venue.driver.engine.view().venueBeliefs?.at(-1)).toEqual({
      ...{ what: 'quantityDecimals', marketId: 'm-0', value: String(Math.min(decimals, 2)) },
      evidence: expect.stringMatching(/^an order with [126] decimals was rejected/),
      sinceMs: expect.any(Number),
    });
    venue.writes.length = 0;
    venue.run(30_000);
    expect(venue.writes).toEqual([]);
  });

  it('hold for what an order lacks that has traded in finer parts, which is not asked for again and again', () => {
    const venue = new TerseVenue(1);
    venue.judge = takes(2);
    venue.start(odd(2));
    const [hash, order] = [...venue.open][0] ?? [];
    if (hash === undefined || order === undefined) throw new Error('an order rests');
    const traded = shares(7.123456);
    const left = microShares(order.quantity - traded);
    venue.open.set(hash, { ...order, executed: traded });
    const told = { status: 'PARTIALLY_FILLED', filledQuantity: traded, remaining: left } as const;
    const { tokenId, side, price } = order;
    const at = { orderHash: hash, tokenId, marketId: venue.idOf(0), side, price };
    venue.driver.tell({ kind: 'orderUpdate', update: { ...at, ...told } });
    venue.run(5_000);
    expect(venue.driver.reported('order.refused')).toEqual([]);
    expect(restingOf(venue)).toContain(shares(7.12));
  });

  it('are not learnt where they are stated', () => {
    const venue = new TerseVenue(1);
    venue.judge = takes(2);
    venue.start(odd(2));
    expect(restingOf(venue)).toEqual([shares(33.12), shares(33.12)]);
    expect(venue.driver.reported('order.refused')).toEqual([]);
  });

  it('leave a whole quantity that is rejected to rest its side', () => {
    const venue = new TerseVenue(1);
    venue.judge = () => 'invalid_quantity';
    venue.start(settings());
    venue.run(10_000);
    expect(venue.reasonOf(0)?.code).toBe('invalid_quantity');
    expect(venue.writes.length).toBeLessThan(12);
  });

  it('hold for the part of an ask that is sold', () => {
    const driver = new EngineDriver([wishing(() => [bid(45, 50), ask(52, 50)])]);
    const [choice] = controlled().markets;
    const markets = choice === undefined ? [] : [{ ...choice, quantityDecimals: 0 }];
    driver.start({ ...controlled(), markets }, holding(1_000, ODD, 0));
    driver.healthyBook();
    driver.run(100);
    expect(placed(driver)).toContainEqual(['SELL YES', 52, 33]);
    expect(balances().positions).toEqual([]);
  });
});
