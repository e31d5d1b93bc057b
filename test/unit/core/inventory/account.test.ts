// Cash between reads: what settlements explain, in whatever order reads and frames come.

import { describe, expect, it } from 'vitest';
import { Account } from '../../../../src/core/inventory/account.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances } from '../../../support/engine-driver.ts';

const NANO = 1_000_000_000;

function read(account: Account, cash: number, askedAtMs: number): string {
  const value = balances({ cashBalance: usdc(cash), availableBalance: usdc(cash) });
  return account.onBalances(value, unixMs(askedAtMs));
}

function begun(): Account {
  const account = new Account();
  read(account, 100, 1_000);
  return account;
}

describe('a settlement told of while a read is on its way', () => {
  it.each([
    ['that shows it', 90],
    ['that does not show it yet', 100],
  ])('is no surprise to the read %s, nor to the next one', (_, cash) => {
    const account = begun();
    account.onFlow(-10 * NANO, unixMs(2_050));
    expect(read(account, cash, 2_000)).toBe('agrees');
    expect(account.cashNano).toBe(90 * NANO);
    expect(read(account, 90, 3_000)).toBe('agrees');
    expect(account.surpriseNano).toBe(0);
  });

  it('may be the first of two of which the read shows one', () => {
    const account = begun();
    account.onFlow(-10 * NANO, unixMs(2_050));
    account.onFlow(4 * NANO, unixMs(2_060));
    expect(read(account, 90, 2_000)).toBe('agrees');
    expect(account.cashNano).toBe(94 * NANO);
    expect(read(account, 94, 3_000)).toBe('agrees');
  });

  it('leaves what nothing explains as it is', () => {
    const account = begun();
    account.onFlow(-10 * NANO, unixMs(2_050));
    read(account, 30, 2_000);
    expect(read(account, 30, 3_000)).toBe('differs');
    expect(account.surpriseNano).toBe(-60 * NANO);
  });
});

describe('cash that nothing explains', () => {
  it('surprises the next life, too', () => {
    const account = begun();
    account.onFlow(-10 * NANO, unixMs(2_000));
    read(account, 120, 10_000);
    const next = new Account();
    next.restore(account.explainedNano ?? 0, []);
    expect(read(next, 120, 20_000)).toBe('differs');
    expect(next.surpriseNano).toBe(30 * NANO);
  });
});

describe('cash that a match of an earlier life explains', () => {
  it('is explained by nothing else once the word of it comes, whose fee is rounded otherwise', () => {
    const account = new Account();
    account.restore(100 * NANO, [-10 * NANO - 300, -10 * NANO - 300]);
    expect(read(account, 90, 1_000)).toBe('agrees');
    account.onFlow(-10 * NANO, unixMs(1_500), true);
    expect(read(account, 90, 2_000)).toBe('agrees');
    expect(account.explainedNano).toBe(90 * NANO);
    expect(read(account, 80, 3_000)).toBe('agrees');
    expect(read(account, 70, 4_000)).toBe('differs');
  });

  it('has not moved where what waits was bought and sold for as much: it may settle yet', () => {
    const account = new Account();
    account.restore(100 * NANO, [-10 * NANO, 10 * NANO]);
    expect(read(account, 100, 1_000)).toBe('agrees');
    expect(read(account, 90, 2_000)).toBe('agrees');
  });

  it('is explained where one like it is told of beside it that has just settled', () => {
    const account = new Account();
    account.restore(100 * NANO, [-10 * NANO, -20 * NANO, -10 * NANO]);
    expect(read(account, 70, 1_000)).toBe('agrees');
    account.onFlow(-20 * NANO, unixMs(1_500));
    account.onFlow(-10 * NANO, unixMs(1_600));
    expect(read(account, 60, 2_000)).toBe('agrees');
  });

  it('is explained anew in the next life for as long as the match waits, and no longer', () => {
    const account = new Account();
    account.restore(100 * NANO, [-10 * NANO]);
    read(account, 90, 1_000);
    account.onWaiting([-10 * NANO]);
    expect(account.explainedNano).toBe(100 * NANO);
    account.onWaiting([]);
    expect(account.explainedNano).toBe(90 * NANO);
  });

  it('surprises nobody where its frame comes while a later read is on its way', () => {
    const account = new Account();
    account.restore(100 * NANO, [-10 * NANO]);
    read(account, 90, 1_000);
    account.onWaiting([-10 * NANO]);
    account.onFlow(-10 * NANO, unixMs(2_050));
    expect(read(account, 90, 2_000)).toBe('agrees');
    // It has settled, and waits for nothing any more.
    account.onWaiting([]);
    expect(account.explainedNano).toBe(90 * NANO);
    expect(read(account, 90, 3_000)).toBe('agrees');
    account.onWaiting([]);
    expect(account.explainedNano).toBe(90 * NANO);
  });
});

describe('a settlement told of behind the read that showed it', () => {
  /** The whole of it, or parts that come between reads. */
  it.each([
    ['at once', [-10]],
    ['in parts', [-4, -6]],
  ])('and so explained %s surprises nobody when it is forgotten', (_, parts) => {
    const account = begun();
    expect(read(account, 90, 10_000)).toBe('differs');
    for (const [count, part] of parts.entries()) {
      account.onFlow(part * NANO, unixMs(11_000 + 2_000 * count));
      read(account, 90, 12_000 + 2_000 * count);
    }
    for (let atMs = 20_000; atMs < 700_000; atMs += 1_000) {
      expect(read(account, 90, atMs)).toBe('agrees');
    }
  });

  it('hides nothing that surprises behind them when it is forgotten', () => {
    const account = begun();
    read(account, 105, 10_000);
    account.onFlow(5 * NANO, unixMs(11_000));
    read(account, 106, 20_000);
    account.onFlow(1 * NANO, unixMs(21_000));
    expect(read(account, 106, 30_000)).toBe('agrees');
    for (let atMs = 150_000; atMs < 440_000; atMs += 1_000) {
      read(account, 110, atMs);
      expect(account.surpriseNano).toBe(4 * NANO);
    }
  });

  it('keeps nothing else from being forgotten', () => {
    const account = begun();
    read(account, 93, 9_000);
    read(account, 83, 10_000);
    account.onFlow(-10 * NANO, unixMs(11_000));
    expect(read(account, 83, 12_000)).toBe('differs');
    expect(read(account, 83, 308_000)).toBe('differs');
    expect(read(account, 83, 309_500)).toBe('agrees');
    expect(read(account, 83, 311_000)).toBe('agrees');
  });
});

describe('cash that is explained later', () => {
  it('is forgotten together with its explanation', () => {
    const account = begun();
    read(account, 40, 10_000);
    account.explain(-60 * NANO, unixMs(9_000));
    expect(account.surpriseNano).toBe(0);
    for (let atMs = 100_000; atMs < 600_000; atMs += 50_000) {
      expect(read(account, 40, atMs)).toBe('agrees');
    }
  });

  it('is no movement of cash to what was asked for in between', () => {
    const account = begun();
    read(account, 40, 10_000);
    account.explain(-60 * NANO, unixMs(9_000));
    expect(account.surpriseSince(unixMs(11_000))).toBe(0);
  });

  it('leaves what came with it', () => {
    const account = begun();
    read(account, 45, 10_000);
    account.explain(-60 * NANO, unixMs(9_000));
    expect(account.surpriseNano).toBe(5 * NANO);
  });
});
