// A strategy that wishes just what a test says, however foolish: what stops it is the core.

import { shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import type { Quote, Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { GRID } from './engine-driver.ts';

/** Stands in for `ladder`, so that the usual settings name it. */
export function wishing(quotes: () => readonly Quote[]): Strategy {
  return { ...ladder, quote: () => ({ quotes: quotes(), reasons: [] }) } as Strategy;
}

export function bid(price: number, size: number): Quote {
  return { side: 'bid', price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}

export function ask(price: number, size: number): Quote {
  return { side: 'ask', price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}
