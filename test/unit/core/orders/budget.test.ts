import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WRITE_WINDOW_MS, WriteBudget } from '../../../../src/core/sending/budget.ts';
import { requestId } from '../../../../src/domain/ids.ts';
import { unixMs } from '../../../../src/domain/time.ts';

describe('the write budget', () => {
  it('never lets more than its number into any window, whatever the pace', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 50, maxLength: 400 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 60 }), (steps, perWindow) => {
        const budget = new WriteBudget(perWindow, 300);
        const sent: number[] = [];
        let nowMs = 1_000_000;
        for (const gap of steps) {
          nowMs += gap;
          while (budget.mayWrite(unixMs(nowMs))) {
            budget.onSent(requestId(sent.length), unixMs(nowMs));
            budget.onAnswered(requestId(sent.length));
            sent.push(nowMs);
          }
        }
        for (const [at, start] of sent.entries()) {
          const inWindow = sent.slice(at).filter((each) => each - start < WRITE_WINDOW_MS);
          expect(inWindow.length).toBeLessThanOrEqual(perWindow);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('rests until the time the venue named', () => {
    const budget = new WriteBudget(300, 300);
    budget.blockUntil(5_000);
    expect(budget.mayWrite(unixMs(4_999))).toBe(false);
    expect(budget.mayWrite(unixMs(5_000))).toBe(true);
  });

  it('says which word of the venue is new', () => {
    const budget = new WriteBudget(300, 300);
    const news = [5_000, 5_000, 4_000, 6_000].map((atMs) => budget.blockUntil(atMs));
    expect(news).toEqual([true, false, false, true]);
    expect(budget.mayWrite(unixMs(5_999))).toBe(false);
  });

  it('stops when too many answers are outstanding, and goes on with each answer', () => {
    const budget = new WriteBudget(300, 300);
    let sent = 0;
    for (; budget.mayWrite(unixMs(1_000)); sent += 1) {
      budget.onSent(requestId(sent), unixMs(1_000));
    }
    expect(sent).toBeLessThan(300);
    budget.onAnswered(requestId(0));
    expect(budget.mayWrite(unixMs(1_000))).toBe(true);
  });

  it('goes on when answers never came, after their time', () => {
    const budget = new WriteBudget(300, 300);
    for (let sent = 0; budget.mayWrite(unixMs(1_000)); sent += 1) {
      budget.onSent(requestId(sent), unixMs(1_000));
    }
    budget.giveUpBefore(1_000);
    expect(budget.mayWrite(unixMs(20_000))).toBe(false);
    budget.giveUpBefore(1_001);
    expect(budget.mayWrite(unixMs(20_000))).toBe(true);
  });
});
