// What one read of the balances says of a token, by what was true of late.

import { describe, expect, it } from 'vitest';
import { readToken } from '../../../../src/core/positions/reading.ts';
import {
  addFill,
  emptyPosition,
  settle,
  type TokenPosition,
} from '../../../../src/core/positions/token-position.ts';
import { type ReportedFill, uncertainOf } from '../../../../src/core/positions/unsettled.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { microShares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const LAG_MS = 150_000;
const START_MS = 1_000_000;
const NANO_PER_SHARE = 400;

function trade(side: Side, quantity: number) {
  const sign = side === 'BUY' ? -1 : 1;
  return { side, quantity: microShares(quantity), cashNano: sign * quantity * NANO_PER_SHARE };
}

function add(token: TokenPosition, side: Side, quantity: number, atMs = START_MS): void {
  const whole = trade(side, quantity);
  const fill: ReportedFill = {
    ...whole,
    intentId: undefined,
    original: whole.quantity,
    sentAtMs: unixMs(0),
    atMs: unixMs(atMs),
  };
  addFill(token, fill, unixMs(atMs));
}

function settleAll(token: TokenPosition, side: Side, quantity: number): void {
  settle(token, trade(side, quantity), unixMs(START_MS), () => {});
}

function read(token: TokenPosition, amount: number, afterMs: number) {
  const atMs = unixMs(START_MS + afterMs);
  const at = { askedAtMs: atMs, nowMs: atMs, positionLagMs: LAG_MS, nanoPerShare: 500 * 1_000_000 };
  return readToken(token, microShares(amount), at);
}

function holding(confirmed: number): TokenPosition {
  return {
    ...emptyPosition(),
    confirmed: microShares(confirmed),
    changedAtMs: unixMs(START_MS),
  };
}

/** It has 100 shares, may show 105 and 110 with two buys, and balances say 145. */
function differing(): TokenPosition {
  const token = holding(100);
  add(token, 'BUY', 5);
  add(token, 'BUY', 5);
  read(token, 145, 20_000);
  read(token, 145, 25_000);
  return token;
}

