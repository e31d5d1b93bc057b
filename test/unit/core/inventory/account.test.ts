// Cash between reads: what settlements explain, in whatever order reads and frames come.

import { describe, expect, it } from 'vitest';
import { Account } from '../../../../src/core/inventory/account.ts';
import type { PendingFill } from '../../../../src/core/inventory/pending.ts';
import type { LeftMatch } from '../../../../src/core/inventory/unheard.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, YES } from '../../../support/engine-driver.ts';

const NANO = 1_000_000_000;

function read(account: Account, cash: number, askedAtMs: number): string {
  const value = balances({ cashBalance: usdc(cash), availableBalance: usdc(cash) });
  return account.onBalances(value, unixMs(askedAtMs));
}

/** A match of an earlier life that moves so much cash. */
function matchOf(usd: number): PendingFill {
  const quantity = shares(20);
  const of = { tokenId: YES, side: 'BUY', quantity, original: quantity } as const;
  return { ...of, cashNano: usd * NANO, atMs: unixMs(0), isRestored: true };
}

/** An earlier life left matches of so much cash, the oldest first. */
function left(nanos: readonly number[]): readonly LeftMatch[] {
  return nanos.map((nano, at) => ({ nano, atMs: unixMs(at) }));
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

  /** A life that was surprised at 10 s, and another one that knows of a match from then on. */
  function surprised(matchedAtMs: number): Account {
    const account = begun();
    read(account, 90, 10_000);
    const next = new Account();
    const match = { nano: -10 * NANO, atMs: unixMs(matchedAtMs) };
    next.restore(account.explainedNano ?? 0, [match], account.unexplained);
    return next;
  }

  it('is given in the next life to no match that was told of only after it was shown', () => {
    const next = surprised(15_000);
    expect(read(next, 90, 20_000)).toBe('differs');
    // Its own settlement is no surprise all the same.
    expect(read(next, 80, 30_000)).toBe('differs');
    expect(next.surpriseNano).toBe(-10 * NANO);
  });

  it('is that of a match that waited when it was shown, in the next life too', () => {
    const next = surprised(5_000);
    expect(read(next, 90, 20_000)).toBe('agrees');
    expect(next.paidUnheard()?.(matchOf(-10))).toBe(true);
  });

  it('leads to its doubt in the next life, where this one had no time for it', () => {
    const next = surprised(15_000);
    read(next, 90, 20_000);
    next.noteStart(unixMs(20_000));
    expect(next.hasLasting(20_000)).toBe(true);
  });

  it('is known in a third life by when the first one was shown it', () => {
    const next = surprised(15_000);
    read(next, 90, 20_000);
    const last = new Account();
    const match = { nano: -10 * NANO, atMs: unixMs(15_000) };
    last.restore(next.explainedNano ?? 0, [match], next.unexplained);
    expect(read(last, 90, 30_000)).toBe('differs');
  });

  it('and what explained it are over together, and neither is any match of the next life', () => {
    const account = begun();
    read(account, 90, 10_000);
    account.onFlow(-10 * NANO, unixMs(11_000));
    expect(read(account, 90, 12_000)).toBe('agrees');
    const next = new Account();
    const match = { nano: -10 * NANO, atMs: unixMs(5_000) };
    next.restore(account.explainedNano ?? 0, [match], account.unexplained);
    expect(read(next, 90, 20_000)).toBe('agrees');
    expect(next.paidUnheard()?.(matchOf(-10))).toBe(false);
  });
});

describe('cash that a match of an earlier life explains', () => {
  it('is explained by nothing else once the word of it comes, whose fee is rounded otherwise', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO - 300, -10 * NANO - 300]));
    expect(read(account, 90, 1_000)).toBe('agrees');
    account.onFlow(-10 * NANO, unixMs(1_500), true);
    expect(read(account, 90, 2_000)).toBe('agrees');
    expect(account.explainedNano).toBe(90 * NANO);
    expect(read(account, 80, 3_000)).toBe('agrees');
    expect(read(account, 70, 4_000)).toBe('differs');
  });

  it('has not moved where what waits was bought and sold for as much: it may settle yet', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO, 10 * NANO]));
    expect(read(account, 100, 1_000)).toBe('agrees');
    expect(read(account, 90, 2_000)).toBe('agrees');
  });

  it('is explained where one like it is told of beside it that has just settled', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO, -20 * NANO, -10 * NANO]));
    expect(read(account, 70, 1_000)).toBe('agrees');
    account.onFlow(-20 * NANO, unixMs(1_500));
    account.onFlow(-10 * NANO, unixMs(1_600));
    expect(read(account, 60, 2_000)).toBe('agrees');
  });

  it('is explained in the next life for as long as the match waits, and when its shares have shown', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    read(account, 90, 1_000);
    account.onWaiting([-10 * NANO], unixMs(1_000));
    expect(account.explainedNano).toBe(100 * NANO);
    account.noteShown(matchOf(-10));
    account.onWaiting([], unixMs(2_000));
    expect(account.explainedNano).toBe(90 * NANO);
    expect(read(account, 90, 2_000)).toBe('agrees');
  });

  it('is nothing that the match explains any more when it waits no more, and nothing says why', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    read(account, 90, 1_000);
    account.onWaiting([-10 * NANO], unixMs(1_000));
    account.onWaiting([], unixMs(2_000));
    expect(account.explainedNano).toBe(100 * NANO);
    expect(read(account, 90, 2_000)).toBe('differs');
  });

  it('surprises nobody where its frame comes while a later read is on its way', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    read(account, 90, 1_000);
    account.onWaiting([-10 * NANO], unixMs(1000));
    account.onFlow(-10 * NANO, unixMs(2_050));
    expect(read(account, 90, 2_000)).toBe('agrees');
    // It has settled, and waits for nothing any more.
    account.onWaiting([], unixMs(2000));
    expect(account.explainedNano).toBe(90 * NANO);
    expect(read(account, 90, 3_000)).toBe('agrees');
    account.onWaiting([], unixMs(3000));
    expect(account.explainedNano).toBe(90 * NANO);
  });
});

