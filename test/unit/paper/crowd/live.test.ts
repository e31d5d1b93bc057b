import { Decimal } from 'decimal.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import type { Event } from '../../../../src/domain/market.ts';
import type { BookSide, VenueMessage } from '../../../../src/domain/message.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { microShares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { type Gap, LiveMirror } from '../../../../src/paper/crowd/live.ts';
import { listedEvent } from '../../../support/listed-event.ts';
import { realDesk } from '../../../support/real-desk.ts';

const shares = (count: number) => microShares(count * 1_000_000);

function mirrored(event: Event = listedEvent('rain')) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const { exchange, desk } = realDesk(clock, [event]);
  desk.fund('maker', new Decimal(1_000));
  const gaps: Gap[] = [];
  const mirror = new LiveMirror({
    ...{ desk, events: [event], trader: 'maker' },
    onGap: (gap) => gaps.push(gap),
    onOpen: () => undefined,
  });
  const [market] = event.markets;
  if (market === undefined) throw new Error('an event has a market');
  const [yes, no] = [market.yes.tokenId, market.no.tokenId];
  const at = (price: number) => ticks(event.grid, price);
  const level = ([price, size]: readonly [number, number]) => ({
    price: at(price),
    size: shares(size),
  });
  type Levels = readonly (readonly [number, number])[];
  const book = (bids: Levels, asks: Levels) => ({ bids: bids.map(level), asks: asks.map(level) });
  const snapshot = (tokenId: typeof yes, bids: Levels, asks: Levels) =>
    mirror.take({ kind: 'bookSnapshot', tokenId, ...book(bids, asks), venueTs: undefined });
  return {
    ...{ clock, exchange, desk, gaps, mirror, market, yes, no, book, snapshot },
    delta: (side: BookSide, price: number, size: number) =>
      mirror.take({
        ...{ kind: 'bookDelta', tokenId: yes, side, price: at(price), size: shares(size) },
        venueTs: undefined,
      }),
    trade: (takerSide: Side | undefined, price: number, size: number, tokenId = yes) =>
      mirror.take({
        ...{ kind: 'trade', tokenId, price: at(price), size: shares(size), takerSide },
        venueTs: unixMs(clock.nowMs()),
      }),
    say: (message: VenueMessage) => mirror.take(message),
    open: () => {
      snapshot(yes, [[40, 100]], [[60, 100]]);
      snapshot(no, [[39, 10]], [[61, 10]]);
    },
    /** An own bid for YES. */
    bid: (price: number, size: number) =>
      desk.place('maker', {
        ...{ tokenId: yes, side: 'BUY', price: at(price), quantity: shares(size) },
        timeInForce: 'GTC',
      }),
    own: () => exchange.openOrders(exchange.accounts.named('maker')),
    filled: () =>
      exchange.openOrders(exchange.accounts.named('maker'))[0]?.restingMicro() ?? undefined,
    trading: () => exchange.catalogue.market(market.id).trading,
  };
}

