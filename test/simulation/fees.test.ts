// What the rule about profit knows of fees: at which price a take pays.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../src/paper/exchange/exchange-order.ts';
import type { TradeLeg } from '../../src/paper/exchange/trade.ts';
import { Fees } from './audit/fees.ts';

const SHARES_30 = 30_000_000;
const market = { market: { id: 'm' } };
const grid = { ticksPerUnit: 100 };

function orderAt(price: number): ExchangeOrder {
  const terms = { timeInForce: 'FAK', orderHash: '0x1', market, price, grid };
  const fee = { bps: 0, rate: 0 };
  return { terms: { ...terms, fee } } as unknown as ExchangeOrder;
}

function legOf(order: ExchangeOrder, priceTicks: number): TradeLeg {
  const leg = { order, market, priceTicks, quantityMicro: SHARES_30, fee: new Decimal(0) };
  return leg as unknown as TradeLeg;
}

describe('fees that are stated wrong', () => {
  it('are allowed for by the price of a settlement, once there is one', () => {
    const fees = new Fees(() => true);
    const order = orderAt(40);
    fees.onMatched(order, SHARES_30);
    expect(fees.of('m').takenNano).toBeCloseTo(30e9 * 0.4 * 0.6, 0);
    fees.onSettled(legOf(order, 35));
    expect(fees.of('m').takenNano).toBeCloseTo(30e9 * 0.35 * 0.65, 0);
  });

  it('are none of what rested', () => {
    const fees = new Fees(() => false);
    const order = orderAt(40);
    fees.onMatched(order, SHARES_30);
    fees.onSettled(legOf(order, 35));
    expect(fees.of('m')).toMatchObject({ takenNano: 0, takes: 0 });
  });
});
