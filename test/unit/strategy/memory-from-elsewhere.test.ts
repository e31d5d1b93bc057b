// What a journal gives back may be of an older version or of other software altogether: no strategy of
// the house may stop quoting for it, nor quote what it must not.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  type Json,
  memoryFault,
  type Strategy,
  type TargetQuotes,
} from '../../../src/strategy/index.ts';
import { NOW_MS, quoteContext, type Rungs, type Scene } from '../../support/strategy-context.ts';
import { HOUSE } from '../../support/strategy-house.ts';
import { faultsOf } from '../../support/strategy-properties.ts';

const KEYS = [
  'untilMs',
  'reaching',
  'sinceMs',
  'atMs',
  'bid',
  'ask',
  'bidUp',
  'bidDown',
  'askUp',
  'askDown',
];

const anyNumber = fc.oneof(
  fc.constantFrom(0, -1, 0.5, -0.5, 1e308, -1e308, NOW_MS, NOW_MS - 0.5, NOW_MS + 1, 1e15, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const anyValue: fc.Arbitrary<Json> = fc.oneof(
  anyNumber,
  fc.array(anyNumber, { maxLength: 12 }),
  fc.array(anyNumber, { minLength: 3, maxLength: 3 }),
  fc.array(anyNumber, { minLength: 10, maxLength: 10 }),
  fc.string(),
  fc.boolean(),
);
const anyMemory: fc.Arbitrary<Json> = fc.oneof(
  anyValue,
  fc.dictionary(fc.constantFrom(...KEYS), anyValue, { noNullPrototype: true }),
);

const THIN = { bids: [[48, 100]], asks: [[52, 100]] } satisfies Rungs;
const price = ticks(tickGrid('0.01'), 52);
const trade = { atMs: unixMs(NOW_MS - 500), price, size: shares(10), taker: 'buys' } as const;

/** Somebody has just traded, and in the second one sets are for sale below one. */
const SCENES: readonly Scene[] = [
  { yes: THIN, fair: 0.5, takerRate: 0.01, trades: [trade] },
  { yes: THIN, no: { bids: [], asks: [[40, 50]] }, fair: 0.5, takerRate: 0.01 },
];

function defaultsOf({ params }: Strategy): object {
  const specs = Object.entries<{ readonly default: unknown }>(params as never);
  return Object.fromEntries(specs.map(([name, spec]) => [name, spec.default]));
}

function answerTo(
  strategy: Strategy,
  scene: Scene,
  memory: Json,
): readonly [ReturnType<typeof contextOf>, TargetQuotes, Json | undefined] {
  const context = contextOf(strategy, scene, strategy.scope === 'event' ? undefined : memory);
  if (strategy.scope !== 'event') {
    const targetQuotes = strategy.quote(context);
    return [context, targetQuotes, targetQuotes.memory];
  }
  const { nowMs, eventId, params } = context;
  const markets = [{ context, blocked: undefined }];
  const answer = strategy.quoteEvent({
    nowMs,
    eventId,
    markets,
    isExclusive: false,
    params,
    memory,
  });
  const [first] = answer.markets;
  if (first === undefined) throw new Error('the strategy speaks of its market');
  return [context, first.targetQuotes, answer.memory];
}

function contextOf(strategy: Strategy, scene: Scene, memory: Json | undefined) {
  const full = memory === undefined ? scene : { ...scene, memory };
  return quoteContext<unknown>(full, defaultsOf(strategy));
}

describe.each(HOUSE.map((strategy) => [strategy.name, strategy] as const))('%s', (_, strategy) => {
  it('trusts no memory so far that it fails, quotes wrongly or keeps nonsense', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCENES), anyMemory, (scene, memory) => {
        const [context, targetQuotes, kept] = answerTo(strategy, scene, memory);
        expect(faultsOf(context, targetQuotes, false)).toEqual([]);
        expect(kept === undefined ? undefined : memoryFault(kept)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
