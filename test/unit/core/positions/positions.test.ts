// Whatever gets lost, comes late or in another order: the truth lies inside the interval.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takerFeeOfNano } from '../../../../src/core/kernel/nano.ts';
import { Positions } from '../../../../src/core/positions/positions.ts';
import { cashOf, type ReportedFill } from '../../../../src/core/positions/unsettled.ts';
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

function breach(ledger: TrueLedger): string | undefined {
  const { low, high, truth, settled } = ledger;
  if (truth < low || truth > high) return `${truth} is not in [${low}, ${high}]`;
  const sellable = ledger.positions.sellable(TOKEN) - ledger.resting('SELL');
  return sellable > settled ? `${sellable} may be sold of ${settled}` : undefined;
}

/** @returns The first step after which the interval was wrong, and how. */
function breachOf(ledger: TrueLedger, all: readonly Step[]): unknown {
  for (const [index, step] of all.entries()) {
    ledger.take(step);
    const text = breach(ledger);
    if (text !== undefined) return { text, after: all.slice(0, index + 1) };
  }
  return undefined;
}

describe('the position of a token, whatever is lost, late or out of order', () => {
  it('has the truth inside its interval, restarts included, and sells no more than has settled', () => {
    fc.assert(
      fc.property(steps, (all) => {
        expect(breachOf(new TrueLedger(), all)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('is exact again after quiet', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ledger = new TrueLedger();
        for (const step of all) ledger.take(step);
        ledger.rest();
        expect(ledger.positions.width(TOKEN)).toBe(0);
        expect(ledger.positions.expected(TOKEN)).toBe(ledger.truth);
      }),
      { numRuns: 500 },
    );
  });
});

const place = (side: 'BUY' | 'SELL', quantity: number): Step => ({ kind: 'place', side, quantity });
const match = (at: number, part: number): Step => ({ kind: 'match', pick: at, part });
const report = (at: number): Step => ({ kind: 'report', pick: at });
const vanish: Step = { kind: 'vanish', pick: 0 };
const settle: Step = { kind: 'settle', pick: 0, isLost: false };
const read = (lagMs: number): Step => ({ kind: 'read', lagMs });

describe('an interval that was once too narrow', () => {
  it.each<{ readonly why: string; readonly all: readonly Step[] }>([
    {
      why: 'an order traded just before it vanished from a token that had long been quiet',
      all: [
        place('BUY', 1),
        match(0, 1),
        vanish,
        read(0),
        { kind: 'wait', ms: 30_000 },
        read(30_000),
      ],
    },
    {
      why: 'a fill was reported after the settlement of an order whose fill nobody reported',
      all: [place('BUY', 1), match(0, 1), vanish, settle, place('BUY', 1), match(0, 1), report(1)],
    },
    {
      why: 'an older amount was just what confirmed and a pending fill make',
      all: [
        place('BUY', 12),
        place('SELL', 12),
        match(0, 12),
        match(1, 12),
        report(0),
        { kind: 'settle', pick: 1, isLost: false },
        read(1),
        report(1),
      ],
    },
    {
      why: 'a start read an older amount, and that was just what confirmed and a pending fill make',
      all: [
        place('BUY', 1),
        place('SELL', 1),
        match(1, 1),
        settle,
        report(1),
        match(0, 1),
        report(0),
        { kind: 'restart' },
        read(1),
      ],
    },
  ])('has the truth inside where $why', ({ all }) => {
    expect(breachOf(new TrueLedger(), all)).toBeUndefined();
  });
});

const trades = fc.array(
  fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    quantity: fc.integer({ min: 1, max: 500_000_000 }),
    limit: fc.integer({ min: 1, max: 999 }),
    better: fc.nat(300),
    isTake: fc.boolean(),
    settles: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 20 },
);

describe('a position of which every message comes once and in order', () => {
  it('is exact at each moment, and its cash is exact once all has settled, but for the rounding of fees', () => {
    fc.assert(
      fc.property(trades, fc.constantFrom(0.03, 0.07), (all, rate) => {
        const positions = new Positions();
        const waiting: { fill: ReportedFill; paidNano: number; feeNano: number }[] = [];
        let truth = 0;
        let bookedNano = 0;
        let trueNano = 0;
        const settleOldest = () => {
          const oldest = waiting.shift();
          if (oldest === undefined) return;
          const { side, quantity } = oldest.fill;
          const trade = { side, quantity, cashNano: oldest.paidNano };
          const counted = positions.onSettled(TOKEN, trade, unixMs(2));
          bookedNano += oldest.paidNano - counted.feeNano - counted.countedNano;
          trueNano += oldest.paidNano - oldest.feeNano;
        };
        for (const { side, limit, better, isTake, settles, ...each } of all) {
          const takerFeeRate = isTake ? rate : undefined;
          const sign = side === 'BUY' ? 1 : -1;
          const quantity = microShares(each.quantity);
          // A maker trades at his own price.
          const gained = takerFeeRate === undefined ? 0 : sign * better;
          const price = Math.min(999, Math.max(1, limit - gained));
          const fill: ReportedFill = {
            intentId: undefined,
            side,
            cashNano: -sign * limit * quantity,
            takerFeeRate,
            quantity,
            original: quantity,
            sentAtMs: unixMs(0),
            atMs: unixMs(1),
          };
          const exactFee = takerFeeOfNano(takerFeeRate ?? 0, price * quantity, quantity);
          const feeNano = Math.floor(exactFee / 1_000) * 1_000;
          bookedNano += positions.onFill(TOKEN, fill, unixMs(1)).cashNano;
          waiting.push({ fill, paidNano: -sign * price * quantity, feeNano });
          truth += sign * quantity;
          expect(positions.low(TOKEN)).toBe(truth);
          expect(positions.high(TOKEN)).toBe(truth);
          // Of one side they settle oldest first; another side does not wait for it.
          for (let count = 0; count < settles; count += 1) settleOldest();
        }
        while (waiting.length > 0) settleOldest();
        expect(positions.confirmed(TOKEN)).toBe(truth);
        expect(positions.expected(TOKEN)).toBe(truth);
        // A fee is rounded for each part that settles; nothing else may be off.
        const roundedNano = all.some(({ isTake }) => isTake) ? 1_000 * all.length : 0;
        expect(Math.abs(bookedNano - trueNano)).toBeLessThanOrEqual(roundedNano);
      }),
      { numRuns: 500 },
    );
  });

  it('counts a fill at its own price less the fee until it settles', () => {
    const quantity = microShares(100_000_000);
    const fill: ReportedFill = {
      intentId: undefined,
      sentAtMs: unixMs(0),
      side: 'BUY',
      cashNano: -40_000_000_000,
      takerFeeRate: 0.05,
      quantity,
      original: quantity,
      atMs: unixMs(1),
    };
    // 5 % of 40 USDC, times the 0.60 that the outcome is away from certain: 1.20 USDC.
    expect(cashOf(fill, quantity)).toBe(-41_200_000_000);
  });
});
