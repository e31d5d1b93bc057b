// The network delivers a split or merge twice: it takes effect twice, and cash says so minutes before positions do.

import { describe, expect, it } from 'vitest';
import type { RiskLimits } from '../../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { settings as asSet, MARKET, NO, YES } from '../../../support/engine-driver.ts';
import { ShownAccount } from '../../../support/shown-account.ts';

const { divergence } = RISK_CONTROL_DEFAULTS;

/** Asked for on an account that has so many of both shares. */
function asked(
  action: 'split' | 'merge',
  amount = 100,
  held = 0,
  limits: Partial<RiskLimits> = {},
): ShownAccount {
  return ask(started(held, limits), action, amount);
}

function started(held: number, limits: Partial<RiskLimits> = {}): ShownAccount {
  const account = new ShownAccount();
  for (const token of [YES, NO]) account.held.set(token, held);
  account.start(asSet({ risk: { ...asSet().risk, divergence, ...limits } }));
  return account;
}

function ask(account: ShownAccount, action: 'split' | 'merge', amount: number): ShownAccount {
  account.driver.sets({ id: 'w-1', by: 'test', action, marketId: MARKET, amount: shares(amount) });
  for (const { requestId } of account.driver.take('changeSets')) {
    const outcome = { kind: 'accepted', txHash: '0xabc' } as const;
    account.driver.tell({ kind: 'setsChanged', requestId, outcome });
  }
  account.run(1_000);
  return account;
}

function confirmed({ driver }: ShownAccount): readonly string[] {
  return driver
    .reported('sets.changed')
    .filter(({ state }) => state === 'confirmed')
    .map(({ id }) => id);
}

/** Nothing was held back, and what is known is just what is there. */
function expectKnown(account: ShownAccount, held: number): void {
  const known = { low: `${held}`, expected: `${held}`, high: `${held}` };
  expect(account.position(YES)).toMatchObject(known);
  expect(account.position(NO)).toMatchObject(known);
  expect(account.driver.reported('control.tripped')).toEqual([]);
  expect(account.driver.engine.view().markets[0]?.pnlUsdc).toBe('0.000000');
}

describe('a split that was delivered twice', () => {
  it.each([
    ['at once', 0],
    ['one after the other', 8_000],
  ])('is two, %s, long before positions show them', (_, betweenMs) => {
    const account = asked('split');
    account.cash -= 100;
    account.run(betweenMs);
    account.cash -= 100;
    account.run(16_000);
    expect(confirmed(account)).toEqual(['w-1', 'w-1-twice']);
    expectKnown(account, 200);
    account.run(90_000);
    for (const token of [YES, NO]) account.held.set(token, 200);
    account.run(200_000);
    expectKnown(account, 200);
  });

  it('takes from the book what had the room of the second one', () => {
    const account = asked('split', 200, 0, { maxPositionShares: 430 });
    expect(account.bids()).toHaveLength(1);
    account.cash -= 400;
    account.run(20_000);
    expect(confirmed(account)).toEqual(['w-1', 'w-1-twice']);
    expect(account.driver.reported('limit.cut')).toMatchObject([{ limit: 'max_position_shares' }]);
    expect([...account.bids(YES), ...account.bids(NO)]).toEqual([]);
  });

  it('is one where just what it costs had been lacking before it was asked for', () => {
    const account = started(0, { divergence: { ...divergence, cashUsdc: 0 } });
    account.cash -= 100;
    account.run(10_000);
    ask(account, 'split', 100);
    account.cash -= 100;
    account.run(20_000);
    expect(confirmed(account)).toEqual(['w-1']);
  });

  it('is one amid a cash break that is booked meanwhile', () => {
    const account = started(100, { divergence: { ...divergence, cashUsdc: 0 } });
    account.cash += 30;
    account.run(40_000);
    ask(account, 'merge', 5);
    account.cash += 5;
    account.run(40_000);
    expect(confirmed(account)).toEqual(['w-1']);
    expect(account.driver.reported('cash.adopted')).toMatchObject([{ amountUsdc: '30.000000' }]);
    expect(account.position(YES)).toMatchObject({ expected: '95' });
  });

  it('is one where cash comes back before anybody could know', () => {
    const account = asked('split');
    account.cash -= 100;
    account.run(8_000);
    account.cash -= 100;
    account.run(5_000);
    account.cash += 100;
    account.run(30_000);
    expect(confirmed(account)).toEqual(['w-1']);
    expectKnown(account, 100);
  });

  it('is one where a fill that costs as much may have settled unreported', () => {
    const account = asked('split', 24);
    account.cash -= 24;
    account.run(8_000);
    account.match(account.bid());
    account.matchedUsdc = 24;
    account.run(15_000);
    account.matchedUsdc = 0;
    account.pay(50, 0.48);
    account.run(45_000);
    expect(confirmed(account)).toEqual(['w-1']);
    expect(account.position(YES)).toMatchObject({ expected: '74', pending: '0' });
    expect(account.position(NO)).toMatchObject({ expected: '24' });
  });

  it('is one where one of two orders that cost as much has traded unreported', () => {
    const account = asked('split', 24);
    account.cash -= 24;
    account.run(8_000);
    for (const token of [YES, NO]) account.vanish(account.bid(token));
    account.pay(50, 0.48);
    account.run(30_000);
    expect(confirmed(account)).toEqual(['w-1']);
    for (const token of [YES, NO]) {
      expect(account.position(token)).toMatchObject({ low: '24', expected: '24', high: '74' });
    }
  });

  it('is one where other cash is missing', () => {
    const account = asked('split');
    account.cash -= 100;
    account.run(8_000);
    account.cash -= 99;
    account.run(30_000);
    expect(confirmed(account)).toEqual(['w-1']);
  });
});

describe('a merge that was delivered twice', () => {
  it('is two', () => {
    const account = asked('merge', 100, 300);
    account.cash += 200;
    account.run(16_000);
    expect(confirmed(account)).toEqual(['w-1', 'w-1-twice']);
    expectKnown(account, 100);
  });
});
