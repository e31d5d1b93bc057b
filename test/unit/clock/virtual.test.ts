import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';

/** What is held once the garbage is gone, which other tests of the same process leave, too. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('a virtual clock', () => {
  it('stands still until it is moved', () => {
    const clock = new VirtualClock({ startMs: 1_700_000_000_000 });
    expect(clock.nowMs()).toBe(1_700_000_000_000);
    clock.advance(250);
    expect(clock.nowMs()).toBe(1_700_000_000_250);
  });

  it('runs tasks by their time, and tasks of one time in the order they were set', () => {
    const clock = new VirtualClock();
    const ran: string[] = [];
    clock.after(20, () => ran.push(`late@${clock.nowMs()}`));
    clock.after(10, () => ran.push(`first@${clock.nowMs()}`));
    clock.after(10, () => ran.push(`second@${clock.nowMs()}`));
    clock.advance(15);
    expect(ran).toEqual(['first@10', 'second@10']);
    clock.advance(5);
    expect(ran).toEqual(['first@10', 'second@10', 'late@20']);
  });

  it('runs tasks that tasks set, if they fall due on the way', () => {
    const clock = new VirtualClock();
    const ranAt: number[] = [];
    const repeat = (): void => {
      ranAt.push(clock.nowMs());
      clock.after(10, repeat);
    };
    clock.after(0, repeat);
    clock.advance(35);
    expect(ranAt).toEqual([0, 10, 20, 30]);
    expect(clock.nowMs()).toBe(35);
    expect(clock.nextDueMs()).toBe(40);
  });

  it('does not run what was called off, even by a task of the same moment', () => {
    const clock = new VirtualClock();
    const ran: string[] = [];
    let callOffSecond = (): void => {};
    clock.after(5, () => {
      ran.push('first');
      callOffSecond();
    });
    callOffSecond = clock.after(5, () => ran.push('second'));
    clock.advance(10);
    callOffSecond();
    expect(ran).toEqual(['first']);
    expect(clock.pending).toBe(0);
  });

  it('takes a negative delay for none', () => {
    const clock = new VirtualClock({ startMs: 100 });
    let ranAt: number | undefined;
    clock.after(-50, () => {
      ranAt = clock.nowMs();
    });
    clock.advance(0);
    expect(ranAt).toBe(100);
  });

  it('stops at an endless run of tasks without delay', () => {
    const clock = new VirtualClock({ tasksPerMsMax: 500 });
    const again = (): void => {
      clock.after(0, again);
    };
    clock.after(0, again);
    expect(() => clock.advance(1)).toThrow(/without end/);
  });

  it('lets what a task throws out and stays usable at that time', () => {
    const clock = new VirtualClock();
    clock.after(7, () => {
      throw new Error('the task failed');
    });
    clock.after(9, () => {});
    expect(() => clock.advance(20)).toThrow('the task failed');
    expect(clock.nowMs()).toBe(7);
    clock.advance(2);
    expect(clock.pending).toBe(0);
  });

  it('refuses to run backwards, from inside a task, and with a delay that is no number', () => {
    const clock = new VirtualClock({ startMs: 10 });
    expect(() => clock.runUntil(9)).toThrow(/backwards/);
    expect(() => clock.advance(-1)).toThrow(/backwards/);
    expect(() => clock.after(Number.NaN, () => {})).toThrow(/finite/);
    clock.after(0, () => clock.advance(1));
    expect(() => clock.advance(5)).toThrow(/does not move the clock/);
  });

  it('says how many tasks were left when it closes, and complains about use after that', () => {
    const clock = new VirtualClock();
    clock.after(1_000, () => {});
    expect(clock.close()).toBe(1);
    expect(() => clock.after(1, () => {})).toThrow(/closed clock/);
    expect(() => clock.advance(1)).toThrow(/closed clock/);
    expect(clock.close()).toBe(0);
  });

  it('runs any mixture of tasks in the order of a stable sort, without those called off', () => {
    const task = fc.record({ delayMs: fc.integer({ min: 0, max: 50 }), isCalledOff: fc.boolean() });
    fc.assert(
      fc.property(fc.array(task, { maxLength: 300 }), (tasks) => {
        const clock = new VirtualClock();
        const ran: number[] = [];
        const callOffs = tasks.map((each, index) =>
          clock.after(each.delayMs, () => ran.push(index)),
        );
        tasks.forEach((each, index) => {
          if (each.isCalledOff) callOffs[index]?.();
        });
        const expected = tasks
          .map((each, index) => ({ ...each, index }))
          .filter((each) => !each.isCalledOff)
          .sort((a, b) => a.delayMs - b.delayMs);
        expect(clock.pending).toBe(expected.length);
        clock.advance(50);
        expect(ran).toEqual(expected.map((each) => each.index));
      }),
    );
  });

  it('keeps little of a deadline that is set anew a million times', () => {
    const clock = new VirtualClock();
    const before = heldBytes();
    let callOff = (): void => {};
    for (let count = 0; count < 1_000_000; count += 1) {
      callOff();
      callOff = clock.after(60_000, () => {});
    }
    // Kept whole they are some hundred bytes each.
    expect(heldBytes() - before).toBeLessThan(10_000_000);
    expect(clock.pending).toBe(1);
  });
});
