import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  type EventTargets,
  memoryFault,
  type QuoteContext,
  type TargetQuotes,
} from '../../../src/strategy/index.ts';
import { type EventBookParams, strategy } from '../../../strategies/event-book.ts';
import { NOW_MS, quoteContext, type Scene } from '../../support/strategy-context.ts';
import { faultsOf } from '../../support/strategy-properties.ts';
import { fineContext, finePrices } from './fine.ts';
import { codes, prices, touch } from './scenes.ts';

const PARAMS: EventBookParams = { lossBudget: 100, edge: 0.01, levels: 3, size: 20 };

type Make = (scene: Scene, params: EventBookParams) => QuoteContext<EventBookParams>;

function quoted(
  scenes: readonly Scene[],
  params = PARAMS,
  {
    make = quoteContext,
    isExclusive = true,
    memory,
    blocked = [],
  }: {
    make?: Make;
    isExclusive?: boolean;
    memory?: EventTargets['memory'];
    blocked?: readonly (string | undefined)[];
  } = {},
): EventTargets {
  const markets = scenes.map((scene, index) => ({
    context: make({ name: `m${index}`, ...scene }, params),
    blocked: blocked[index],
  }));
  const nowMs = unixMs(NOW_MS);
  const id = eventId('cup');
  return strategy.quoteEvent({ nowMs, eventId: id, markets, isExclusive, params, memory });
}

function targets(event: EventTargets): readonly TargetQuotes[] {
  return event.markets.map(({ targetQuotes }) => targetQuotes);
}

const scene = (fair: number, held = 0): Scene => ({
  yes: touch(1, 99),
  fair,
  yesShares: Math.max(0, held),
  noShares: Math.max(0, -held),
  maxPosition: 100_000,
});

const anyEvent = fc.array(
  fc.record({
    fair: fc.double({ min: 0.03, max: 0.9, noNaN: true }),
    held: fc.integer({ min: -200, max: 200 }),
  }),
  { minLength: 2, maxLength: 6 },
);

const anyParams: fc.Arbitrary<EventBookParams> = fc.record({
  lossBudget: fc.integer({ min: 5, max: 500 }),
  edge: fc.constantFrom(0, 0.004, 0.02),
  levels: fc.integer({ min: 1, max: 4 }),
  size: fc.integer({ min: 1, max: 100 }),
});

