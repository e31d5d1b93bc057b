// What no disk holds and this process does, since it outlives the traders: a kill whose latch could not be
// written, and a pause, a halt or controls that tripped while the ledger could not be; and the configuration
// that is in force, whatever its file says meanwhile.

import type { Stops } from './protocol.ts';

type Say = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

export type GuardLog = { readonly info: Say; readonly warn: Say; readonly error: Say };

export const LOST_WITH_US =
  'no disk has it: a new guard or container would start and quote; make room';

export class Held {
  readonly #log: GuardLog;
  #killedBy: string | undefined;
  #stops: Stops = {};
  #config: string | undefined;

  constructor(log: GuardLog) {
    this.#log = log;
  }

  /** By whom the account was killed. */
  get killedBy(): string | undefined {
    return this.#killedBy;
  }

  get stops(): Stops {
    return this.#stops;
  }

  /** What a trader has taken last: the runs of one run have one configuration. */
  get config(): string | undefined {
    return this.#config;
  }

  get hasAny(): boolean {
    return this.#killedBy !== undefined || hasAny(this.#stops);
  }

  onConfig(text: string): void {
    this.#config = text;
  }

  onUnlatched(by: string | undefined): void {
    if (by !== undefined) this.#log.error('guard.holds_kill', { by, means: LOST_WITH_US });
    else if (this.#killedBy !== undefined) this.#log.info('guard.kill_released');
    this.#killedBy = by;
  }

  onStops(stops: Stops): void {
    const means = LOST_WITH_US;
    if (hasAny(stops)) this.#log.error('guard.holds_stops', { stops: Object.keys(stops), means });
    else if (hasAny(this.#stops)) this.#log.info('guard.stops_released');
    this.#stops = stops;
  }
}

function hasAny(stops: Stops): boolean {
  return Object.keys(stops).length > 0;
}
