import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QueueTracker } from '../../../../src/core/orders/queue.ts';
import { type RequoteView, requoteVerdict } from '../../../../src/core/orders/requote.ts';
import { microShares, shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import type { QueueEstimate } from '../../../../src/strategy/index.ts';
import { GRID, ownOrder } from '../../../support/own-orders.ts';

const SETTINGS = { policy: 'value', driftTicksMax: 1, writeCostUsdc: 0.001, marginUsdc: 0.0005 };

/** A tracker that knows what the test says. */
class KnownQueues extends QueueTracker {
  readonly #estimate: QueueEstimate;

  constructor(estimate: QueueEstimate) {
    super();
    this.#estimate = estimate;
  }

  override of(): QueueEstimate {
    return this.#estimate;
  }
}

function view(aheadShares: number, soldShares: number): RequoteView {
  const flow = { trades: 3, boughtShares: shares(30), soldShares: shares(soldShares) };
  const empty = () => undefined;
  return {
    grid: GRID,
    book: {
      bestBid: empty,
      bestAsk: empty,
      bidSizeAt: () => shares(200),
      askSizeAt: () => shares(200),
      nextBid: empty,
      nextAsk: empty,
    },
    fair: {
      logOdds: 0,
      logOddsVar: 0.001,
      price: 0.5,
      logOddsVarPerSec: 1e-5,
      ageMs: 100,
      external: undefined,
    },
    trades: { recent: [], lastMinute: flow, lastTenMinutes: flow },
    queues: new KnownQueues({ ahead: shares(aheadShares), behind: shares(10) }),
  };
}

const wish = {
  side: 'bid' as const,
  price: ticks(GRID, 41),
  quantity: shares(50),
  purpose: 'add' as const,
};

describe('the verdict on a place in the queue', () => {
  it('comes from two values whenever trades, volatility and the queue are known', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 50_000_000 }),
        (ahead, sold, left) => {
          const order = { ...ownOrder({ price: 40 }), executed: microShares(50_000_000 - left) };
          const verdict = requoteVerdict(
            view(ahead, sold),
            { ...SETTINGS, policy: 'value' },
            {
              order,
              wish,
            },
          );
          expect(Number.isFinite(verdict.keepValuePrice)).toBe(true);
          expect(Number.isFinite(verdict.moveValuePrice)).toBe(true);
        },
      ),
    );
  });

  it('keeps a place at the front of a busy level rather than the back of a better one', () => {
    const order = ownOrder({ price: 40 });
    const verdict = requoteVerdict(
      view(0, 2_000),
      { ...SETTINGS, policy: 'value' },
      {
        order,
        wish,
      },
    );
    expect(verdict).toMatchObject({ keeps: true, why: 'place_worth_more' });
  });
});
