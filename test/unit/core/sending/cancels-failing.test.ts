// Batch cancels fail while the venue's other ways to cancel work, or nothing does.

import { describe, expect, it } from 'vitest';
import { level, settings } from '../../../support/engine-driver.ts';
import { TerseVenue } from '../../../support/terse-venue.ts';
import { controlled } from '../../../support/wanted.ts';

type Way = 'names' | 'market' | 'account' | 'reads';

const SETTINGS = { ...settings(), risk: controlled().risk };

const LOST = { kind: 'unknown', cause: 'timeout', detail: 'no answer in time' } as const;

/** The middle moves, so that what rests has to go. */
function moved(venue: TerseVenue): void {
  venue.driver.book(venue.tokenOf(0), [level(38, 500)], [level(42, 500)]);
}

/** Quotes of two markets rest, these ways to cancel fail, and the first market moves. */
function failing(...ways: readonly Way[]): TerseVenue {
  const venue = new TerseVenue(2);
  venue.start(SETTINGS);
  for (const way of ways) venue.failing.add(way);
  venue.bulkCancels.length = 0;
  moved(venue);
  venue.run(4_000);
  return venue;
}

const steps = ({ driver }: TerseVenue) => driver.reported('cancels.escalated').map(({ to }) => to);
const bids = ({ open }: TerseVenue) =>
  [...open.values()].filter(({ side, tokenId }) => side === 'BUY' && tokenId === '0x10');

