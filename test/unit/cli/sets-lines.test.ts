import { describe, expect, it } from 'vitest';
import { setsLines } from '../../../src/cli/sets-lines.ts';
import type { ShownMarket } from '../../../src/cli/state-schema.ts';
import { viewsMarket } from './shown.ts';

const WIDE = { width: 1_000 };

function market(sets: ShownMarket['sets']): ShownMarket {
  return { ...viewsMarket, ...(sets === undefined ? {} : { sets }) };
}

const lines = (sets: ShownMarket['sets']) => setsLines({ markets: [market(sets)] }, WIDE);

describe('the sets of a market', () => {
  it('are not mentioned where there are none', () => {
    expect(lines(undefined)).toEqual([]);
    expect(lines({ mode: 'off', free: '0' })).toEqual([]);
  });

  it('that are free are worth a dollar each, and the recycler says what it waits for', () => {
    const reason = { code: 'pausing', detail: 'the last merge', sinceMs: 1, clears: 'in 20 s' };
    expect(lines({ mode: 'on', free: '60', reason })).toEqual([
      'Will it rain tomorrow?: 60 complete sets are free, a merge pays 1.00 USDC for each',
      'Will it rain tomorrow?: recycler pausing (the last merge); clears: in 20 s',
    ]);
  });

  it('of a resolved market are a claim', () => {
    expect(lines({ mode: 'off', free: '0', claim: { yes: '80', no: '3.5' } })).toEqual([
      'Will it rain tomorrow?: resolved, 80 YES and 3.5 NO can be redeemed',
    ]);
  });

  it('are only talked about in a dry run', () => {
    const sets = { mode: 'dry-run', free: '0', request: { action: 'split', amount: '40' } };
    expect(lines(sets)).toEqual(['Will it rain tomorrow?: a dry run would split 40']);
  });
});

describe('chain actions', () => {
  const action = { by: 'me', action: 'merge', marketId: 'm-1', amount: '60', detail: '' };

  it('are shown while they are under way, and not when they have ended', () => {
    const sets = [
      { ...action, state: 'accepted' },
      { ...action, state: 'confirmed' },
      { ...action, action: 'redeem', amount: '0', state: 'unknown' },
    ];
    expect(setsLines({ markets: [], sets }, WIDE)).toEqual([
      'merge of 60 sets in m-1 by me: accepted, not confirmed yet',
      'redeem in m-1 by me: unknown, not confirmed yet',
    ]);
  });

  it('cannot paint the terminal', () => {
    const [line] = setsLines(
      { markets: [], sets: [{ ...action, by: '\u001b[2J', state: 'sent' }] },
      WIDE,
    );
    expect(line).not.toContain('\u001b');
  });
});
