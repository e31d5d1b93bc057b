import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ticks, tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { type PostOnlyView, postOnlyRange, postOnlyTicks } from '../../../../src/strategy/index.ts';

const GRID = tickGrid('0.01');
const at = (count: number): Ticks => ticks(GRID, count);
const EMPTY = { bid: undefined, ask: undefined };
const VIEW: PostOnlyView = {
  yes: { bid: at(40), ask: at(45) },
  no: { bid: at(57), ask: at(62) },
  own: { bids: [], asks: [] },
  complementsMatch: true,
  marginTicks: 1,
};

const side = fc.option(fc.integer({ min: 1, max: 99 }).map(at), { nil: undefined });
const own = fc.array(fc.integer({ min: 1, max: 99 }).map(at), { maxLength: 3 });
const views: fc.Arbitrary<PostOnlyView> = fc.record({
  yes: fc.record({ bid: side, ask: side }),
  no: fc.record({ bid: side, ask: side }),
  own: fc.record({ bids: own, asks: own }),
  complementsMatch: fc.boolean(),
  marginTicks: fc.integer({ min: 1, max: 3 }),
});

describe('the range of prices that meet nobody', () => {
  it('is bounded by the nearer of both books', () => {
    // A bid for NO at 57 takes a bid for YES from 43 on.
    expect(postOnlyRange(GRID, VIEW)).toEqual({ bidTicksMax: 42, askTicksMin: 41 });
  });

  it('leaves the sibling out where complements are known not to match', () => {
    const range = postOnlyRange(GRID, { ...VIEW, complementsMatch: false });
    expect(range).toEqual({ bidTicksMax: 44, askTicksMin: 41 });
  });

  it('keeps more distance from an old book', () => {
    const range = postOnlyRange(GRID, { ...VIEW, marginTicks: 2 });
    expect(range).toEqual({ bidTicksMax: 41, askTicksMin: 42 });
  });

  it('keeps one tick from our own quotes, so that own YES and NO bids never meet', () => {
    const range = postOnlyRange(GRID, { ...VIEW, own: { bids: [at(41)], asks: [at(41), at(44)] } });
    expect(range.bidTicksMax).toBe(40);
    expect(range.askTicksMin).toBe(42);
  });

  it('is the whole price range over empty books', () => {
    const range = postOnlyRange(GRID, { ...VIEW, yes: EMPTY, no: EMPTY });
    expect(range).toEqual({ bidTicksMax: 99, askTicksMin: 1 });
  });

  it('holds nothing that would take, in either book, and mirrors YES and NO', () => {
    fc.assert(
      fc.property(views, fc.integer({ min: -5, max: 105 }), (view, wanted) => {
        const range = postOnlyRange(GRID, view);
        const bid = postOnlyTicks(GRID, range, { side: 'bid', ticks: wanted });
        if (bid !== undefined) {
          expect(bid).toBeLessThanOrEqual(wanted);
          expect(bid).toBeLessThan(view.yes.ask ?? 100);
          if (view.complementsMatch) expect(bid + (view.no.bid ?? 0)).toBeLessThan(100);
          for (const ask of view.own.asks) expect(bid).toBeLessThan(ask);
        }
        const turned = postOnlyRange(GRID, {
          ...view,
          yes: view.no,
          no: view.yes,
          own: {
            bids: view.own.asks.map((price) => at(100 - price)),
            asks: view.own.bids.map((price) => at(100 - price)),
          },
          complementsMatch: true,
        });
        if (view.complementsMatch) expect(turned.askTicksMin).toBe(100 - range.bidTicksMax);
      }),
    );
  });
});

describe('a quote that would cross', () => {
  it('moves back to where it meets nobody', () => {
    const range = postOnlyRange(GRID, VIEW);
    expect(postOnlyTicks(GRID, range, { side: 'bid', ticks: 50 })).toBe(42);
    expect(postOnlyTicks(GRID, range, { side: 'bid', ticks: 39 })).toBe(39);
    expect(postOnlyTicks(GRID, range, { side: 'ask', ticks: 38 })).toBe(41);
  });

  it('is none where there is no such place', () => {
    const wall = { ...VIEW, yes: { bid: undefined, ask: at(1) } };
    const range = postOnlyRange(GRID, wall);
    expect(postOnlyTicks(GRID, range, { side: 'bid', ticks: 1 })).toBeUndefined();
  });
});
