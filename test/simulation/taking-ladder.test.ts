// The ladder that also takes: when, what, and what goes out of its way first.

import { expect, it } from 'vitest';
import { shares } from '../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { Json, OwnQuote, TargetQuotes } from '../../src/strategy/index.ts';
import { NOW_MS, quoteContext, type Scene } from '../support/strategy-context.ts';
import { strategy } from './world/taking-ladder.ts';

const PARAMS = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 30 };

const BOOK: Scene = {
  yes: { bids: [[48, 40]], asks: [[52, 40]] },
  no: { bids: [[47, 40]], asks: [[53, 40]] },
};

function targetsOf(memory: Json, scene: Scene = {}): TargetQuotes {
  return strategy.quote(quoteContext({ ...BOOK, ...scene, memory }, PARAMS));
}

function takesOf(targetQuotes: TargetQuotes): readonly string[] {
  return (targetQuotes.takes ?? []).map(({ leg, side, price }) => `${side} ${leg} at ${price}`);
}

const due = (count: number): Json => ({ atMs: NOW_MS - 20_000, count });

it('quotes as the ladder does, and takes nothing before its time', () => {
  const targetQuotes = targetsOf({ atMs: NOW_MS - 19_000, count: 0 });
  expect(targetQuotes.quotes.map(({ side, price }) => `${side} ${price}`)).toEqual([
    'bid 48',
    'ask 52',
  ]);
  expect(takesOf(targetQuotes)).toEqual([]);
});

it('takes what rests best, each way in turn, and sells only what it has', () => {
  expect(takesOf(targetsOf(due(0)))).toEqual(['BUY yes at 52']);
  expect(takesOf(targetsOf(due(1)))).toEqual([]);
  expect(takesOf(targetsOf(due(1), { noShares: 20 }))).toEqual(['SELL no at 47']);
  expect(takesOf(targetsOf(due(2)))).toEqual(['BUY no at 53']);
  expect(takesOf(targetsOf(due(3), { yesShares: 20 }))).toEqual(['SELL yes at 48']);
  expect(targetsOf(due(3)).memory).toEqual({ atMs: NOW_MS, count: 0 });
});

it('leaves the side whose orders it would meet, and waits for them to be gone', () => {
  const own: OwnQuote = {
    ...{ side: 'ask', price: ticks(tickGrid('0.01'), 52), remaining: shares(30) },
    ...{ restingSinceMs: unixMs(NOW_MS), queue: undefined },
  };
  const targetQuotes = targetsOf(due(0), { ownQuotes: [own] });
  expect(takesOf(targetQuotes)).toEqual([]);
  expect(targetQuotes.quotes.map(({ side }) => side)).toEqual(['bid']);
  expect(targetQuotes.reasons.map(({ code }) => code)).toContain('own_orders_first');
  expect(targetQuotes.memory).toBeUndefined();
});

it('begins anew where it remembers nothing, or another clock', () => {
  for (const atMs of [0, NOW_MS + 1]) {
    const targetQuotes = targetsOf({ atMs, count: 2 });
    expect(takesOf(targetQuotes)).toEqual([]);
    expect(targetQuotes.memory).toEqual({ atMs: NOW_MS, count: 2 });
  }
});
