// Each guard by what it does to quotes, and what holds of all of them together.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NO_OVERLAY_STATE,
  type OverlayState,
  type Situation,
} from '../../../src/core/quoting/filters/guard.ts';
import { overlaid } from '../../../src/core/quoting/sift.ts';
import {
  OVERLAY_DEFAULTS,
  type OverlayName,
  type OverlaySettings,
} from '../../../src/domain/overlays.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { Quote } from '../../../src/strategy/index.ts';
import { quoteContext, type Scene } from '../../support/strategy-context.ts';
import { twoSidedScene } from '../../support/strategy-scenes.ts';

const GRID = tickGrid('0.01');
const BOOK = { yes: { bids: [[48, 500]], asks: [[52, 500]] } } as const satisfies Scene;

type Part = { readonly [Name in OverlayName]?: Partial<OverlaySettings[Name]> };

/** Only the guards that are named stand. */
function only(parts: Part): OverlaySettings {
  const all = Object.entries(OVERLAY_DEFAULTS).map(([name, usual]) => {
    const own = parts[name as OverlayName];
    return [name, { ...usual, enabled: own !== undefined, ...own }];
  });
  return Object.fromEntries(all) as OverlaySettings;
}

function situation(scene: Scene = BOOK, losses = 0): Situation {
  const context = quoteContext(scene, undefined);
  const { nowMs: venueMs, inventory } = context;
  return { ...context, venueMs, net: inventory.net, quickLosses: () => losses };
}

