// Which dates of a recording are wrong. No clock is to follow one, and none is to make wrong the dates of all frames
// behind it: a frame that is far from the one before it waits for the next to say which of the two is right.

import type { RecordedFrame } from './recorded-frame.ts';

const HOUR_MS = 3_600_000;
/** No recording is silent for so long, nor so far out of order. */
const LEAP_DAYS_MAX = 7;
const BACK_HOURS_MAX = 1;
/** Behind a longer silence a frame waits for the next. */
const NEAR_HOURS_MAX = 1;

export type DatedFrames = {
  /** Whose dates are right by now, in their order. */
  readonly frames: readonly RecordedFrame[];
  /** What is wrong with each of the others. */
  readonly badLines: readonly string[];
};

type Waiting = { readonly frame: RecordedFrame; readonly place: string };

export class FrameDates {
  #lastMs: number | undefined;
  #waiting: Waiting | undefined;

  /** @param place - Of its line, for complaints. */
  take(frame: RecordedFrame, place: string): DatedFrames {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return this.#alone({ frame, place });
    if (!this.#isNear(frame) && isWithin(frame.atMs - waiting.frame.atMs, 24 * LEAP_DAYS_MAX)) {
      this.#lastMs = frame.atMs;
      return { frames: [waiting.frame, frame], badLines: [] };
    }
    const { frames, badLines } = this.#alone({ frame, place });
    return {
      frames,
      badLines: [wrong(waiting, `the one behind it is of ${frame.atMs}`), ...badLines],
    };
  }

  /** What still waits at the end has nobody who speaks against it. */
  rest(): readonly RecordedFrame[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting === undefined ? [] : [waiting.frame];
  }

  #alone(of: Waiting): DatedFrames {
    const { atMs } = of.frame;
    if (this.#isNear(of.frame)) {
      this.#lastMs = atMs;
      return { frames: [of.frame], badLines: [] };
    }
    const last = this.#lastMs;
    if (last !== undefined && atMs - last > 24 * LEAP_DAYS_MAX * HOUR_MS) {
      const allowed = `${BACK_HOURS_MAX} h before to ${LEAP_DAYS_MAX} days after the frame before it`;
      return { frames: [], badLines: [wrong(of, `must be from ${allowed}, at ${last}`)] };
    }
    this.#waiting = of;
    return { frames: [], badLines: [] };
  }

  #isNear({ atMs }: RecordedFrame): boolean {
    return this.#lastMs !== undefined && isWithin(atMs - this.#lastMs, NEAR_HOURS_MAX);
  }
}

function isWithin(afterMs: number, hoursMax: number): boolean {
  return afterMs >= -BACK_HOURS_MAX * HOUR_MS && afterMs <= hoursMax * HOUR_MS;
}

function wrong({ frame, place }: Waiting, why: string): string {
  return `${place}: has the ts ${frame.atMs}: ${why}`;
}
