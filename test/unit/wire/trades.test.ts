// The history of settled trades, whose shape the interface does not show.

import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/domain/errors.ts';
import { parseTrades } from '../../../src/wire/trades.ts';

const RECORD = {
  tradeId: 't-1',
  side: 'BUY',
  tokenId: '0xA1',
  marketId: 'm1',
  outcomeName: 'Yes',
  price: '0.385',
  quantity: '12.5',
  txHash: '0xff',
  settledAt: '2026-01-01T00:00:00.000Z',
};
const READ = { tradeId: 't-1', side: 'BUY', tokenId: '0xa1', marketId: 'm1', quantity: 12_500_000 };

describe('settled trades', () => {
  it.each([
    ['an array', [RECORD]],
    ['a page', { items: [RECORD], total: 1 }],
  ])('are read from %s of records with the fields of their frame', (_, data) => {
    const trades = parseTrades(data);
    expect(trades).toMatchObject([READ]);
    expect(trades[0]?.price.toFixed()).toBe('0.385');
  });

  it('may name neither token nor market, as the older frame does not', () => {
    const { tokenId, marketId, ...older } = RECORD;
    const [trade] = parseTrades([older]);
    expect(trade).toMatchObject({ tradeId: 't-1', quantity: 12_500_000 });
    expect(trade?.tokenId ?? trade?.marketId).toBeUndefined();
  });

  it('are understood beside one whose market has no name', () => {
    const nameless = { ...RECORD, tradeId: 't-2', marketId: '' };
    expect(parseTrades([nameless, RECORD])).toMatchObject([
      { tradeId: 't-2', tokenId: '0xa1', marketId: undefined },
      READ,
    ]);
  });

  it('have whole numbers for names where a venue counts them', () => {
    expect(parseTrades([{ ...RECORD, tradeId: 17 }])).toMatchObject([{ tradeId: '17' }]);
  });

  it.each([
    ['a record by other names', [RECORD, { id: 't-2', size: '1' }]],
    ['a price beyond 1', [{ ...RECORD, price: '1.5' }]],
    ['a record without a side', [{ ...RECORD, side: undefined }]],
    ['something else', { trades: 7 }],
    ['nothing', null],
  ])('are not understood with %s, and no part of them is', (_, data) => {
    expect(() => parseTrades(data)).toThrow(WireError);
  });
});
