// A kill on virtual time: when exactly it is confirmed, when it gives up, and what it says meanwhile.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { shares } from '../../../src/domain/shares.ts';
import { type KillOptions, killOrders } from '../../../src/guard/kill.ts';
import type { OwnOrders } from '../../../src/guard/own-book.ts';
import type { KillStep } from '../../../src/guard/sweep.ts';
import { Book, passOf, peeked, report } from './support.ts';

const START_MS = 1_000_000;
const NO_ANSWER = { kind: 'unknown', cause: 'connection', detail: 'down' } as const;
const STUBBORN = { kind: 'accepted', cancelled: 0, failed: 1 } as const;

function killing(over: Partial<KillOptions> = {}, book = new Book()) {
  const clock = new VirtualClock({ startMs: START_MS });
  const steps: KillStep[] = [];
  const seen = peeked(
    killOrders({
      ...{ door: book, scope: { kind: 'account' }, clock, timers: clock },
      ...{ quietMs: 1_000, deadlineMs: 10_000 },
      onProgress: (step) => void steps.push(step),
      ...over,
    }),
  );
  return {
    ...{ book, clock, seen, steps },
    pass: async (ms: number) => await passOf(clock, ms, 50),
    waits: () => steps.filter(({ doing }) => doing === 'wait').map(({ detail }) => detail),
  };
}

/** Nothing of the account is ours. */
function owning(isWhole: boolean): OwnOrders {
  return { isWhole, live: () => [], among: () => [] };
}

describe('a kill with nothing under way', () => {
  it('is confirmed when the list was empty for its quiet time, and not before', async () => {
    const { seen, pass, book } = killing();
    await pass(950);
    expect(seen.value).toBeUndefined();
    await pass(50);
    expect(seen.value).toEqual({
      ...{ kind: 'confirmed', scope: 'account', cancelled: 0, tookMs: 1_000 },
      ...{ settling: 0, leftAlone: 0 },
    });
    expect(book.cancels).toBe(1);
  });

  it('gives up at its deadline, names what is left, and why', async () => {
    const book = new Book();
    book.open.add('0x01');
    book.cancelAll = async () => STUBBORN;
    book.cancelOrders = async () => STUBBORN;
    const { seen, pass } = killing({}, book);
    await pass(9_950);
    expect(seen.value).toBeUndefined();
    await pass(50);
    expect(seen.value).toMatchObject({
      ...{ kind: 'unconfirmed', left: ['0x01'], tookMs: 10_000 },
      detail: expect.stringContaining('1 orders are still listed'),
    });
  });

  it('has read no list where none could be read', async () => {
    const book = new Book();
    book.isDown = true;
    const { seen, pass } = killing({ deadlineMs: 3_000 }, book);
    await pass(3_000);
    expect(seen.value).toMatchObject({
      ...{ kind: 'unconfirmed', left: undefined, tookMs: 3_000 },
      detail: 'GET /orders: no usable answer (connection): down',
    });
  });

  it.each([
    { withinMs: 700, tookMs: 700 },
    { withinMs: 100, tookMs: 500 },
  ])(
    'ends within what it is given, and not below half a second: %j',
    async ({ withinMs, tookMs }) => {
      const { seen, pass } = killing({ withinMs, quietMs: 5_000 });
      await pass(tookMs - 50);
      expect(seen.value).toBeUndefined();
      await pass(50);
      expect(seen.value).toMatchObject({ kind: 'unconfirmed', tookMs, left: [] });
    },
  );
});

