// Matches of an earlier life that have settled, failed or wait: one payment and one hold speak for one match.

import { describe, expect, it } from 'vitest';
import { takeBalances } from '../../../../src/core/account/cash-doubt.ts';
import { unprovenEnd } from '../../../../src/core/account/doubts.ts';
import { onTradeFailed, onTradeSettled } from '../../../../src/core/account/positions.ts';
import { cashOf } from '../../../../src/core/inventory/pending.ts';
import type { World } from '../../../../src/core/world.ts';
import { orderHash, type TokenId } from '../../../../src/domain/ids.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { addMs, unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances } from '../../../support/engine-driver.ts';
import { buying, exclusive, marketOf, placed, selling } from '../../../support/exclusive-event.ts';

type Match = {
  readonly at: number;
  readonly side: 'BUY' | 'SELL';
  readonly size: number;
  readonly cash: number;
};

/** An earlier life left these matches, and knew 10,000 USDC. */
function left(matches: readonly Match[], settled = 0): World {
  const world = exclusive();
  const byToken = new Map<TokenId, Match[]>();
  for (const match of matches) {
    const tokenId = marketOf(world, match.at).tokenOf('yes');
    byToken.set(tokenId, [...(byToken.get(tokenId) ?? []), match]);
  }
  for (const each of world.markets.values()) {
    for (const leg of ['yes', 'no'] as const)
      world.inventory.restoreUnchanged(each.tokenOf(leg), NO_SHARES);
  }
  const atMs = addMs(world.nowMs, -5_000);
  world.inventory.restore(
    [...byToken].map(([tokenId, all]) => ({
      tokenId,
      settled: shares(settled),
      changedAtMs: atMs,
      pending: all.map(({ side, size, cash }) => ({
        intentId: undefined,
        side,
        cashNano: cash * 1e9,
        takerFeeRate: undefined,
        quantity: shares(size),
        original: shares(size),
        atMs,
      })),
    })),
  );
  const nanos = [...byToken.keys()].flatMap((t) =>
    world.inventory.pendingFills(t).map((f) => ({ nano: cashOf(f, f.quantity), atMs })),
  );
  world.account.restore(10_000e9, nanos);
  return world;
}

function read(
  world: World,
  {
    cash = 10_000,
    hold = 0,
    shown = [],
  }: {
    cash?: number;
    hold?: number;
    shown?: readonly (readonly [at: number, amount: number, held: number])[];
  },
): void {
  world.nowMs = addMs(world.nowMs, 5_000);
  const positions = shown.map(([at, amount, held]) => ({
    tokenId: marketOf(world, at).tokenOf('yes'),
    marketId: marketOf(world, at).market.id,
    shareAmount: shares(amount),
    onHoldShareAmount: shares(held),
  }));
  takeBalances(
    world,
    balances({ cashBalance: usdc(cash), usdcOnHold: usdc(hold), positions }),
    unixMs(world.nowMs - 100),
  );
}

const isProven = (world: World, at: number) => marketOf(world, at).unprovenSinceMs === undefined;
const BUY = { side: 'BUY', size: 100, cash: -15 } as const;
const SELL = { side: 'SELL', size: 100, cash: 15 } as const;

describe('a match that waits on, and an order that ended unheard for as much', () => {
  it('leave one payment and one hold, which prove nothing of the market of the other', () => {
    const world = left([{ at: 0, ...BUY }]);
    placed(world, 1, buying('yes', 15), 'that it rests');
    // While dead: the bid of market 1 traded whole and settled; the match of market 0 waits.
    read(world, { cash: 9_985, hold: 15 });
    const order = world.ledger.byHash(orderHash('0xa1'));
    if (order === undefined) throw new Error('it rests');
    world.ledger.signal(order, 'provenAbsent', world.nowMs);
    unprovenEnd(world, order);
    read(world, { cash: 9_985, hold: 15 });
    expect(isProven(world, 1)).toBe(false);
  });
});

/** Two sells of a token wait, and an order like them has ended unheard while one of the two settled. */
function soldUnheard(held: number): World {
  const matches = [
    { at: 0, ...SELL },
    { at: 0, ...SELL },
  ];
  const world = left(matches, 300);
  placed(world, 0, selling('yes', 15), 'that it rests');
  read(world, { cash: 10_015, shown: [[0, 300, held]] });
  const order = world.ledger.byHash(orderHash('0xa0'));
  if (order === undefined) throw new Error('it rests');
  world.ledger.signal(order, 'provenAbsent', world.nowMs);
  unprovenEnd(world, order);
  read(world, { cash: 10_015, shown: [[0, 300, held]] });
  return world;
}