describe('event-book', () => {
  it('quotes the worked example: b=40, a rule that has sold (20, 10), ten shares for 5.925503', () => {
    const fair = 1 / (1 + Math.exp(-10 / 40));
    const params = { lossBudget: 40 * Math.LN2, edge: 0, levels: 2, size: 10 };
    const pair = [scene(fair), scene(1 - fair)];
    const [first] = targets(quoted(pair, params, { make: fineContext }));
    expect(first && finePrices(first).ask).toBeCloseTo(0.592_550_3, 5);
  });

  it('prices all outcomes so that they add up to one, whatever the books say', () => {
    fc.assert(
      fc.property(anyEvent, (outcomes) => {
        const params = { lossBudget: 1_000_000, edge: 0, levels: 1, size: 100 };
        const flat = outcomes.map(({ fair }) => scene(fair));
        const all = targets(quoted(flat, params, { make: fineContext }));
        const middles = all.map(
          (targetQuotes) => (finePrices(targetQuotes).bid + finePrices(targetQuotes).ask) / 2,
        );
        const total = middles.reduce((sum, middle) => sum + middle, 0);
        expect(total).toBeCloseTo(1, 3);
      }),
    );
  });

  it('makes every other outcome dearer where one is held', () => {
    const flat = targets(quoted([scene(0.4), scene(0.35), scene(0.25)]));
    const long = targets(quoted([scene(0.4, 60), scene(0.35), scene(0.25)]));
    const best = (all: readonly TargetQuotes[], index: number) =>
      Math.max(...prices(all[index] ?? { quotes: [], reasons: [] }, 'bid'));
    expect(best(long, 0)).toBeLessThan(best(flat, 0));
    expect(best(long, 1)).toBeGreaterThanOrEqual(best(flat, 1));
    expect(best(long, 2)).toBeGreaterThanOrEqual(best(flat, 2));
  });

  it('loses no more than its budget in any outcome, even if all that hurts is filled', () => {
    fc.assert(
      fc.property(anyEvent, anyParams, (outcomes, params) => {
        const flat = outcomes.map(({ fair }) => scene(fair));
        const all = targets(quoted(flat, params));
        for (const [outcome] of all.entries()) {
          const loss = all.reduce(
            (sum, targetQuotes, index) => sum + hurt(targetQuotes, index, outcome),
            0,
          );
          expect(loss).toBeLessThanOrEqual(params.lossBudget + 1e-6);
        }
      }),
    );
  });

  it('says so where the budget leaves a side empty', () => {
    const params = { ...PARAMS, lossBudget: 5, size: 50 };
    const [targetQuotes] = targets(quoted([scene(0.5), scene(0.5)], params));
    expect(targetQuotes?.quotes).toEqual([]);
    expect(codes(targetQuotes ?? { quotes: [], reasons: [] })).toEqual([
      'bid event_loss_limit',
      'ask event_loss_limit',
    ]);
  });

  it('target quotes only what may rest, explained, and the same for the same event', () => {
    fc.assert(
      fc.property(anyEvent, anyParams, (outcomes, params) => {
        const scenes = outcomes.map(({ fair, held }) => scene(fair, held));
        const event = quoted(scenes, params);
        expect(JSON.stringify(quoted(scenes, params))).toBe(JSON.stringify(event));
        for (const [index, targetQuotes] of targets(event).entries()) {
          const context = quoteContext({ name: `m${index}`, ...scenes[index] }, params);
          expect(faultsOf(context, targetQuotes, true)).toEqual([]);
        }
      }),
    );
  });

  it('never raises the best bid of an outcome because it holds more of it', () => {
    const more = fc.integer({ min: 1, max: 100 });
    const wide = anyParams.map((params) => ({ ...params, lossBudget: 100_000 }));
    fc.assert(
      fc.property(anyEvent, wide, more, (outcomes, params, extra) => {
        const at = (added: number) => {
          const scenes = outcomes.map(({ fair, held }, index) =>
            scene(fair, index === 0 ? held + added : held),
          );
          const [targetQuotes] = targets(quoted(scenes, params));
          return Math.max(...prices(targetQuotes ?? { quotes: [], reasons: [] }, 'bid'));
        };
        expect(at(extra)).toBeLessThanOrEqual(at(0));
      }),
    );
  });

  it('does not depend on the order of the outcomes', () => {
    fc.assert(
      fc.property(anyEvent, anyParams, (outcomes, params) => {
        const scenes = outcomes.map(({ fair, held }) => scene(Number(fair.toFixed(4)), held));
        const there = targets(quoted(scenes, params)).map(({ quotes }) => quotes.length);
        const back = targets(quoted(scenes.toReversed(), params)).map(
          ({ quotes }) => quotes.length,
        );
        expect(back.toReversed()).toEqual(there);
      }),
    );
  });

  it('gives mirrored quotes for the two outcomes of a pair', () => {
    const [yes, no] = targets(quoted([scene(0.3, 40), scene(0.7, -40)]));
    const turned = prices(no ?? { quotes: [], reasons: [] }, 'ask').map((price) => 100 - price);
    expect(prices(yes ?? { quotes: [], reasons: [] }, 'bid')).toEqual(turned);
  });

  it('mirrors every quote of a pair when its two outcomes change names', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 30, max: 970 }),
        fc.integer({ min: -150, max: 150 }),
        anyParams,
        (part, held, params) => {
          // Off every tick and half tick, where both roundings would have to be the same.
          const fair = part / 1_000 + 0.000_37;
          const [yes, no] = targets(quoted([scene(fair, held), scene(1 - fair, -held)], params));
          const turned = (no?.quotes ?? []).map(
            ({ side, price, quantity }) =>
              `${side === 'bid' ? 'ask' : 'bid'} ${100 - price} ${quantity}`,
          );
          const plain = (yes?.quotes ?? []).map(
            ({ side, price, quantity }) => `${side} ${price} ${quantity}`,
          );
          expect(turned.toSorted()).toEqual(plain.toSorted());
        },
      ),
    );
  });

  it('target quotes the same over and over while nothing trades and nothing moves', () => {
    fc.assert(
      fc.property(anyEvent, anyParams, (outcomes, params) => {
        const at = (seconds: number) =>
          outcomes.map(({ fair, held }) => ({
            ...scene(fair, held),
            varPerSec: 0,
            nowMs: NOW_MS + seconds * 1_000,
          }));
        const first = JSON.stringify(targets(quoted(at(0), params)));
        for (const seconds of [1, 60, 3_600]) {
          expect(JSON.stringify(targets(quoted(at(seconds), params)))).toBe(first);
        }
      }),
    );
  });

  it('lets a level that was over the budget come back when there is room to spare, and not before', () => {
    const event = (held: number, memory?: EventTargets['memory']) =>
      quoted([scene(0.5, held), scene(0.3), scene(0.2)], PARAMS, { memory });
    const count = (held: number, memory?: EventTargets['memory']): number =>
      targets(event(held, memory)).reduce((sum, { quotes }) => sum + quotes.length, 0);
    const remembered = (held: number) => JSON.stringify(event(held).memory);
    const hasOver = (held: number) => remembered(held) !== remembered(0);
    const edge = Array.from({ length: 120 }, (_, held) => held).find(hasOver);
    if (edge === undefined) throw new Error('some holding leaves no room for a level');
    const { memory } = event(edge);
    expect(count(edge - 1, memory)).toBeLessThan(count(edge - 1));
    expect(count(edge - 12, memory)).toBe(count(edge - 12));
  });

  it.each([
    [20, 10],
    [20, 50],
    [100, 12],
    [150, 50],
  ])('keeps its memory short, with %s markets and %s levels over the budget', (markets, levels) => {
    const params = { lossBudget: 5, edge: 0.01, levels, size: 20 };
    const held = (index: number) => (index === 0 ? 20 * markets : 0);
    const scenes = Array.from({ length: markets }, (_, index) => scene(1 / markets, held(index)));
    expect(memoryFault(quoted(scenes, params).memory)).toBeUndefined();
  });

  it('keeps an event quoted that has more to remember than a memory may hold', () => {
    const params = { lossBudget: 5, edge: 0.01, levels: 50, size: 20 };
    const scenes = Array.from({ length: 400 }, (_, index) =>
      scene(1 / 400, index === 0 ? 8_000 : 0),
    );
    expect(memoryFault(quoted(scenes, params).memory)).toBeUndefined();
  });

  it('reads a memory of another form, or of other markets, as nothing', () => {
    const scenes = [scene(0.5, 30), scene(0.3), scene(0.2)];
    const afresh = JSON.stringify(quoted(scenes));
    for (const memory of [{ over: [0, 1, 2] }, { overBits: [7, 7] }, { overBits: 'all' }]) {
      expect(JSON.stringify(quoted(scenes, PARAMS, { memory }))).toBe(afresh);
    }
  });

  it('quotes nothing unless it is stated that exactly one outcome comes true', () => {
    const event = quoted([scene(0.5), scene(0.5)], PARAMS, { isExclusive: false });
    for (const targetQuotes of targets(event))
      expect(codes(targetQuotes)).toEqual(['both event_not_exclusive']);
  });

  it('quotes nothing while an outcome has shown no price', () => {
    const event = quoted([scene(0.5), {}]);
    for (const targetQuotes of targets(event))
      expect(codes(targetQuotes)).toEqual(['both event_incomplete']);
  });

  it.each([
    { what: 'it cannot be seen for a minute', blocked: 'dead_book', ageMs: 60_001, quotes: false },
    { what: 'it is paused for a minute', blocked: 'market_paused', ageMs: 60_001, quotes: false },
    { what: 'it cannot be seen for a while', blocked: 'dead_book', ageMs: 60_000, quotes: true },
    { what: 'it has been decided', blocked: 'market_resolved', ageMs: 3_600_000, quotes: true },
    { what: 'its book has one side', blocked: undefined, ageMs: 3_600_000, quotes: true },
    { what: 'the same, and paused', blocked: 'operator_paused', ageMs: 3_600_000, quotes: true },
    { what: 'the same, and killed', blocked: 'operator_killed', ageMs: 3_600_000, quotes: true },
    { what: 'the same, and in doubt', blocked: 'reconciling', ageMs: 3_600_000, quotes: true },
  ])('quotes the others by the last price of an outcome $what: $quotes', (at) => {
    const unseen = { ...scene(0.3), fairAgeMs: at.ageMs };
    const blocked = [undefined, at.blocked, undefined];
    const event = quoted([scene(0.5), unseen, scene(0.2)], PARAMS, { blocked });
    const [first] = targets(event);
    expect(first?.quotes.length).toBe(at.quotes ? 6 : 0);
    if (!at.quotes) expect(first && codes(first)).toEqual(['both event_incomplete']);
  });

  it.each(['market_resolved', 'market_closed'])(
    'prices the others as their books do once an outcome is decided that last was at 0.30 (%s)',
    (decided) => {
      // Whoever is out leaves 0.57 and 0.43 of one; the last price of it would take a quarter of both.
      const scenes = [{ ...scene(0.3), fairAgeMs: 3_600_000 }, scene(0.57), scene(0.43)];
      const [, first, second] = targets(quoted(scenes, PARAMS, { blocked: [decided] }));
      expect(first && [prices(first, 'bid')[0], prices(first, 'ask')[0]]).toEqual([53, 61]);
      expect(second && [prices(second, 'bid')[0], prices(second, 'ask')[0]]).toEqual([39, 47]);
    },
  );

  it.each([
    { left: 'asks at 0.02 alone', yes: { bids: [], asks: [[2, 100]] }, last: 0.3 },
    { left: 'bids at 0.02 alone', yes: { bids: [[2, 100]], asks: [] }, last: 0.002 },
  ] as const)(
    'holds the last price of an outcome to the side that its book has left: $left',
    (at) => {
      const out: Scene = { ...scene(at.last), yes: at.yes, fairAgeMs: 3_600_000 };
      const [, held] = targets(quoted([out, scene(0.55), scene(0.43)]));
      const [, seen] = targets(quoted([scene(0.02), scene(0.55), scene(0.43)]));
      expect(held && [prices(held, 'bid'), prices(held, 'ask')]).toEqual(
        seen && [prices(seen, 'bid'), prices(seen, 'ask')],
      );
    },
  );

  it.each([
    ['for a minute', 60_000, 0.3],
    ['for longer', 60_001, 0.02],
  ])(
    'counts the last price of an outcome whose book is empty %s as %s ms say: %s',
    (_, ageMs, is) => {
      const bare: Scene = { ...scene(0.3), yes: { bids: [], asks: [] }, fairAgeMs: ageMs };
      const [, held] = targets(quoted([bare, scene(0.55), scene(0.43)]));
      const [, seen] = targets(quoted([scene(is), scene(0.55), scene(0.43)]));
      expect(held?.quotes).toEqual(seen?.quotes);
    },
  );

  it.each([
    {
      book: 'asks at 0.02 alone',
      yes: { bids: [], asks: [[2, 100]] },
      others: [0.55, 0.43],
      is: true,
    },
    {
      book: 'bids at 0.97 alone',
      yes: { bids: [[97, 100]], asks: [] },
      others: [0.02, 0.01],
      is: true,
    },
    {
      book: 'asks at 0.60 alone',
      yes: { bids: [], asks: [[60, 100]] },
      others: [0.55, 0.43],
      is: false,
    },
    { book: 'no orders', yes: { bids: [], asks: [] }, others: [0.55, 0.43], is: false },
  ] as const)('a restart that finds $book of an outcome quotes the others: $is', (at) => {
    const [out, first] = targets(
      quoted([{ yes: at.yes }, ...at.others.map((fair) => scene(fair))]),
    );
    expect(out?.quotes).toEqual([]);
    expect((first?.quotes.length ?? 0) > 0).toBe(at.is);
  });

  it('quotes on after a restart, which has seen no price of an outcome that is decided', () => {
    const event = quoted([{}, scene(0.57), scene(0.43)], PARAMS, { blocked: ['market_resolved'] });
    expect(targets(event).map(({ quotes }) => quotes.length)).toEqual([0, 6, 6]);
  });
});

/** What a target quote loses in an outcome if what hurts there is filled. */
function hurt({ quotes }: TargetQuotes, index: number, outcome: number): number {
  return quotes.reduce((sum, { side, price, quantity }) => {
    const isHurt = side === 'bid' ? index !== outcome : index === outcome;
    const paid = side === 'bid' ? price : 100 - price;
    return isHurt ? sum + (paid / 100) * (quantity / 1e6) : sum;
  }, 0);
}
