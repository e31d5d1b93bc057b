import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Latches, rankOf } from '../../../../src/core/risk/latches.ts';
import { marketId } from '../../../../src/domain/ids.ts';
import { CONTROLS, RISK_ACTIONS, type StoredLatch } from '../../../../src/domain/risk.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const A = marketId('m-a');
const B = marketId('m-b');

function latch(change: Partial<StoredLatch> = {}): StoredLatch {
  return {
    control: 'day_loss',
    marketId: undefined,
    level: 'reduce-only',
    detail: 'x',
    sinceMs: unixMs(1_000),
    resumes: { kind: 'operator' },
    ...change,
  };
}

const anyLatch = fc.record({
  control: fc.constantFrom(...CONTROLS),
  marketId: fc.constantFrom(undefined, A, B),
  level: fc.constantFrom(...RISK_ACTIONS),
  detail: fc.constant('x'),
  sinceMs: fc.nat(1_000).map(unixMs),
  resumes: fc.oneof(
    fc.constant({ kind: 'operator' } as const),
    fc.constant({ kind: 'condition', text: 'x' } as const),
    fc.nat(1_000).map((at) => ({ kind: 'time', atMs: unixMs(at) }) as const),
  ),
});

describe('latches', () => {
  it('bind a market by the hardest of its own and the account', () => {
    fc.assert(
      fc.property(fc.array(anyLatch, { maxLength: 30 }), (all) => {
        const latches = new Latches();
        for (const each of all) latches.set(each);
        const ranks = all
          .filter((each) => each.marketId === undefined || each.marketId === A)
          .map((each) => rankOf(each.level));
        expect(rankOf(latches.binding(A)?.level ?? 'normal')).toBe(Math.max(0, ...ranks));
      }),
    );
  });

  it('never become milder by tripping again, and keep the time at which they began', () => {
    const latches = new Latches();
    latches.set(latch());
    latches.set(latch({ level: 'widen', sinceMs: unixMs(5_000) }));
    latches.set(latch({ level: 'killed', sinceMs: unixMs(6_000) }));
    expect(latches.all()).toMatchObject([{ level: 'killed', sinceMs: 1_000 }]);
  });

  it('are taken out by an operator, but for the doubt of all positions behind a power cut', () => {
    const latches = new Latches();
    const cut = latch({
      control: 'position_uncertain',
      resumes: { kind: 'time', atMs: unixMs(9) },
    });
    const ofMarket = latch({ control: 'position_uncertain', marketId: A });
    for (const each of [latch(), cut, ofMarket]) latches.set(each);
    expect(latches.takeAll()).toEqual([latch(), ofMarket]);
    expect(latches.all()).toEqual([cut]);
    expect(latches.takeEnded(unixMs(9))).toEqual([cut]);
  });

  it('never become easier to lift by tripping again, whichever of the two is the harder', () => {
    const ways = ['condition', 'time', 'operator'];
    const anyOne = anyLatch.map((each) => ({ ...each, control: 'day_loss', marketId: A }) as const);
    fc.assert(
      fc.property(fc.array(anyOne, { minLength: 1, maxLength: 10 }), (all) => {
        const latches = new Latches();
        for (const each of all) latches.set(each);
        const held = latches.get('day_loss', A)?.resumes;
        const kinds = all.map(({ resumes }) => ways.indexOf(resumes.kind));
        expect(ways.indexOf(held?.kind ?? '')).toBe(Math.max(...kinds));
        const ends = all.flatMap(({ resumes }) => (resumes.kind === 'time' ? [resumes.atMs] : []));
        if (held?.kind === 'time') expect(held.atMs).toBe(Math.max(...ends));
      }),
    );
  });

  it('end by themselves at their time and not before, and only those that may', () => {
    const latches = new Latches();
    latches.set(latch());
    latches.set(latch({ control: 'order_rate', resumes: { kind: 'time', atMs: unixMs(2_000) } }));
    expect(latches.takeEnded(unixMs(1_999))).toEqual([]);
    expect(latches.takeEnded(unixMs(2_000))).toMatchObject([{ control: 'order_rate' }]);
    expect(latches.takeEnded(unixMs(9_000_000))).toEqual([]);
    expect(latches.size).toBe(1);
  });
});
