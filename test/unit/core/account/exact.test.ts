// What is uncertain closes where cash and locks agree with the books to the micro-dollar, or differ by just
// its cost. No other sums are looked for.

import { describe, expect, it } from 'vitest';
import { NO, YES } from '../../../support/engine-driver.ts';
import { ShownAccount } from '../../../support/shown-account.ts';

/** Two bids of 50 at 48 cents rest; that of YES leaves the lists without a report. */
function vanished(): ShownAccount {
  const account = new ShownAccount().start();
  account.run(2_000);
  expect(account.bids(NO)).toHaveLength(1);
  account.vanish(account.bid());
  return account;
}

const money = ({ driver }: ShownAccount) => driver.engine.view().markets[0]?.pnlUsdc;

describe('an order that vanished without a report', () => {
  it('may have traded until balances are read: nothing of it is expected, all of it is in limits', () => {
    const account = vanished();
    account.cash -= 1;
    account.run(10_000);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '50' });
    expect(account.causes()).toEqual(['order_end']);
  });

  it('has not traded where cash and locks agree with the books', () => {
    const account = vanished();
    account.run(20_000);
    expect(account.driver.reported('order.filled')).toEqual([]);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '0' });
  });

  it('has traded where it is all that is uncertain and cash differs by just its cost', () => {
    const account = vanished();
    account.pay(50, 0.48);
    account.run(20_000);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '50' });
    account.held.set(YES, 50);
    account.run(20_000);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '50' });
    expect(money(account)).toBe('1.000000');
    account.settled(YES, 50, 0.48);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '50' });
  });

  it('has traded where cash says so while shares of another token, which an index takes back, count in limits', () => {
    const account = new ShownAccount().start();
    account.run(2_000);
    account.match(account.bid(NO));
    account.pay(50, 0.48);
    account.settled(NO, 50, 0.48);
    account.held.set(NO, 50);
    account.run(170_000);
    account.held.set(NO, 0);
    account.run(170_000);
    expect(account.causes(NO)).toEqual(['balances_differ']);
    account.vanish(account.bid());
    account.pay(50, 0.48);
    account.run(20_000);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '50' });
    expect(account.causes(NO)).toEqual(['balances_differ']);
  });

  it.each([23.99, 24.01, 12, 48])('stays uncertain where cash differs by %d', (cost) => {
    const account = vanished();
    account.cash -= cost;
    account.run(20_000);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '50' });
  });

  /** Something else is missing from cash; the first bid was sent before that was seen, the second one after it. */
  function twiceVanished(): ShownAccount {
    const account = new ShownAccount().start();
    account.run(2_000);
    account.cash -= 1;
    account.run(10_000);
    account.vanish(account.bid());
    account.run(10_000);
    account.vanish(account.bid());
    return account;
  }

  it('has not traded where cash lacks now just what it lacked before the order was sent', () => {
    const account = twiceVanished();
    account.run(20_000);
    expect(account.causes()).toEqual(['order_end']);
  });

  it('may have traded where another sum is missing by then', () => {
    const account = twiceVanished();
    account.cash -= 1;
    account.run(20_000);
    expect(account.causes()).toEqual(['order_end', 'order_end']);
  });

  it('keeps the quotes of both sides at work, however long it stays uncertain', () => {
    const account = vanished();
    account.cash -= 1;
    account.run(40_000);
    expect(account.causes()).toEqual(['order_end']);
    expect([account.bids(YES).length, account.bids(NO).length]).toEqual([1, 1]);
  });

  it('stays uncertain while a placement has no answer: cash and locks may be of that', () => {
    const account = vanished();
    account.isAnswering = false;
    account.run(15_000);
    expect(account.causes()).toEqual(['order_end']);
    account.isAnswering = true;
    account.run(20_000);
    expect(account.causes()).toEqual([]);
  });

  it('stays uncertain while cash is locked that no known order locks', () => {
    const account = vanished();
    const listed = account.open;
    account.run(2_000);
    account.open = listed;
    account.run(1_000);
    expect(account.position().expected).toBe('0');
  });
});

