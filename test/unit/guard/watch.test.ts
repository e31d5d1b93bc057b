// The watch after a death: when it is clear, when nothing can arrive any more, and what it says meanwhile.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { shares } from '../../../src/domain/shares.ts';
import { Watch, type WatchOptions } from '../../../src/guard/watch.ts';
import { Book, passOf, peeked, report } from './support.ts';

const START_MS = 1_000_000;
const STUBBORN = { kind: 'accepted', cancelled: 0, failed: 1 } as const;

function watching(over: Partial<WatchOptions> = {}, book = new Book()) {
  const clock = new VirtualClock({ startMs: START_MS });
  const troubles: { left: readonly string[]; detail: string; atMs: number }[] = [];
  let updates = 0;
  const watch = new Watch({
    ...{ door: book, clock, timers: clock, horizonMs: () => 5_000, tellMs: 2_000 },
    onUpdate: () => {
      updates += 1;
    },
    onNotClear: (trouble) => void troubles.push({ ...trouble, atMs: clock.nowMs() - START_MS }),
    ...over,
  });
  const pass = async (ms: number) => await passOf(clock, ms, 50);
  return {
    watch,
    book,
    clock,
    troubles,
    pass,
    updates: () => updates,
    proof: peeked(watch.confirmed),
  };
}

function stubborn(): Book {
  const book = new Book();
  book.open.add('0x01');
  book.cancelAll = async () => STUBBORN;
  book.cancelOrders = async () => STUBBORN;
  return book;
}

describe('a watch', () => {
  it('is clear with the first empty list, and confirmed with the first one behind its horizon', async () => {
    const { watch, pass, updates, proof, clock } = watching();
    await pass(0);
    expect([watch.clearMs, watch.proof, updates()]).toEqual([0, undefined, 1]);
    await pass(1_000);
    expect(watch.waitMs).toBe(4_000);
    await pass(3_950);
    expect(proof.value).toBeUndefined();
    await pass(200);
    expect([proof.value, watch.proof, updates(), watch.waitMs]).toEqual([true, true, 2, 0]);
    expect(clock.pending).toBe(0);
  });

  it('is confirmed by a list that was asked for in the very moment in which nothing can arrive any more', async () => {
    const { pass, proof } = watching({ horizonMs: () => 500 });
    await pass(450);
    expect(proof.value).toBeUndefined();
    await pass(50);
    expect(proof.value).toBe(true);
  });

  it('watches for as long as the longest horizon that it was ever told', async () => {
    let horizonMs = 5_000;
    const { watch, pass } = watching({ horizonMs: () => horizonMs });
    await pass(1_000);
    horizonMs = 9_000;
    await pass(500);
    horizonMs = 1_000;
    expect(watch.waitMs).toBe(7_500);
  });

  it('waits for what holds a proof up, and no longer when that is gone', async () => {
    let atLeastMs = 60_000;
    const { watch, pass } = watching({ atLeastMs: () => atLeastMs });
    await pass(1_000);
    expect(watch.waitMs).toBe(59_000);
    atLeastMs = 0;
    expect(watch.waitMs).toBe(4_000);
  });

  it('waits for what has matched and not settled, and for no longer than a minute', async () => {
    const book = new Book();
    book.readOpenOrders = async () => ({
      kind: 'ok',
      value: [{ ...report('0x01'), executed: shares(10) }],
    });
    const { watch, pass, proof } = watching({}, book);
    await pass(64_950);
    expect([proof.value, watch.settling]).toEqual([undefined, 1]);
    await pass(50);
    expect(proof.value).toBe(true);
  });

  it('is confirmed as soon as that has settled', async () => {
    const book = new Book();
    let executed = 10;
    book.readOpenOrders = async () => ({
      kind: 'ok',
      value: executed === 0 ? [] : [{ ...report('0x01'), executed: shares(executed) }],
    });
    const { pass, proof } = watching({}, book);
    await pass(7_000);
    expect(proof.value).toBeUndefined();
    executed = 0;
    await pass(300);
    expect(proof.value).toBe(true);
  });

  it('says what it cannot clear when its time has come, and again each time it has passed', async () => {
    const { pass, troubles, watch } = watching({}, stubborn());
    await pass(1_950);
    expect(troubles).toEqual([]);
    await pass(5_000);
    expect(troubles.map(({ left }) => left)).toEqual([['0x01'], ['0x01'], ['0x01']]);
    expect(troubles[0]?.detail).toBe(watch.trouble);
    expect(troubles.map(({ atMs }) => atMs)).toEqual([2_150, 4_150, 6_150]);
  });

  it('says nothing while nothing is open', async () => {
    const { pass, troubles } = watching({ horizonMs: () => 60_000 });
    await pass(30_000);
    expect(troubles).toEqual([]);
  });

  it('is clear, stuck and not confirmed when all that is left is refused and nothing can arrive', async () => {
    const { watch, pass, proof, updates } = watching({}, stubborn());
    await pass(4_950);
    expect([watch.isStuck, watch.isEmpty, updates()]).toEqual([false, false, 1]);
    expect(watch.clearMs).toBeGreaterThan(0);
    await pass(100);
    expect([watch.isStuck, proof.value, watch.left]).toEqual([true, undefined, ['0x01']]);
    expect(watch.leftOrders).toHaveLength(1);
  });

  it('is not stuck where nothing is left', async () => {
    const { watch, pass } = watching();
    await pass(6_000);
    expect([watch.isStuck, watch.isEmpty, watch.left]).toEqual([false, true, []]);
  });

  it('ends with its release: cancels nothing more, and says for how long nothing was open', async () => {
    const { watch, pass, book, clock, proof } = watching();
    await pass(1_000);
    expect(await watch.release()).toBe(1_000);
    expect(clock.pending).toBe(0);
    book.open.add('0x01');
    await pass(20_000);
    expect([book.open.size, proof.value]).toEqual([1, undefined]);
    const open = watching({}, stubborn());
    await open.pass(100);
    expect(await open.watch.release()).toBeUndefined();
  });

  it('ends with its release behind the call that is under way, and sets no timer then', async () => {
    const book = new Book();
    let answer: () => void = () => {};
    book.cancelAll = () =>
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'accepted', cancelled: 0, failed: 0 });
      });
    const { watch, pass, clock } = watching({}, book);
    await pass(100);
    const released = peeked(watch.release());
    await pass(100);
    expect('value' in released).toBe(false);
    answer();
    await pass(0);
    expect(released).toEqual({ value: 0 });
    expect(clock.pending).toBe(0);
  });

  it('keeps a wait that the venue asks for, and five seconds at the most', async () => {
    const book = new Book();
    let isAway = true;
    const refusal = { code: 'rate_limited', message: 'no', httpStatus: 429, retryAfterMs: 60_000 };
    const list = book.readOpenOrders.bind(book);
    book.readOpenOrders = async () => (isAway ? { kind: 'refused', refusal } : await list());
    const { watch, pass } = watching({}, book);
    await pass(0);
    isAway = false;
    await pass(4_950);
    expect(watch.clearMs).toBeUndefined();
    await pass(50);
    expect(watch.clearMs).toBe(5_000);
  });

  it('is confirmed by nothing where orders are left of which nobody has said whose they are', async () => {
    const book = new Book();
    book.open.add('0x0f');
    const own = { isWhole: false, live: () => [], among: () => [] };
    const { watch, pass, proof } = watching({ own }, book);
    await pass(5_300);
    expect([proof.value, watch.proof, watch.leftAlone]).toEqual([false, false, 1]);
  });
});
