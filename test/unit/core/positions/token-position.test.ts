// One token: fills, settlements, busts and uncertain items, each moving shares and cash.

import { describe, expect, it } from 'vitest';
import {
  addFill,
  bust,
  claimUnreported,
  confirmOldest,
  emptyPosition,
  expectedOf,
  pruneToken,
  sellableOf,
  settle,
  type TokenPosition,
} from '../../../../src/core/positions/token-position.ts';
import {
  boundedItems,
  type ReportedFill,
  type UncertainItem,
  uncertainOf,
} from '../../../../src/core/positions/unsettled.ts';
import { intentId } from '../../../../src/domain/ids.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { microShares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const AT = unixMs(1_000);
const NANO_PER_SHARE = 400;

function position(confirmed = 0): TokenPosition {
  return { ...emptyPosition(), confirmed: microShares(confirmed) };
}

function trade(side: Side, quantity: number) {
  const sign = side === 'BUY' ? -1 : 1;
  return { side, quantity: microShares(quantity), cashNano: sign * quantity * NANO_PER_SHARE };
}

function fill(side: Side, quantity: number, order = 'a'): ReportedFill {
  const whole = trade(side, quantity);
  const intent = intentId(order);
  return { ...whole, intentId: intent, original: whole.quantity, sentAtMs: AT, atMs: AT };
}

function item(side: Side, quantity: number, change: Partial<UncertainItem> = {}): UncertainItem {
  return { cause: 'order_end', ...trade(side, quantity), sinceMs: AT, ...change };
}

/** Settles, and answers with which orders it was told. */
function settled(token: TokenPosition, side: Side, quantity: number): readonly unknown[] {
  const told: unknown[] = [];
  settle(token, trade(side, quantity), AT, (intent, part) => told.push([intent, part]));
  return told;
}

/** A bid that pays a little more. */
function dearer(quantity: number, order: string): ReportedFill {
  return { ...fill('BUY', quantity, order), cashNano: -quantity * (NANO_PER_SHARE + 2) };
}

describe('what settled before anybody reported its fill', () => {
  it('is of the order whose end nobody reported at just its price, and of no fill that would have paid more', () => {
    const token = position(100);
    token.uncertain = [item('BUY', 23, { intentId: intentId('a') })];
    settled(token, 'BUY', 23);
    addFill(token, dearer(40, 'b'), AT);
    expect(token.pending.map(({ quantity }) => quantity)).toEqual([40]);
    expect(token.unreported.map(({ quantity }) => quantity)).toEqual([23]);
    addFill(token, fill('BUY', 23, 'a'), AT);
    expect([token.confirmed, expectedOf(token)]).toEqual([123, 163]);
    expect(token.unreported).toEqual([]);
  });

  it('is of a fill that would have paid more where nothing else was at its price', () => {
    const token = position(100);
    settled(token, 'BUY', 23);
    addFill(token, dearer(40, 'b'), AT);
    expect(token.pending.map(({ quantity }) => quantity)).toEqual([17]);
    expect(token.unreported).toEqual([]);
  });

  it('is of the order that ended unreported, and of no fill that comes later', () => {
    const token = position(100);
    settled(token, 'SELL', 29);
    claimUnreported(token, item('SELL', 30, { sentAtMs: AT }));
    addFill(token, fill('SELL', 30, 'other'), AT);
    expect([token.confirmed, expectedOf(token), token.unreported]).toEqual([71, 41, []]);
  });

  it('waits on when the order that ended was sent behind it', () => {
    const token = position(100);
    settled(token, 'SELL', 29);
    claimUnreported(token, item('SELL', 30, { sentAtMs: unixMs(AT + 1) }));
    expect(token.unreported.map(({ quantity }) => quantity)).toEqual([29]);
  });
});

