// Whatever gets lost, comes late or in another order: the truth lies inside the interval.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cashOf, type Fill } from '../../../../src/core/positions/fill.ts';
import { Positions } from '../../../../src/core/positions/positions.ts';
import { takerFeeOfNano } from '../../../../src/core/risk/nano.ts';
import { microShares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { type Step, TOKEN, TrueLedger } from './true-ledger.ts';

const pick = fc.nat(7);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('place' as const),
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      quantity: fc.integer({ min: 1, max: 20 }),
    }),
    fc.record({
      kind: fc.constant('match' as const),
      pick,
      part: fc.integer({ min: 1, max: 20 }),
    }),
    fc.record({ kind: fc.constant('report' as const), pick }),
    fc.record({ kind: fc.constant('settle' as const), pick, isLost: fc.boolean() }),
    fc.record({ kind: fc.constant('bust' as const), pick }),
    fc.record({ kind: fc.constant('vanish' as const), pick }),
    fc.record({ kind: fc.constant('read' as const), lagMs: fc.nat(119_000) }),
    fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 5_000, 30_000, 90_000),
    }),
    fc.constant({ kind: 'restart' as const }),
  ),
  { maxLength: 40, size: 'max' },
);

function check(ledger: TrueLedger, seen: readonly Step[]): void {
  const { low, high, truth } = ledger;
  const isInside = low <= truth && truth <= high;
  if (!isInside) throw new Error(`${truth} is not in [${low}, ${high}] after ${JSON.stringify(seen)}`);
  const sellable = ledger.positions.sellable(TOKEN) - ledger.resting('SELL');
  if (sellable > ledger.settled) throw new Error(`${sellable} may be sold of ${ledger.settled}`);
}

function play(all: readonly Step[]): TrueLedger {
  const ledger = new TrueLedger();
  for (const [index, step] of all.entries()) {
    ledger.take(step);
    check(ledger, all.slice(0, index + 1));
  }
  return ledger;
}

describe('the position of a token, whatever is lost, late or out of order', () => {
  it('has the truth inside its interval, restarts included, and sells no more than has settled', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is exact again after quiet', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ledger = play(all);
        ledger.rest();
        expect(ledger.positions.width(TOKEN)).toBe(0);
        expect(ledger.positions.expected(TOKEN)).toBe(ledger.truth);
      }),
      { numRuns: 1_000 },
    );
  });
});
