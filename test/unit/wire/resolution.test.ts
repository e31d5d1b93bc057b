import { describe, expect, it } from 'vitest';
import { marketId } from '../../../src/domain/ids.ts';
import { isClaimableIn, winnerOf } from '../../../src/wire/resolution.ts';

const RAIN = marketId('m-1');

describe('the winner of a market', () => {
  it.each([
    { data: { marketId: 'm-1', winningTokenId: '0xA1' }, winner: '0xa1' },
    {
      data: {
        markets: [
          { marketId: 'm-0', winningTokenId: '0xB0' },
          { marketId: 'm-1', winningTokenId: '0xA0' },
        ],
      },
      winner: '0xa0',
    },
    { data: { markets: [{ marketId: 'm-1', winningTokenId: null }] }, winner: undefined },
    { data: { markets: [{ marketId: 'm-2', winningTokenId: '0xA1' }] }, winner: undefined },
    { data: { winningTokenId: '0xA1' }, winner: undefined },
    { data: 'resolved', winner: undefined },
    { data: null, winner: undefined },
  ])('of $data is $winner', ({ data, winner }) => {
    expect(winnerOf(data, RAIN)).toBe(winner);
  });
});

describe('what is claimable', () => {
  it.each([
    { data: [], isClaimable: false },
    { data: [{ marketId: 'm-1', payout: '3' }], isClaimable: true },
    { data: [{ marketId: 'm-2' }], isClaimable: false },
    { data: { items: [{ marketId: 'm-1' }] }, isClaimable: true },
    { data: [{ id: 'm-1' }], isClaimable: undefined },
    { data: [{ marketId: 'm-2' }, { market: 'm-1' }], isClaimable: undefined },
    { data: {}, isClaimable: undefined },
    { data: null, isClaimable: undefined },
  ])('in $data: $isClaimable', ({ data, isClaimable }) => {
    expect(isClaimableIn(data, RAIN)).toBe(isClaimable);
  });
});