describe('a sell that ended unheard beside two matches for as much, of which one is paid', () => {
  it('may be what the shares are held for that the paid one holds no more', () => {
    expect(isProven(soldUnheard(200), 0)).toBe(false);
  });

  it('has not traded where only the shares of the other one are held', () => {
    expect(isProven(soldUnheard(100), 0)).toBe(true);
  });
});

describe('a sell that waits, and an order of another market that ended unheard for as much', () => {
  function endedElsewhere(held: number): World {
    const world = left([{ at: 0, ...SELL }], 300);
    placed(world, 1, selling('yes', 15), 'that it rests');
    const shown = [
      [0, 300, held],
      [1, 0, 0],
    ] as const;
    // While dead: the order of market 1 traded whole and settled, or the match of market 0 did.
    read(world, { cash: 10_015, shown });
    const order = world.ledger.byHash(orderHash('0xa1'));
    if (order === undefined) throw new Error('it rests');
    world.ledger.signal(order, 'provenAbsent', world.nowMs);
    unprovenEnd(world, order);
    read(world, { cash: 10_015, shown });
    return world;
  }

  it('leave a payment that is not of the one which still holds its shares', () => {
    expect(isProven(endedElsewhere(100), 1)).toBe(false);
  });

  it('are told apart where the shares of the first one are held no more', () => {
    expect(isProven(endedElsewhere(0), 1)).toBe(true);
  });
});

describe('a sell of an earlier life that was paid, and smaller ones of its token', () => {
  /** The others hold their shares, and what ended unheard in market 1 would have brought as much. */
  function endedBeside(others: number, areHeld: boolean): World {
    const smaller = { at: 0, side: 'SELL', size: 8, cash: 1 } as const;
    const world = left(
      [{ at: 0, ...SELL }, ...Array.from({ length: others }, () => smaller)],
      10_000,
    );
    placed(world, 1, selling('yes', 15), 'that it rests');
    const shown = [
      [0, 10_000, areHeld ? 8 * others : 0],
      [1, 0, 0],
    ] as const;
    const paid = areHeld ? 15 : 15 + others;
    read(world, { cash: 10_000 + paid, shown });
    const order = world.ledger.byHash(orderHash('0xa1'));
    if (order === undefined) throw new Error('it rests');
    world.ledger.signal(order, 'provenAbsent', world.nowMs);
    unprovenEnd(world, order);
    read(world, { cash: 10_000 + paid, shown });
    return world;
  }

  it.each([
    { others: 20, areHeld: true, proven: true },
    // Which of so many are held nobody reckons between two frames: positions say it.
    { others: 60, areHeld: true, proven: false },
    { others: 60, areHeld: false, proven: true },
  ])('beside $others of them, held: $areHeld', ({ others, areHeld, proven }) => {
    expect(isProven(endedBeside(others, areHeld), 1)).toBe(proven);
  });
});

describe('sells of one token', () => {
  it('prove nothing where less is held than they have matched together', () => {
    const world = left(
      [
        { at: 0, ...SELL },
        { at: 0, ...SELL, cash: 16 },
      ],
      300,
    );
    read(world, { shown: [[0, 300, 100]] });
    read(world, { shown: [[0, 300, 100]] });
    expect(isProven(world, 0)).toBe(false);
  });
  it('need no other proof where all of them are held', () => {
    const world = left(
      [
        { at: 0, ...SELL },
        { at: 0, ...SELL, cash: 16 },
      ],
      300,
    );
    read(world, { shown: [[0, 300, 200]] });
    read(world, { shown: [[0, 300, 200]] });
    expect(isProven(world, 0)).toBe(true);
  });

  it('need no other proof where one is held and cash has moved by the other', () => {
    const world = left(
      [
        { at: 0, ...SELL },
        { at: 0, ...SELL, cash: 16 },
      ],
      300,
    );
    read(world, { cash: 10_015, shown: [[0, 300, 100]] });
    read(world, { cash: 10_015, shown: [[0, 300, 100]] });
    expect(isProven(world, 0)).toBe(true);
  });
});

