import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inventory } from '../../../../src/core/inventory/inventory.ts';
import { tokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const TOKEN = tokenId('0x01');
const LAG = { positionLagMs: 150_000 };

const PRICE = 0.4;

function match(inventory: Inventory, side: 'BUY' | 'SELL', size: number, atMs = 1_000): void {
  matchAt(inventory, { side, size, price: PRICE }, atMs);
}

type Match = { readonly side: 'BUY' | 'SELL'; readonly size: number; readonly price: number };

function matchAt(inventory: Inventory, { side, size, price }: Match, atMs = 1_000): void {
  const quantity = shares(size);
  inventory.onMatched({
    tokenId: TOKEN,
    side,
    cashNano: cashNano({ side, size, price }),
    quantity,
    original: quantity,
    atMs: unixMs(atMs),
  });
}

/** Settles some shares at a price and returns the cash that their match was counted with. */
function settleAt(inventory: Inventory, { side, size, price }: Match): number {
  const trade = { side, quantity: shares(size), cashNano: cashNano({ side, size, price }) };
  return inventory.onSettled(TOKEN, trade, unixMs(2_000));
}

function cashNano({ side, size, price }: Match): number {
  return Math.round((side === 'BUY' ? -size : size) * price * 1e9);
}

function started(held = 0): Inventory {
  const inventory = new Inventory();
  inventory.baseline(new Map([[TOKEN, shares(held)]]));
  return inventory;
}

describe('matched shares', () => {
  it('count as position at once and can be sold only after settlement', () => {
    const inventory = started();
    match(inventory, 'BUY', 50);
    expect([inventory.position(TOKEN), inventory.sellable(TOKEN)]).toEqual([shares(50), 0]);
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(50) }, unixMs(2_000));
    expect([inventory.position(TOKEN), inventory.sellable(TOKEN)]).toEqual([
      shares(50),
      shares(50),
    ]);
  });

  it('that were sold are no longer free, settled or not', () => {
    const inventory = started(80);
    match(inventory, 'SELL', 50);
    expect([inventory.position(TOKEN), inventory.sellable(TOKEN)]).toEqual([
      shares(30),
      shares(30),
    ]);
  });

  it('count once when the settlement is told before the match', () => {
    const inventory = started();
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(50) }, unixMs(1_000));
    match(inventory, 'BUY', 50, 1_500);
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(50), shares(50)]);
  });

  it('are not taken for settled by a match of another order at another price', () => {
    const inventory = started();
    match(inventory, 'BUY', 7);
    const dearer = { side: 'BUY', quantity: shares(7), cashNano: -7 * 5e8 } as const;
    expect(inventory.onSettled(TOKEN, dearer, unixMs(2_000))).toBe(0);
    expect(inventory.position(TOKEN)).toBe(shares(14));
  });

  it('are not taken for settled by what settled unheard at another price', () => {
    const inventory = started();
    const unheard = { side: 'BUY', quantity: shares(14), cashNano: -14 * 3e8 } as const;
    inventory.onSettled(TOKEN, unheard, unixMs(1_000));
    match(inventory, 'BUY', 7, 1_500);
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(21), shares(14)]);
  });

  it('are of one fill where one holds them, at its price or at a better one', () => {
    const inventory = started();
    match(inventory, 'BUY', 20);
    match(inventory, 'BUY', 30, 1_100);
    const cheaper = { side: 'BUY', quantity: shares(25), cashNano: -25 * 3.9e8 } as const;
    expect(inventory.onSettled(TOKEN, cheaper, unixMs(2_000))).toBe(-25 * 4e8);
    expect(inventory.pendingFills(TOKEN).map((fill) => fill.quantity)).toEqual([
      shares(20),
      shares(5),
    ]);
  });

  it('are part of a fill at the price of the trade rather than a dearer one of the same size', () => {
    const inventory = started();
    matchAt(inventory, { side: 'BUY', size: 7, price: 0.22 });
    matchAt(inventory, { side: 'BUY', size: 20, price: 0.09 });
    expect(settleAt(inventory, { side: 'BUY', size: 7, price: 0.09 })).toBe(-0.63e9);
    expect(settleAt(inventory, { side: 'BUY', size: 13, price: 0.09 })).toBe(-1.17e9);
    expect(settleAt(inventory, { side: 'BUY', size: 7, price: 0.22 })).toBe(-1.54e9);
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
  });

  it('traded at a better price are of the order that allowed the least more', () => {
    const inventory = started();
    for (const price of [0.9, 0.77, 0.82]) matchAt(inventory, { side: 'BUY', size: 20, price });
    for (const [size, price] of [
      [7, 0.71],
      [13, 0.72],
      [20, 0.9],
      [20, 0.82],
    ] as const) {
      settleAt(inventory, { side: 'BUY', size, price });
    }
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
    expect(inventory.position(TOKEN)).toBe(shares(60));
  });

  it('are settled in the end when matches of two orders at one better price are mixed up', () => {
    const inventory = started();
    match(inventory, 'BUY', 40);
    match(inventory, 'BUY', 28, 1_100);
    // Of 28 shares in two matches, then of 40 in one: the first 8 could be of either order.
    for (const size of [8, 20, 40]) {
      const cheaper = { side: 'BUY', quantity: shares(size), cashNano: -size * 3.9e8 } as const;
      inventory.onSettled(TOKEN, cheaper, unixMs(2_000));
    }
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(68), shares(68)]);
  });

  it('are settled in the end when a settlement of before was taken for one of just its price', () => {
    const inventory = started();
    // Of the dearer order, at a better price, and heard of before either match.
    settleAt(inventory, { side: 'BUY', size: 36.77, price: 0.666 });
    matchAt(inventory, { side: 'BUY', size: 36.77, price: 0.67 });
    matchAt(inventory, { side: 'BUY', size: 33.57, price: 0.666 });
    const countedNano = settleAt(inventory, { side: 'BUY', size: 33.57, price: 0.666 });
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
    expect(inventory.settled(TOKEN)).toBe(shares(36.77 + 33.57));
    expect(countedNano).toBe(cashNano({ side: 'BUY', size: 36.77, price: 0.67 }));
  });

  it('and settled before at a better price are counted once, when nothing else is on its way', () => {
    const inventory = started();
    settleAt(inventory, { side: 'BUY', size: 20, price: 0.66 });
    matchAt(inventory, { side: 'BUY', size: 20, price: 0.67 }, 10_000);
    // It may be another order's, which we hear of in a moment.
    expect(inventory.settleLate(TOKEN, unixMs(30_000))).toBe(0);
    expect(inventory.position(TOKEN)).toBe(shares(40));
    const countedNano = inventory.settleLate(TOKEN, unixMs(40_000));
    expect(countedNano).toBe(cashNano({ side: 'BUY', size: 20, price: 0.67 }));
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(20), shares(20)]);
  });

  it('whose rest no price explains are settled by what a dearer one leaves of its settlement', () => {
    const inventory = started(100);
    const sell = (size: number, price: number) => ({ side: 'SELL', size, price }) as const;
    for (const each of [sell(3, 0.21), sell(14, 0.22), sell(14, 0.21)]) matchAt(inventory, each);
    // The first 3 sold dearer than they had to, and took from the 14 that had to; so did 11 from others.
    for (const each of [sell(3, 0.22), sell(14, 0.22), sell(14, 0.21)]) settleAt(inventory, each);
    inventory.settleLate(TOKEN, unixMs(40_000));
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(69), shares(69)]);
  });

  it('whose rests no price explains are settled together by one that is just as much', () => {
    const inventory = started(200);
    const sell = (size: number, price: number) => ({ side: 'SELL', size, price }) as const;
    for (const each of [sell(30, 0.64), sell(30, 0.65), sell(30, 0.63)]) matchAt(inventory, each);
    // A part of either was settled in another's name; what settles at the lowest price is of neither.
    for (const each of [sell(24, 0.64), sell(6, 0.65), sell(60, 0.63)]) settleAt(inventory, each);
    inventory.settleLate(TOKEN, unixMs(40_000));
    expect(inventory.pendingFills(TOKEN)).toEqual([]);
    expect(inventory.position(TOKEN)).toBe(shares(110));
  });

  it('whose rest is late takes its part of a settlement that another match will explain', () => {
    const inventory = started(100);
    const sell = (size: number, price: number) => ({ side: 'SELL', size, price }) as const;
    matchAt(inventory, sell(40, 0.47));
    // Of these 29 nobody has told; the 40 traded dearer than they had to, as 36 and 4.
    for (const size of [29, 36, 4]) settleAt(inventory, sell(size, 0.473));
    inventory.settleLate(TOKEN, unixMs(40_000));
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(31), shares(31)]);
    matchAt(inventory, sell(29, 0.473), 41_000);
    expect(inventory.position(TOKEN)).toBe(shares(31));
  });

  it('and their settlements are mixed up in any order of news, and agree in the end', () => {
    const dear = { side: 'BUY', size: 36.77, price: 0.67 } as const;
    const cheap = { side: 'BUY', size: 33.57, price: 0.666 } as const;
    const news: readonly ((inventory: Inventory) => void)[] = [
      (inventory) => matchAt(inventory, dear),
      (inventory) => matchAt(inventory, cheap),
      (inventory) => settleAt(inventory, { ...dear, price: cheap.price }),
      (inventory) => settleAt(inventory, cheap),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray([...news], { minLength: news.length }), (order) => {
        const inventory = started();
        for (const each of order) each(inventory);
        inventory.settleLate(TOKEN, unixMs(40_000));
        expect(inventory.pendingFills(TOKEN)).toEqual([]);
        expect(inventory.settled(TOKEN)).toBe(shares(dear.size + cheap.size));
      }),
    );
  });

  it('are settled in any order of news when two of one size were sold at two prices', () => {
    const dear = { side: 'SELL', size: 33, price: 0.424 } as const;
    const cheap = { ...dear, price: 0.422 };
    const news: readonly ((inventory: Inventory) => void)[] = [
      (inventory) => matchAt(inventory, dear),
      (inventory) => matchAt(inventory, cheap),
      // The first of them may be told of while only the cheaper match is known, which allows it.
      (inventory) => settleAt(inventory, dear),
      (inventory) => settleAt(inventory, cheap),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray([...news], { minLength: news.length }), (order) => {
        const inventory = started(100);
        for (const each of order) each(inventory);
        expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([
          shares(34),
          shares(34),
        ]);
      }),
    );
  });

  it('are not used up by a stranger’s settlement of long ago', () => {
    const inventory = started();
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(10) }, unixMs(1_000));
    match(inventory, 'BUY', 10, 100_000);
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(20), shares(10)]);
  });

  it('come back with their cash when settlement fails', () => {
    const inventory = started();
    match(inventory, 'BUY', 50);
    const failed = inventory.onFailed(TOKEN, 'BUY', shares(20), unixMs(2_000));
    expect(failed).toMatchObject({ cashNano: -8e9, left: 0 });
    expect(inventory.position(TOKEN)).toBe(shares(30));
  });
});

