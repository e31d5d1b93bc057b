import { describe, expect, it } from 'vitest';
import type { QuoteContext } from '../../src/strategy/index.ts';
import { quoteContext, type Scene } from '../support/strategy-context.ts';
import { fixedLadder } from './peers/fixed-ladder.ts';
import { hummingbotPmm } from './peers/hummingbot-pmm.ts';
import { PEERS } from './peers/index.ts';
import { polyMakerV2 } from './peers/poly-maker-v2.ts';
import { polyMarketMakerAmm } from './peers/poly-market-maker-amm.ts';
import { polyMarketMakerBands } from './peers/poly-market-maker-bands.ts';
import { pullOnFill } from './peers/pull-on-fill.ts';
import { touchJoin } from './peers/touch-join.ts';

type Peer = {
  readonly quote: (context: QuoteContext<Record<string, never>>) => {
    quotes: readonly { side: string; price: number; quantity: number }[];
    memory?: unknown;
  };
};

/** A book from 48 to 52 with 100 shares on each side. */
const BOOK: Scene = { yes: { bids: [[48, 100]], asks: [[52, 100]] }, maxPosition: 250 };

function pricesOf(peer: Peer, scene: Scene, side: 'bid' | 'ask'): readonly number[] {
  const { quotes } = peer.quote(quoteContext(scene, {}));
  return quotes.filter((quote) => quote.side === side).map(({ price }) => price);
}

describe('the rules of peers', () => {
  it.each([
    { peer: fixedLadder, bids: [49, 48, 47] },
    { peer: pullOnFill, bids: [49, 48, 47] },
    { peer: touchJoin, bids: [48] },
    { peer: polyMarketMakerBands, bids: [49, 48, 47] },
    { peer: polyMarketMakerAmm, bids: [49, 48, 47] },
    { peer: hummingbotPmm, bids: [49, 48, 47] },
    { peer: polyMakerV2, bids: [47, 45] },
  ])('$peer.name bids $bids in a book from 48 to 52, and asks as far away', ({ peer, bids }) => {
    expect(pricesOf(peer, BOOK, 'bid')).toEqual(bids);
    expect(pricesOf(peer, BOOK, 'ask')).toEqual(bids.map((price) => 100 - price));
  });

  it('rest about 130 shares a side, each of them', () => {
    for (const peer of PEERS) {
      if (peer.scope === 'event') throw new Error('of one market');
      for (const side of ['bid', 'ask']) {
        const quotes = peer
          .quote(quoteContext(BOOK, {}))
          .quotes.filter((each) => each.side === side);
        const shares = quotes.reduce((sum, { quantity }) => sum + quantity / 1e6, 0);
        expect(shares, `${peer.name} ${side}`).toBeGreaterThan(115);
        expect(shares, `${peer.name} ${side}`).toBeLessThan(145);
      }
    }
  });

  it('pull-on-fill is gone for half a minute after a fill', () => {
    const nowMs = 1_700_000_000_000;
    const filled = pullOnFill.quote(quoteContext({ ...BOOK, yesShares: 43, nowMs }, {}));
    expect(filled.quotes).toEqual([]);
    const { memory } = filled;
    if (memory === undefined) throw new Error('it remembers the fill');
    const later = (afterMs: number): Scene => ({
      ...BOOK,
      yesShares: 43,
      nowMs: nowMs + afterMs,
      memory,
    });
    expect(pricesOf(pullOnFill, later(29_999), 'bid')).toEqual([]);
    expect(pricesOf(pullOnFill, later(30_000), 'bid')).toEqual([49, 48, 47]);
  });

  it('poly-maker v2 adds nothing beyond 60 % of its cap', () => {
    expect(pricesOf(polyMakerV2, { ...BOOK, yesShares: 150 }, 'bid')).toEqual([]);
    expect(pricesOf(polyMakerV2, { ...BOOK, yesShares: 140 }, 'bid')).not.toEqual([]);
  });
});
