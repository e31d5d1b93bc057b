// How long strategies take, and so how many of them a turn may ask: a trader that is within them shows no sign of
// activity, reads no frame and takes no cancel, and a guard would take it for one that hangs.

import type { Marks, Place } from './strategy-marks.ts';

/** A turn asks strategies for so long: a third of a guard's usual patience. */
const TURN_MS = 200;
/** Each call counts so much in the mean, the first ones more. */
const WEIGHT = 1 / 64;
/** A call that took longer is one amid which the machine stood still, and says nothing of the strategy. */
const CALL_MS_MAX = 1_000;
/** More than there are markets: nobody need count. */
const ASKS_MAX = 2_000;

export class PacedMarks implements Marks {
  readonly #marks: Marks;
  readonly #steadyMs: () => number;
  #enteredMs = 0;
  #calls = 0;
  /** Before the first call one is as many as a turn may take. */
  #meanMs = TURN_MS;

  constructor(marks: Marks, steadyMs: () => number = () => performance.now()) {
    this.#marks = marks;
    this.#steadyMs = steadyMs;
  }

  /** Calls of one turn, one at the least; `undefined` where they are so quick that all may be asked. */
  get asksMax(): number | undefined {
    const asksMax = Math.max(1, Math.floor(TURN_MS / this.#meanMs));
    return asksMax > ASKS_MAX ? undefined : asksMax;
  }

  place(...call: Parameters<Marks['place']>): Place {
    return this.#marks.place(...call);
  }

  enter(place: Place): void {
    this.#enteredMs = this.#steadyMs();
    this.#marks.enter(place);
  }

  leave(): void {
    this.#marks.leave();
    this.#calls += 1;
    const tookMs = Math.min(this.#steadyMs() - this.#enteredMs, CALL_MS_MAX);
    this.#meanMs += (tookMs - this.#meanMs) * Math.max(WEIGHT, 1 / this.#calls);
  }
}
