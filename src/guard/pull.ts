// Takes the quotes of a living trader back while the machine does not let it: what rests can be hit at prices that
// nobody minds. It is no death and no proof, and what the trader places when it goes on is its own again.

import type { Clock, Timers } from '../domain/time.ts';
import type { GuardLog } from './held.ts';
import type { OwnOrders } from './own-book.ts';
import { type KillDoor, Sweep } from './sweep.ts';

export type PullOptions = {
  readonly door: KillDoor;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: GuardLog;
  /** Given where only these are meant. */
  readonly own: () => OwnOrders | undefined;
};

/** Bounds a wait that the venue asks for. */
const WAIT_MS_MAX = 10_000;

export class Pull {
  readonly #options: PullOptions;
  #sweep: Sweep | undefined;
  #times = 0;
  #callOff: () => void = () => {};

  constructor(options: PullOptions) {
    this.#options = options;
  }

  /** How often a trader was starved, over all runs. */
  get times(): number {
    return this.#times;
  }

  begin(traderRun: number): void {
    const { door, clock, timers, log, own } = this.#options;
    this.end();
    this.#times += 1;
    log.warn('guard.starved', { traderRun, does: 'cancels until it shows a sign' });
    const scope = { kind: 'account' } as const;
    const sweep = new Sweep({
      ...{ door, clock, timers, scope, own: own() },
      remainingMs: () => WAIT_MS_MAX,
    });
    this.#sweep = sweep;
    void this.#round(sweep);
  }

  /** The trader looks after its orders again. */
  onAwake(traderRun: number, silentMs: number): void {
    const cancelled = this.#sweep?.cancelled;
    this.end();
    this.#options.log.warn('guard.awake', { traderRun, silentMs, cancelled });
  }

  /** It does, or it is dead. */
  end(): void {
    this.#sweep = undefined;
    this.#callOff();
  }

  async #round(sweep: Sweep): Promise<void> {
    const pauseMs = await sweep.round();
    if (this.#sweep !== sweep) return;
    this.#callOff = this.#options.timers.after(pauseMs, () => void this.#round(sweep));
  }
}
