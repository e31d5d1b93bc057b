// A settlement that names no token, of a part of a fill or of several fills at once: what it took is counted once.

import { describe, expect, it } from 'vitest';
import type { TokenId } from '../../../../src/domain/ids.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../../src/domain/risk.ts';
import { settings as asSet, NO, YES } from '../../../support/engine-driver.ts';
import { ShownAccount } from '../../../support/shown-account.ts';

const { divergence } = RISK_CONTROL_DEFAULTS;
const PAIR = [YES, NO] as const;

/** All bids match whole: which token a settlement of so many shares is of nobody can say. */
function matched(tokens: readonly TokenId[], levels = 1): ShownAccount {
  const { markets, risk } = asSet();
  const params = { halfSpreadTicks: 2, levels, levelSpacingTicks: 1, size: 50 };
  const account = new ShownAccount().start(
    asSet({ risk: { ...risk, divergence }, markets: markets.map((each) => ({ ...each, params })) }),
  );
  account.run(2_000);
  for (const bid of tokens.flatMap((token) => account.bids(token))) account.match(bid);
  account.run(15_000);
  return account;
}

function shown(account: ShownAccount, quantity: number, tokens: readonly TokenId[] = PAIR): void {
  account.run(40_000);
  for (const token of tokens) account.held.set(token, quantity);
  account.run(20_000);
  for (const token of tokens)
    expect(account.position(token)).toMatchObject({ pending: '0', low: `${quantity}` });
}

/** Cash has been what was known all along: no control minds it, and nothing is booked. */
function objections(account: ShownAccount): readonly unknown[] {
  account.run(200_000);
  const { driver } = account;
  return [...driver.reported('control.tripped'), ...driver.reported('cash.adopted')];
}

describe('settlements without a token', () => {
  it.each([[[20, 30]], [[25, 25]], [[10, 10, 30]]])('are of a fill in parts of %s', (parts) => {
    const account = matched(PAIR);
    account.cash -= 48;
    for (const _ of PAIR) for (const part of parts) account.settled(undefined, part, 0.48);
    shown(account, 50);
    expect(objections(account)).toEqual([]);
    expect(account.driver.engine.view().markets[0]?.pnlUsdc).toBe('2.000000');
  });

  it('are of several fills at once, at the average of their prices', () => {
    const account = matched([YES], 2);
    account.cash -= 47.5;
    account.settled(undefined, 100, 0.475);
    shown(account, 100, [YES]);
    expect(objections(account)).toEqual([]);
  });

  it('are of a part of a fill whose rest settled unreported', () => {
    const account = matched(PAIR);
    account.cash -= 48;
    for (const _ of PAIR) account.settled(undefined, 20, 0.48);
    shown(account, 50);
    expect(objections(account)).toEqual([]);
  });

  it('are of no fill for which cash lacks what it cost', () => {
    const account = matched(PAIR);
    account.cash -= 48;
    for (const part of [20, 30]) account.settled(undefined, part, 0.48);
    account.run(40_000);
    account.held.set(YES, 50);
    account.run(20_000);
    account.held.set(NO, 50);
    account.run(20_000);
    for (const token of PAIR) expect(account.position(token)).toMatchObject({ low: '50' });
    expect(objections(account)).toEqual([]);
  });
});
