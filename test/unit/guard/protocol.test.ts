// What guard and trader say to each other, and what neither takes for a word.

import { describe, expect, it } from 'vitest';
import { noDeaths, readFromTrader, readToTrader } from '../../../src/guard/protocol.ts';

const FACTS = { run: 2, deaths: noDeaths() };

describe('the word that a trader begins by', () => {
  it('has the facts of its run, the settings, and where HTTP is', () => {
    const http = { path: '/s', isPortFree: true };
    const begin = { kind: 'begin', facts: FACTS, settings: { a: 1 }, http, extra: ['x'] };
    expect(readToTrader(begin)).toEqual(begin);
    expect(readToTrader({ kind: 'begin', facts: FACTS })).toMatchObject({
      http: { path: '', isPortFree: false },
    });
  });

  it.each([
    ['no facts', undefined],
    ['a run that is no number', { ...FACTS, run: '2' }],
    ['no deaths', { run: 2 }],
  ])('is none with %s', (_, facts) => {
    expect(readToTrader({ kind: 'begin', facts })).toBeUndefined();
  });
});

const WORD = {
  ...{ intentId: '1-1', orderHash: '0x01', marketId: 'm1', tokenId: '0xaa', side: 'SELL' },
  ...{ priceMilli: 400, quantity: 10, sentAtMs: 1_000 },
};

describe('a word of a trader', () => {
  it.each([
    { kind: 'beat' },
    { kind: 'ready' },
    { kind: 'started' },
    { kind: 'endAsked' },
    { kind: 'resumed' },
    { kind: 'leaving', isUntouched: true, unsettled: 2, inFlight: ['a'] },
    { kind: 'config', text: 'a: 1' },
    { kind: 'unlatched', by: 'operator' },
    { kind: 'stops', stops: { pause: 'x', halt: null } },
    {
      kind: 'orders',
      scope: 'own',
      update: { isWhole: true, live: [WORD], ended: [{ orderHash: '0x02' }], aheadMs: 5 },
      ...{ horizonMs: 1, slowestMs: 2, aheadMs: 3 },
    },
    { kind: 'orders', scope: 'account', update: { isWhole: false, live: [], ended: [] } },
  ])('is read as it was said: %j', (word) => {
    expect(readFromTrader(word)).toEqual(word);
  });

  it.each([
    [{ kind: 'leaving' }, { kind: 'leaving', isUntouched: false, unsettled: 0, inFlight: [] }],
    [
      { kind: 'leaving', isUntouched: 'yes', unsettled: '2', inFlight: ['a', 5] },
      { kind: 'leaving', isUntouched: false, unsettled: 0, inFlight: ['a'] },
    ],
    [
      { kind: 'leaving', inFlight: 'a' },
      { kind: 'leaving', inFlight: [] },
    ],
    [
      { kind: 'unlatched', by: 5 },
      { kind: 'unlatched', by: undefined },
    ],
    [
      {
        ...{ kind: 'orders', scope: 'own', horizonMs: '1', slowestMs: null, aheadMs: {} },
        update: { isWhole: 1, live: [], ended: [], aheadMs: '5' },
      },
      {
        ...{ kind: 'orders', scope: 'own', horizonMs: undefined, slowestMs: undefined },
        update: { isWhole: false, live: [], ended: [], aheadMs: undefined },
      },
    ],
  ])('has nothing in place of what cannot be read: %j', (word, expected) => {
    expect(readFromTrader(word)).toMatchObject(expected);
  });

  it.each([
    ...[undefined, null, 'beat', 5, {}, { kind: 'other' }, { kind: 'config' }],
    { kind: 'config', text: 5 },
    { kind: 'stops' },
    { kind: 'stops', stops: null },
    { kind: 'stops', stops: 'pause' },
    { kind: 'stops', stops: { pause: 5 } },
    { kind: 'stops', stops: { pause: 'x', halt: 5 } },
    { kind: 'orders', scope: 'all', update: { isWhole: true, live: [], ended: [] } },
    { kind: 'orders', scope: 'own' },
    { kind: 'orders', scope: 'own', update: { live: [] } },
    { kind: 'orders', scope: 'own', update: { live: [], ended: {} } },
    ...Object.keys(WORD).map((name) => ({
      ...{ kind: 'orders', scope: 'own' },
      update: { live: [{ ...WORD, [name]: {} }], ended: [] },
    })),
    ...['intentId', 'orderHash'].map((name) => ({
      ...{ kind: 'orders', scope: 'own' },
      update: { live: [], ended: [{ [name]: {} }] },
    })),
  ])('is none where it cannot be read: %j', (word) => {
    expect(readFromTrader(word)).toBeUndefined();
  });
});

describe('a word of a guard', () => {
  it.each([
    { kind: 'go', quietForMs: 5 },
    { kind: 'starved', times: 2 },
    { kind: 'line', line: 'a' },
    { kind: 'key', key: 'q' },
    { kind: 'venueFault', detail: 'a' },
  ])('is read as it was said: %j', (word) => {
    expect(readToTrader(word)).toEqual(word);
  });

  it.each([
    ...[undefined, null, 'go', {}, { kind: 'other' }, { kind: 'starved' }, { kind: 'begin' }],
    ...[{ kind: 'line', line: 5 }, { kind: 'key' }, { kind: 'venueFault', detail: {} }],
    ...[
      { kind: 'line', key: 'q' },
      { kind: 'key', line: 'a' },
    ],
  ])('is none where it cannot be read: %j', (word) => {
    expect(readToTrader(word)).toBeUndefined();
  });

  it('says nothing of a quiet time where that is no number', () => {
    expect(readToTrader({ kind: 'go', quietForMs: '5' })).toEqual({ kind: 'go' });
    expect(noDeaths()).toEqual({
      ...{ signal: 0, exit: 0, failed: 0, silent: 0, starved: 0, refused: 0 },
    });
  });
});
