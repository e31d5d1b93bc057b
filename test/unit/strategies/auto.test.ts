import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MICRO_PER_SHARE, shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { type Json, rememberedNumber } from '../../../src/strategy/index.ts';
import { type AutoParams, strategy } from '../../../strategies/auto.ts';
import { NOW_MS, quoteContext, type Scene } from '../../support/strategy-context.ts';
import { itKeepsTheRules } from '../../support/strategy-properties.ts';
import { codes, prices, touch } from './scenes.ts';

const USUAL: AutoParams = {
  size: 50,
  levels: 3,
  leanPart: 0.25,
  sizeLean: 1,
  edgeTicksMin: 0.5,
  spreadPart: 0.6,
  flowWeight: 2,
  sweptCents: 10,
  improves: true,
};

type Counted = { readonly scene: Scene; readonly memory: Json };

/** What it remembers after takers sold while it stood with the best bid, from nothing. */
function afterTrades(of: {
  readonly sold: number;
  readonly ours: number;
  readonly at?: number;
  readonly standing?: number;
  /** What own orders have bought of it, in all; all of it where it is not stated. */
  readonly filled?: number;
  readonly filledBefore?: number;
}): Counted {
  const grid = tickGrid('0.01');
  const own = {
    side: 'bid',
    price: ticks(grid, of.standing ?? 48),
    remaining: shares(50),
    restingSinceMs: unixMs(NOW_MS),
    queue: undefined,
  } as const;
  const filled = (bought: number | undefined) =>
    bought === undefined ? {} : { filled: { bought, sold: 0 } };
  const before = { yes: touch(48, 52), fair: 0.5, ownQuotes: [own], ...filled(of.filledBefore) };
  const { memory } = strategy.quote(quoteContext(before, USUAL));
  const trade = {
    atMs: unixMs(NOW_MS + 1_000),
    price: ticks(grid, of.at ?? 48),
    size: shares(of.sold),
    taker: 'sells',
  } as const;
  const after: Scene = {
    ...before,
    ...(memory === undefined ? {} : { memory }),
    nowMs: NOW_MS + 1_000,
    yesShares: of.ours,
    ...filled(of.filled),
    trades: [trade],
  };
  const then = strategy.quote(quoteContext(after, USUAL)).memory;
  if (then === undefined) throw new Error('it remembers what was traded');
  return { scene: { ...after, memory: then }, memory: then };
}

function countsOf({ memory }: Counted) {
  const of = (key: string) => rememberedNumber(memory, key, Number.NaN);
  return { traded: of('traded'), own: of('own') };
}

