import { describe, expect, it } from 'vitest';
import {
  eventId,
  intentId,
  marketId,
  orderHash,
  outcomeId,
  requestId,
  tokenId,
} from '../../../src/domain/ids.ts';

describe.each([
  { name: 'a token id', parse: tokenId, complaint: 'a token id is not hex text' },
  { name: 'an order hash', parse: orderHash, complaint: 'an order hash is not hex text' },
])('$name', ({ parse, complaint }) => {
  it.each(['0x0', '0x00ff', `0x${'a'.repeat(128)}`])('may be %s', (text) => {
    expect(parse(text)).toBe(text);
  });

  it('is the same in either case of its letters', () => {
    expect(parse('0xABCdef')).toBe(parse('0xabcDEF'));
    expect(parse('0XAB')).toBe('0xab');
  });

  it.each(['', '0x', 'abc', '0xg1', ' 0xab', '0xab ', '0xab\n', '123', `0x${'a'.repeat(129)}`])(
    'is never %j',
    (text) => {
      expect(() => parse(text)).toThrow(complaint);
    },
  );

  it('is quoted in a complaint at a readable length', () => {
    const complaining = () => parse(`0x${'z'.repeat(10_000)}`);
    expect(complaining).toThrow('…');
    try {
      complaining();
    } catch (cause) {
      expect(String(cause).length).toBeLessThan(200);
    }
  });
});

describe.each([
  { name: 'an event id', parse: eventId },
  { name: 'a market id', parse: marketId },
  { name: 'an outcome id', parse: outcomeId },
])('$name', ({ parse }) => {
  it('is any short text, as it stands', () => {
    expect(parse('Will-It-Rain')).toBe('Will-It-Rain');
    expect(parse('7')).toBe('7');
  });

  it.each(['', 'x'.repeat(201)])('is never empty or endless', (text) => {
    expect(() => parse(text)).toThrow('not a short, non-empty text');
  });
});

describe('our own names', () => {
  it('are taken as given', () => {
    expect(intentId('life-1')).toBe('life-1');
    expect(requestId(7)).toBe(7);
  });
});
