// The last reports, for those who look on.

import { expect, it } from 'vitest';
import { RecentEvents } from '../../../src/app/recent-events.ts';
import type { Report } from '../../../src/domain/report.ts';
import { unixMs } from '../../../src/domain/time.ts';

const failure = (detail: string): Report => ({ event: 'venue.read_failed', what: 'book', detail });
const detailsOf = (events: RecentEvents): readonly unknown[] =>
  events.take(10_000).map(({ report }) => 'detail' in report && report.detail);

it('each is taken once, and all of them again by somebody new', () => {
  const events = new RecentEvents();
  for (const detail of ['a', 'b', 'c']) events.add(failure(detail), unixMs(1));
  expect(events.take(2).map(({ report }) => report)).toEqual([failure('a'), failure('b')]);
  expect(detailsOf(events)).toEqual(['c']);
  expect(detailsOf(events)).toEqual([]);
  events.again();
  expect(detailsOf(events)).toEqual(['a', 'b', 'c']);
});

it('what only a search for a fault needs is left out', () => {
  const events = new RecentEvents();
  events.add({ event: 'fair.refused', target: 'x', detail: 'd' }, unixMs(1));
  events.add({ event: 'kill.progress', stillOpen: 1, detail: 'd' }, unixMs(1));
  events.add({ event: 'frame.unrecognised', frameType: 'x', detail: 'debug' }, unixMs(1));
  expect(events.take(10).map(({ report }) => report.event)).toEqual([
    'fair.refused',
    'kill.progress',
  ]);
});

it('they are bounded, and the newest stay', () => {
  const events = new RecentEvents();
  for (let at = 0; at < 10_000; at += 1) {
    events.add(failure(String(at)), unixMs(at));
    if (at === 5_000) events.take(10_000);
  }
  const left = detailsOf(events);
  expect(left.length).toBeLessThan(600);
  expect(left.length).toBeGreaterThanOrEqual(300);
  expect(left.at(-1)).toBe('9999');
});
