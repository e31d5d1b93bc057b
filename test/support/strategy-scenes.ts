// Any market that a strategy may meet, and the same market seen from NO or with other holdings.

import fc from 'fast-check';
import type { TargetQuotes } from '../../src/strategy/index.ts';
import { NO_RUNGS, type Rung, type Rungs, type Scene } from './strategy-context.ts';

type Size = '0.01' | '0.001';

function ticksOf(size: Size): number {
  return size === '0.01' ? 100 : 1_000;
}

function rungsBelow(from: number, worst: number): fc.Arbitrary<readonly Rung[]> {
  const rung = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 2_000 }));
  return fc
    .uniqueArray(rung, { maxLength: 4, selector: ([depth]) => depth })
    .map((found) =>
      found
        .map(([depth, size]): Rung => [from + Math.sign(worst - from) * depth, size])
        .filter(([price]) => (worst < from ? price >= worst : price <= worst)),
    );
}

/** A book whose touches are `bid` and `ask`, with some depth behind each. */
function bookAround(size: Size): fc.Arbitrary<Rungs> {
  const n = ticksOf(size);
  return fc
    .tuple(fc.integer({ min: 1, max: n - 2 }), fc.integer({ min: 1, max: 12 }))
    .chain(([bid, width]) => {
      const ask = Math.min(bid + width, n - 1);
      return fc.record({ bids: withTouch(bid, 1), asks: withTouch(ask, n - 1) });
    });
}

function withTouch(touch: number, worst: number): fc.Arbitrary<readonly Rung[]> {
  return fc
    .tuple(fc.integer({ min: 1, max: 2_000 }), rungsBelow(touch, worst))
    .map(([size, deeper]): readonly Rung[] => [
      [touch, size],
      ...deeper.filter(([price]) => price !== touch),
    ]);
}

function oneSided(size: Size): fc.Arbitrary<Rungs> {
  return fc
    .tuple(bookAround(size), fc.boolean())
    .map(([book, isBid]) => (isBid ? { ...book, asks: [] } : { ...book, bids: [] }));
}

const anySize: fc.Arbitrary<Size> = fc.constantFrom('0.01', '0.001');

const holdings = {
  yesShares: fc.integer({ min: 0, max: 400 }),
  noShares: fc.integer({ min: 0, max: 400 }),
};

/** Two-sided books on YES, nothing or a mirrored book on NO, and any holdings inside the limit. */
export const twoSidedScene: fc.Arbitrary<Scene> = anySize
  .chain((tickSize) =>
    bookAround(tickSize).chain((yes) =>
      fc.record({
        tickSize: fc.constant(tickSize),
        yes: fc.constant(yes),
        no: fc.constantFrom(NO_RUNGS, mirroredRungs(yes, tickSize)),
        fair: fairInside(yes, tickSize),
        fairVar: fc.constantFrom(0, 1e-4, 1e-3),
        varPerSec: fc.constantFrom(undefined, 0, 1e-6, 2e-5),
        maxPosition: fc.constantFrom(100, 333, 500),
        ...holdings,
      }),
    ),
  )
  .map(withoutUndefined);

/** Anything: one-sided, empty and ordinary books, with and without a fair value. */
export const anyScene: fc.Arbitrary<Scene> = fc.oneof(
  twoSidedScene,
  anySize.chain((tickSize) =>
    fc.record({
      tickSize: fc.constant(tickSize),
      yes: fc.oneof(fc.constant(NO_RUNGS), oneSided(tickSize)),
      no: fc.oneof(fc.constant(NO_RUNGS), oneSided(tickSize)),
      maxPosition: fc.constantFrom(0, 1, 100, 500),
      ...holdings,
    }),
  ),
);

/** A fair value between the touches that lies on no tick and no half of one. */
function fairInside(book: Rungs, size: Size): fc.Arbitrary<number> {
  const bid = book.bids[0]?.[0] ?? 1;
  const ask = book.asks[0]?.[0] ?? bid + 1;
  return fc
    .double({ min: 0.05, max: 0.95, noNaN: true })
    .map((part) => Math.round((bid + (ask - bid) * part) * 1_000) / 1_000 + 0.000_37)
    .map((count) => count / ticksOf(size));
}

function mirroredRungs(rungs: Rungs, size: Size): Rungs {
  const turn = ([price, count]: Rung): Rung => [ticksOf(size) - price, count];
  return { bids: rungs.asks.map(turn), asks: rungs.bids.map(turn) };
}

/** The same market with YES and NO exchanged. */
export function relabelled(scene: Scene): Scene {
  const { yes, no, yesShares, noShares, fair, external, trades } = scene;
  const n = ticksOf(scene.tickSize ?? '0.01');
  return withoutUndefined({
    ...scene,
    yes: no ?? NO_RUNGS,
    no: yes ?? NO_RUNGS,
    yesShares: noShares ?? 0,
    noShares: yesShares ?? 0,
    fair: fair === undefined ? undefined : 1 - fair,
    external: external === undefined ? undefined : { ...external, price: 1 - external.price },
    trades: trades?.map((trade) => ({
      ...trade,
      price: (n - trade.price) as typeof trade.price,
      taker: trade.taker === 'buys' ? ('sells' as const) : ('buys' as const),
    })),
  });
}

/** What a target quote becomes when YES and NO are exchanged, in an order that can be compared. */
export function mirroredTargets(scene: Scene, targetQuotes: TargetQuotes): readonly string[] {
  const n = ticksOf(scene.tickSize ?? '0.01');
  return targetQuotes.quotes
    .map(({ side, price, quantity, purpose }) =>
      [side === 'bid' ? 'ask' : 'bid', n - price, quantity, purpose].join(' '),
    )
    .sort();
}

export function plainTargets(targetQuotes: TargetQuotes): readonly string[] {
  return targetQuotes.quotes
    .map(({ side, price, quantity, purpose }) => [side, price, quantity, purpose].join(' '))
    .sort();
}

type Stated<Value> = { readonly [Key in keyof Value]: Exclude<Value[Key], undefined> };

function withoutUndefined<Value extends object>(value: Value): Stated<Value> {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as Stated<Value>;
}
