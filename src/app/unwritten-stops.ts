// Stops that no disk has taken: a pause, a halt, a control that tripped. The guard outlives this process and
// hands them to the next one, which keeps them until its own disk does.

import type { StoredLife } from '../domain/record.ts';
import {
  isStanding,
  type StopFacts,
  type StopRecord,
  stopFactsOf,
  stopRecordsOf,
} from '../journal/ledger/stops.ts';
import type { Log } from '../telemetry/logs.ts';
import type { Guarded } from './guard-link.ts';

export type UnwrittenStopsOptions = {
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly guard: StopsGuard | undefined;
};

/** What the guard of a life knows of stops, and is told of them. */
export type StopsGuard = Pick<Guarded, 'stops'> & {
  readonly facts: Pick<Guarded['facts'], 'stops'>;
};

export class UnwrittenStops {
  /** What the life before this one could not write; the disk of this one has yet to take it. */
  readonly remembered: readonly StopRecord[];
  readonly #options: UnwrittenStopsOptions;
  #records: readonly StopRecord[];
  #told: string;

  constructor(options: UnwrittenStopsOptions) {
    this.#options = options;
    const facts = options.guard?.facts.stops ?? {};
    this.remembered = readStops(facts, options.log);
    this.#records = this.remembered;
    this.#told = JSON.stringify(facts);
    const { standing } = this;
    if (standing.length > 0) options.log.error('stops.remembered', { stops: standing });
  }

  /** Those that keep quotes away, by name; what lifts one waits for the disk as well and is not in here. */
  get standing(): readonly StopRecord['kind'][] {
    return this.#records.filter(isStanding).map(({ kind }) => kind);
  }

  /** All that wait for the disk now. */
  onWaiting(records: readonly StopRecord[]): void {
    const { log, guard } = this.#options;
    const facts = stopFactsOf(records);
    const text = JSON.stringify(facts);
    if (text === this.#told) return;
    const had = this.standing.length > 0;
    this.#told = text;
    this.#records = records;
    if (this.standing.length > 0) {
      log.error('stops.unwritten', { stops: this.standing, means: LOST_BY_A_START });
    } else if (had) log.info('stops.written');
    guard?.stops(facts);
  }
}

const LOST_BY_A_START = 'a new guard or container would start and quote: make room on the disk';

/** What an earlier life left, with what no disk of it had taken. */
export function withStops(life: StoredLife, stops: readonly StopRecord[]): StoredLife {
  let known = life;
  for (const stop of stops) {
    if (stop.kind === 'halt') known = { ...known, halt: stop.halt };
    else if (stop.kind === 'pause') known = { ...known, pause: stop.pause };
    else known = { ...known, latches: stop.latches };
  }
  return known;
}

/** Both processes are of one build; what is not understood all the same must not keep a life from its work. */
function readStops(facts: StopFacts, log: UnwrittenStopsOptions['log']): readonly StopRecord[] {
  try {
    return stopRecordsOf(facts);
  } catch (error) {
    log.error('stops.unreadable', { detail: String(error) });
    return [];
  }
}
