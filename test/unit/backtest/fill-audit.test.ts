import { describe, expect, it } from 'vitest';
import { FillAudit } from '../../../src/backtest/fill-audit.ts';
import { intentId, orderHash, requestId, tokenId } from '../../../src/domain/ids.ts';
import type { BookSide, VenueMessage } from '../../../src/domain/message.ts';
import type { OrderStatus, Side } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';

const YES = tokenId('0x1');
const GRID = tickGrid('0.01');
const at = (price: number) => ticks(GRID, price);

/** One bid of ours of 50 at 40, behind what the book shows there. */
class Scene {
  readonly #audit = new FillAudit();
  #nowMs = 1;

  constructor(ahead: number) {
    this.tell({
      ...{ kind: 'bookSnapshot', tokenId: YES, venueTs: undefined },
      bids: [{ price: at(40), size: shares(ahead) }],
      asks: [{ price: at(60), size: shares(100) }],
    });
    const order = { intentId: 'i-1', tokenId: YES, side: 'BUY', price: 40, quantity: 50e6 };
    this.#audit.commands([{ kind: 'placeOrders', orders: [order] }]);
    // Its own frame comes before the answer.
    this.level('bid', 40, ahead + 50);
    const accepted = { kind: 'accepted', orderHash: orderHash('0xa') } as const;
    const outcomes = [{ intentId: intentId('i-1'), outcome: accepted }];
    this.tell({ kind: 'placed', requestId: requestId(1), outcomes });
  }

  tell(message: VenueMessage): void {
    this.#audit.input({ kind: 'venue', atMs: unixMs(this.#nowMs), message });
  }

  pass(durationMs: number): void {
    this.#nowMs += durationMs;
  }

  level(side: BookSide, price: number, size: number): void {
    const change = { side, price: at(price), size: shares(size), venueTs: undefined };
    this.tell({ kind: 'bookDelta', tokenId: YES, ...change });
  }

  trade(price: number, size: number, takerSide?: Side): void {
    const trade = { price: at(price), size: shares(size), takerSide, venueTs: undefined };
    this.tell({ kind: 'trade', tokenId: YES, ...trade });
  }

  update(status: OrderStatus, filled: number, remaining?: number): void {
    const order = { orderHash: orderHash('0xa'), tokenId: YES, marketId: undefined };
    const left = remaining === undefined ? undefined : shares(remaining);
    const told = { status, filledQuantity: shares(filled), remaining: left };
    this.tell({
      kind: 'orderUpdate',
      update: { ...order, side: 'BUY', price: at(40), ...told },
    });
  }

  get report() {
    return this.#audit.report();
  }

  /** Of the models from none to all of the cancels. */
  get modelled() {
    return this.report.total.modelled;
  }
}