function quote(side: 'bid' | 'ask', price: number, size = 50): Quote {
  return { side, price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}

const PAIR = [quote('bid', 48), quote('ask', 52)];

function guarded(parts: Part, scene?: Scene, quotes: readonly Quote[] = PAIR, losses = 0) {
  return overlaid(quotes, situation(scene, losses), only(parts), NO_OVERLAY_STATE);
}

const sides = (quotes: readonly Quote[]) => quotes.map(({ side }) => side);
const codes = (reasons: readonly { readonly code: string }[]) => reasons.map(({ code }) => code);

describe('the end of a market', () => {
  const life = { durationMs: undefined, taperMs: 86_400_000, reduceOnlyMs: 1_800_000 };
  const at = (leftMs: number, net = 0) =>
    guarded({ life }, { ...BOOK, leftMs, yesShares: Math.max(0, net) });

  it('far away changes nothing', () => {
    expect(at(100_000_000)).toMatchObject({ quotes: PAIR, reasons: [] });
  });

  it('nearer makes sizes smaller, to what is left when only reducing begins', () => {
    expect(at(1_800_001).quotes.map(({ quantity }) => quantity)).toEqual([15e6, 15e6]);
    expect(codes(at(50_000_000).reasons)).toEqual(['expiry_taper']);
  });

  it('nearer still leaves what brings the position to zero, up to the position', () => {
    expect(at(1_000_000, 20).quotes).toEqual([{ ...quote('ask', 52, 20), purpose: 'reduce' }]);
    expect(at(1_000_000).quotes).toEqual([]);
  });

  it.each([120_000, 0])('%s ms away leaves nothing', (leftMs) => {
    expect(at(leftMs, 20)).toMatchObject({ quotes: [], reasons: [{ code: 'near_expiry' }] });
  });

  it('comes later to a market that lives for minutes only', () => {
    const short = { ...BOOK, leftMs: 100_000 };
    const context = situation(short);
    const shortRun = { ...context, life: { ...context.life, durationMs: 300_000 } };
    const done = overlaid(PAIR, shortRun, only({ life }), NO_OVERLAY_STATE);
    expect(done.quotes).toEqual(PAIR);
  });

  it('is nothing to a market that states none', () => {
    expect(guarded({ life }).quotes).toEqual(PAIR);
  });
});

describe('known times', () => {
  const windows = [{ name: 'the vote', fromMs: unixMs(1_000_000), toMs: unixMs(2_000_000) }];
  const news = { windows, widenFactor: 2, widenBeforeMs: 300_000, pullBeforeMs: 30_000 };

  it.each([
    [600_000, ['bid', 'ask'], []],
    [970_000, [], ['news_window']],
    [1_500_000, [], ['news_window']],
    [2_000_001, ['bid', 'ask'], []],
  ])('of the calendar at %s leave %j', (nowMs, left, reasons) => {
    const done = guarded({ news }, { ...BOOK, nowMs });
    expect(sides(done.quotes)).toEqual(left);
    expect(codes(done.reasons)).toEqual(reasons);
  });

  it('soon to come double the distance to the fair value', () => {
    const done = guarded({ news }, { ...BOOK, nowMs: 800_000, fair: 0.5 });
    expect(done.quotes.map(({ price }) => price)).toEqual([46, 54]);
  });

  it('of every day may run past midnight', () => {
    const quiet = { hours: [{ fromMinute: 22 * 60, toMinute: 6 * 60 }] };
    const hour = 3_600_000;
    expect(guarded({ quiet }, { ...BOOK, nowMs: 23 * hour }).quotes).toEqual([]);
    expect(guarded({ quiet }, { ...BOOK, nowMs: 29 * hour }).quotes).toEqual([]);
    expect(guarded({ quiet }, { ...BOOK, nowMs: 30 * hour }).quotes).toEqual(PAIR);
  });

  it('may leave what reduces', () => {
    const quiet = { hours: [{ fromMinute: 0, toMinute: 1_439 }], reduces: true };
    const long = { ...BOOK, nowMs: 0, yesShares: 50 };
    expect(sides(guarded({ quiet }, long).quotes)).toEqual(['ask']);
  });
});

describe('a jump', () => {
  const jump = { movePrice: 0.06, sweepPrice: 0.03, windowMs: 2_000, coolOffMs: 20_000 };
  const settings = only({ jump: { ...jump, reduceOnlyMs: 30_000 } });
  const around = (middle: number, nowMs: number): Scene => ({
    yes: { bids: [[middle - 2, 500]], asks: [[middle + 2, 500]] },
    nowMs,
  });
  const walk = (scenes: readonly Scene[]) => {
    let state: OverlayState = NO_OVERLAY_STATE;
    return scenes.map((scene) => {
      const done = overlaid(
        [quote('bid', 10), quote('ask', 90)],
        situation(scene),
        settings,
        state,
      );
      state = done.state;
      return codes(done.reasons).join() || sides(done.quotes).join();
    });
  };

  it('pulls everything, then lets reducing quotes come back, then all', () => {
    const seen = walk([
      around(50, 0),
      around(56, 1_000),
      around(56, 20_000),
      around(56, 21_000),
      around(56, 50_000),
      around(56, 51_001),
    ]);
    const expected = ['bid,ask', 'price_jump', 'price_jump', 'after_jump', 'after_jump', 'bid,ask'];
    expect(seen).toEqual(expected);
  });

  it('is not a walk of the same length that took its time', () => {
    const steps = Array.from({ length: 10 }, (_, step) => around(50 + step, step * 3_000));
    expect(new Set(walk(steps))).toEqual(new Set(['bid,ask']));
  });

  it('prolongs its pause while the book is wide, and not for ever', () => {
    const wide = (nowMs: number): Scene => ({
      yes: { bids: [[40, 500]], asks: [[72, 500]] },
      nowMs,
    });
    const seen = walk([around(50, 0), wide(1_000), wide(22_000), wide(60_000), wide(81_000)]);
    expect(seen.slice(1)).toEqual(['price_jump', 'price_jump', 'price_jump', 'after_jump']);
  });

  it('is also a taker who goes through several prices at once', () => {
    const swept = [50, 52, 53].map((price) => ({
      atMs: unixMs(5_000),
      price: ticks(GRID, price),
      size: shares(10),
      taker: 'buys' as const,
    }));
    const done = overlaid(
      PAIR,
      situation({ ...BOOK, nowMs: 5_050, trades: swept }),
      settings,
      NO_OVERLAY_STATE,
    );
    expect(codes(done.reasons)).toEqual(['price_jump']);
  });
});

describe('a book that is no ground to quote on', () => {
  const shape = { needsBothSides: true, spreadMax: 0.2, touchUsdcMin: 5, fairGapMax: 0.1 };

  it.each([
    ['one-sided', { yes: { bids: [[48, 500]], asks: [] } }, 'book_one_sided'],
    ['too wide', { yes: { bids: [[30, 500]], asks: [[70, 500]] } }, 'book_too_wide'],
    ['too thin', { yes: { bids: [[48, 3]], asks: [[52, 500]] } }, 'book_too_thin'],
    ['far from the fair value', { ...BOOK, fair: 0.7 }, 'fair_far_off'],
  ] as const)('is %s', (_, scene, code) => {
    expect(guarded({ shape }, scene)).toMatchObject({ quotes: [], reasons: [{ code }] });
  });
});

describe('a fair value that moved too far', () => {
  const shape = { driftMax: 0.1, driftHalfLifeMs: 60_000 };
  const book = (bid: number): Scene => ({
    yes: { bids: [[bid, 500]], asks: [[bid + 4, 500]] },
    fair: (bid + 2) / 100,
  });
  const walk = (bids: readonly number[], stepMs: number) => {
    let state: OverlayState = NO_OVERLAY_STATE;
    return bids.map((bid, index) => {
      const at = situation({ ...book(bid), nowMs: 1_700_000_000_000 + index * stepMs });
      const done = overlaid([quote('bid', bid - 1)], at, only({ shape }), state);
      state = done.state;
      return codes(done.reasons).join();
    });
  };

  it('within a few half-lives is no ground until the average has followed', () => {
    expect(walk([48, 60, 60, 60], 10_000)).toEqual(['', 'fair_moved_far', '', '']);
    expect(walk([48, 63, 63, 63, 63, 63, 63], 10_000)).toEqual([
      '',
      'fair_moved_far',
      'fair_moved_far',
      'fair_moved_far',
      '',
      '',
      '',
    ]);
  });

  it('slowly is followed all the way', () => {
    const bids = Array.from({ length: 30 }, (_, index) => 30 + index);
    expect(walk(bids, 60_000).every((code) => code === '')).toBe(true);
  });

  it('never is too much where nothing is said', () => {
    expect(OVERLAY_DEFAULTS.shape.driftMax).toBe(1);
  });
});

describe('losing fills', () => {
  const toxicity = { losses: 3, windowMs: 60_000, pullMs: 30_000, widenWeight: 1, shrinks: true };

  it('pull a side for a while, and count once', () => {
    const settings = only({ toxicity });
    const counted = (nowMs: number): Situation => ({
      ...situation({ ...BOOK, nowMs }),
      quickLosses: (side, sinceMs) => (side === 'bid' && sinceMs <= 100_000 ? 3 : 0),
    });
    const first = overlaid(PAIR, counted(100_000), settings, NO_OVERLAY_STATE);
    expect(sides(first.quotes)).toEqual(['ask']);
    const later = overlaid(PAIR, counted(129_000), settings, first.state);
    expect(sides(later.quotes)).toEqual(['ask']);
    const over = overlaid(PAIR, counted(130_000), settings, later.state);
    expect(sides(over.quotes)).toEqual(['bid', 'ask']);
  });

  it('on average move quotes back and make them smaller', () => {
    const known = { fills: 9, markout60sUsdc: -0.01, informedShare: 0.1 };
    const done = guarded({ toxicity }, { ...BOOK, toxicity: known });
    expect(done.quotes).toMatchObject([
      { price: 47, quantity: 25e6 },
      { price: 53, quantity: 25e6 },
    ]);
  });
});

describe('near the ends of the price range', () => {
  const boundary = { ticks: 3, lossPerGainMax: 50 };

  it('a quote that may lose fifty times its gain is left out, unless it reduces', () => {
    const high = { yes: { bids: [[97, 500]], asks: [] } } satisfies Scene;
    const quotes = [quote('bid', 98), quote('bid', 99)];
    expect(guarded({ boundary }, high, quotes).quotes).toEqual([quotes[0]]);
    expect(guarded({ boundary }, { ...high, noShares: 50 }, quotes).quotes).toEqual(quotes);
  });
});

describe('a position', () => {
  const inventory = { taperFrom: 0.3, softCap: 0.8, skewTicks: 3 };
  const long = (yesShares: number) => guarded({ inventory }, { ...BOOK, yesShares });

  it('leans prices and shrinks the side that adds', () => {
    expect(long(200).quotes).toMatchObject([
      { side: 'bid', price: 47, quantity: 30e6 },
      { side: 'ask', price: 51, quantity: 50e6 },
    ]);
  });

  it('near the limit leaves one side', () => {
    expect(long(400)).toMatchObject({
      quotes: [{ side: 'ask' }],
      reasons: [{ code: 'position_soft_cap', side: 'bid' }],
    });
  });
});

describe('each guard', () => {
  const windows = [{ name: 'the vote', fromMs: unixMs(0), toMs: unixMs(2_000_000) }];
  const swept = [50, 52, 53].map((price) => ({
    atMs: unixMs(999_950),
    price: ticks(GRID, price),
    size: shares(10),
    taker: 'buys' as const,
  }));
  const high = { yes: { bids: [[97, 500]], asks: [[99, 500]] } } satisfies Scene;

  it.each<[OverlayName, Part, Scene]>([
    ['life', { life: {} }, { leftMs: 60_000 }],
    ['news', { news: { windows } }, {}],
    ['quiet', { quiet: { hours: [{ fromMinute: 0, toMinute: 1_439 }] } }, {}],
    ['jump', { jump: { sweepPrice: 0.02 } }, { trades: swept }],
    ['shape', { shape: { spreadMax: 0.01 } }, {}],
    ['toxicity', { toxicity: { losses: 3 } }, {}],
    ['boundary', { boundary: { ticks: 5, lossPerGainMax: 10 } }, high],
    ['inventory', { inventory: { skewTicks: 3 } }, { yesShares: 450 }],
  ])('%s is seen as a reason of its name, and gone when it is switched off', (name, part, more) => {
    const scene = { ...BOOK, nowMs: 1_000_000, ...more };
    const quotes = [quote('bid', 'yes' in more ? 97 : 48), quote('ask', 'yes' in more ? 99 : 52)];
    const on = guarded(part, scene, quotes, 9);
    expect(new Set(on.reasons.map(({ guard }) => guard))).toEqual(new Set([name]));
    const off = guarded({ [name]: { ...part[name], enabled: false } }, scene, quotes, 9);
    expect(off).toMatchObject({ quotes, reasons: [] });
  });
});

describe('all guards together', () => {
  const all = only({
    life: {},
    news: {},
    quiet: {},
    jump: {},
    shape: {},
    toxicity: { widenWeight: 1, shrinks: true },
    boundary: {},
    inventory: { skewTicks: 3 },
  });
  const scenes = fc.record({
    scene: twoSidedScene,
    leftMs: fc.constantFrom(undefined, 60_000, 1_000_000, 40_000_000),
    markout60sUsdc: fc.constantFrom(undefined, -0.02, 0.01),
    losses: fc.constantFrom(0, 5),
    depth: fc.integer({ min: 1, max: 5 }),
  });

  it('never add size, never come nearer to the other side than leaning allows, and say what they did', () => {
    fc.assert(
      fc.property(scenes, ({ scene, leftMs, markout60sUsdc, losses, depth }) => {
        const toxicity = { fills: 9, markout60sUsdc, informedShare: 0.1 };
        const full = { ...scene, toxicity, ...(leftMs === undefined ? {} : { leftMs }) };
        const at = situation(full, losses);
        const bid = at.book.bestBid() ?? 1;
        const ask = at.book.bestAsk() ?? 2;
        const wanted = [quoteAt(at, 'bid', bid - depth), quoteAt(at, 'ask', ask + depth)].flat();
        const done = overlaid(wanted, at, all, NO_OVERLAY_STATE);
        for (const each of done.quotes) {
          const before = wanted.find(({ side }) => side === each.side);
          expect(each.quantity).toBeLessThanOrEqual(before?.quantity ?? 0);
          if (each.side === 'bid') expect(each.price).toBeLessThan(ask);
          else expect(each.price).toBeGreaterThan(bid);
        }
        for (const { side } of wanted) {
          const isGone = !done.quotes.some((each) => each.side === side);
          const isSaid = done.reasons.some((one) => one.side === side || one.side === 'both');
          expect(isGone && !isSaid).toBe(false);
        }
      }),
    );
  });

  function quoteAt(at: Situation, side: 'bid' | 'ask', price: number): readonly Quote[] {
    if (price < 1 || price >= at.grid.ticksPerUnit) return [];
    return [{ side, price: ticks(at.grid, price), quantity: shares(40), purpose: 'add' }];
  }
});