describe('sells of as much in two markets', () => {
  it('prove nothing with one payment for both: either may have failed', () => {
    const world = left(
      [
        { at: 0, ...SELL },
        { at: 1, ...SELL },
      ],
      300,
    );
    read(world, {
      cash: 10_015,
      shown: [
        [0, 300, 0],
        [1, 300, 0],
      ],
    });
    read(world, {
      cash: 10_015,
      shown: [
        [0, 300, 0],
        [1, 300, 0],
      ],
    });
    expect([isProven(world, 0), isProven(world, 1)]).toEqual([false, false]);
  });

  it('need no other proof where both are paid', () => {
    const world = left(
      [
        { at: 0, ...SELL },
        { at: 1, ...SELL },
      ],
      300,
    );
    read(world, {
      cash: 10_030,
      shown: [
        [0, 300, 0],
        [1, 300, 0],
      ],
    });
    read(world, {
      cash: 10_030,
      shown: [
        [0, 300, 0],
        [1, 300, 0],
      ],
    });
    expect([isProven(world, 0), isProven(world, 1)]).toEqual([true, true]);
  });
});

/** A match of this life, for as much as `BUY`. */
function matched(world: World, at = 0): void {
  const size = shares(100);
  world.inventory.onMatched({
    ...{ tokenId: marketOf(world, at).tokenOf('yes'), side: 'BUY', cashNano: -15e9 },
    ...{ quantity: size, original: size, atMs: world.nowMs },
  });
}

const settled = (world: World, at = 0) => ({
  kind: 'tradeSettled' as const,
  tradeId: 't-1',
  tokenId: marketOf(world, at).tokenOf('yes'),
  marketId: marketOf(world, at).market.id,
  side: 'BUY' as const,
  price: usdc('0.15'),
  quantity: shares(100),
});

/** All that waits fails at once. @returns What is paid by that. */
function failed(world: World): number {
  const { marketId } = settled(world);
  const quantity = shares(120);
  onTradeFailed(world, { kind: 'tradeFailed', marketId, side: 'BUY', quantity, reason: 'r' });
  return 0;
}

/** The larger one settles, and is paid now. @returns What is paid by that. */
function inParts(world: World): number {
  for (const [at, size] of [60, 40].entries())
    onTradeSettled(world, { ...settled(world), tradeId: `p-${at}`, quantity: shares(size) });
  return 15;
}

