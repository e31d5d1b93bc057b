// What is said to rest when nobody waits any longer: no line too many, and none too few.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { type LastLook, restsOf } from '../../../src/guard/rest.ts';
import { report } from './support.ts';

const NOTHING: LastLook = {
  ...{ orders: [], trouble: 'no answer', arrivesForMs: 0, inFlight: [], settling: 0 },
};
const texts = (look: Partial<LastLook>) =>
  restsOf({ ...NOTHING, ...look }).map(({ what, why }) => `${what}: ${why}`);

describe('what may rest', () => {
  it('is any order where no list could be read, and none of them twice', () => {
    expect(texts({ orders: undefined })).toEqual(['any order of the account: no answer']);
  });

  it('is an order with its size, and with what of it has traded', () => {
    expect(texts({ orders: [report('0x0a')] })).toEqual([
      '0x0a (BUY 10 of 0xaa at 0.040): no answer',
    ]);
    expect(texts({ orders: [{ ...report('0x0a'), executed: shares(4) }] })).toEqual([
      '0x0a (BUY 10, 4 of it traded of 0xaa at 0.040): no answer',
    ]);
  });

  it('is what was sent last, for as many whole seconds as it may be accepted', () => {
    const sent = (forSec: number) => [
      `what was sent last: it may be accepted for ${forSec} s more`,
    ];
    expect(texts({ arrivesForMs: 0 })).toEqual([]);
    expect(texts({ arrivesForMs: 1 })).toEqual(sent(1));
    expect(texts({ arrivesForMs: 2_000 })).toEqual(sent(2));
    expect(texts({ arrivesForMs: 2_001 })).toEqual(sent(3));
  });

  it('is each placement without an answer by its name, in place of what nobody can name', () => {
    expect(texts({ arrivesForMs: 9_000, inFlight: ['a', 'b'] })).toEqual([
      'a: nobody has answered its placement',
      'b: nobody has answered its placement',
    ]);
  });

  it('is what matched and has not settled', () => {
    const why = 'not settled, and one whose settlement fails may rest again';
    expect(texts({ settling: 1 })).toEqual([`1 matched order: ${why}`]);
    expect(texts({ settling: 2 })).toEqual([`2 matched orders: ${why}`]);
  });

  it('has two thousand lines at the most', () => {
    const orders = Array.from({ length: 2_001 }, () => report('0x0a'));
    expect(restsOf({ ...NOTHING, orders })).toHaveLength(2_000);
  });
});
