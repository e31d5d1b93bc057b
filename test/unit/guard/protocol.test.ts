// What guard and trader say to each other, and what neither takes for a word.

import { describe, expect, it } from 'vitest';
import { noDeaths, readToTrader } from '../../../src/guard/protocol.ts';

const FACTS = { run: 2, deaths: noDeaths() };

describe('the word that a trader begins by', () => {
  it('has the facts of its run, the settings, and where HTTP is', () => {
    const begin = { kind: 'begin', facts: FACTS, settings: { a: 1 }, http: '/s', extra: ['x'] };
    expect(readToTrader(begin)).toEqual(begin);
    expect(readToTrader({ kind: 'begin', facts: FACTS })).toMatchObject({ http: '' });
  });

  it.each([
    ['no facts', undefined],
    ['a run that is no number', { ...FACTS, run: '2' }],
    ['no deaths', { run: 2 }],
  ])('is none with %s', (_, facts) => {
    expect(readToTrader({ kind: 'begin', facts })).toBeUndefined();
  });
});