describe('a match that was taken for settled', () => {
  it('is heard of late while a read is on its way, and leaves no cash unexplained', () => {
    const world = left([{ at: 0, ...BUY }]);
    read(world, { cash: 9_985 });
    read(world, { cash: 9_985 });
    world.nowMs = addMs(world.nowMs, 5_000);
    const askedAtMs = unixMs(world.nowMs - 100);
    onTradeSettled(world, settled(world));
    takeBalances(world, balances({ cashBalance: usdc(9_985) }), askedAtMs);
    for (let n = 0; n < 14; n += 1) read(world, { cash: 9_985, shown: [[0, 100, 0]] });
    expect(world.account.explainedNano).toBe(9_985e9);
    expect([0, 1, 2].map((at) => isProven(world, at))).toEqual([true, true, true]);
  });

  it('leaves what was taken for it unexplained where it settles with cash of its own', () => {
    const world = left([{ at: 0, ...BUY }]);
    read(world, { cash: 9_985, hold: 15 });
    read(world, { cash: 9_985, hold: 15 });
    onTradeSettled(world, settled(world));
    read(world, { cash: 9_970, shown: [[0, 100, 0]] });
    expect(world.account.surpriseNano).toBe(-15e9);
    expect(world.account.explainedNano).toBe(9_985e9);
  });

  describe('and one of this life for as much, whose frame is taken for its own,', () => {
    function frameOfLater(): World {
      const world = left([{ at: 0, ...BUY }]);
      read(world, { cash: 9_985 });
      read(world, { cash: 9_985 });
      matched(world);
      read(world, { cash: 9_985, hold: 15 });
      onTradeSettled(world, settled(world));
      read(world, { cash: 9_970 });
      return world;
    }

    it('leave no cash unexplained: what was taken for the one is the payment of the other', () => {
      const world = frameOfLater();
      expect(world.inventory.pendingFills(marketOf(world, 0).tokenOf('yes'))).toHaveLength(1);
      expect(world.account.isExplained).toBe(true);
      for (let n = 0; n < 14; n += 1) read(world, { cash: 9_970, shown: [[0, 200, 0]] });
      expect(world.account.isExplained).toBe(true);
    });

    it('leave it unexplained once that one settles with cash of its own, too', () => {
      const world = frameOfLater();
      onTradeSettled(world, { ...settled(world), tradeId: 't-2' });
      read(world, { cash: 9_955 });
      expect(world.account.surpriseNano).toBe(-15e9);
    });
  });

  it('leaves it unexplained beside a later one for as much of a token that had none before', () => {
    const world = left([{ at: 0, ...BUY }]);
    read(world, { cash: 9_985 });
    read(world, { cash: 9_985 });
    matched(world, 1);
    onTradeSettled(world, settled(world));
    read(world, { cash: 9_970, hold: 15, shown: [[0, 100, 0]] });
    expect(world.account.surpriseNano).toBe(-15e9);
  });

  it('and settles with cash of its own has all markets wait for what positions lag from then on', () => {
    const world = left([{ at: 0, ...BUY }]);
    for (let n = 0; n < 20; n += 1) read(world, { cash: 9_985 });
    onTradeSettled(world, settled(world));
    for (let n = 0; n < 14; n += 1) read(world, { cash: 9_970, shown: [[0, 100, 0]] });
    expect([0, 1, 2].map((at) => isProven(world, at))).toEqual([false, false, false]);
  });

  it('and that positions never show leaves no other market silent for another lag of them', () => {
    const world = left([{ at: 0, ...BUY }]);
    const silent: string[] = [];
    for (let n = 0; n < 90; n += 1) {
      // What was paid for it was another's, whose shares have shown for long by then.
      read(world, { cash: 9_985, shown: [[1, 100, 0]] });
      if (n === 30) expect(world.account.surpriseNano).toBe(-15e9);
      if (n > 30) silent.push(...[0, 1, 2].filter((at) => !isProven(world, at)).map(String));
    }
    expect(silent).toEqual([]);
  });

  it('leaves nothing unexplained where positions show it before any frame', () => {
    const world = left([{ at: 0, ...BUY }]);
    for (let n = 0; n < 14; n += 1) read(world, { cash: 9_985, shown: [[0, 100, 0]] });
    expect(world.account.isExplained).toBe(true);
  });

  it.each([
    ['fails together with another one', failed],
    ['settles in parts', inParts],
  ])('leaves what was taken for it unexplained where it %s', (_, become) => {
    const world = left([
      { at: 0, ...BUY },
      { at: 0, ...BUY, size: 20, cash: -3 },
    ]);
    read(world, { cash: 9_985, hold: 3 });
    read(world, { cash: 9_985, hold: 3 });
    expect(world.account.isExplained).toBe(true);
    const cash = 9_985 - become(world);
    for (let n = 0; n < 14; n += 1) read(world, { cash });
    expect(world.account.surpriseNano).toBe(-15e9);
    expect([1, 2].map((at) => isProven(world, at))).toEqual([false, false]);
  });
});

describe('a position that is taken over, of which one match has settled and another one failed', () => {
  /** What the market has paid by what is counted, once positions have been quiet. */
  function paidOf(
    matches: readonly Match[],
    { cash, amount }: { readonly cash: number; readonly amount: number },
  ): number {
    const world = left(matches);
    const market = marketOf(world, 0);
    market.flows.cashNano = matches.reduce((sum, match) => sum + match.cash * 1e9, 0);
    market.flows.markMilliUsdc = 500;
    for (let n = 0; n < 40; n += 1) read(world, { cash, shown: [[0, amount, 0]] });
    expect(world.inventory.position(market.tokenOf('yes'))).toBe(shares(amount));
    expect(world.account.isExplained).toBe(true);
    return market.flows.cashNano / 1e9;
  }
  const small = { at: 0, side: 'BUY', size: 20, cash: -4 } as const;
  const dear = { ...BUY, at: 0, cash: -20 };

  it.each([
    ['of other sizes', [{ at: 0, ...BUY }, small], { cash: 9_985, amount: 100 }, -15],
    [
      'of one size, the dearer one paid',
      [{ at: 0, ...BUY }, dear],
      { cash: 9_980, amount: 100 },
      -20,
    ],
    [
      'of one size, the other one paid',
      [{ at: 0, ...BUY }, dear],
      { cash: 9_985, amount: 100 },
      -15,
    ],
    [
      'bought and sold, and both paid',
      [dear, { at: 0, ...SELL, cash: 21 }],
      { cash: 10_001, amount: 0 },
      1,
    ],
    [
      'bought and sold, and neither paid',
      [dear, { at: 0, ...SELL, cash: 21 }],
      { cash: 10_000, amount: 0 },
      0,
    ],
  ] as const)('costs what was paid: %s', (_, matches, shown, expected) => {
    expect(paidOf(matches, shown)).toBe(expected);
  });
});