describe('failed trades that may be of several tokens', () => {
  const failed = (side: Side, quantity: number) =>
    item(side, quantity, { cause: 'trade_failed' as const });

  it('take back no more of a token than is pending there', () => {
    const token = position(100);
    addFill(token, fill('SELL', 60), AT);
    token.uncertain.push(failed('BUY', 30), failed('BUY', 40), failed('BUY', 30));
    expect([uncertainOf(token, 'BUY'), uncertainOf(token, 'SELL')]).toEqual([60, 0]);
    expect(boundedItems(token).map(({ quantity }) => quantity)).toEqual([30, 30]);
  });

  it('count in full again when another of them turns out to be of another token', () => {
    const token = position(100);
    addFill(token, fill('SELL', 60), AT);
    token.uncertain.push(failed('BUY', 30), failed('BUY', 40), failed('BUY', 30));
    token.uncertain.shift();
    expect(boundedItems(token).map(({ quantity }) => quantity)).toEqual([40, 20]);
  });

  it('leave what may have traded beside them as it is', () => {
    const token = position(100);
    token.uncertain.push(item('BUY', 50), failed('BUY', 40));
    expect(uncertainOf(token, 'BUY')).toBe(50);
  });
});

describe('a fill', () => {
  it('is expected at once, and confirmed when it settles', () => {
    const token = position(10);
    addFill(token, fill('BUY', 5), AT);
    expect([token.confirmed, expectedOf(token)]).toEqual([10, 15]);
    settled(token, 'BUY', 5);
    expect([token.confirmed, expectedOf(token)]).toEqual([15, 15]);
  });

  it.each([
    {
      settles: [5, 4],
      orders: [
        ['a', 5],
        ['b', 4],
      ],
    },
    {
      settles: [4, 5],
      orders: [
        ['a', 4],
        ['a', 1],
        ['b', 4],
      ],
    },
    {
      settles: [9],
      orders: [
        ['a', 5],
        ['b', 4],
      ],
    },
  ])('settles oldest first, whichever order it was: settlements of $settles', (each) => {
    const token = position();
    addFill(token, fill('BUY', 5, 'a'), AT);
    addFill(token, fill('BUY', 4, 'b'), AT);
    expect(each.settles.flatMap((quantity) => settled(token, 'BUY', quantity))).toEqual(
      each.orders,
    );
    expect([token.confirmed, token.pending]).toEqual([9, []]);
  });

  it('of one side does not wait for one of the other', () => {
    const token = position(10);
    addFill(token, fill('BUY', 5), AT);
    addFill(token, fill('SELL', 3), AT);
    settled(token, 'SELL', 3);
    expect([token.confirmed, expectedOf(token)]).toEqual([7, 12]);
  });

  it('that is reported after its settlement adds no shares and no cash a second time', () => {
    const token = position();
    settled(token, 'BUY', 5);
    expect(addFill(token, fill('BUY', 5), AT)).toMatchObject({ cashNano: -0, settled: 5 });
    expect([token.confirmed, expectedOf(token)]).toEqual([5, 5]);
  });

  it('is a new one when its order was sent after the settlement that nobody claimed', () => {
    const token = position();
    settled(token, 'BUY', 5);
    const later = { ...fill('BUY', 5), sentAtMs: unixMs(AT + 1) };
    expect(addFill(token, later, unixMs(AT + 2))).toMatchObject({ settled: 0 });
    expect(expectedOf(token)).toBe(10);
  });

  it('is a new one when the settlement that nobody claimed was worse than its price', () => {
    const token = position();
    settled(token, 'BUY', 5);
    const cheaper = { ...fill('BUY', 5), cashNano: -5 * (NANO_PER_SHARE - 10) };
    expect(addFill(token, cheaper, AT)).toMatchObject({ settled: 0 });
    const dearer = { ...fill('BUY', 5), cashNano: -5 * (NANO_PER_SHARE + 10) };
    expect(addFill(token, dearer, AT)).toMatchObject({ settled: 5 });
  });

  it('is a new one when it comes more than 60 s after a settlement that nobody claimed', () => {
    const token = position();
    settled(token, 'BUY', 5);
    pruneToken(token, unixMs(AT + 60_000), 150_000);
    expect(addFill(token, fill('BUY', 5), AT)).toMatchObject({ settled: 0 });
    expect(expectedOf(token)).toBe(10);
  });

  it('narrows what is uncertain of its own order, and of no other', () => {
    const token = position();
    token.uncertain.push(item('BUY', 9, { intentId: intentId('a') }), item('BUY', 7));
    addFill(token, fill('BUY', 5), AT);
    expect(uncertainOf(token, 'BUY')).toBe(4 + 7);
    expect(token.uncertain[0]?.cashNano).toBe(-4 * NANO_PER_SHARE);
  });
});

