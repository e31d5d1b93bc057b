import { describe, expect, it } from 'vitest';
import { ExternalFeed } from '../../../../src/core/fair/external.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const NOW = 1_700_000_000_000;
const at = (afterMs: number) => unixMs(NOW + afterMs);
const price = (value: number, afterMs = 0) => ({
  price: value,
  logOddsVar: undefined,
  atMs: at(afterMs),
});

describe('the external price of a market', () => {
  it('counts until it is too old, and its source goes on being described', () => {
    const feed = new ExternalFeed();
    expect(feed.sourceAt(at(0))).toBeUndefined();
    expect(feed.take(price(0.4))).toBe('taken');
    expect(feed.at(at(1_000), 1_000)?.price).toBe(0.4);
    expect(feed.at(at(1_001), 1_000)).toBeUndefined();
    expect(feed.sourceAt(at(1_001))).toEqual({ ageMs: 1_001, fault: undefined });
  });

  it.each([0, 1, -0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY])('is never %d', (value) => {
    const feed = new ExternalFeed();
    expect(feed.take(price(value))).toBe('refused');
    expect(feed.at(at(0), 1_000)).toBeUndefined();
  });

  it('is not replaced by an older statement, and not news when it is stated again', () => {
    const feed = new ExternalFeed();
    feed.take(price(0.4, 10));
    expect(feed.take(price(0.5, 9))).toBe('refused');
    expect(feed.take(price(0.4, 10))).toBe('same');
    expect(feed.at(at(10), 1_000)?.price).toBe(0.4);
  });

  it('stays while its source is only down, and goes when it is withdrawn', () => {
    const feed = new ExternalFeed();
    feed.take(price(0.4));
    expect(feed.fail({ detail: 'cut', isWithdrawn: false })).toBe(true);
    expect(feed.at(at(1), 1_000)?.price).toBe(0.4);
    expect(feed.fail({ detail: 'nonsense', isWithdrawn: true })).toBe(true);
    expect(feed.at(at(1), 1_000)).toBeUndefined();
    expect(feed.sourceAt(at(1))).toEqual({ ageMs: undefined, fault: 'nonsense' });
  });

  it('may be an older statement of another source after it was withdrawn', () => {
    const feed = new ExternalFeed();
    feed.take(price(0.4, 100));
    feed.fail({ detail: 'taken out', isWithdrawn: true });
    expect(feed.take(price(0.6, 50))).toBe('taken');
    expect(feed.sourceAt(at(100))).toEqual({ ageMs: 50, fault: undefined });
  });
});
