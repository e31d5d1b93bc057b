// What an adopted number took back, and the settlements of younger fills.

import { describe, expect, it } from 'vitest';
import { Positions } from '../../../../src/core/positions/positions.ts';
import { tokenId } from '../../../../src/domain/ids.ts';
import { microShares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const TOKEN = tokenId('0x7');
const MINUTE_MS = 60_000;
const SHARES = 50;

function trade(price: number) {
  const quantity = microShares(SHARES);
  return { side: 'BUY', quantity, cashNano: -price * SHARES } as const;
}

function wholeShares(shares: number) {
  return microShares(shares * 1_000_000);
}

class Account {
  readonly positions = new Positions();
  #shares = 0;

  fill(price: number, atMs: number): void {
    const whole = trade(price);
    const fill = { ...whole, intentId: undefined, original: whole.quantity, sentAtMs: unixMs(0) };
    this.positions.onFill(TOKEN, { ...fill, atMs: unixMs(atMs) }, unixMs(atMs));
  }

  settle(price: number, atMs: number): void {
    this.#shares += SHARES;
    this.positions.onSettled(TOKEN, trade(price), unixMs(atMs));
  }

  read(atMs: number): void {
    const at = { askedAtMs: unixMs(atMs), nowMs: unixMs(atMs) };
    const amount = microShares(this.#shares);
    this.positions.onRead(TOKEN, amount, { ...at, positionLagMs: 150_000, nanoPerShare: 1_000 });
  }

  get owed() {
    return this.positions.uncertain(TOKEN).filter(({ isOwed }) => isOwed === true);
  }
}

/** A fill at 400 that has not come in four minutes: an adopted number took it back. */
function owing(): Account {
  const account = new Account();
  account.fill(400_000_000, 0);
  for (let atMs = 0; atMs < 4 * MINUTE_MS; atMs += 5_000) account.read(atMs);
  expect(account.owed).toMatchObject([{ quantity: SHARES, sinceMs: 0 }]);
  return account;
}

describe('a fill that was taken back', () => {
  it('has failed once fills of a quarter of an hour behind it have settled, each at its own price', () => {
    const account = owing();
    for (let minute = 4; minute <= 16; minute += 1) {
      account.fill(450_000_000, minute * MINUTE_MS);
      account.settle(450_000_000, minute * MINUTE_MS + 15_000);
      account.read(minute * MINUTE_MS + 20_000);
      if (minute < 15) expect(account.owed).toMatchObject([{ quantity: SHARES, sinceMs: 0 }]);
    }
    expect(account.owed).toEqual([]);
  });

  it('may be what settles at its price: then the younger fill is owed', () => {
    const account = owing();
    account.fill(400_000_000, 5 * MINUTE_MS);
    account.settle(400_000_000, 5 * MINUTE_MS + 15_000);
    expect(account.owed).toMatchObject([{ quantity: SHARES, sinceMs: 5 * MINUTE_MS }]);
  });
});

describe('a settlement beyond what waits at its price', () => {
  it('is of nobody yet, and of no order that would have traded at a worse price than its own', () => {
    const positions = new Positions();
    const fills = [[660_000_000, 28] as const, [650_000_000, SHARES] as const];
    for (const [price, quantity] of fills) {
      const of = { side: 'BUY', intentId: undefined, original: microShares(quantity) } as const;
      const fill = { ...of, quantity: microShares(quantity), cashNano: -price * quantity };
      positions.onFill(TOKEN, { ...fill, sentAtMs: unixMs(0), atMs: unixMs(0) }, unixMs(0));
    }
    positions.onSettled(TOKEN, trade(660_000_000), unixMs(1));
    expect(positions.confirmed(TOKEN)).toBe(SHARES);
    expect(positions.pending(TOKEN)).toMatchObject([{ quantity: SHARES }]);
    positions.onSettled(TOKEN, trade(650_000_000), unixMs(2));
    expect(positions.confirmed(TOKEN)).toBe(2 * SHARES);
    expect(positions.pending(TOKEN)).toEqual([]);
  });
});

describe('a settlement of several fills at once', () => {
  it('is of all of them, at the average of their prices', () => {
    const positions = new Positions();
    for (const price of [500_000_000, 520_000_000]) {
      const whole = trade(price);
      const fill = { ...whole, intentId: undefined, original: whole.quantity };
      positions.onFill(TOKEN, { ...fill, sentAtMs: unixMs(0), atMs: unixMs(0) }, unixMs(0));
    }
    const both = { side: 'BUY', quantity: microShares(2 * SHARES) } as const;
    positions.onSettled(TOKEN, { ...both, cashNano: -510_000_000 * 2 * SHARES }, unixMs(1));
    expect(positions.pending(TOKEN)).toEqual([]);
    expect(positions.expected(TOKEN)).toBe(2 * SHARES);
  });
});

describe('a settlement of several fills whose average is next to the price of one', () => {
  it.each(['BUY', 'SELL'] as const)('is of all of them: %s', (side) => {
    const sign = side === 'BUY' ? 1 : -1;
    const positions = new Positions();
    positions.open(TOKEN, wholeShares(500));
    let cashNano = 0;
    // A tick of the finest grid apart: by less than half of it the average is off the first one.
    for (const [price, shares] of [
      [500_000_000, 60] as const,
      [500_000_000 - sign * 1_000_000, 40] as const,
    ]) {
      const quantity = wholeShares(shares);
      const fill = { side, intentId: undefined, quantity, original: quantity };
      cashNano -= sign * price * shares;
      const reported = { ...fill, cashNano: -sign * price * shares, sentAtMs: unixMs(0) };
      positions.onFill(TOKEN, { ...reported, atMs: unixMs(0) }, unixMs(0));
    }
    positions.onSettled(TOKEN, { side, quantity: wholeShares(100), cashNano }, unixMs(1));
    expect(positions.pending(TOKEN)).toEqual([]);
    expect(positions.expected(TOKEN)).toBe(wholeShares(500 + sign * 100));
  });
});

describe('shares that a number took back', () => {
  const LAG_MS = 150_000;
  const at = (atMs: number) => ({ askedAtMs: unixMs(atMs), nowMs: unixMs(atMs) });

  /** Reads of so many shares every five seconds. */
  function reads(positions: Positions, amount: number, [fromMs, toMs]: readonly [number, number]) {
    const of = { positionLagMs: LAG_MS, nanoPerShare: 400_000_000 };
    for (let atMs = fromMs; atMs < toMs; atMs += 5_000)
      positions.onRead(TOKEN, microShares(amount), { ...at(atMs), ...of });
  }

  const owedOf = (positions: Positions) =>
    positions.uncertain(TOKEN).filter(({ isOwed }) => isOwed === true);

  it('count on where our clock jumped by hours before: no time has passed for an index', () => {
    const positions = new Positions();
    positions.onSettled(TOKEN, trade(400_000_000), unixMs(1));
    positions.onJump(120 * MINUTE_MS);
    reads(positions, 0, [120 * MINUTE_MS, 124 * MINUTE_MS]);
    expect(owedOf(positions)).toMatchObject([
      { side: 'BUY', quantity: SHARES, sinceMs: 120 * MINUTE_MS + 1 },
    ]);
  });
});
