// Stops that no disk has taken: a pause, a halt, a control that tripped. The guard outlives this process and
// hands them to the next one, which keeps them until its own disk does.

import type { PersistedState } from '../domain/record.ts';
import {
  isStanding,
  STOPS_NUMBER,
  type StopFacts,
  type StopRecord,
  stopFactsOf,
  stopRecordsOf,
  stopsNumberOf,
} from '../journal/ledger/stops.ts';
import type { Log } from '../telemetry/logs.ts';
import type { Guarded } from './guard-link.ts';

export type UnwrittenStopsOptions = {
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly guard: StopsGuard | undefined;
  /** Of the last write with stops in it that the disk has taken. */
  readonly onDisk?: number | undefined;
};

/** What the guard of a run knows of stops, and is notified of them. */
export type StopsGuard = Pick<Guarded, 'stops'> & {
  readonly facts: Pick<Guarded['facts'], 'stops'>;
};

export class UnwrittenStops {
  /** What the run before this one could not write; the disk of this one has yet to take it. */
  readonly remembered: readonly StopRecord[];
  /** Of the last write with stops in it that is known to have been tried. */
  readonly number: number;
  readonly #options: UnwrittenStopsOptions;
  #records: readonly StopRecord[];
  /** Without the number: the same stops in a later write are no news. */
  #told: string;

  constructor(options: UnwrittenStopsOptions) {
    this.#options = options;
    const { [STOPS_NUMBER]: text, ...facts } = options.guard?.facts.stops ?? {};
    const { onDisk = 0, log } = options;
    const told = stopsNumberOf(text);
    // A write that was tried after the guard was told has all of it, or what came after: the word that
    // the disk has it was lost, and a lift of back then may not lift what was stopped since.
    const isLater = told !== undefined && onDisk > told;
    this.remembered = isLater ? [] : readStops(facts, log);
    this.number = Math.max(onDisk, told ?? 0);
    this.#records = this.remembered;
    this.#told = JSON.stringify(facts);
    if (isLater) this.onWaiting([], this.number);
    const { standing } = this;
    if (standing.length > 0) options.log.error('stops.remembered', { stops: standing });
  }

  /** Those that keep quotes away, by name; what lifts one waits for the disk as well and is not in here. */
  get standing(): readonly StopRecord['kind'][] {
    return this.#records.filter(isStanding).map(({ kind }) => kind);
  }

  /** All that wait for the disk now. */
  onWaiting(records: readonly StopRecord[], number = this.number): void {
    const { log, guard } = this.#options;
    const stops = stopFactsOf(records);
    const text = JSON.stringify(stops);
    if (text === this.#told) return;
    const had = this.standing.length > 0;
    this.#told = text;
    this.#records = records;
    if (this.standing.length > 0) {
      log.error('stops.unwritten', { stops: this.standing, means: LOST_BY_A_START });
    } else if (had) log.info('stops.written');
    guard?.stops(records.length === 0 ? {} : { ...stops, [STOPS_NUMBER]: String(number) });
  }
}

const LOST_BY_A_START = 'a new guard or container would start and quote: make room on the disk';

/** What a previous run left, with what no disk of it had taken. */
export function withStops(persisted: PersistedState, stops: readonly StopRecord[]): PersistedState {
  let known = persisted;
  for (const stop of stops) {
    if (stop.kind === 'halt') known = { ...known, halt: stop.halt };
    else if (stop.kind === 'pause') known = { ...known, pause: stop.pause };
    else if (stop.kind === 'latches') known = { ...known, latches: stop.latches };
    else known = { ...known, marketStops: stop.stops };
  }
  return known;
}

/** Both processes are of one build; what is not understood all the same must not keep a run from its work. */
function readStops(facts: StopFacts, log: UnwrittenStopsOptions['log']): readonly StopRecord[] {
  try {
    return stopRecordsOf(facts);
  } catch (error) {
    log.error('stops.unreadable', { detail: String(error) });
    return [];
  }
}
