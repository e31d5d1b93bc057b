// How long a venue asks us to wait.

import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { retryAfterMs } from '../../../src/venue/http/classify.ts';

const VENUE_NOW_MS = unixMs(Date.UTC(2026, 10, 23, 7, 0, 0));
const wait = (header: string | undefined) => retryAfterMs(header, VENUE_NOW_MS);

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['30', 30_000],
    [' 0.2 ', 200],
    ['99999999999', 600_000],
  ])('names seconds: %s', (header, waitMs) => {
    expect(wait(header)).toBe(waitMs);
  });

  it.each([
    ['Mon, 23 Nov 2026 07:00:30 GMT', 30_000],
    ['Mon, 23 Nov 2026 06:59:00 GMT', 0],
    ['Tue, 24 Nov 2026 07:00:00 GMT', 600_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 600_000],
    ['Monday, 23-Nov-26 07:00:30 GMT', 30_000],
    ['Monday, 23-Nov-26 06:59:00 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Wednesday, 23-Nov-75 07:00:30 GMT', 600_000],
    ['Mon Nov 23 07:00:30 2026', 30_000],
    ['Tue Dec  1 07:00:00 2026', 600_000],
    ['Sun Nov  6 08:49:37 1994', 0],
  ])('names a time of the venue: %s', (header, waitMs) => {
    expect(wait(header)).toBe(waitMs);
  });

  it('is a time of Greenwich, wherever this runs', () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      expect(wait('Mon Nov 23 07:00:30 2026')).toBe(30_000);
      expect(wait('Monday, 23-Nov-26 07:00:30 GMT')).toBe(30_000);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  it.each([
    undefined,
    '',
    'soon',
    '-1',
    '1e9',
    '2026-11-23T07:00:30Z',
    'Mon, 99 Foo 2026 07:00:30 GMT',
    'Mon, 99 Nov 2026 07:00:30 GMT',
    'Mon, 23 Nov 2026 07:00:30 CET',
    'Mon, 23-Nov-26 07:00:30 GMT',
    'Monday, 23-Nov-26 24:00:00 GMT',
    'Mon Nov 23 07:00:30 2026 GMT',
    ' '.repeat(100_000),
    '9'.repeat(100_000),
  ])('is neither, and so says nothing', (header) => {
    expect(wait(header)).toBeUndefined();
  });
});
