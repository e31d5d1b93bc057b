// Where the loss of a day is measured from, whatever becomes of the hour at which days begin.

import { describe, expect, it } from 'vitest';
import { Baselines, dayOf } from '../../../../src/core/risk/controls.ts';
import { unixMs } from '../../../../src/domain/time.ts';

const HOUR_MS = 3_600_000;
/** Midnight of some day. */
const MIDNIGHT_MS = 20_000 * 24 * HOUR_MS;

/** The profit so many hours after that midnight, by days that begin at an hour. */
function update(baselines: Baselines, hours: number, of: { hour: number; pnlNano: number }): void {
  const day = dayOf(unixMs(MIDNIGHT_MS + hours * HOUR_MS), of.hour);
  baselines.update(of.pnlNano, { day, beginsAtHour: of.hour });
}

/** Nothing was lost by one o'clock, 200 by ten, with days that begin at an hour. */
function losing(hour: number): Baselines {
  const baselines = new Baselines();
  update(baselines, -12, { hour, pnlNano: 0 });
  update(baselines, 1, { hour, pnlNano: 0 });
  update(baselines, 10, { hour, pnlNano: -200 });
  return baselines;
}

describe('the loss of a day', () => {
  it('is that from before where a day is said to have begun hours ago', () => {
    const baselines = losing(12);
    update(baselines, 11, { hour: 0, pnlNano: -200 });
    expect(baselines.current?.dayNano).toBe(0);
    update(baselines, 24, { hour: 0, pnlNano: -250 });
    expect(baselines.current?.dayNano).toBe(-250);
  });

  it('is not less by any change of the hour, to and fro', () => {
    const baselines = losing(0);
    for (const hour of [11, 12, 11, 0, 12, 5, 0, 23, 1, 11]) {
      update(baselines, 11.5, { hour, pnlNano: -200 });
      expect([hour, baselines.current?.dayNano]).toEqual([hour, 0]);
    }
  });

  it('is measured from a profit that was made since where days are said to begin earlier', () => {
    const baselines = losing(12);
    update(baselines, 11, { hour: 0, pnlNano: 50 });
    expect(baselines.current?.dayNano).toBe(50);
  });

  it('is that of the new day where the last one was over by its own hour', () => {
    const baselines = losing(12);
    update(baselines, 49, { hour: 0, pnlNano: -200 });
    expect(baselines.current?.dayNano).toBe(-200);
  });

  it('ends at the new hour, when that has come', () => {
    const baselines = losing(0);
    update(baselines, 11, { hour: 12, pnlNano: -200 });
    expect(baselines.current?.dayNano).toBe(0);
    update(baselines, 12, { hour: 12, pnlNano: -220 });
    expect(baselines.current?.dayNano).toBe(-220);
  });
});
