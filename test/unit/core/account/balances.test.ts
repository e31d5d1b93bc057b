// Balances lag what has settled by up to two minutes: what one read of them says of a position.

import { describe, expect, it } from 'vitest';
import { NO, settings, YES } from '../../../support/engine-driver.ts';
import { ShownAccount } from '../../../support/shown-account.ts';

const quoting = () => {
  const account = new ShownAccount().start();
  account.run(2_000);
  return account;
};

/** All of the bid matched: 50 at 48 cents. */
function matched(): ShownAccount {
  const account = quoting();
  account.match(account.bid());
  return account;
}

const closed = (shares: string) => ({ low: shares, expected: shares, high: shares, uncertain: [] });

describe('shares that the account holds at a first start', () => {
  it('are the opening position at once, and cost no quote', () => {
    const account = new ShownAccount();
    account.held.set(YES, 70);
    account.start();
    account.run(1_000);
    expect(account.position()).toMatchObject({ ...closed('70'), sellable: '70' });
    expect(account.open.length).toBeGreaterThanOrEqual(2);
  });
});

describe('a fill that has settled', () => {
  it('stands while balances lag behind it', () => {
    const account = matched();
    account.pay(50, 0.48);
    account.settled(YES, 50, 0.48);
    account.run(100_000);
    expect(account.position()).toMatchObject(closed('50'));
    expect(account.driver.reported('position.differs')).toEqual([]);
  });

  it('is settled where balances show it before anybody says so, and counts once when somebody does', () => {
    const account = matched();
    account.run(1_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '50', sellable: '0' });
    account.pay(50, 0.48);
    account.held.set(YES, 50);
    account.run(6_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '0', sellable: '50' });
    account.settled(YES, 50, 0.48);
    account.run(6_000);
    expect(account.position()).toMatchObject({ ...closed('50'), pending: '0' });
  });

  it('has not settled where balances show its shares by chance: cash, which lags by nothing, has not moved', () => {
    const account = matched();
    account.held.set(YES, 50);
    account.run(10_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '50', sellable: '0' });
    account.pay(50, 0.48);
    account.run(6_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '0', sellable: '50' });
  });

  it('is settled where balances show it, and its settlement named no token', () => {
    const account = matched();
    account.pay(50, 0.48);
    account.settled(undefined, 50, 0.48);
    account.held.set(YES, 50);
    account.run(6_000);
    expect(account.position()).toMatchObject({ expected: '50', pending: '0', sellable: '50' });
  });

  it('is the fill itself where its report comes after it', () => {
    const account = quoting();
    const bid = account.bid();
    account.vanish(bid);
    account.pay(50, 0.48);
    account.settled(YES, 50, 0.48);
    expect(account.position()).toMatchObject({ expected: '50', pending: '0' });
    account.run(1_000);
    account.driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    account.run(10_000);
    expect(account.position()).toMatchObject({ ...closed('50'), pending: '0' });
  });

  it('moves nothing without its token, until balances show which token it was', () => {
    const account = quoting();
    account.settled(undefined, 50, 0.48);
    account.pay(50, 0.48);
    account.run(1_000);
    expect(account.position()).toMatchObject({ expected: '0' });
  });
});

describe('shares that no report explains', () => {
  function shown(amount: number): ShownAccount {
    const account = quoting();
    account.held.set(YES, amount);
    return account;
  }

  it('are nothing yet at one read: an index may show an older number', () => {
    const account = shown(30);
    account.run(5_000);
    account.held.delete(YES);
    account.run(20_000);
    expect(account.position()).toMatchObject(closed('0'));
  });

  it('are uncertain at the second, and quotes go on', () => {
    const account = matched();
    account.pay(50, 0.48);
    account.settled(YES, 50, 0.48);
    account.held.set(YES, 80);
    account.run(20_000);
    expect(account.position()).toMatchObject({ low: '50', expected: '50', high: '80' });
    expect(account.causes()).toEqual(['balances_differ']);
    expect(account.open.length).toBeGreaterThanOrEqual(2);
    expect(account.driver.reported('position.differs')).toHaveLength(1);
  });

  it('are ours once the token was quiet for as long as balances lag, as an inferred fill', () => {
    const account = matched();
    account.pay(50, 0.48);
    account.settled(YES, 50, 0.48);
    account.held.set(YES, 80);
    const { positionLagMs } = settings().timing;
    account.run(positionLagMs - 20_000);
    expect(account.position()).toMatchObject({ low: '50', high: '80' });
    account.run(60_000);
    expect(account.position()).toMatchObject(closed('80'));
    expect(account.driver.reported('position.adopted')).toMatchObject([
      { ours: '50', venues: '80' },
    ]);
    const inferred = account.driver.records.filter(
      (each) => each.kind === 'fill' && each.fill.isInferred === true,
    );
    expect(inferred).toHaveLength(1);
  });

  it('take no cash that the account still has: what is uncertain elsewhere closes by cash as before', () => {
    const account = shown(30);
    account.run(settings().timing.positionLagMs + 40_000);
    expect(account.position()).toMatchObject(closed('30'));
    account.vanish(account.bid(NO));
    account.run(40_000);
    expect(account.causes(NO)).toEqual([]);
  });
});