describe('a position read over REST', () => {
  const at = (askedAtMs: number, isCashExplained = true) => ({
    askedAtMs: unixMs(askedAtMs),
    isCashExplained,
    ...LAG,
  });

  it('that lags a fill overwrites nothing', () => {
    const inventory = started();
    match(inventory, 'BUY', 50, 1_000);
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(50) }, unixMs(20_000));
    for (let askedAt = 21_000; askedAt < 160_000; askedAt += 5_000) {
      expect(inventory.confirm(TOKEN, shares(0), at(askedAt)).kind).toBe('waits');
    }
    expect(inventory.settled(TOKEN)).toBe(shares(50));
  });

  it('that insists for longer than the lag is believed', () => {
    const inventory = started(50);
    expect(inventory.confirm(TOKEN, shares(20), at(1_000)).kind).toBe('waits');
    expect(inventory.confirm(TOKEN, shares(20), at(20_000))).toEqual({
      kind: 'adopted',
      ours: shares(50),
      venues: shares(20),
      change: shares(-30),
    });
  });

  it('settles or undoes every match of a quiet token, whatever their sides', () => {
    const inventory = started();
    match(inventory, 'BUY', 30, 1_000);
    match(inventory, 'SELL', 20, 1_000);
    match(inventory, 'BUY', 7, 1_000);
    // The first two settled without a frame; the last failed without one.
    inventory.confirm(TOKEN, shares(10), at(200_000));
    inventory.confirm(TOKEN, shares(10), at(220_000));
    expect([inventory.position(TOKEN), inventory.pendingFills(TOKEN)]).toEqual([shares(10), []]);
  });

  it('that no lag explains asks for quiet while the token trades on', () => {
    const inventory = started();
    const kinds: string[] = [];
    for (let askedAt = 10_000; askedAt <= 60_000; askedAt += 10_000) {
      match(inventory, 'BUY', 5, askedAt);
      inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(5) }, unixMs(askedAt));
      kinds.push(inventory.confirm(TOKEN, shares(77), at(askedAt)).kind);
    }
    expect(kinds).toEqual(['waits', 'waits', 'waits', 'differs', 'differs', 'differs']);
  });

  it.each([
    ['is explained while cash is', true, 'waits'],
    ['asks for quiet while cash is not explained either', false, 'differs'],
  ])('that shows settlements out of their order %s', (_, isCashExplained, expected) => {
    const inventory = started(100);
    for (const [side, size] of [
      ['BUY', 30],
      ['SELL', 50],
    ] as const) {
      match(inventory, side, size, 1_000);
      inventory.onSettled(TOKEN, { side, quantity: shares(size) }, unixMs(2_000));
    }
    const kinds = [10_000, 25_000, 40_000].map(
      // The later one shows first: an amount that never was.
      (askedAt) => inventory.confirm(TOKEN, shares(50), at(askedAt, isCashExplained)).kind,
    );
    expect(kinds.at(-1)).toBe(expected);
  });

  it('that nothing explained for long is not explained by cash of which the surprise is forgotten', () => {
    const inventory = started(100);
    match(inventory, 'SELL', 60, 1_000);
    inventory.onSettled(TOKEN, { side: 'SELL', quantity: shares(60) }, unixMs(2_000));
    // Twenty that somebody else bought: an amount between those of the lag, and none of them.
    for (const askedAt of [10_000, 25_000, 40_000]) {
      inventory.confirm(TOKEN, shares(60), at(askedAt, false));
    }
    expect(inventory.confirm(TOKEN, shares(60), at(50_000)).kind).toBe('differs');
    expect(inventory.isUnexplained(TOKEN)).toBe(true);
  });

  it('that nothing explained for long is proven by nothing but quiet, in the next life too', () => {
    const first = started(34);
    match(first, 'BUY', 30, 1_000);
    for (const askedAt of [10_000, 25_000, 40_000]) first.confirm(TOKEN, shares(50), at(askedAt));
    expect(first.isUnexplained(TOKEN)).toBe(true);

    const next = new Inventory();
    next.restore([first.stored(TOKEN)]);
    // Just what matched, settled: it may be of an older time, and another's.
    const kinds = [100_000, 120_000].map((askedAt) => next.confirm(TOKEN, shares(64), at(askedAt)));
    expect(kinds).toEqual([{ kind: 'waits' }, { kind: 'waits' }]);
    expect(next.isUnexplained(TOKEN)).toBe(true);
    const quiet = next.confirm(TOKEN, shares(64), at(200_000));
    expect(quiet).toMatchObject({ kind: 'adopted', change: shares(0) });
    expect([next.isUnexplained(TOKEN), next.stored(TOKEN).isDoubted]).toEqual([false, false]);
  });

  it('calls a match stale that neither settled nor failed for as long as an index lags', () => {
    const inventory = new Inventory();
    match(inventory, 'BUY', 7);
    const stale = (askedAtMs: number) =>
      inventory.isStale(TOKEN, shares(0), { ...LAG, askedAtMs: unixMs(askedAtMs) });
    expect(stale(150_000)).toBe(false);
    expect(stale(152_000)).toBe(true);
  });

  it('asks for quiet when a match was never settled, even by a lagging index', () => {
    const inventory = started();
    match(inventory, 'BUY', 5, 1_000);
    let kind = '';
    for (let askedAt = 10_000; askedAt <= 300_000; askedAt += 10_000) {
      match(inventory, 'SELL', 1, askedAt);
      inventory.onSettled(TOKEN, { side: 'SELL', quantity: shares(1) }, unixMs(askedAt));
      kind = inventory.confirm(TOKEN, inventory.settled(TOKEN), at(askedAt)).kind;
    }
    expect(kind).toBe('differs');
  });

  it('proves nothing of a match that could not be attributed until the token was quiet', () => {
    const inventory = started(100);
    match(inventory, 'BUY', 5, 1_000);
    inventory.doubt(TOKEN, unixMs(20_000));
    // Another match settles meanwhile; settled agrees, and says nothing of the five in doubt.
    match(inventory, 'BUY', 30, 160_000);
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(30) }, unixMs(175_000));
    expect(inventory.confirm(TOKEN, shares(130), at(190_000))).toEqual({ kind: 'waits' });
    const quiet = inventory.confirm(TOKEN, shares(130), at(330_000));
    expect(quiet).toMatchObject({ kind: 'adopted', change: shares(-5) });
    expect(inventory.confirm(TOKEN, shares(130), at(345_000))).toEqual({ kind: 'agrees' });
  });

  it('that shows the oldest matches settled has settled them', () => {
    const inventory = started();
    match(inventory, 'BUY', 30, 1_000);
    match(inventory, 'BUY', 9, 80_000);
    expect(inventory.confirm(TOKEN, shares(30), at(90_000)).kind).toBe('agrees');
    expect([inventory.settled(TOKEN), inventory.position(TOKEN)]).toEqual([shares(30), shares(39)]);
  });

  it('that may be of before settles nothing: the late frame of the match counts once', () => {
    const inventory = started(100);
    match(inventory, 'BUY', 30, 1_000);
    match(inventory, 'SELL', 30, 2_000);
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(30) }, unixMs(20_000));
    // The index still shows what was held before the purchase, which is also what the sale leaves.
    inventory.confirm(TOKEN, shares(100), at(70_000));
    match(inventory, 'SELL', 30, 80_000);
    inventory.onSettled(TOKEN, { side: 'SELL', quantity: shares(30) }, unixMs(90_000));
    inventory.onSettled(TOKEN, { side: 'SELL', quantity: shares(30) }, unixMs(96_000));
    expect([inventory.settled(TOKEN), inventory.position(TOKEN)]).toEqual([shares(70), shares(70)]);
  });

  it('that older matches beside an amount of before explain does not settle later ones', () => {
    const inventory = started(100);
    // Its frame is lost: the index shows 130 from then on, which the ledger never held.
    match(inventory, 'BUY', 30, 1_000);
    match(inventory, 'BUY', 20, 2_000);
    match(inventory, 'SELL', 20, 3_000);
    inventory.onSettled(TOKEN, { side: 'BUY', quantity: shares(20) }, unixMs(30_000));
    inventory.confirm(TOKEN, shares(130), at(70_000));
    inventory.onSettled(TOKEN, { side: 'SELL', quantity: shares(20) }, unixMs(75_000));
    expect(inventory.position(TOKEN)).toBe(shares(130));
    inventory.confirm(TOKEN, shares(130), at(80_000));
    expect([inventory.settled(TOKEN), inventory.position(TOKEN)]).toEqual([
      shares(130),
      shares(130),
    ]);
  });

  it('that shows a match whose settlement frame was lost settles it, and does not double it', () => {
    const inventory = started();
    match(inventory, 'BUY', 50, 1_000);
    inventory.confirm(TOKEN, shares(50), at(200_000));
    inventory.confirm(TOKEN, shares(50), at(220_000));
    expect([inventory.position(TOKEN), inventory.settled(TOKEN)]).toEqual([shares(50), shares(50)]);
  });
});

