import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../../src/domain/assert.ts';
import { eventId, marketId, orderHash } from '../../../src/domain/ids.ts';
import {
  formatShares,
  MICRO_SHARES_MAX,
  microShares,
  parseShares,
  shares,
} from '../../../src/domain/shares.ts';
import { formatPrice, parsePrice, tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs, unixSec } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { WIRE_CHOICES } from '../../../src/wire/choices.ts';
import {
  authFrame,
  batchBody,
  batchCancelBody,
  cancelScopeQuery,
  encodeQuery,
  limitOrderBody,
  marketOrderBody,
  setChangeBody,
  subscribeBooksFrame,
} from '../../../src/wire/encode.ts';
import { CREDENTIALS, GRID, limitOrder, YES } from '../../support/http-double-fixtures.ts';

const AT = { grid: GRID, clockOffsetMs: 0 };

describe('the body of a limit order', () => {
  it('is what the interface names, numbers as numbers', () => {
    expect(JSON.stringify(limitOrderBody(limitOrder(), AT))).toBe(
      '{"tokenId":"0xa1","side":"BUY","price":0.29,"quantity":12.5,"orderType":"GTC"}',
    );
  });

  it('carries price and quantity as the exact decimal text, and back', () => {
    const grids = fc.constantFrom(tickGrid('0.01'), tickGrid('0.001'));
    fc.assert(
      fc.property(
        grids,
        fc.integer({ min: 1, max: 999 }),
        fc.oneof(
          fc.integer({ min: 1, max: MICRO_SHARES_MAX }),
          fc.integer({ min: 1, max: 100_000_000 }),
        ),
        (grid, count, micro) => {
          const price = ticks(grid, (count % (grid.ticksPerUnit - 1)) + 1);
          const quantity = microShares(micro);
          const text = JSON.stringify(
            limitOrderBody(limitOrder({ price, quantity }), { grid, clockOffsetMs: 0 }),
          );
          const [, priceText = '', quantityText = ''] =
            /"price":([^,]+),"quantity":([^,]+),/.exec(text) ?? [];
          expect(Number(priceText)).toBe(Number(formatPrice(grid, price)));
          expect(quantityText).toBe(formatShares(quantity));
          expect(parsePrice(grid, priceText)).toBe(price);
          expect(parseShares(quantityText)).toBe(quantity);
        },
      ),
    );
  });

  it('has a date exactly when it is good till date, told in the time of the venue', () => {
    const lifetime = { timeInForce: 'GTD', expiresAtMs: unixMs(1_767_225_600_000) } as const;
    expect(
      limitOrderBody(limitOrder({ lifetime }), { grid: GRID, clockOffsetMs: -1500.4 }),
    ).toEqual({
      tokenId: YES,
      side: 'BUY',
      price: 0.29,
      quantity: 12.5,
      orderType: 'GTD',
      expiredAt: '2025-12-31T23:59:58.500Z',
    });
    const fok = limitOrder({ lifetime: { timeInForce: 'FOK' } });
    expect(limitOrderBody(fok, AT)).not.toHaveProperty('expiredAt');
  });
});

describe('the body of a market order', () => {
  const common = { tokenId: YES, timeInForce: 'FOK', maxSlippageBps: undefined } as const;

  it('names what a buy may spend, rounded down to six places', () => {
    const maxSpend = usdc('10.12345678');
    expect(marketOrderBody({ ...common, side: 'BUY', maxSpend })).toEqual({
      tokenId: YES,
      side: 'BUY',
      maxSpend: '10.123456',
      timeInForce: 'FOK',
    });
  });

  it('names the shares a sell sells', () => {
    const order = { ...common, side: 'SELL', quantity: shares(0.5), maxSlippageBps: 50 } as const;
    expect(marketOrderBody(order)).toEqual({
      tokenId: YES,
      side: 'SELL',
      quantity: '0.5',
      timeInForce: 'FOK',
      maxSlippageBps: 50,
    });
  });
});

describe('a bulk request', () => {
  it('never exceeds the published sizes', () => {
    expect(() => batchBody([])).toThrow(AssertionError);
    expect(() => batchBody(Array.from({ length: 16 }, () => ({})))).toThrow(AssertionError);
    const hashes = Array.from({ length: 101 }, (_, index) => orderHash(`0x${index}`));
    expect(() => batchCancelBody(hashes)).toThrow(AssertionError);
    expect(batchCancelBody(hashes.slice(0, 2))).toEqual({ orderHashes: ['0x0', '0x1'] });
    expect(() => subscribeBooksFrame([YES], 201)).toThrow(AssertionError);
  });
});

describe('a query', () => {
  it('leaves out what is absent and escapes the rest', () => {
    expect(encodeQuery({})).toBe('');
    expect(encodeQuery({ a: undefined })).toBe('');
    expect(encodeQuery({ search: 'a&b =ü', limit: 0, includeTotal: false })).toBe(
      '?search=a%26b%20%3D%C3%BC&limit=0&includeTotal=false',
    );
  });

  it('narrows a cancel to its scope', () => {
    expect(encodeQuery(cancelScopeQuery({ kind: 'account' }))).toBe('');
    expect(encodeQuery(cancelScopeQuery({ kind: 'token', tokenId: YES }))).toBe('?tokenId=0xa1');
    const market = { kind: 'market', marketId: marketId('m 1') } as const;
    expect(encodeQuery(cancelScopeQuery(market))).toBe('?marketId=m%201');
  });
});

describe('the amount of a split', () => {
  it.each([
    ['decimalText', '2.5'],
    ['number', 2.5],
    ['microText', '2500000'],
  ] as const)('is written as %s where a deployment wants it so', (chainAmount, amount) => {
    const change = { eventId: eventId('e1'), marketId: undefined, amount: shares(2.5) };
    expect(setChangeBody(change, { ...WIRE_CHOICES, chainAmount })).toEqual({
      eventId: 'e1',
      amount,
    });
  });
});

describe('the auth frame', () => {
  it('carries the time as text, as it was signed', () => {
    const frame = JSON.parse(authFrame(CREDENTIALS, unixSec(unixMs(1_700_000_000_000))));
    expect(frame).toMatchObject({ type: 'auth', apiKey: 'key-1', timestamp: '1700000000' });
  });
});
