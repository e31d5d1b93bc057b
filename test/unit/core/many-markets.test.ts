// Thousands of markets to which nothing happens are looked at once a second, and never all in one turn.

import { describe, expect, it } from 'vitest';
import { defineStrategy, type Strategy } from '../../../src/strategy/index.ts';
import { ManyBooks, TICK_MS } from '../../support/many-books.ts';

const MARKETS = 1_000;

describe('a thousand quiet markets', () => {
  it('are asked about in turns, each of them every second', () => {
    let asked: string[] = [];
    const watching = defineStrategy<object>({
      name: 'watching',
      summary: 'Target quotes nothing.',
      params: {},
      quote: ({ marketId }) => {
        asked.push(marketId);
        return { quotes: [], reasons: [{ side: 'both', code: 'told', detail: 'x', clears: 'x' }] };
      },
    });
    const books = new ManyBooks(MARKETS, watching as Strategy);
    books.start();
    for (const token of books.tokens) books.snapshot(token);
    books.run(3_000);
    const askedMs = new Map<string, number>();
    let longestMs = 0;
    let atOnceMax = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      asked = [];
      books.run(TICK_MS);
      atOnceMax = Math.max(atOnceMax, asked.length);
      for (const market of asked) {
        longestMs = Math.max(longestMs, books.nowMs - (askedMs.get(market) ?? books.nowMs));
        askedMs.set(market, books.nowMs);
      }
    }
    expect(askedMs.size).toBe(MARKETS);
    expect(atOnceMax).toBeLessThanOrEqual(100);
    expect(longestMs).toBeLessThanOrEqual(1_200);
  });
});