describe('any order of matches and settlements', () => {
  it('ends at the same position when all is settled', () => {
    const trades = fc.array(
      fc.record({
        side: fc.constantFrom('BUY' as const, 'SELL' as const),
        size: fc.integer({ min: 1, max: 40 }),
        early: fc.boolean(),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(trades, (list) => {
        const inventory = started(1_000);
        let expected = 1_000;
        for (const { side, size, early } of list) {
          expected += side === 'BUY' ? size : -size;
          const settle = () =>
            inventory.onSettled(TOKEN, { side, quantity: shares(size) }, unixMs(1_000));
          if (early) settle();
          match(inventory, side, size);
          if (!early) settle();
        }
        expect(inventory.position(TOKEN)).toBe(shares(expected));
        expect(inventory.settled(TOKEN)).toBe(shares(expected));
        expect(inventory.pendingFills(TOKEN)).toEqual([]);
      }),
    );
  });

  it('takes every part of a fill for just that, whatever else waits', () => {
    const fills = fc.array(
      fc.record({
        side: fc.constantFrom('BUY' as const, 'SELL' as const),
        price: fc.constantFrom(0.09, 0.22, 0.221, 0.7),
        parts: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        fills,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (list, die) => {
          const inventory = started(10_000);
          const trades = list.flatMap(({ side, price, parts }) => {
            matchAt(inventory, { side, price, size: parts.reduce((sum, part) => sum + part, 0) });
            return parts.map((size) => ({ side, price, size, turn: die.next().value }));
          });
          for (const trade of trades.toSorted((a, b) => a.turn - b.turn)) {
            expect(Math.abs(settleAt(inventory, trade) - cashNano(trade))).toBeLessThan(1_000);
          }
          expect(inventory.pendingFills(TOKEN)).toEqual([]);
          expect(inventory.settled(TOKEN)).toBe(inventory.position(TOKEN));
        },
      ),
      // One in a hundred finds what a hundred runs may miss.
      { numRuns: 1_000 },
    );
  });
});
