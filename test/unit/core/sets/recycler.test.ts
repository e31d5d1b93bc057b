import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recycle, type SetsSituation } from '../../../../src/core/sets/recycler.ts';
import { RECYCLER_DEFAULTS, type RecyclerSettings } from '../../../../src/domain/sets.ts';
import { shares } from '../../../../src/domain/shares.ts';

const SETTINGS: RecyclerSettings = {
  ...RECYCLER_DEFAULTS,
  mode: 'on',
  workingMin: 50,
  workingMax: 100,
  changeMin: 20,
};

function situation(change: Partial<SetsSituation> = {}): SetsSituation {
  return {
    status: 'open',
    free: shares(80),
    owned: shares(80),
    settled: { yes: shares(80), no: shares(80) },
    isPending: false,
    isRedeemed: false,
    claim: 'unsaid',
    unquoted: undefined,
    sells: true,
    affordable: shares(10_000),
    room: shares(10_000),
    ...change,
  };
}

const decided = (change: Partial<SetsSituation>, settings: Partial<RecyclerSettings> = {}) => {
  const verdict = recycle(situation(change), { ...SETTINGS, ...settings });
  return verdict.kind === 'act'
    ? `${verdict.action} ${(verdict.amount ?? 0) / 1e6}`
    : verdict.reason.code;
};

describe('free sets', () => {
  it.each([
    { free: 120, expected: 'merge 20' },
    { free: 119.9, expected: 'working_size' },
    { free: 345.678, expected: 'merge 245' },
    { free: 100, expected: 'working_size' },
  ])('of $free, 100 of which are kept: $expected', ({ free, expected }) => {
    expect(decided({ free: shares(free), owned: shares(free) })).toBe(expected);
  });

  it('of a market that is closed are all merged, whatever its working size was', () => {
    expect(decided({ status: 'closed' })).toBe('merge 80');
  });

  it('of a paused market keep their working size, and none are split for it', () => {
    expect(decided({ status: 'paused', free: shares(150) })).toBe('merge 50');
    expect(decided({ status: 'paused', free: shares(0), owned: shares(0) })).toBe('working_size');
  });

  it('of a market whose word is not understood are left alone', () => {
    expect(decided({ status: 'unknown', free: shares(500) })).toBe('market_unknown');
  });
});

describe('missing sets', () => {
  const few = { free: shares(0), owned: shares(10) };

  it('are split up to the working size, in whole sets', () => {
    expect(decided(few)).toBe('split 40');
    expect(decided({ ...few, owned: shares(10.5) })).toBe('split 39');
    expect(decided({ ...few, owned: shares(40) })).toBe('working_size');
    expect(decided(few, { workingMin: 0 })).toBe('working_size');
  });

  it('count those that sells hold as there', () => {
    expect(decided({ free: shares(0), owned: shares(60) })).toBe('working_size');
  });

  it.each([
    { change: { affordable: shares(30) }, expected: 'split 30' },
    { change: { affordable: shares(19) }, expected: 'cash' },
    { change: { room: shares(25) }, expected: 'split 25' },
    { change: { room: shares(5) }, expected: 'max_position_shares' },
    { change: { sells: false }, expected: 'no_sells' },
    {
      change: { unquoted: { code: 'suspect_book', detail: 'd', clears: 'c' } },
      expected: 'not_quoted',
    },
  ])('with $change: $expected', ({ change, expected }) => {
    expect(decided({ ...few, ...change })).toBe(expected);
  });
});

describe('a resolved market', () => {
  const resolved = { status: 'resolved' } as const;

  it.each([
    { change: {}, expected: 'redeem 0' },
    { change: { isPending: true }, expected: 'unsettled' },
    { change: { isRedeemed: true }, expected: 'nothing_claimable' },
    { change: { claim: 'asking' as const }, expected: 'resolution_asked' },
    { change: { claim: 'nothing' as const }, expected: 'nothing_claimable' },
    { change: { claim: 'claimable' as const }, expected: 'redeem 0' },
    { change: { settled: { yes: 0, no: 0 } }, expected: 'nothing_held' },
    { change: { settled: { yes: 0, no: 1 } }, expected: 'redeem 0' },
  ])('with $change: $expected', ({ change, expected }) => {
    expect(decided({ ...resolved, ...change })).toBe(expected);
  });

  it('is left to a person where redeeming is switched off', () => {
    expect(decided(resolved, { redeems: false })).toBe('redeem_off');
  });
});

describe('whatever the situation', () => {
  const micro = fc.integer({ min: 0, max: 10_000_000_000 });
  const anySituation = fc.record({
    status: fc.constantFrom('open', 'paused', 'closed', 'resolved', 'unknown' as const),
    free: micro,
    owned: micro,
    settled: fc.record({ yes: micro, no: micro }),
    isPending: fc.boolean(),
    isRedeemed: fc.boolean(),
    claim: fc.constantFrom('asking' as const, 'unsaid', 'claimable', 'nothing'),
    unquoted: fc.constantFrom(undefined, { code: 'c', detail: 'd', clears: 'e' }),
    sells: fc.boolean(),
    affordable: micro,
    room: micro,
  });
  const anySettings = fc
    .tuple(fc.nat(500), fc.nat(500), fc.integer({ min: 1, max: 100 }))
    .map(([a, b, changeMin]) => {
      const sizes = { workingMin: Math.min(a, b), workingMax: Math.max(a, b) };
      return { ...SETTINGS, ...sizes, changeMin };
    });

  it('an amount is whole, is there, and leaves nothing for the opposite action', () => {
    fc.assert(
      fc.property(anySituation, anySettings, (at, settings) => {
        const verdict = recycle(at, settings);
        if (verdict.kind === 'rest') {
          expect(verdict.reason.code).toMatch(/^[a-z_]+$/);
          return;
        }
        const { action, amount } = verdict;
        if (action === 'redeem') return;
        expect((amount ?? 0) % 1_000_000).toBe(0);
        expect(amount).toBeGreaterThanOrEqual(settings.changeMin * 1e6);
        expect(amount).toBeLessThanOrEqual(action === 'merge' ? at.free : at.affordable);
        const change = action === 'merge' ? -(amount ?? 0) : (amount ?? 0);
        const next = { ...at, free: at.free + change, owned: at.owned + change };
        const after = recycle(next, settings);
        // A position that holds less than its own free sets is no position.
        if (at.owned < at.free) return;
        expect(['rest', action]).toContain(after.kind === 'rest' ? 'rest' : after.action);
      }),
    );
  });
});
