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
  ])('names a time of the venue: %s', (header, waitMs) => {
    expect(wait(header)).toBe(waitMs);
  });

  it.each([
    undefined,
    '',
    'soon',
    '-1',
    '1e9',
    '2026-11-23T07:00:30Z',
    'Mon, 99 Foo 2026 07:00:30 GMT',
    ' '.repeat(100_000),
    '9'.repeat(100_000),
  ])('is neither, and so says nothing', (header) => {
    expect(wait(header)).toBeUndefined();
  });
});