describe('a read within the lag of an own event', () => {
  it.each([100, 105, 98])('agrees with any value of the lag: %s', (amount) => {
    const token = holding(100);
    settleAll(token, 'BUY', 5);
    settleAll(token, 'SELL', 7);
    expect(read(token, amount, 20_000)).toEqual({ kind: 'agrees', settled: [] });
    expect(token.confirmed).toBe(98);
  });

  it.each([
    { amount: 105, confirmed: 105, left: 1 },
    { amount: 102, confirmed: 102, left: 0 },
  ])('shows the oldest pending fills as settled: $amount', ({ amount, confirmed, left }) => {
    const token = holding(100);
    add(token, 'BUY', 5);
    add(token, 'SELL', 3);
    expect(read(token, amount, 20_000).kind).toBe('agrees');
    expect([token.confirmed, token.pending.length]).toEqual([confirmed, left]);
  });

  it('does not let the settlement that comes after it count again', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    read(token, 105, 20_000);
    settleAll(token, 'BUY', 5);
    expect([token.confirmed, token.unreported]).toEqual([105, []]);
  });

  it('says nothing where what is pending may explain it', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    expect(read(token, 103, 20_000)).toEqual({ kind: 'open' });
    expect(read(token, 103, 30_000)).toEqual({ kind: 'open' });
    expect(token.uncertain).toEqual([]);
  });

  it('makes the difference an uncertain item when it comes twice in a row', () => {
    const token = holding(100);
    expect(read(token, 130, 20_000)).toEqual({ kind: 'open' });
    expect(read(token, 130, 25_000)).toEqual({ kind: 'differs', amount: 130 });
    expect(token.uncertain).toMatchObject([
      { cause: 'balances_differ', side: 'BUY', quantity: 30 },
    ]);
  });

  it('drops the difference when three amounts that differ agree one after the other', () => {
    const token = differing();
    for (const [amount, atMs] of [
      [100, 30_000],
      [100, 35_000],
      [105, 40_000],
    ] as const)
      expect(read(token, amount, atMs).kind).toBe('agrees');
    expect(token.uncertain).toHaveLength(1);
    expect(read(token, 110, 45_000).kind).toBe('agrees');
    expect(token.uncertain).toEqual([]);
  });

  it('keeps the difference of a busy token whose wrong amount equals one of before by chance', () => {
    const token = differing();
    read(token, 100, 30_000);
    read(token, 105, 35_000);
    expect(read(token, 137, 40_000)).toEqual({ kind: 'open' });
    read(token, 110, 45_000);
    expect(token.uncertain).toMatchObject([{ cause: 'balances_differ', side: 'BUY' }]);
  });

  it('keeps the difference of a busy token whose amounts are those of before with it as well', () => {
    const token = holding(96);
    for (let bought = 0; bought < 3; bought += 1) {
      add(token, 'BUY', 2);
      settleAll(token, 'BUY', 2);
    }
    const sinceMs = unixMs(START_MS);
    token.uncertain.push({ ...trade('BUY', 2), cause: 'balances_differ', sinceMs });
    for (const [index, amount] of [98, 100, 102].entries())
      expect(read(token, amount, 20_000 + index * 5_000).kind).toBe('agrees');
    expect(token.uncertain).toMatchObject([{ cause: 'balances_differ', quantity: 2 }]);
    expect(read(token, 96, 35_000).kind).toBe('agrees');
    expect(token.uncertain).toHaveLength(1);
  });

  it('counts amounts that agree anew behind one that differs after the whole lag', () => {
    const token = differing();
    read(token, 100, 30_000);
    read(token, 105, 35_000);
    read(token, 137, LAG_MS + 5_000);
    expect(read(token, 110, LAG_MS + 10_000).kind).toBe('agrees');
    expect(token.uncertain).toContainEqual(expect.objectContaining({ cause: 'balances_differ' }));
  });

  it('makes no item of a difference that comes once only', () => {
    const token = holding(100);
    read(token, 130, 20_000);
    read(token, 100, 25_000);
    expect(read(token, 130, 30_000)).toEqual({ kind: 'open' });
  });
});

describe('a fill that is pending for longer than a settlement takes', () => {
  it('is uncertain after a minute, and no more once it has settled', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    read(token, 100, 59_000);
    expect(uncertainOf(token, 'SELL')).toBe(0);
    read(token, 100, 60_000);
    expect(token.uncertain).toMatchObject([{ cause: 'unsettled', side: 'SELL', quantity: 5 }]);
    read(token, 105, 65_000);
    read(token, 105, 70_000);
    expect(token.uncertain).toEqual([]);
  });

  it('is undone once, by the failure that was reported of it or for its age', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    add(token, 'BUY', 3);
    token.uncertain.push({
      cause: 'trade_failed',
      ...trade('SELL', 5),
      sinceMs: unixMs(START_MS),
    });
    read(token, 100, 60_000);
    expect(uncertainOf(token, 'SELL')).toBe(8);
  });
});