describe('a settlement that no report claims', () => {
  it('narrows what is uncertain on its side after 60 s, and not before', () => {
    const token = position();
    token.uncertain.push(item('BUY', 9), item('SELL', 9));
    settled(token, 'BUY', 5);
    pruneToken(token, unixMs(AT + 59_000), 150_000);
    expect(uncertainOf(token, 'BUY')).toBe(9);
    pruneToken(token, unixMs(AT + 60_000), 150_000);
    expect([uncertainOf(token, 'BUY'), uncertainOf(token, 'SELL')]).toEqual([4, 9]);
  });
});

describe('a trade bust', () => {
  it('takes back the pending fill of just its size, and its cash', () => {
    const token = position();
    addFill(token, fill('BUY', 5, 'a'), AT);
    addFill(token, fill('BUY', 3, 'b'), AT);
    expect(bust(token, 'BUY', microShares(3), AT).cashNano).toBe(-3 * NANO_PER_SHARE);
    expect(token.pending.map(({ intentId: order }) => order)).toEqual(['a']);
  });

  it.each([
    { orders: ['a', 'a'], names: 'a' },
    { orders: ['a', 'b'], names: undefined },
  ])('of fills of $orders names its order only where it can be of one', ({ orders, names }) => {
    const token = position();
    for (const order of orders) addFill(token, fill('BUY', 5, order), AT);
    expect(bust(token, 'BUY', microShares(5), AT).intentId).toBe(names);
    expect(expectedOf(token)).toBe(5);
  });
});

describe('what may be sold', () => {
  it.each([
    { why: 'a pending buy is not there yet', pending: fill('BUY', 5), uncertain: [], sellable: 10 },
    { why: 'a pending sell has gone', pending: fill('SELL', 4), uncertain: [], sellable: 6 },
    { why: 'an uncertain sell may have gone', uncertain: [item('SELL', 3)], sellable: 7 },
    { why: 'an uncertain buy may not have come', uncertain: [item('BUY', 3)], sellable: 10 },
    {
      why: 'a bust of a pending buy takes nothing that is confirmed',
      pending: fill('BUY', 5),
      uncertain: [item('SELL', 5, { cause: 'trade_failed' as const })],
      sellable: 10,
    },
    { why: 'there is never less than nothing', uncertain: [item('SELL', 30)], sellable: 0 },
  ])('comes from the low end: $why', ({ pending, uncertain, sellable }) => {
    const token = position(10);
    if (pending !== undefined) addFill(token, { ...pending }, AT);
    token.uncertain.push(...uncertain);
    expect(sellableOf(token)).toBe(sellable);
  });
});

describe('a trade that a history tells of late', () => {
  it('is of what balances showed at its price, and of no fill at another that came since', () => {
    const token = position();
    addFill(token, fill('BUY', 30, 'shown'), AT);
    confirmOldest(token, 1, AT);
    const cashNano = -14 * (NANO_PER_SHARE + 1_000_000);
    const since = { ...fill('BUY', 14, 'since'), cashNano };
    const laterMs = unixMs(AT + 330_000);
    addFill(token, since, laterMs);
    const told: unknown[] = [];
    const onSettled = (order: unknown, part: unknown) => told.push([order, part]);
    settle(token, trade('BUY', 30), laterMs, onSettled);
    expect([told, token.confirmed, expectedOf(token), token.shown]).toEqual([[], 30, 44, []]);
    settle(token, { ...trade('BUY', 14), cashNano }, laterMs, onSettled);
    expect([told, token.confirmed, token.unreported]).toEqual([[['since', 14]], 44, []]);
  });
});
