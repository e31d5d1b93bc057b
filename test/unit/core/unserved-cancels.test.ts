// A venue whose cancel of everything fails or hangs, while its lists and its cancels by name work.

import { describe, expect, it } from 'vitest';
import { settings } from '../../support/engine-driver.ts';
import { TerseVenue } from '../../support/terse-venue.ts';

function quoting(): TerseVenue {
  const venue = new TerseVenue(2);
  venue.start();
  expect(venue.open.size).toBe(4);
  return venue;
}

describe('a cancel of everything that the venue does not serve', () => {
  it.each(['kill', 'shutdown'] as const)(
    'leaves no order at a %s: each goes by its name',
    (order) => {
      const venue = quoting();
      venue.failing.add('account');
      venue.driver.operator(order);
      venue.run(1_000);
      expect(venue.open.size).toBe(0);
      venue.run(20_000);
      expect(venue.driver.reported('kill.confirmed')).toEqual([]);
      venue.failing.clear();
      venue.run(5_000);
      expect(venue.driver.reported('kill.confirmed')).toMatchObject([{ cancelled: 4 }]);
    },
  );

  it('leaves no order where it is never answered either', () => {
    const venue = quoting();
    venue.driver.operator('kill');
    for (let passedMs = 0; passedMs < 13_000; passedMs += 50) {
      venue.driver.take('cancelAll');
      venue.run(50);
    }
    expect(venue.open.size).toBe(0);
    expect(venue.driver.reported('kill.confirmed')).toEqual([]);
  });

  it('is asked for again at once where nobody can look either', () => {
    const venue = quoting();
    venue.failing.add('account').add('reads');
    venue.driver.operator('kill');
    venue.bulkCancels.length = 0;
    venue.run(1_000);
    expect(venue.bulkCancels.length).toBeGreaterThan(2);
  });

  it('keeps no start from quoting for longer than a list may lack an order', () => {
    const venue = new TerseVenue(2);
    venue.failing.add('account');
    venue.start(settings());
    expect(venue.open.size).toBe(0);
    venue.run(4_000);
    expect(venue.driver.reported('start.cleared')).toHaveLength(1);
    expect(venue.open.size).toBe(4);
  });
});