describe('two orders that vanished without a report', () => {
  function both(): ShownAccount {
    const account = vanished();
    account.vanish(account.bid(NO));
    return account;
  }

  it('have both not traded where cash and locks agree', () => {
    const account = both();
    account.run(20_000);
    expect([account.causes(YES), account.causes(NO)]).toEqual([[], []]);
  });

  it.each([24, 48])('stay uncertain where cash differs by %d: no sums are searched', (cost) => {
    const account = both();
    account.cash -= cost;
    account.run(20_000);
    for (const token of [YES, NO]) {
      expect(account.position(token)).toMatchObject({ low: '0', expected: '0', high: '50' });
    }
  });
});

describe('a fill that settled and was not reported', () => {
  function unreported(): ShownAccount {
    const account = new ShownAccount().start();
    account.run(2_000);
    account.match(account.bid());
    account.vanish(account.bid(NO));
    account.pay(50, 0.48);
    return account;
  }

  it('has settled after half a minute where cash lacks its cost, long before balances show its shares', () => {
    const account = unreported();
    account.run(25_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '50' });
    account.run(20_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '0' });
  });

  it('keeps nothing else uncertain', () => {
    const account = unreported();
    account.run(45_000);
    expect(account.causes(NO)).toEqual([]);
  });

  it('counts once when its settlement is told after all', () => {
    const account = unreported();
    account.run(45_000);
    account.settled(YES, 50, 0.48);
    account.held.set(YES, 50);
    account.run(10_000);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '50' });
    expect(money(account)).toBe('1.000000');
  });

  it('waits where cash lacks something else', () => {
    const account = unreported();
    account.cash += 1;
    account.run(45_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '50' });
  });
});

/** The bid of YES has matched, and reads have shown that its lock stays until it settles. */
function keepingLocks(): ShownAccount {
  const account = new ShownAccount().start();
  account.run(2_000);
  account.match(account.bid());
  account.matchedUsdc = 24;
  account.run(20_000);
  return account;
}

describe('a settlement that names no token, where a match keeps its lock until it settles', () => {
  it('has let go of the cash of its fill, and keeps nothing else uncertain', () => {
    const account = keepingLocks();
    account.match(account.bid(NO));
    // Both cost the same: nobody knows yet which of them has settled, and balances are late.
    account.settled(undefined, 50, 0.48);
    account.pay(50, 0.48);
    account.run(3_000);
    expect(account.position().pending).toBe('50');
    account.vanish(account.bid());
    account.run(15_000);
    expect(account.causes()).toEqual([]);
    expect(account.position()).toMatchObject({ expected: '50', high: '50' });
  });
});

describe('a settlement that names no token, of a trade that is not ours', () => {
  it('is of no fill that matches later, whose lock is no proof that another order still rests', () => {
    const account = new ShownAccount().start();
    account.settled(undefined, 50, 0.48);
    account.pay(50, 0.48);
    account.run(5_000);
    account.match(account.bid());
    account.matchedUsdc = 24;
    account.run(10_000);
    account.vanish(account.bid(NO));
    account.run(15_000);
    expect(account.position().pending).toBe('50');
    expect(account.bids(NO)).toHaveLength(1);
  });
});

describe('a settlement that names no token, and comes before its fill is reported', () => {
  it('keeps that fill from being taken back', () => {
    const account = keepingLocks();
    account.settled(YES, 50, 0.48);
    account.pay(50, 0.48);
    account.held.set(YES, 50);
    account.matchedUsdc = 0;
    account.run(3_000);
    account.settled(undefined, 50, 0.48);
    account.pay(50, 0.48);
    account.run(500);
    account.match(account.bid(NO));
    account.run(60_000);
    expect(account.position(NO)).toMatchObject({ expected: '50', pending: '50' });
  });
});

