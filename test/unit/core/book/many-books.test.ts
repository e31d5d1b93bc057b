// Thousands of books on one connection: what is asked for again, and how fast all of them are audited.

import { describe, expect, it } from 'vitest';
import { Auditor } from '../../../../src/core/book/audit.ts';
import { BookMirror } from '../../../../src/core/book/mirror.ts';

import { requestId, tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import { defineStrategy, type Quote, type Strategy } from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import { GRID, level, settings } from '../../../support/engine-driver.ts';
import { ManyBooks, TICK_MS } from '../../../support/many-books.ts';

const LADDER = ladder as Strategy;
const PARAMS = settings().markets[0]?.params;

describe('thousands of books that wait for their snapshots', () => {
  it('are given as much more time as there are more of them', () => {
    const books = new ManyBooks(2_000, LADDER, PARAMS);
    // Four thousand books: four times three seconds.
    expect(books.run(11_900).some((count) => count > 0)).toBe(false);
    expect(books.run(200).some((count) => count > 0)).toBe(true);
  });

  it('wait no longer than ever when few are left', () => {
    const books = new ManyBooks(2_000, LADDER, PARAMS);
    for (const token of books.tokens.slice(3)) books.snapshot(token);
    expect(books.run(2_900).some((count) => count > 0)).toBe(false);
    expect(books.run(200).filter((count) => count > 0)).toEqual([3]);
  });

  it('are asked for a few in a turn, and each of them in the end', () => {
    const books = new ManyBooks(600, LADDER, PARAMS);
    for (const token of books.tokens) books.snapshot(token);
    for (const tokenId of books.tokens) {
      books.tell({ kind: 'bookUnreadable', tokenId, detail: 'half a frame' });
    }
    const renewed = books.run(3_000);
    expect(Math.max(...renewed)).toBe(20);
    expect(renewed.reduce((sum, count) => sum + count, 0)).toBe(books.tokens.length);
  });
});

describe('books of markets that were quoted', () => {
  it('are renewed before thousands that are only watched', () => {
    let quoted: string | undefined;
    const one = defineStrategy<object>({
      name: 'one',
      summary: 'Quotes one market.',
      params: {},
      quote: ({ marketId, grid }) => {
        const bid = { side: 'bid', price: ticks(grid, 30), quantity: shares(20), purpose: 'add' };
        const reasons = [{ side: 'both', code: 'told', detail: 'x', clears: 'x' }] as const;
        return marketId === quoted
          ? { quotes: [bid as Quote], reasons: [] }
          : { quotes: [], reasons };
      },
    });
    const books = new ManyBooks(500, one as Strategy);
    quoted = 'market-many-400';
    books.start();
    for (const token of books.tokens) books.snapshot(token);
    books.run(3_000);
    for (const tokenId of books.tokens) {
      books.tell({ kind: 'bookUnreadable', tokenId, detail: 'half a frame' });
    }
    books.run(50);
    expect(books.renewed.slice(0, 2)).toEqual(books.tokens.slice(800, 802));
  });
});

describe('the round of audits over ten thousand books', () => {
  it('takes no longer than it may', () => {
    const limits = { ...TRUST_DEFAULTS, auditAgeMs: 1_000, auditRoundMs: 60_000 };
    const mirrors = Array.from({ length: 10_000 }, () => new BookMirror(GRID, 50));
    for (const mirror of mirrors) {
      mirror.onSnapshot({ bids: [level(40, 1)], asks: [], venueTs: undefined }, unixMs(0));
    }
    const auditor = new Auditor<{ readonly mirror: BookMirror }>();
    let next = 0;
    let asked = 0;
    let judged = 0;
    for (let nowMs = 0; nowMs <= 66_000; nowMs += TICK_MS) {
      const answers: number[] = [];
      const ask = () => {
        asked += 1;
        answers.push(asked);
        return requestId(asked);
      };
      judged += auditor.advance(limits, unixMs(nowMs), ask).length;
      const value = { bids: [level(40, 1)], asks: [] };
      for (const answer of answers) {
        auditor.onBookRead(
          {
            kind: 'bookRead',
            requestId: requestId(answer),
            tokenId: tokenId('0xab'),
            askedAtMs: unixMs(nowMs),
            outcome: { kind: 'ok', value },
          },
          unixMs(nowMs),
        );
      }
      for (let left = auditor.allowed(limits, 10_000, unixMs(nowMs)); left > 0; left -= 1) {
        const mirror = mirrors[next % mirrors.length];
        if (mirror !== undefined) auditor.begin({ mirror }, unixMs(nowMs));
        next += 1;
      }
    }
    expect(judged).toBeGreaterThanOrEqual(10_000);
  });
});
