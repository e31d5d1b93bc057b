// Quotes of a living trader are taken back, and no longer than it is starved.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { Pull } from '../../../src/guard/pull.ts';
import { Book, listening, passOf } from './support.ts';

function pulling() {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const book = new Book();
  const { said, log } = listening();
  const pull = new Pull({ door: book, clock, timers: clock, log, own: () => undefined });
  return { clock, book, said, pull, pass: async (ms: number) => await passOf(clock, ms, 50) };
}

describe('a pull', () => {
  it('cancels at once, goes on until the trader shows a sign, and says what it did', async () => {
    const { pull, book, said, pass, clock } = pulling();
    book.open.add('0x01');
    pull.begin(3);
    await pass(0);
    expect(book.open.size).toBe(0);
    book.open.add('0x02');
    await pass(300);
    expect(book.open.size).toBe(0);
    pull.onAwake(3, 900);
    expect([pull.times, clock.pending]).toEqual([1, 0]);
    expect(said).toEqual([
      ['guard.starved', { run: 3, does: 'cancels until it shows a sign' }],
      ['guard.awake', { run: 3, silentMs: 900, cancelled: 2 }],
    ]);
    book.open.add('0x03');
    await pass(5_000);
    expect(book.open.size).toBe(1);
  });

  it('ends behind a call that is under way, and asks no more', async () => {
    const { pull, book, pass, clock } = pulling();
    let answer: () => void = () => {};
    book.cancelAll = () =>
      new Promise((resolve) => {
        book.cancels += 1;
        answer = () => resolve({ kind: 'accepted', cancelled: 0, failed: 0 });
      });
    pull.begin(1);
    pull.end();
    answer();
    await pass(2_000);
    expect([book.cancels, clock.pending]).toEqual([1, 0]);
  });

  it('is one at a time, and counts how often it began', async () => {
    const { pull, book, pass, clock } = pulling();
    pull.begin(1);
    await pass(100);
    pull.begin(2);
    await pass(0);
    expect([pull.times, book.cancels, clock.pending]).toEqual([2, 2, 1]);
  });

  it('waits half of ten seconds at the most where the venue asks for more', async () => {
    const { pull, book, pass } = pulling();
    const refusal = { code: 'rate_limited', message: 'no', httpStatus: 429, retryAfterMs: 60_000 };
    let asked = 0;
    book.cancelAll = async () => {
      asked += 1;
      return { kind: 'refused', refusal };
    };
    pull.begin(1);
    await pass(4_950);
    expect(asked).toBe(1);
    await pass(50);
    expect(asked).toBe(2);
  });
});