describe('what a queue model gives an own order', () => {
  it('begins where everything that stood ahead of it has traded', () => {
    const scene = new Scene(100);
    scene.trade(40, 80, 'SELL');
    expect(scene.modelled).toEqual([0, 0, 0, 0, 0]);
    scene.trade(40, 50, 'SELL');
    expect(scene.modelled).toEqual([30, 30, 30, 30, 30]);
    scene.trade(40, 500, 'SELL');
    expect(scene.modelled).toEqual([50, 50, 50, 50, 50]);
  });

  it('is sooner where what was cancelled is taken to have stood ahead', () => {
    const scene = new Scene(100);
    scene.level('bid', 40, 70);
    scene.pass(2_000);
    scene.trade(40, 60, 'SELL');
    expect(scene.modelled).toEqual([0, 0, 0, 20, 40]);
  });

  it.each(['level', 'trade'] as const)('is the same where the %s is told first', (first) => {
    const scene = new Scene(10);
    if (first === 'level') scene.level('bid', 40, 32);
    scene.trade(40, 28, 'SELL');
    if (first === 'trade') scene.level('bid', 40, 32);
    expect(scene.modelled).toEqual([18, 18, 18, 18, 18]);
  });

  it('has no more ahead than the level shows, though the conservative one says otherwise', () => {
    const scene = new Scene(100);
    scene.level('bid', 40, 50);
    scene.level('bid', 40, 10);
    scene.pass(2_000);
    scene.trade(40, 30, 'SELL');
    expect(scene.modelled).toEqual([0, 20, 20, 30, 30]);
  });

  it.each(['trade first', 'book first'])(
    'counts a trade once, whose two frames come: %s',
    (order) => {
      const scene = new Scene(100);
      if (order === 'trade first') scene.trade(40, 60, 'SELL');
      scene.level('bid', 40, 90);
      if (order === 'book first') scene.trade(40, 60, 'SELL');
      expect(scene.modelled).toEqual([0, 0, 0, 0, 0]);
      scene.trade(40, 60, 'SELL');
      expect(scene.modelled).toEqual([20, 20, 20, 20, 20]);
    },
  );

  it('is all of it where a trade went beyond its price', () => {
    const scene = new Scene(100);
    scene.trade(39, 1, 'SELL');
    expect(scene.modelled).toEqual([50, 50, 50, 50, 50]);
  });

  it.each([
    ['another price', 41, 'SELL'],
    ['the other side', 40, 'BUY'],
    ['its price that only repeats another frame', 40, undefined],
  ] as const)('is nothing for a trade at %s', (_, price, taker) => {
    const scene = new Scene(0);
    scene.trade(price, 500, taker);
    expect(scene.modelled).toEqual([0, 0, 0, 0, 0]);
  });

  it('has the trade that filled it, though it is told a moment later', () => {
    const scene = new Scene(0);
    scene.update('MATCHED', 50, 0);
    scene.trade(40, 50, 'SELL');
    expect(scene.report.total).toMatchObject({ filled: 50, modelled: [50, 50, 50, 50, 50] });
    const late = new Scene(0);
    late.update('MATCHED', 50, 0);
    late.pass(2_000);
    late.trade(40, 50, 'SELL');
    expect(late.report.total).toMatchObject({ filled: 50, modelled: [0, 0, 0, 0, 0] });
  });

  it('ends with the order', () => {
    const scene = new Scene(0);
    scene.update('CANCELLED', 0, 0);
    scene.trade(40, 500, 'SELL');
    expect(scene.report.total).toMatchObject({ orders: 1, filled: 0, modelled: [0, 0, 0, 0, 0] });
  });
});

describe('what really was filled', () => {
  it.each([
    ['a partial fill by its quantity', 'PARTIALLY_FILLED', 20, undefined, 20],
    ['a partial fill by what is left', 'PARTIALLY_FILLED', 0, 35, 15],
    ['a whole one that names no quantity', 'MATCHED', 0, undefined, 50],
    ['none of what was cancelled', 'CANCELLED', 10, 40, 10],
  ] as const)('is %s', (_, status, filled, remaining, expected) => {
    const scene = new Scene(0);
    scene.update(status, filled, remaining);
    expect(scene.report.total.filled).toBe(expected);
  });
});

describe('the part of the cancels that fits', () => {
  it('lies between the models that fill less and more', () => {
    const scene = new Scene(100);
    scene.level('bid', 40, 70);
    scene.pass(2_000);
    scene.trade(40, 60, 'SELL');
    scene.update('PARTIALLY_FILLED', 30);
    expect(scene.report.cancelPart).toBeCloseTo(0.875, 9);
  });

  it('is not known where less was filled than trades alone would have, or more than all could', () => {
    const less = new Scene(0);
    less.trade(40, 60, 'SELL');
    expect(less.report.cancelPart).toBeUndefined();
    const more = new Scene(100);
    more.update('MATCHED', 0);
    expect(more.report.cancelPart).toBeUndefined();
  });

  it('has the groups of what stood ahead, and leaves out what was sent without a book', () => {
    expect(new Scene(0).report.groups.map(({ orders }) => orders)).toEqual([1, 0, 0, 0]);
    expect(new Scene(300).report.groups.map(({ orders }) => orders)).toEqual([0, 0, 1, 0]);
    const audit = new FillAudit();
    const order = { intentId: 'i-1', tokenId: YES, side: 'BUY', price: 40, quantity: 50e6 };
    audit.commands([{ kind: 'placeOrders', orders: [order] }, { kind: 'cancelAll' }]);
    const accepted = { kind: 'accepted', orderHash: orderHash('0xa') } as const;
    const outcomes = [{ intentId: intentId('i-1'), outcome: accepted }];
    const message = { kind: 'placed', requestId: requestId(1), outcomes } as const;
    audit.input({ kind: 'venue', atMs: unixMs(1), message });
    expect(audit.report()).toMatchObject({ unseen: 1, total: { orders: 0 } });
  });
});
