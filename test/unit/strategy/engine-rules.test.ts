// Every strategy of the house inside the whole engine, on any sequence of flushes: what reaches the
// venue rests, keeps the limits, does not depend on the order of messages in a flush, is the same again
// from the same inputs, and is mirrored when the outcomes change names.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marketId, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import { OVERLAY_DEFAULTS } from '../../../src/domain/overlays.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { type EngineDriver, level, listing } from '../../support/engine-driver.ts';
import { HOUSE } from '../../support/strategy-house.ts';
import { itKeepsTheRulesInTheEngine, type Tokens } from '../../support/strategy-worlds.ts';

/** A few scripts each: the same property runs for every strategy, and four engines a script. */
const RUNS = 8;

const REQUOTE = {
  policy: 'value',
  driftTicksMax: 1,
  writeCostUsdc: 0.001,
  marginUsdc: 0.0003,
} as const;

function guarded(settings: CoreSettings, more: Partial<CoreSettings['markets'][number]> = {}) {
  return {
    ...settings,
    orders: { ...settings.orders, requote: REQUOTE },
    markets: settings.markets.map((each) => ({ ...each, overlays: OVERLAY_DEFAULTS, ...more })),
  };
}

/** Defaults with sizes that a limit of 120 shares can hold. */
function paramsOf({ params }: Strategy): fc.Arbitrary<object> {
  const specs = Object.entries<{ readonly default: unknown }>(params as never);
  const usual = Object.fromEntries(specs.map(([name, spec]) => [name, spec.default]));
  if (!('size' in usual)) return fc.constant(usual);
  return fc.record({ ...constants(usual), size: fc.constantFrom(5, 20, 40) });
}

function constants(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, fc.constant(value)]),
  );
}

/** The other outcome of the event, with a book of its own. */
function secondOutcome(driver: EngineDriver, { here }: Tokens): void {
  const one = listing();
  const [first] = one.markets;
  if (first === undefined) throw new Error('the listing has a market');
  const yes = { ...first.yes, id: outcomeId('p-yes'), tokenId: tokenId('0x03') };
  const no = { ...first.no, id: outcomeId('p-no'), tokenId: tokenId('0x04') };
  const second = { ...first, id: marketId('m-2'), title: 'Snow', yes, no };
  const value = [{ ...one, markets: [first, second] }];
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
  const isPlain = here === first.yes.tokenId;
  driver.book(isPlain ? yes.tokenId : no.tokenId, [level(41, 300)], [level(59, 300)]);
  driver.book(isPlain ? no.tokenId : yes.tokenId, [], []);
}

/** Asks of the sibling that are worth less than one together with those of the script. */
function cheapSibling(driver: EngineDriver, { there }: Tokens): void {
  driver.book(there, [], [level(30, 40)]);
}

describe.each(HOUSE.map((strategy) => [strategy.name, strategy] as const))(
  '%s',
  (name, strategy) => {
    const params = paramsOf(strategy);
    switch (name) {
      case 'event-book':
        itKeepsTheRulesInTheEngine({
          strategy,
          params,
          runs: RUNS,
          change: (settings) => guarded(settings, { isExclusive: true }),
          prepare: secondOutcome,
          // YES of two exclusive outcomes is one thing, NO of both at once another.
          mirrors: false,
        });
        break;
      case 'set-arb':
        itKeepsTheRulesInTheEngine({
          strategy,
          params,
          runs: RUNS,
          change: (settings) => guarded(settings, { takerFeeRate: 0.02 }),
          prepare: cheapSibling,
        });
        break;
      case 'fair-follow':
        itKeepsTheRulesInTheEngine({
          strategy,
          params: params.map((each) => ({ ...each, needsExternal: false })),
          runs: RUNS,
          change: guarded,
        });
        break;
      default:
        itKeepsTheRulesInTheEngine({ strategy, params, runs: RUNS, change: guarded });
    }
  },
);

describe('the house', () => {
  it('has thirteen strategies, and all of them are here', () => {
    expect(HOUSE.map(({ name }) => name).toSorted()).toEqual([
      'amm',
      'auto',
      'avellaneda-stoikov',
      'bands',
      'event-book',
      'fair-follow',
      'glft',
      'inventory-skew',
      'ladder',
      'lmsr',
      'logit-inventory',
      'set-arb',
      'touch-queue',
    ]);
  });
});
