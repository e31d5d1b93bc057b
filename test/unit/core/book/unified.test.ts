// A venue that shows one book twice, and one that shows two: an order to buy YES at p is an ask of NO at 1 - p in the
// first. The double below adds up everybody's orders as either would, and knows nothing of the core.

import { describe, expect, it } from 'vitest';
import type { OrderHash, TokenId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import {
  EngineDriver,
  level,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

type Unified = CoreSettings['book']['unified'];
type Shown = {
  readonly token: TokenId;
  readonly side: 'BUY' | 'SELL';
  readonly price: number;
  readonly size: number;
};

/** Far enough from each other for own quotes between them. */
const OTHERS: readonly Shown[] = [
  { token: YES, side: 'BUY', price: 45, size: 500 },
  { token: YES, side: 'SELL', price: 55, size: 500 },
];
/** As often as a venue flushes. */
const FLUSH_MS = 150;

class TwoBooks {
  readonly driver = new EngineDriver();
  readonly open = new Map<OrderHash, LimitOrder>();
  /** Every quote that was placed, on the YES axis. */
  readonly placed: string[] = [];
  others = OTHERS;
  isUnified: boolean;
  /** Somebody offers as much of the other outcome beside each of our orders. */
  isCopied = false;

  constructor(isUnified: boolean) {
    this.isUnified = isUnified;
  }

  start(unified: Unified): this {
    this.driver.start({ ...settings(), book: { depth: 50, ...(unified ? { unified } : {}) } });
    this.show();
    this.driver.tick();
    return this;
  }

  /** Everything is answered at once, and both books show what is there. */
  run(durationMs: number): this {
    const { driver } = this;
    for (let passed = 0; passed < durationMs; passed += FLUSH_MS) {
      driver.answerReads([...this.open].map(([hash, order]) => reportOf(hash, order)));
      for (const hash of driver.answerCancels()) this.open.delete(hash as OrderHash);
      for (const { hash, order } of driver.acceptPlacements()) {
        this.open.set(hash, order);
        const isBid = (order.side === 'BUY') === (order.tokenId === YES);
        const cents = order.tokenId === YES ? order.price : 100 - order.price;
        this.placed.push(`${isBid ? 'bid' : 'ask'} ${cents}`);
      }
      this.show();
      driver.run(FLUSH_MS);
    }
    return this;
  }

  show(): void {
    for (const token of [YES, NO]) {
      this.driver.book(token, this.#levels(token, 'BUY'), this.#levels(token, 'SELL'));
    }
  }

  get decided(): readonly boolean[] {
    return this.driver.reported('book.unified').map(({ isUnified }) => isUnified);
  }

  /** What the operator is told. */
  get belief() {
    return this.driver.engine.view().venueBeliefs?.[0];
  }

  /** Best bid and ask of others, as the core prices from them. */
  get touch(): readonly (string | undefined)[] {
    const [market] = this.driver.engine.view().markets;
    return [market?.bestBid, market?.bestAsk];
  }

  #levels(token: TokenId, side: 'BUY' | 'SELL') {
    const sizes = new Map<number, number>();
    const add = (price: number, size: number) => sizes.set(price, (sizes.get(price) ?? 0) + size);
    for (const each of [...this.others, ...[...this.open.values()].map(asShown)]) {
      const isOwn = each.token === token;
      if (isOwn && each.side === side) add(each.price, each.size);
      if (this.isUnified && !isOwn && each.side !== side) add(100 - each.price, each.size);
    }
    for (const { tokenId, ...own } of this.isCopied ? this.open.values() : []) {
      const shown = asShown({ tokenId, ...own });
      if (tokenId !== token && own.side !== side) add(100 - shown.price, shown.size);
    }
    const sign = side === 'BUY' ? -1 : 1;
    return [...sizes]
      .sort(([one], [other]) => sign * (one - other))
      .map(([price, size]) => level(price, size));
  }
}

function asShown({ tokenId, side, price, quantity }: LimitOrder): Shown {
  return { token: tokenId, side, price, size: quantity / 1_000_000 };
}

describe('a venue that shows one book twice', () => {
  it('is recognised within a second by own orders that show in both', () => {
    const venue = new TwoBooks(true).start('auto');
    expect(venue.belief).toMatchObject({ what: 'books', value: 'unknown' });
    const beginMs = venue.driver.nowMs;
    venue.run(1_000);
    expect(venue.decided).toEqual([true]);
    expect(venue.belief).toMatchObject({
      value: 'unified',
      evidence: expect.stringMatching(/in both books$/),
    });
    expect(venue.belief?.sinceMs).toBeGreaterThan(beginMs);
    expect(venue.touch).toEqual(['0.45', '0.55']);
  });

  it.each(['auto', 'on'] as const)('has no own quote read as one of others, with %s', (unified) => {
    const venue = new TwoBooks(true).start(unified).run(3_000);
    // Others leave on one side: a quote that followed its own trace would stay.
    venue.others = [OTHERS[0] as Shown, { ...(OTHERS[1] as Shown), price: 63 }];
    venue.run(3_000);
    expect(venue.touch).toEqual(['0.45', '0.63']);
    expect([...venue.placed.slice(-2)].sort()).toEqual(['ask 56', 'bid 52']);
    expect(venue.open.size).toBe(2);
  });

  it('counts each level of others once', () => {
    const venue = new TwoBooks(true).start('auto').run(3_000);
    expect(sizeAtBid(venue)).toBe(500);
  });

  it('is taken at its word again when it shows two after all', () => {
    const venue = new TwoBooks(true).start('auto').run(3_000);
    venue.isUnified = false;
    for (const price of [57, 59, 61]) {
      venue.others = [OTHERS[0] as Shown, { ...(OTHERS[1] as Shown), price }];
      venue.run(3_000);
    }
    expect(venue.decided).toEqual([true, false]);
    expect(venue.touch).toEqual(['0.45', '0.61']);
  });

  it('misleads a daemon that is told it shows two', () => {
    const venue = new TwoBooks(true).start('off').run(3_000);
    expect(venue.decided).toEqual([]);
    expect(venue.belief).toEqual({
      what: 'books',
      value: 'separate',
      evidence: 'book.unified is off',
    });
    expect(venue.touch).toEqual(['0.48', '0.52']);
  });
});

describe('a venue that shows two books', () => {
  it('is left alone, whatever stands in the other book', () => {
    const venue = new TwoBooks(false);
    // Somebody quotes both outcomes alike: the books mirror each other, and ours are in one of them.
    venue.others = [...OTHERS, ...OTHERS.map(mirrored)];
    venue.start('auto').run(3_000);
    for (const price of [57, 59, 61]) {
      const ask = { ...(OTHERS[1] as Shown), price };
      venue.others = [OTHERS[0] as Shown, ask, ...[OTHERS[0] as Shown, ask].map(mirrored)];
      venue.run(3_000);
    }
    expect(venue.decided).toEqual([]);
    expect(venue.belief).toMatchObject({ value: 'separate', sinceMs: expect.any(Number) });
    expect(venue.touch).toEqual(['0.45', '0.61']);
    expect(sizeAtBid(venue)).toBe(1_000);
  });

  it('is left alone where somebody offers just as much as each of our orders of the other outcome', () => {
    const venue = new TwoBooks(false);
    venue.isCopied = true;
    venue.start('auto').run(3_000);
    venue.others = [OTHERS[0] as Shown, { ...(OTHERS[1] as Shown), price: 57 }];
    venue.run(3_000);
    expect(venue.decided).toEqual([]);
  });
});

function mirrored({ token, side, price, size }: Shown): Shown {
  const other = side === 'BUY' ? 'SELL' : 'BUY';
  return { token: token === YES ? NO : YES, side: other, price: 100 - price, size };
}

/** Shares of others at their best bid, on the axis. */
function sizeAtBid({ driver }: TwoBooks): number {
  const [best] = driver.engine.view().markets[0]?.book?.bids ?? [];
  return Number(best?.quantity);
}