describe('a kill with something under way', () => {
  it('waits until that is over and looks once more, past its deadline, and says so at a pace', async () => {
    const { seen, pass, waits } = killing({ inFlightUntilMs: () => START_MS + 12_000 });
    await pass(11_950);
    expect(seen.value).toBeUndefined();
    await pass(250);
    expect(seen.value).toMatchObject({ kind: 'confirmed' });
    expect(waits()).toEqual([
      'nothing is open; what was sent before may arrive for 12 s more',
      'nothing is open; what was sent before may arrive for 7 s more',
      'nothing is open; what was sent before may arrive for 2 s more',
    ]);
  });

  it('says each five seconds what it waits for, and not earlier', async () => {
    const { pass, waits } = killing({ inFlightUntilMs: () => START_MS + 60_000 });
    await pass(4_900);
    expect(waits()).toHaveLength(1);
    await pass(200);
    expect(waits()).toHaveLength(2);
  });

  it('says of what matched that it may rest again', async () => {
    const book = new Book();
    book.readOpenOrders = async () => ({
      kind: 'ok',
      value: [{ ...report('0x01'), executed: shares(10) }],
    });
    const { pass, waits } = killing({ inFlightUntilMs: () => START_MS + 5_000 }, book);
    await pass(100);
    expect(waits()).toEqual(['nothing is open; 1 matched orders may rest again for 5 s more']);
  });

  it('says nothing of waiting while orders are open, or when it is over', async () => {
    const book = new Book();
    book.open.add('0x01');
    book.cancelAll = async () => STUBBORN;
    const open = killing({ inFlightUntilMs: () => START_MS + 60_000 }, book);
    book.cancelOrders = async () => STUBBORN;
    await open.pass(1_000);
    expect(open.waits()).toEqual([]);
    const over = killing({ inFlightUntilMs: () => START_MS });
    await over.pass(500);
    expect(over.waits()).toEqual([]);
  });

  it('tells who says so what was cancelled, what is left, and what settles', async () => {
    const book = new Book();
    for (const hash of ['0x01', '0x02']) book.open.add(hash);
    book.cancelAll = async () => {
      const cancelled = book.open.delete('0x01') ? 1 : 0;
      return { kind: 'accepted', cancelled, failed: 1 };
    };
    book.cancelOrders = async () => STUBBORN;
    const asked: unknown[] = [];
    const { pass } = killing(
      {
        inFlightUntilMs: (sofar) => {
          asked.push(sofar);
          return undefined;
        },
      },
      book,
    );
    book.readOpenOrders = async () => ({
      kind: 'ok',
      value: [report('0x02'), { ...report('0x03'), executed: shares(10) }],
    });
    await pass(100);
    expect(asked.at(-1)).toEqual({ cancelled: 1, left: 1, settling: 1 });
  });

  it('says for how long something may arrive where it may not wait that out', async () => {
    const { seen, pass } = killing({ withinMs: 2_000, inFlightUntilMs: () => START_MS + 30_000 });
    await pass(2_000);
    expect(seen.value).toMatchObject({
      kind: 'unconfirmed',
      detail: 'nothing is open, and what was sent before the kill may still arrive for 28 s more',
    });
  });

  it('says it without a number where that is over, and a last read was cut', async () => {
    const book = new Book();
    const { seen, pass } = killing({ deadlineMs: 3_000, quietMs: 2_900 }, book);
    await pass(500);
    book.readOpenOrders = async () => NO_ANSWER;
    await pass(3_000);
    expect(seen.value).toMatchObject({
      ...{ kind: 'unconfirmed', left: [] },
      detail:
        'nothing is open, and what was sent before the kill may still arrive, as of the last list ' +
        'that could be read; then GET /orders: no usable answer (connection): down',
    });
  });
});

describe('a kill of own orders', () => {
  it('is confirmed beside those of others where all that is ours is known, and says how many', async () => {
    const book = new Book();
    book.open.add('0x0f');
    const { seen, pass } = killing({ own: owning(true) }, book);
    await pass(1_000);
    expect(seen.value).toMatchObject({ kind: 'confirmed', scope: 'own', leftAlone: 1 });
    expect(book.open.size).toBe(1);
  });

  it('is not confirmed where nobody has said whose the open orders are', async () => {
    const book = new Book();
    book.open.add('0x0f');
    const { seen, pass } = killing({ own: owning(false), deadlineMs: 2_000 }, book);
    await pass(3_000);
    expect(seen.value).toMatchObject({
      ...{ kind: 'unconfirmed', leftAlone: 1 },
      detail: 'nobody has said whose the 1 open orders are',
    });
  });
});

describe('a kill of a market that the venue does not have', () => {
  it('ends behind its first look, unconfirmed', async () => {
    const { seen, pass } = killing({ isUnlisted: () => true });
    await pass(0);
    expect(seen.value).toMatchObject({ kind: 'unconfirmed', tookMs: 0 });
  });

  it('goes on where something was cancelled, or is left', async () => {
    const cancelled = new Book();
    cancelled.open.add('0x01');
    const one = killing({ isUnlisted: () => true }, cancelled);
    await one.pass(500);
    expect(one.seen.value).toBeUndefined();
    const left = new Book();
    left.open.add('0x01');
    left.cancelAll = async () => STUBBORN;
    left.cancelOrders = async () => STUBBORN;
    const other = killing({ isUnlisted: () => true }, left);
    await other.pass(500);
    expect(other.seen.value).toBeUndefined();
  });
});
