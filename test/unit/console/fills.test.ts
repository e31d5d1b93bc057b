// The last fills of a market as the page has them, and what the fair value moved in their favour.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { LastFills } from '../../../src/console/fills.ts';

const MARKET = { marketId: 'm', yesTokenId: '0xa', noTokenId: '0xb' };

function desk() {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const fills = new LastFills(clock);
  const fill = (of: object = {}) => {
    const known = { tokenId: '0xa', side: 'BUY', price: '0.40', quantity: '50', marketId: 'm' };
    fills.onFill(JSON.stringify({ event: 'order.filled', atMs: clock.nowMs(), ...known, ...of }));
  };
  const shown = (fair: string | undefined) => {
    const json = JSON.stringify({ ...MARKET, fair: fair && { price: fair } });
    return JSON.parse(fills.withFills('m', json)).lastFills;
  };
  return { clock, fills, fill, shown };
}

describe('a fill on the page', () => {
  it('has its markouts once 10 s and 60 s have passed', () => {
    const { clock, fill, shown } = desk();
    fill();
    clock.advance(9_000);
    expect(shown('0.43')).toEqual([
      { atMs: 1_000_000, side: 'BUY', tokenId: '0xa', price: '0.40', quantity: '50' },
    ]);
    clock.advance(1_000);
    expect(shown('0.43')[0]).toMatchObject({ after10sUsdc: '0.030000' });
    clock.advance(50_000);
    expect(shown('0.37')[0]).toMatchObject({
      after10sUsdc: '0.030000',
      after60sUsdc: '-0.030000',
    });
  });

  it.each([
    ['BUY', '0xa', '0.40', '0.050000'],
    ['SELL', '0xa', '0.40', '-0.050000'],
    ['BUY', '0xb', '0.60', '-0.050000'],
    ['SELL', '0xb', '0.60', '0.050000'],
  ])('%s of %s at %s is judged on the price of YES', (side, tokenId, price, expected) => {
    const { clock, fill, shown } = desk();
    fill({ side, tokenId, price });
    clock.advance(10_000);
    expect(shown('0.45')[0].after10sUsdc).toBe(expected);
  });

  it('has none where no fair value was told in time', () => {
    const { clock, fill, shown } = desk();
    fill();
    clock.advance(10_000);
    expect(shown(undefined)[0].after10sUsdc).toBeNull();
    clock.advance(70_000);
    expect(shown('0.45')[0].after60sUsdc).toBeNull();
  });

  it('is one however often it is told, and one of twelve at most, the newest first', () => {
    const { clock, fill, shown } = desk();
    fill();
    fill();
    expect(shown('0.4')).toHaveLength(1);
    for (let count = 0; count < 20; count += 1) {
      clock.advance(1);
      fill({ quantity: String(count) });
    }
    expect(shown('0.4')).toHaveLength(12);
    expect(shown('0.4')[0].quantity).toBe('19');
  });

  it('is kept of a thousand markets at most', () => {
    const { fills, fill } = desk();
    for (let at = 0; at < 1_001; at += 1) fill({ marketId: `m${at}` });
    expect(fills.withFills('m0', '{"a":1}')).toBe('{"a":1}');
    expect(fills.withFills('m1000', '{"a":1}')).toContain('lastFills');
  });
});