describe('settlements that name no token, each of a part of a fill', () => {
  it('keep that fill from being taken back', () => {
    const account = keepingLocks();
    account.settled(YES, 50, 0.48);
    account.pay(50, 0.48);
    account.held.set(YES, 50);
    account.matchedUsdc = 0;
    account.run(3_000);
    account.match(account.bid(NO));
    account.matchedUsdc = 24;
    account.run(5_000);
    for (const part of [20, 30]) {
      account.settled(undefined, part, 0.47);
      account.pay(part, 0.47);
    }
    account.matchedUsdc = 0;
    account.run(60_000);
    expect(account.position(NO)).toMatchObject({ expected: '50', high: '50' });
  });
});

describe('fills that failed, where a match keeps its lock until it settles', () => {
  /** Both bids matched, the second one a moment ago. */
  function twice(): ShownAccount {
    const account = keepingLocks();
    account.match(account.bid(NO));
    account.matchedUsdc = 48;
    account.run(2_000);
    return account;
  }

  it.each(['is reported', 'is not reported'])(
    'are taken back after half a minute, and keep nothing uncertain, where that %s',
    (told) => {
      const account = twice();
      for (let count = 0; count < 2; count += 1) if (told === 'is reported') account.failed(50);
      account.matchedUsdc = 0;
      account.run(45_000);
      for (const token of [YES, NO]) {
        expect(account.position(token)).toMatchObject({ low: '0', expected: '0', high: '0' });
      }
    },
  );

  it('are taken back alone where another one, a younger one, is locked', () => {
    const account = twice();
    account.matchedUsdc = 24;
    account.run(45_000);
    expect([account.position().pending, account.position(NO).pending]).toEqual(['0', '50']);
  });

  it('stay pending as long as they may settle', () => {
    const account = twice();
    account.matchedUsdc = 0;
    account.run(6_000);
    expect([account.position().pending, account.position(NO).pending]).toEqual(['50', '50']);
  });

  it.each([24.01, 48])('stay pending while %d is locked beyond what rests', (locked) => {
    const account = twice();
    account.matchedUsdc = locked;
    account.run(45_000);
    expect([account.position().pending, account.position(NO).pending]).toEqual(['50', '50']);
  });

  it('stay pending while one is late to settle and an order that costs as much has gone unreported', () => {
    const account = keepingLocks();
    account.run(16_000);
    account.vanish(account.bid(NO));
    account.run(20_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '50' });
    expect(account.causes(NO)).toEqual([]);
  });

  it('stay pending while cash lacks what nobody knows of', () => {
    const account = twice();
    account.matchedUsdc = 0;
    account.cash -= 1;
    account.run(45_000);
    expect([account.position().pending, account.position(NO).pending]).toEqual(['50', '50']);
  });

  it('stay pending where cash agrees only as what it lacked was booked as it was', () => {
    const account = twice();
    account.matchedUsdc = 0;
    // Both settled, a frame of each was lost, and a dollar is missing besides.
    account.cash -= 2 * 50 * 0.48 + 1;
    account.run(100_000);
    expect(account.driver.reported('cash.adopted')).toHaveLength(1);
    expect([account.position().pending, account.position(NO).pending]).toEqual(['50', '50']);
  });

  it('are told apart by a settlement, also when locks have spoken for the order of an earlier one', () => {
    const account = keepingLocks();
    account.match(account.bid());
    // One of two orders of YES: which of them rests again is not known, until locks say that none does.
    account.failed(50);
    account.match(account.bid(NO));
    account.failed(50);
    account.matchedUsdc = 48;
    account.run(5_000);
    expect(account.causes()).toEqual(['trade_failed']);
    account.settled(NO, 50, 0.48);
    expect(account.position()).toMatchObject({ low: '0', expected: '0', high: '0' });
  });
});
