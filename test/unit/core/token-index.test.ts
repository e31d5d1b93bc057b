// Numbers of tokens are hints: whatever they are, each token leads to what is known of it, and no engine
// does anything else for them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenIndex } from '../../../src/core/kernel/market.ts';
import { type TokenId, tokenId } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { FastDeltaReader } from '../../../src/wire/fast-delta.ts';
import { EngineDriver, level, NO, YES } from '../../support/engine-driver.ts';

const GRID = tickGrid('0.01');
const TOKENS = Array.from({ length: 6 }, (_, at) => `0x0123456789abcde${at}`);

/** Each time another string of the same letters, as frames and catalogues have them. */
function named(at: number): TokenId {
  return tokenId([...(TOKENS[at % TOKENS.length] ?? '0x0')].join(''));
}

const NUMBERS = fc.oneof(
  fc.nat(4),
  fc.constantFrom(undefined, -1, 0.5, Number.NaN, 65_535, 65_536, 2 ** 32, Number.MAX_VALUE),
);
const DOINGS = fc.array(
  fc.record({
    what: fc.constantFrom('set', 'delete', 'find', 'find', 'find', 'find'),
    who: fc.nat(5),
    number: NUMBERS,
  }),
  { maxLength: 200 },
);

describe('what is known of each token', () => {
  it('is found by its id, whatever number came with it', () => {
    fc.assert(
      fc.property(DOINGS, (doings) => {
        const index = new TokenIndex<number>();
        const plain = new Map<TokenId, number>();
        for (const [at, { what, who, number }] of doings.entries()) {
          const token = named(who);
          if (what === 'set') {
            index.set(token, at);
            plain.set(token, at);
          } else if (what === 'delete') {
            index.delete(token);
            plain.delete(token);
          }
          expect(index.find(token, number)).toBe(plain.get(token));
          expect(index.get(token)).toBe(plain.get(token));
        }
        expect([...index.keys()]).toEqual([...plain.keys()]);
      }),
      { numRuns: 500 },
    );
  });

  it('is found when a reader gave a number anew, to a token it learnt later', () => {
    // More than a reader keeps: it begins anew, with the same numbers for other tokens.
    const many = Array.from({ length: 33_000 }, (_, at) =>
      tokenId(`0x${at.toString(16).padStart(12, '0')}`),
    );
    const index = new TokenIndex<TokenId>();
    for (const each of many) index.set(each, each);
    const reader = new FastDeltaReader({ gridOf: () => GRID, tokensOf: () => [] });
    const numbers = new Map<number, Set<TokenId>>();
    for (const each of many) {
      reader.learn(each);
      const delta = reader.read(Buffer.from(frame(each)));
      expect(index.find(each, delta?.tokenNumber)).toBe(each);
      const owners = numbers.get(delta?.tokenNumber ?? -1) ?? new Set();
      numbers.set(delta?.tokenNumber ?? -1, owners.add(each));
    }
    expect([...numbers.values()].some((owners) => owners.size > 1)).toBe(true);
    expect(numbers.has(-1)).toBe(false);
  });

  it('leads each change to its own book, however wrong the numbers are', () => {
    fc.assert(
      fc.property(fc.array(CHANGE, { maxLength: 40 }), (changes) => {
        const told = (numberOf: (change: Change) => number | undefined) => {
          const driver = new EngineDriver();
          driver.start();
          driver.healthyBook();
          driver.book(NO, [level(40, 100)], [level(60, 100)]);
          for (const change of changes) {
            const { token, isBid, price, size } = change;
            const number = numberOf(change);
            driver.tell({
              kind: 'bookDelta',
              tokenId: token,
              ...(number === undefined ? {} : { tokenNumber: number }),
              side: isBid ? 'bid' : 'ask',
              price: ticks(GRID, isBid ? price : 100 - price),
              size: shares(size),
              venueTs: unixMs(driver.nowMs),
            });
            driver.run(50);
          }
          return { view: driver.engine.view(), sent: driver.sent };
        };
        const without = told(() => undefined);
        expect(told(({ token }) => TOKENS.indexOf(token))).toEqual(without);
        expect(told(({ token }) => (token === YES ? 0 : 1))).toEqual(without);
        expect(told(({ number }) => number)).toEqual(without);
      }),
      { numRuns: 60 },
    );
  });
});

type Change = {
  readonly token: TokenId;
  readonly isBid: boolean;
  readonly price: number;
  readonly size: number;
  readonly number: number | undefined;
};

const CHANGE: fc.Arbitrary<Change> = fc.record({
  // One that nobody subscribed to may come as well.
  token: fc.constantFrom(YES, NO, tokenId('0xdeadbeefdeadbeef')),
  isBid: fc.boolean(),
  price: fc.integer({ min: 30, max: 49 }),
  size: fc.nat(300),
  number: NUMBERS,
});

function frame(token: TokenId): string {
  const ts = 1_700_000_000_123;
  const change = { side: 'bid', price: 0.29, size: 5, ts };
  return JSON.stringify({ type: 'orderbook.delta', marketId: token, ...change });
}
