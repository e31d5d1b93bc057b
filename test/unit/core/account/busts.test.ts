// A settlement failed on the chain, and the frame names neither order nor token.

import { describe, expect, it } from 'vitest';
import { marketId } from '../../../../src/domain/ids.ts';
import { NO, settings, YES } from '../../../support/engine-driver.ts';
import { ShownAccount } from '../../../support/shown-account.ts';

const ladder = (change: object) => {
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50, ...change };
  return settings({ markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }] });
};

/** Bids of YES and NO rest at 48 cents. */
function quoting(change: object = {}): ShownAccount {
  const account = new ShownAccount().start(ladder(change));
  account.run(2_000);
  return account;
}

const view = ({ driver }: ShownAccount) => driver.engine.view().markets[0];

describe('a bust that can be of one fill only', () => {
  it('takes its shares and their cash back', () => {
    const account = quoting();
    account.match(account.bid());
    expect(account.position().expected).toBe('50');
    account.failed(50);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '0' });
    expect(view(account)?.pnlUsdc).toBe('0.000000');
  });
});

describe('a bust of no shares', () => {
  it('takes nothing back, and leaves its order to settle', () => {
    const account = quoting();
    account.match(account.bid());
    account.failed(0, 'BUY', marketId(YES));
    account.pay(50, 0.48);
    account.settled(YES, 50, 0.48);
    const { ordersByState } = account.driver.engine.view();
    expect(ordersByState).toMatchObject({ filled: 1, cancelUnresolved: 0 });
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '50' });
  });
});

describe('a bust that may be of either token', () => {
  function either(): ShownAccount {
    const account = quoting();
    for (const token of [YES, NO]) account.match(account.bid(token));
    account.failed(50);
    return account;
  }

  it('is uncertain on each, and takes nothing from either', () => {
    const account = either();
    for (const token of [YES, NO]) {
      expect(account.position(token)).toMatchObject({ low: '0', expected: '50', high: '50' });
      expect(account.causes(token)).toEqual(['trade_failed']);
    }
  });

  it('is of the other one once the shares of one have settled', () => {
    const account = either();
    account.pay(50, 0.48);
    account.settled(YES, 50, 0.48);
    expect(account.position(YES)).toMatchObject({ low: '50', expected: '50', high: '50' });
    expect(account.position(NO)).toMatchObject({ low: '0', expected: '0', high: '0' });
  });

  it('stops no quotes', () => {
    const account = either();
    account.run(10_000);
    expect([account.bids(YES).length, account.bids(NO).length]).toEqual([1, 1]);
  });
});

describe('a bust that is reported twice', () => {
  it('takes back no more than was pending', () => {
    const account = quoting();
    account.match(account.bid());
    account.failed(50);
    account.failed(50);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '0' });
  });

  it('may be one of a part or two: the second is uncertain, and both ends are in limits', () => {
    const account = quoting({ size: 100 });
    account.match(account.bid());
    account.failed(30);
    expect(account.position()).toMatchObject({ low: '70', expected: '70', high: '70' });
    account.failed(30);
    expect(account.position()).toMatchObject({ low: '40', expected: '70', high: '70' });
    expect(account.causes()).toEqual(['trade_failed']);
  });

  it('of a part, is one where the rest settles', () => {
    const account = quoting({ size: 100 });
    account.match(account.bid());
    account.failed(30);
    account.failed(30);
    account.pay(70, 0.48);
    account.settled(YES, 70, 0.48);
    expect(account.position()).toMatchObject({ low: '70', expected: '70', high: '70' });
  });

  it('of one of two fills of its size, leaves the truth of one bust inside the interval', () => {
    const account = quoting({ levels: 2 });
    const bids = account.bids();
    expect(bids).toHaveLength(2);
    for (const each of bids) account.match(each);
    account.failed(50);
    account.failed(50);
    const { low, high } = account.position();
    expect(Number(low)).toBeLessThanOrEqual(50);
    expect(Number(high)).toBeGreaterThanOrEqual(50);
  });

  it('after more than a second, is another one', () => {
    const account = quoting({ size: 100 });
    account.match(account.bid());
    account.failed(30);
    account.run(1_500);
    account.failed(30);
    expect(account.position()).toMatchObject({ low: '40', expected: '40', high: '40' });
  });
});

describe('two busts in one millisecond', () => {
  it('are each uncertain by themselves: the first of several orders may rest again', () => {
    const account = quoting({ levels: 2 });
    for (const each of account.bids()) account.match(each);
    account.failed(50);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '100' });
    account.failed(50);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '50' });
    expect(account.causes()).toEqual(['order_restored']);
  });
});
