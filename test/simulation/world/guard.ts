// The guard beside the processes, as far as it outlives them with what no disk has: a pause, a halt, controls
// that tripped while nothing could be written. Each process is notified of them by the daemon's own code.

import { type StopsGuard, UnwrittenStops } from '../../../src/app/unwritten-stops.ts';
import { type GuardLog, Held } from '../../../src/guard/held.ts';
import { type StopRecord, stopRecordsOf } from '../../../src/journal/ledger/stops.ts';
import type { HeldOnDisk } from '../audit/stops.ts';

const SILENT: GuardLog = { info: () => {}, warn: () => {}, error: () => {} };

export class Guard {
  #held = new Held(SILENT);

  /** What one process does with it; a process that is gone says nothing more. */
  stopsOf(isOver: () => boolean): UnwrittenStops {
    const guard: StopsGuard = {
      facts: { stops: this.#held.stops },
      stops: (stops) => {
        if (!isOver()) this.#held.onStops(stops);
      },
    };
    return new UnwrittenStops({ log: SILENT, guard });
  }

  /** What stops or holds a process that begins now: what it tells of stands for what the disk has. */
  onto(onDisk: HeldOnDisk): HeldOnDisk {
    return stopRecordsOf(this.#held.stops).reduce(withRecord, onDisk);
  }

  get keepsAny(): boolean {
    return this.#held.hasAny;
  }

  /** It ends with a process that leaves in good order, and the next one has a new guard. */
  end(): void {
    this.#held = new Held(SILENT);
  }
}

function withRecord(held: HeldOnDisk, record: StopRecord): HeldOnDisk {
  switch (record.kind) {
    case 'halt':
      return { ...held, halt: record.halt !== undefined };
    case 'pause':
      return { ...held, pause: record.pause !== undefined };
    case 'latches':
      return { ...held, latches: record.latches };
    case 'marketStops':
      return held;
  }
}