describe('cash that may be that of some matches of an earlier life', () => {
  const payments = (account: Account, ...amounts: readonly number[]) => {
    const isPaid = account.paidUnheard();
    return amounts.map((usd) => isPaid?.(matchOf(usd)));
  };

  it('is theirs whichever they are, where no others make it', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO, -4 * NANO, 3 * NANO]));
    expect(read(account, 99, 1_000)).toBe('agrees');
    expect(payments(account, -10, -4, 3)).toEqual([false, true, true]);
  });

  it('is that of none where others make it as well', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO, -4 * NANO, -6 * NANO]));
    expect(read(account, 90, 1_000)).toBe('differs');
    expect(payments(account, -10, -4, -6)).toEqual([false, false, false]);
  });

  it('is that of all the matches which a start finds, in whatever order it finds them', () => {
    const account = new Account();
    account.restore(100 * NANO, []);
    expect(read(account, 90, 1_000)).toBe('differs');
    for (const usd of [-10, -4, -6]) account.onFoundMatch(usd * NANO);
    account.onWaiting(
      [-10, -4, -6].map((usd) => usd * NANO),
      unixMs(2_000),
    );
    expect(read(account, 90, 2_000)).toBe('differs');
    const other = new Account();
    other.restore(100 * NANO, []);
    expect(read(other, 86, 1_000)).toBe('differs');
    for (const usd of [-10, -5, -4]) other.onFoundMatch(usd * NANO);
    other.onWaiting(
      [-10, -5, -4].map((usd) => usd * NANO),
      unixMs(2_000),
    );
    expect(read(other, 86, 2_000)).toBe('agrees');
    expect(payments(other, -10, -5, -4)).toEqual([true, false, true]);
  });

  it('is that of the oldest ones where they are too many for all of them to be tried', () => {
    const account = new Account();
    const many = Array.from({ length: 11 }, (_, at) => (-1 - at) * NANO);
    account.restore(100 * NANO, left(many));
    expect(read(account, 94, 1_000)).toBe('agrees');
    expect(payments(account, -1, -2, -3, -4)).toEqual([true, true, true, false]);
    // Of those that are left, one is as much as two others.
    expect(read(account, 85, 2_000)).toBe('differs');
  });

  it('is that of the rest where a part of the match is told of, which was paid before', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    expect(read(account, 90, 1_000)).toBe('agrees');
    account.onFlow(-4 * NANO, unixMs(1_500));
    account.onWaiting([-6 * NANO], unixMs(2_000));
    expect(read(account, 90, 2_000)).toBe('agrees');
    expect(payments(account, -6)).toEqual([true]);
    account.onFlow(-6 * NANO, unixMs(2_500));
    account.onWaiting([], unixMs(3_000));
    expect(read(account, 90, 3_000)).toBe('agrees');
    expect(account.unexplained).toBeUndefined();
  });

  it('was that of another one as far as a part of the match comes with cash of its own', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    expect(read(account, 90, 1_000)).toBe('agrees');
    account.onFlow(-4 * NANO, unixMs(1_500));
    account.onWaiting([-6 * NANO], unixMs(2_000));
    expect(read(account, 86, 2_000)).toBe('differs');
    expect(account.surpriseNano).toBe(-4 * NANO);
  });

  it('was that of another one where the match is settled in parts, and each part is paid', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    expect(read(account, 90, 1_000)).toBe('agrees');
    account.onFlow(-4 * NANO, unixMs(1_500));
    account.onFlow(-6 * NANO, unixMs(1_600));
    account.onWaiting([], unixMs(2_000));
    expect(read(account, 80, 2_000)).toBe('differs');
    expect(account.surpriseNano).toBe(-10 * NANO);
  });

  it('is no surprise where the match is settled in parts, and they were paid before', () => {
    const account = new Account();
    account.restore(100 * NANO, left([-10 * NANO]));
    expect(read(account, 90, 1_000)).toBe('agrees');
    account.onFlow(-4 * NANO, unixMs(1_500));
    account.onFlow(-6 * NANO, unixMs(1_600));
    account.onWaiting([], unixMs(2_000));
    expect(read(account, 90, 2_000)).toBe('agrees');
    for (let atMs = 10_000; atMs < 700_000; atMs += 5_000) {
      expect(read(account, 90, atMs)).toBe('agrees');
    }
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