describe('a mirrored market', () => {
  let scene: ReturnType<typeof mirrored>;
  beforeEach(() => {
    scene = mirrored();
  });

  it('is paused until the books of both its tokens have come', () => {
    expect(scene.trading()).toBe('paused');
    expect(scene.bid(40, 10)).toEqual({ kind: 'refused', code: 'market_paused' });
    scene.snapshot(scene.yes, [[40, 100]], [[60, 100]]);
    expect(scene.trading()).toBe('paused');
    expect(scene.mirror.missing()).toEqual([scene.no]);
    scene.snapshot(scene.no, [], []);
    expect(scene.trading()).toBe('open');
    expect(scene.gaps).toEqual([]);
  });

  it('fills an own order behind the size that is shown, by trades alone', () => {
    scene.open();
    scene.bid(40, 10);
    scene.trade('SELL', 40, 100);
    expect(scene.filled()).toBe(shares(10));
    scene.trade('SELL', 40, 4);
    expect(scene.filled()).toBe(shares(6));
    scene.trade(undefined, 40, 50);
    expect(scene.filled()).toBe(shares(6));
  });

  it('counts a trade that is told for both tokens once', () => {
    scene.open();
    scene.bid(45, 10);
    scene.trade('SELL', 45, 4);
    scene.trade('BUY', 55, 4, scene.no);
    expect(scene.filled()).toBe(shares(6));
  });

  it('ends own orders at a gap, and fills none of them when the book comes back beyond their price', () => {
    scene.open();
    scene.bid(45, 10);
    scene.say({ kind: 'socketLost', reason: 'closed: 1006' });
    expect(scene.own()).toEqual([]);
    expect(scene.trading()).toBe('paused');
    expect(scene.gaps).toEqual([
      { marketId: scene.market.id, why: 'socket lost: closed: 1006', ordersEnded: 1 },
    ]);
    scene.delta('ask', 30, 50);
    scene.trade('SELL', 30, 50);
    scene.snapshot(scene.yes, [[25, 100]], [[30, 100]]);
    scene.snapshot(scene.no, [[69, 10]], []);
    expect(scene.trading()).toBe('open');
    scene.clock.advance(60_000);
    const account = scene.exchange.accounts.named('maker');
    expect(account.trades.newest(1)).toEqual([]);
  });

  it('takes no change for a book that has not come', () => {
    scene.delta('bid', 50, 10);
    scene.snapshot(scene.yes, [[40, 100]], []);
    expect(scene.desk.levels(scene.yes, 'bid')).toHaveLength(1);
  });

  it('has a gap where a frame of its book cannot be read', () => {
    scene.open();
    scene.say({ kind: 'bookUnreadable', tokenId: scene.no, detail: 'cut short' });
    expect(scene.trading()).toBe('paused');
    expect(scene.gaps[0]?.why).toBe('unreadable: cut short');
  });

  it('has a gap where two reads in a row find the same level wrong, and none where it was moving', () => {
    scene.open();
    const other = scene.book([[40, 90]], [[60, 100]]);
    expect(scene.mirror.audit(scene.yes, other)).toBe(false);
    scene.delta('bid', 40, 90);
    expect(scene.mirror.audit(scene.yes, other)).toBe(true);
    const wrong = scene.book([[40, 90]], []);
    expect(scene.mirror.audit(scene.yes, wrong)).toBe(false);
    expect(scene.trading()).toBe('open');
    expect(scene.mirror.audit(scene.yes, wrong)).toBe(false);
    expect(scene.trading()).toBe('paused');
    expect(scene.mirror.missing()).toContain(scene.yes);
  });

  it('follows a pause and its end, and does not stay paused where a gap may have hidden the end', () => {
    scene.open();
    scene.say({ kind: 'marketStatus', tokenId: scene.yes, status: 'paused', word: 'PAUSE' });
    expect(scene.trading()).toBe('paused');
    scene.say({ kind: 'socketLost', reason: 'silent' });
    scene.open();
    expect(scene.trading()).toBe('open');
  });

  it('trades again where takers trade behind a pause whose end nobody announced', () => {
    scene.open();
    scene.trade('BUY', 60, 1);
    scene.say({ kind: 'marketStatus', tokenId: scene.yes, status: 'paused', word: 'PAUSE' });
    scene.clock.advance(500);
    scene.trade('BUY', 60, 1);
    expect(scene.trading()).toBe('paused');
    scene.clock.advance(2_000);
    scene.trade(undefined, 60, 1);
    expect(scene.trading()).toBe('paused');
    scene.trade('BUY', 60, 1);
    expect(scene.trading()).toBe('open');
    scene.say({ kind: 'marketStatus', tokenId: scene.yes, status: 'resolved', word: 'RESOLVED' });
    scene.clock.advance(5_000);
    scene.trade('BUY', 60, 1);
    expect(scene.trading()).toBe('closed');
  });

  it('moves to another tick grid with its event, and waits for new books', () => {
    scene.open();
    scene.bid(45, 10);
    const finer = { ...listedEvent('rain', 1, '0.001') };
    expect(scene.mirror.listed(finer)).toBe(true);
    expect(scene.own()).toEqual([]);
    expect(scene.trading()).toBe('paused');
    expect(scene.desk.events()[0]?.grid.tickSize).toBe('0.001');
    expect(scene.mirror.listed(finer)).toBe(false);
  });

  it('is closed when it has resolved, and pays out when the winner is known', () => {
    scene.open();
    const [market] = scene.desk.events()[0]?.markets ?? [];
    if (market === undefined) throw new Error('no market');
    scene.mirror.listed({ ...listedEvent('rain'), markets: [{ ...market, status: 'resolved' }] });
    expect(scene.trading()).toBe('closed');
    expect(scene.mirror.unsettled().map((each) => each.market.id)).toEqual([scene.market.id]);
    scene.mirror.settle(scene.market.id, scene.no);
    expect(scene.trading()).toBe('resolved');
    expect(scene.exchange.catalogue.market(scene.market.id).winner).toBe(0);
    expect(scene.mirror.unsettled()).toEqual([]);
  });
});