describe('a read after the whole lag without an own event', () => {
  it('is adopted once it is repeated, at the price of what was uncertain', () => {
    const token = holding(100);
    token.uncertain.push({
      cause: 'order_end',
      ...trade('BUY', 30),
      sinceMs: unixMs(START_MS),
    });
    expect(read(token, 120, LAG_MS + 1_000)).toEqual({ kind: 'open' });
    const inferred = { inferred: 20, inferredNano: -20 * NANO_PER_SHARE, isPriced: true };
    expect(read(token, 120, LAG_MS + 12_000)).toMatchObject({ kind: 'adopted', ...inferred });
    expect([token.confirmed, token.uncertain]).toEqual([120, []]);
  });

  it('closes what did not happen', () => {
    const token = holding(100);
    token.uncertain.push({ cause: 'order_end', ...trade('SELL', 30), sinceMs: unixMs(START_MS) });
    read(token, 100, LAG_MS + 1_000);
    expect(read(token, 100, LAG_MS + 12_000)).toMatchObject({ kind: 'adopted', inferred: 0 });
    expect(token.uncertain).toEqual([]);
  });

  it('takes back the cash of what never settled', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    read(token, 100, LAG_MS + 1_000);
    const reversedNano = -5 * NANO_PER_SHARE;
    expect(read(token, 100, LAG_MS + 12_000)).toMatchObject({ kind: 'adopted', reversedNano });
    expect(token.pending).toEqual([]);
  });

  it('counts no settlement twice that balances had shown before, told late', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    read(token, 105, 30_000);
    token.uncertain.push({ cause: 'order_end', ...trade('BUY', 30), sinceMs: unixMs(START_MS) });
    read(token, 105, LAG_MS + 1_000);
    expect(read(token, 105, LAG_MS + 12_000)).toMatchObject({ kind: 'adopted', inferred: 0 });
    settleAll(token, 'BUY', 5);
    expect(token.confirmed).toBe(105);
  });

  it('keeps what balances showed minutes ago for a settlement at its price: one that costs more is of another fill', () => {
    const token = holding(100);
    add(token, 'BUY', 5);
    read(token, 105, 30_000);
    const dearer = { ...trade('BUY', 5), cashNano: -6_000_000 * 5 };
    settle(token, dearer, unixMs(START_MS + 151_000), () => {});
    expect(token.confirmed).toBe(110);
    settleAll(token, 'BUY', 5);
    expect([token.confirmed, token.shown]).toEqual([110, []]);
  });

  it('takes each settlement for what balances had shown at its price, in whatever order they come', () => {
    const token = holding(100);
    const dearer = { ...trade('BUY', 5), cashNano: -600 * 5 };
    const atMs = unixMs(START_MS);
    const of = { intentId: undefined, original: dearer.quantity, sentAtMs: unixMs(0), atMs };
    addFill(token, { ...dearer, ...of }, atMs);
    add(token, 'BUY', 5);
    read(token, 110, 30_000);
    settleAll(token, 'BUY', 5);
    settle(token, dearer, unixMs(START_MS + 31_000), () => {});
    expect([token.confirmed, token.shown]).toEqual([110, []]);
  });

  it('takes a settlement at any price for shares that were adopted, whose price nobody knows', () => {
    const token = holding(100);
    read(token, 150, LAG_MS + 1_000);
    read(token, 150, LAG_MS + 12_000);
    const dearer = { ...trade('BUY', 50), cashNano: -6_000_000 * 50 };
    settle(token, dearer, unixMs(START_MS + LAG_MS + 20_000), () => {});
    expect([token.confirmed, token.shown]).toEqual([150, []]);
  });

  it('books shares that no order of ours explains at the last known price', () => {
    const token = holding(100);
    read(token, 150, LAG_MS + 1_000);
    const adopted = read(token, 150, LAG_MS + 12_000);
    expect(adopted).toMatchObject({
      ...{ kind: 'adopted', inferred: 50, inferredNano: -25_000 },
      isPriced: false,
    });
  });

  it('is adopted after a minute where a list lacks shares that nothing else takes', () => {
    const token = holding(100);
    read(token, 0, LAG_MS + 1_000);
    expect(read(token, 0, LAG_MS + 12_000)).toMatchObject({ kind: 'differs' });
    expect([token.confirmed, uncertainOf(token, 'SELL')]).toEqual([100, 100]);
    read(token, 0, LAG_MS + 50_000);
    expect(read(token, 0, LAG_MS + 61_000)).toMatchObject({ kind: 'adopted', inferred: -100 });
  });

  it('is adopted at once where shares that are gone may have been sold', () => {
    const token = holding(100);
    token.uncertain.push({ cause: 'order_end', ...trade('SELL', 100), sinceMs: unixMs(START_MS) });
    read(token, 0, LAG_MS + 1_000);
    expect(read(token, 0, LAG_MS + 12_000)).toMatchObject({ kind: 'adopted', inferred: -100 });
  });
});
