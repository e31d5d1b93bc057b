// Whether an order off its target quotes keeps its place, by values that can be computed by hand.

import { describe, expect, it } from 'vitest';
import { MarketBook } from '../../../../src/core/book/axis.ts';
import { BookMirror } from '../../../../src/core/book/mirror.ts';
import { OwnSizes } from '../../../../src/core/book/own.ts';
import { QueueTracker } from '../../../../src/core/fair/insight.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import type { Target } from '../../../../src/core/quoting/market.ts';
import { type RequoteView, requoteVerdict } from '../../../../src/core/quoting/requote.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import type { PublicTrade } from '../../../../src/strategy/index.ts';
import { GRID, ownOrder } from '../../../support/own-orders.ts';

const SETTINGS = {
  policy: 'value',
  driftTicksMax: 1,
  writeCostUsdc: 0.001,
  marginUsdc: 0.0003,
} as const;

type Market = {
  /** Shares of others in front of our bid at 0.40, and at the new price 0.41. */
  readonly ahead: number;
  readonly inFrontThere: number;
  readonly fair?: number;
  readonly varPerSec?: number | undefined;
  /** Shares sold in ten minutes, all of which came as far as 0.40. */
  readonly sold?: number;
};

function book(levels: readonly (readonly [number, number])[], own: number): MarketBook {
  const side = () => ({ mirror: new BookMirror(GRID, 50), own: new OwnSizes(GRID) });
  const yes = side();
  const bids = levels.map(([price, size]) => ({ price: ticks(GRID, price), size: shares(size) }));
  yes.mirror.onSnapshot({ bids, asks: [], venueTs: undefined }, unixMs(0));
  yes.own.addResting('bid', ticks(GRID, 40), shares(own));
  return new MarketBook(yes, side());
}

function verdictOn(market: Market) {
  const order: OwnOrder = ownOrder({ size: 20 });
  const levels = [
    [40, market.ahead + 20],
    ...(market.inFrontThere > 0 ? [[41, market.inFrontThere]] : []),
  ] as const;
  const shown = book(levels as readonly (readonly [number, number])[], 20);
  const queues = new QueueTracker();
  queues.update([order], shown);
  const price = market.fair ?? 0.45;
  const sold = market.sold ?? 6_000;
  const trade: PublicTrade = {
    atMs: unixMs(1),
    price: ticks(GRID, 40),
    size: shares(1),
    taker: 'sells',
  };
  const flow = { trades: 100, boughtShares: shares(0), soldShares: shares(sold) };
  const view: RequoteView = {
    grid: GRID,
    book: shown,
    queues,
    trades: {
      recent: Array.from({ length: 20 }, () => trade),
      lastMinute: flow,
      lastTenMinutes: flow,
    },
    fair: {
      logOdds: 0,
      logOddsVar: 0,
      price,
      logOddsVarPerSec: 'varPerSec' in market ? market.varPerSec : 2e-5,
      ageMs: 0,
      external: undefined,
    },
  };
  const target: Target = {
    side: 'bid',
    price: ticks(GRID, 41),
    quantity: shares(20),
    purpose: 'add',
  };
  return requoteVerdict(view, SETTINGS, { order, target });
}

describe('an order one tick behind its target quotes', () => {
  it('keeps the front of its queue rather than the back of a long one', () => {
    const verdict = verdictOn({ ahead: 10, inFrontThere: 5_000 });
    expect(verdict).toMatchObject({ keeps: true, why: 'place_worth_more' });
  });

  it('leaves the back of its queue for the front of the next', () => {
    expect(verdictOn({ ahead: 5_000, inFrontThere: 0 })).toMatchObject({
      keeps: false,
      why: 'move_worth_more',
    });
  });

  it('stays when what it would gain is less than the write', () => {
    expect(verdictOn({ ahead: 10, inFrontThere: 0 })).toMatchObject({ keeps: true });
  });

  it.each([
    ['the volatility is not measured', { varPerSec: undefined }],
    ['nothing trades', { sold: 0 }],
  ])('stays while %s and others stand with it', (_, unknown) => {
    const verdict = verdictOn({ ahead: 100, inFrontThere: 0, ...unknown });
    expect(verdict).toMatchObject({ keeps: true, why: 'not_estimated' });
  });

  it('goes where nobody else stands, since an empty queue has no places', () => {
    expect(verdictOn({ ahead: 0, inFrontThere: 500 })).toMatchObject({
      keeps: false,
      why: 'place_worthless',
    });
  });
});