describe('batch cancels that fail again and again', () => {
  it('are asked for as those of their market, and quoting goes on', () => {
    const venue = failing('names');
    expect(steps(venue)).toEqual(['market']);
    expect(venue.driver.reported('cancels.escalated')).toMatchObject([{ failures: 3 }]);
    expect(venue.bulkCancels).toEqual(['market']);
    expect(bids(venue).map(({ price }) => price)).toEqual([38]);
    expect(venue.sidesOf(1)).toBe(2);
  });

  it('are asked for as those of their market after two seconds, where each failure takes its time', () => {
    const venue = new TerseVenue(2);
    venue.start(SETTINGS);
    venue.failing.add('names');
    /** The answer to what is asked by name comes so late. */
    const answeredAfter = (ms: number): void => {
      venue.holdsNames = true;
      venue.run(ms);
      venue.holdsNames = false;
      venue.run(10);
    };
    venue.bulkCancels.length = 0;
    moved(venue);
    answeredAfter(500);
    expect(steps(venue)).toEqual([]);
    answeredAfter(2_500);
    expect(steps(venue)).toEqual(['market']);
    expect(venue.bulkCancels).toEqual(['market']);
  });

  it('are no reason for broader words where one alone fails, minutes after another one', () => {
    const venue = new TerseVenue(2);
    venue.start(SETTINGS);
    const answeredOnce = (bid: number, isDone: boolean): void => {
      venue.holdsNames = true;
      venue.driver.book(venue.tokenOf(0), [level(bid, 500)], [level(bid + 4, 500)]);
      venue.run(100);
      venue.holdsNames = false;
      for (const { requestId, orderHashes } of venue.driver.take('cancelOrders')) {
        if (isDone) for (const hash of orderHashes) venue.end(hash);
        venue.driver.tell({ kind: 'cancelled', requestId, outcome: LOST });
      }
      venue.run(2_000);
    };
    // The account's channel says that this one is done: nobody asks again.
    answeredOnce(38, true);
    venue.run(120_000);
    answeredOnce(40, false);
    expect(bids(venue).map(({ price }) => price)).toEqual([40]);
    expect(steps(venue)).toEqual([]);
  });

  it('are asked for in no broader words than those that work, however often the market moves', () => {
    const venue = failing('names');
    for (let turn = 0; turn < 12; turn += 1) {
      const bid = 40 + (turn % 3);
      venue.driver.book(venue.tokenOf(0), [level(bid, 500)], [level(bid + 4, 500)]);
      venue.run(1_000);
      expect(bids(venue).map(({ price }) => price)).toEqual([bid]);
    }
    expect(new Set(steps(venue))).toEqual(new Set(['market']));
    expect(venue.driver.engine.view().phase).toBe('quoting');
    expect(venue.sidesOf(1)).toBe(2);
  });

  it('are no broader failure where many were in flight before the first was asked for otherwise', () => {
    const venue = new TerseVenue(6);
    venue.start(SETTINGS);
    venue.failing.add('names');
    venue.holdsNames = true;
    for (let at = 0; at < 6; at += 1) {
      venue.driver.book(venue.tokenOf(at), [level(38, 500)], [level(42, 500)]);
      venue.run(100);
    }
    venue.holdsNames = false;
    venue.run(4_000);
    expect(new Set(steps(venue))).toEqual(new Set(['market']));
    expect(venue.driver.engine.view().phase).toBe('quoting');
    for (let at = 0; at < 6; at += 1) expect(venue.sidesOf(at)).toBe(2);
  });

  describe('that never left', () => {
    /** Each market moves by itself, and nothing that is asked by name leaves for so long. */
    function unsent(forMs: number): TerseVenue {
      const venue = new TerseVenue(6);
      venue.start(SETTINGS);
      venue.holdsNames = true;
      const outcome = { kind: 'notSent', detail: '64 cancels under way' } as const;
      for (let at = 0; at < 6; at += 1) {
        venue.driver.book(venue.tokenOf(at), [level(38, 500)], [level(42, 500)]);
        venue.driver.tick(5);
      }
      venue.run(forMs, () => {
        for (const { requestId } of venue.driver.take('cancelOrders'))
          venue.driver.tell({ kind: 'cancelled', requestId, outcome });
      });
      venue.holdsNames = false;
      venue.run(2_000);
      return venue;
    }

    it('since very many did at once go again by name, and everything else rests', () => {
      const venue = unsent(100);
      expect(steps(venue)).toEqual([]);
      expect(venue.bulkCancels).toEqual(['account']);
      for (let at = 0; at < 6; at += 1) expect(venue.sidesOf(at)).toBe(2);
    });

    it('for two seconds are asked for in broader words', () => {
      expect(steps(unsent(5_000))[0]).toBe('market');
    });
  });

  it('are asked for as those of the account where that fails, too', () => {
    const venue = failing('names', 'market');
    expect(steps(venue).slice(0, 2)).toEqual(['market', 'account']);
    expect(venue.bulkCancels.slice(0, 2)).toEqual(['market', 'account']);
    expect(bids(venue).map(({ price }) => price)).toEqual([38]);
    expect(venue.sidesOf(1)).toBe(2);
  });

  it('have nothing placed where nothing works, until a mass cancel is confirmed', () => {
    const venue = failing('names', 'market', 'account');
    expect(steps(venue).slice(0, 3)).toEqual(['market', 'account', 'halted']);
    expect(venue.driver.engine.view().phase).toBe('clearing');
    const before = venue.writes.length;
    venue.run(30_000, () => moved(venue));
    expect(venue.writes.length).toBe(before);
    venue.failing.clear();
    venue.run(10_000);
    expect(venue.driver.reported('account.swept')).toHaveLength(1);
    expect(bids(venue).map(({ price }) => price)).toEqual([38]);
    expect(venue.sidesOf(1)).toBe(2);
  });

  it('are those of a venue that is down, where reads fail, too: nothing broader is asked for', () => {
    const venue = failing('names', 'market', 'account', 'reads');
    venue.run(8_000);
    expect(steps(venue).filter((to) => to === 'halted')).toEqual([]);
    expect(venue.driver.engine.view().phase).toBe('quoting');
    venue.failing.clear();
    venue.run(8_000);
    expect(bids(venue).map(({ price }) => price)).toEqual([38]);
  });

  it('are those of a venue that is down where many fail at once, before a read has', () => {
    const venue = new TerseVenue(6);
    venue.start(SETTINGS);
    venue.holdsNames = true;
    for (let at = 0; at < 6; at += 1) {
      venue.driver.book(venue.tokenOf(at), [level(38, 500)], [level(42, 500)]);
      venue.driver.tick(5);
    }
    venue.run(100);
    for (const way of ['names', 'market', 'account', 'reads'] as const) venue.failing.add(way);
    venue.holdsNames = false;
    venue.run(8_000);
    expect(steps(venue)).toEqual([]);
    expect(venue.driver.engine.view().phase).toBe('quoting');
    venue.failing.clear();
    venue.run(3_000);
    for (let at = 0; at < 6; at += 1) expect(venue.sidesOf(at)).toBe(2);
  });

  it.each([9_000, 11_000, 13_000, 60_000])(
    'of a venue that was down for %i ms go again as soon as it answers',
    (downMs) => {
      const venue = new TerseVenue(2);
      venue.start(SETTINGS);
      const before = new Set(venue.open.keys());
      for (const way of ['names', 'market', 'account', 'reads'] as const) venue.failing.add(way);
      moved(venue);
      venue.run(downMs);
      venue.failing.clear();
      // A read that failed is made again within a second, and the next list says what rests.
      venue.run(1_500);
      expect(bids(venue).filter(({ orderHash }) => before.has(orderHash))).toEqual([]);
    },
  );

  it('mean orders of nobody else: own ones alone are never asked for in bulk', () => {
    const venue = new TerseVenue(2);
    venue.start({ ...SETTINGS, orders: { ...SETTINGS.orders, scope: 'own' } });
    venue.failing.add('names');
    venue.bulkCancels.length = 0;
    moved(venue);
    venue.run(10_000);
    expect(steps(venue)[0]).toBe('halted');
    expect(venue.bulkCancels).toEqual([]);
    venue.failing.clear();
    venue.run(10_000);
    expect(bids(venue).map(({ price }) => price)).toEqual([38]);
  });

  it('are no more than tried again where one fails now and then', () => {
    const venue = new TerseVenue(2);
    venue.start(SETTINGS);
    for (let turn = 0; turn < 10; turn += 1) {
      venue.failing.add('names');
      const bid = 47 + (turn % 2);
      venue.driver.book(venue.tokenOf(0), [level(bid, 500)], [level(bid + 4, 500)]);
      venue.run(200);
      venue.failing.clear();
      venue.run(5_000);
    }
    expect(steps(venue)).toEqual([]);
    expect(bids(venue).map(({ price }) => price)).toEqual([48]);
  });
});
