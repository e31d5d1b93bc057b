// How many strategies a turn may ask, by how long they take.

import { describe, expect, it } from 'vitest';
import { PacedMarks } from '../../../src/app/paced-marks.ts';
import { type Marks, NO_MARKS, type Place } from '../../../src/app/strategy-marks.ts';

function paced(marks: Marks = NO_MARKS) {
  let nowMs = 0;
  const pace = new PacedMarks(marks, () => nowMs);
  const place = pace.place({ strategy: 'slow', place: 'm-1' });
  const call = (tookMs: number): void => {
    pace.enter(place);
    nowMs += tookMs;
    pace.leave();
  };
  return { pace, call };
}

describe('the pace of strategies', () => {
  it('is one call of a turn until one has been made', () => {
    expect(paced().pace.asksMax).toBe(1);
  });

  it.each([
    [300, 1],
    [100, 2],
    [40, 5],
    [1, 200],
    [0.05, undefined],
  ])('of %s ms a call is %s of a turn', (tookMs, asksMax) => {
    const { pace, call } = paced();
    for (let count = 0; count < 100; count += 1) call(tookMs);
    expect(pace.asksMax).toBe(asksMax);
  });

  it('follows a strategy that becomes slow, and one that is quick again', () => {
    const { pace, call } = paced();
    for (let count = 0; count < 1_000; count += 1) call(0.05);
    for (let count = 0; count < 25; count += 1) call(40);
    expect(pace.asksMax).toBeLessThan(20);
    for (let count = 0; count < 1_000; count += 1) call(0.05);
    expect(pace.asksMax).toBeUndefined();
  });

  it.each([10_000, 600_000])(
    'is as before soon after a machine that stood still for %s ms amid a call',
    (ms) => {
      const { pace, call } = paced();
      for (let count = 0; count < 1_000; count += 1) call(0.2);
      call(ms);
      let turns = 0;
      for (; (pace.asksMax ?? 1_000) < 100 && turns < 1_000; turns += 1) {
        for (let left = pace.asksMax ?? 1; left > 0; left -= 1) call(0.2);
      }
      // Twenty turns of the clock are a second.
      expect(turns).toBeLessThan(20);
    },
  );

  it('is told beside the marks, which stay what they are', () => {
    const said: string[] = [];
    const made: Place = { index: 7, isNew: true };
    const marks: Marks = {
      place: ({ place }) => {
        said.push(place);
        return made;
      },
      enter: ({ index }) => void said.push(`enter ${index}`),
      leave: () => void said.push('leave'),
    };
    paced(marks).call(1);
    expect(said).toEqual(['m-1', 'enter 7', 'leave']);
  });
});