describe('auto', () => {
  itKeepsTheRules({
    strategy,
    params: fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      levels: fc.integer({ min: 1, max: 5 }),
      leanPart: fc.constantFrom(0.1, 0.5, 2),
      sizeLean: fc.constantFrom(0, 1, 2),
      edgeTicksMin: fc.constantFrom(0, 1, 3),
      spreadPart: fc.constantFrom(0, 0.6, 2),
      flowWeight: fc.constantFrom(0, 1),
      sweptCents: fc.constantFrom(0, 10),
      improves: fc.boolean(),
    }),
    meetsMinNotional: true,
  });

  it('joins the touch, and stands back a tick where its price under the rule is too near', () => {
    // The touch is two ticks from the price, further than the edge of 1.2 ticks: join it, and a tick more a level.
    const joins = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.5 }, USUAL));
    expect(prices(joins, 'bid')).toEqual([48, 47, 46]);
    expect(prices(joins, 'ask')).toEqual([52, 53, 54]);
    // A price of 0.489 leaves 0.9 ticks to the bid, less than that edge.
    const near = strategy.quote(quoteContext({ yes: touch(48, 52), fair: 0.489 }, USUAL));
    expect(prices(near, 'bid')[0]).toBe(47);
  });

  it('joins while its place there gets what takers trade, however much it holds', () => {
    const { scene } = afterTrades({ sold: 400, ours: 400 });
    const heavy = { ...scene, trades: [] };
    expect(prices(strategy.quote(quoteContext(heavy, USUAL)), 'ask')[0]).toBe(52);
  });

  it('improves by a tick where others get what takers trade at its price', () => {
    const { memory } = afterTrades({ sold: 1_000, ours: 0 });
    // The prior of 0.8 of 250 shares is left of it: 200 of 1,250. Two ticks away earn 0.3 in the queue, and 1 before it.
    const seen = { yes: touch(48, 52), fair: 0.5, memory };
    expect(prices(strategy.quote(quoteContext(seen, USUAL)), 'bid')).toEqual([49, 48, 47]);
    expect(prices(strategy.quote(quoteContext(seen, USUAL)), 'ask')).toEqual([51, 52, 53]);
    // One tick away a place before the others earns nothing.
    const near = { yes: touch(49, 51), fair: 0.5, memory };
    expect(prices(strategy.quote(quoteContext(near, USUAL)), 'bid')[0]).toBe(49);
    const off = { ...USUAL, improves: false };
    expect(prices(strategy.quote(quoteContext(seen, off)), 'bid')[0]).toBe(48);
  });

  it('counts only what takers trade where it stands with the best of the others, and each trade once', () => {
    const none = { traded: 0, own: 0 };
    expect(countsOf(afterTrades({ sold: 100, ours: 0, at: 47 }))).toEqual(none);
    expect(countsOf(afterTrades({ sold: 100, ours: 0, standing: 49 }))).toEqual(none);
    const counted = afterTrades({ sold: 100, ours: 30 });
    expect(countsOf(counted)).toEqual({ traded: 100, own: 30 });
    // The same books and trades once more change nothing, and nothing is written.
    expect(strategy.quote(quoteContext(counted.scene, USUAL)).memory).toBeUndefined();
  });

  it('leans by a quarter of its distance for every quote that it holds, on any price and grid', () => {
    // Twenty ticks between the touches: a distance of six and a lean of 1.5 a quote, behind a touch ten away.
    const flat = { yes: touch(300, 320), fair: 0.31, tickSize: '0.001' } as const;
    const bid = (held: number) =>
      prices(strategy.quote(quoteContext({ ...flat, yesShares: held }, USUAL)), 'bid')[0] ?? 0;
    expect(bid(200) - bid(400)).toBeGreaterThanOrEqual(5);
    expect(bid(200) - bid(400)).toBeLessThanOrEqual(7);
  });

  it('moves shares to the best level of the side that reduces, and away from that of the one that adds', () => {
    const sizes = (held: number, change: Partial<AutoParams> = {}, limits = {}) => {
      const scene = { yes: touch(48, 52), fair: 0.5, yesShares: held };
      const context = quoteContext(scene, { ...USUAL, ...change });
      const { quotes } = strategy.quote({ ...context, limits: { ...context.limits, ...limits } });
      const of = (side: 'bid' | 'ask') =>
        quotes
          .filter((each) => each.side === side)
          .map(({ quantity }) => quantity / MICRO_PER_SHARE);
      return { bids: of('bid'), asks: of('ask') };
    };
    expect(sizes(0)).toEqual({ bids: [50, 50, 50], asks: [50, 50, 50] });
    // Half a quote is held: half of one moves on the side that sells, a sixth on the one that buys more.
    expect(sizes(25)).toEqual({ bids: [41.25, 50, 58.75], asks: [75, 50, 25] });
    expect(sizes(-25)).toEqual({ bids: [75, 50, 25], asks: [41.25, 50, 58.75] });
    // However much is held, three tenths of a quote stay where takers come first.
    expect(sizes(150).bids[0]).toBe(15);
    expect(sizes(150).asks.slice(0, 2)).toEqual([100, 50]);
    expect(sizes(25, { sizeLean: 0 })).toEqual({ bids: [50, 50, 50], asks: [50, 50, 50] });
    expect(sizes(150, { levels: 1 })).toEqual({ bids: [50], asks: [50] });
    // No order grows beyond what one may be, but for a size that was too large before.
    expect(sizes(150, {}, { maxOrderNotionalUsdc: 60 }).asks[0]).toBe(60);
    expect(sizes(150, {}, { maxOrderShares: 55 }).asks[0]).toBe(55);
    expect(sizes(150, {}, { maxOrderShares: 20 }).asks[0]).toBe(50);
  });

  it('stands back on a side that was swept, and comes again within seconds', () => {
    // Others get most of what takers trade there, so that two quotes at once are a sweep of theirs, too.
    const { scene } = afterTrades({ sold: 1_000, ours: 100 });
    const bid = (after: number, change: Partial<AutoParams> = {}) => {
      const then = { ...scene, trades: [], nowMs: NOW_MS + 1_000 + after };
      return prices(strategy.quote(quoteContext(then, { ...USUAL, ...change })), 'bid')[0] ?? 0;
    };
    // The second quote stands for ten cents; what is held is in the price as ever.
    expect(bid(0, { improves: false, sweptCents: 0 }) - bid(0)).toBeGreaterThanOrEqual(9);
    // A clock that is set back an hour leaves no side away for an hour.
    expect(bid(-3_600_000)).toBe(bid(-3_600_000, { sweptCents: 0 }));
    // Half of them is forgotten in five seconds.
    expect(bid(5_000)).toBe(bid(5_000, { sweptCents: 0 }));
    const asks = strategy.quote(quoteContext({ ...scene, trades: [] }, USUAL));
    expect(prices(asks, 'ask')[0]).toBeLessThanOrEqual(52);
  });

  it('takes no fill for a sweep that it would have without one: a quote, or two where its queue gives it most', () => {
    for (const [sold, ours] of [
      [1_000, 50],
      [100, 100],
    ] as const) {
      const { scene } = afterTrades({ sold, ours });
      const best = (sweptCents: number) =>
        prices(strategy.quote(quoteContext(scene, { ...USUAL, sweptCents })), 'bid')[0];
      expect(best(10)).toBe(best(0));
    }
  });

  it.each([
    ['0.01', 2],
    ['0.001', 8],
  ] as const)(
    'takes a quote that was raised to 1.00 USDC for one quote: at a tick of %s, bid %i',
    (tickSize, bid) => {
      // At 0.02 ten shares are raised to 50, at 0.008 to 125: five fills of a quote's size, and yet a single one.
      const small = { ...USUAL, size: 10 };
      const scene = { tickSize, yes: touch(bid, bid + 2), filled: { bought: 0, sold: 0 } };
      const { quotes, memory } = strategy.quote(quoteContext(scene, small));
      const bought = (quotes.find(({ side }) => side === 'bid')?.quantity ?? 0) / MICRO_PER_SHARE;
      expect(bought).toBe((tickSize === '0.01' ? 100 : 1_000) / bid);
      if (memory === undefined) throw new Error('it remembers where it stands');
      const filled = { ...scene, memory, yesShares: bought, filled: { bought, sold: 0 } };
      const bids = (change: Partial<AutoParams>) =>
        prices(strategy.quote(quoteContext(filled, { ...small, ...change })), 'bid');
      expect(bids({})).not.toEqual([]);
      expect(bids({})).toEqual(bids({ sweptCents: 0 }));
    },
  );

  it('takes it for one quote still where the book moves away from the end behind the fill', () => {
    const small = { ...USUAL, size: 10 };
    const quoteAt = (bid: number, over: Partial<Scene>, change: Partial<AutoParams> = {}) =>
      strategy.quote(quoteContext({ yes: touch(bid, bid + 2), ...over }, { ...small, ...change }));
    const { memory: first } = quoteAt(2, { filled: { bought: 0, sold: 0 } });
    // Its queue gives it little, so that more than one quote is a sweep.
    const poor = { ...(first as Record<string, Json>), traded: 1_000, own: 50 };
    const held = { filled: { bought: 50, sold: 0 }, yesShares: 50 };
    const { memory } = quoteAt(2, { ...held, memory: poor });
    if (memory === undefined) throw new Error('it remembers the fill');
    for (const bid of [2, 3, 4, 6]) {
      const best = (change: Partial<AutoParams>) =>
        prices(quoteAt(bid, { ...held, memory }, change), 'bid')[0];
      expect(best({})).toBeGreaterThan(0);
      expect(best({})).toBe(best({ sweptCents: 0 }));
    }
  });

  it('takes no change of its position that is no fill of its own for a sweep, nor for a part of what takers trade', () => {
    // Balances show 300 shares that another program bought; or a next run, which has filled nothing yet, begins with them.
    for (const filledBefore of [0, 700]) {
      const adopted = afterTrades({ sold: 10, ours: 300, filled: 0, filledBefore });
      expect(countsOf(adopted)).toEqual({ traded: 10, own: 0 });
      const best = (sweptCents: number) =>
        prices(strategy.quote(quoteContext(adopted.scene, { ...USUAL, sweptCents })), 'bid')[0];
      expect(best(10)).toBe(best(0));
    }
  });

  it('takes a fill for one that the position does not show, and what a next run fills', () => {
    // Others sold what it bought.
    const hidden = afterTrades({ sold: 100, ours: 0, filled: 30, filledBefore: 0 });
    expect(countsOf(hidden)).toEqual({ traded: 100, own: 30 });
    const next = afterTrades({ sold: 100, ours: 30, filled: 30, filledBefore: 700 });
    expect(countsOf(next)).toEqual({ traded: 100, own: 30 });
  });

  it('stands back where others stand apart, a tick before them at the most', () => {
    const best = (scene: Scene, params: AutoParams) =>
      prices(strategy.quote(quoteContext(scene, params)), 'bid')[0];
    const far = { yes: touch(40, 60), fair: 0.5 };
    expect(best({ yes: touch(48, 52), fair: 0.5 }, USUAL)).toBe(48);
    expect(best(far, { ...USUAL, improves: false })).toBe(40);
    // Nothing was traded yet: ten ticks away, even most of a queue is worth less than nine of all of it.
    expect(best(far, USUAL)).toBe(41);
  });

  it('says why it quotes nothing without a fair value', () => {
    expect(codes(strategy.quote(quoteContext({}, USUAL)))).toEqual(['both fair_missing']);
  });
});
