// What the time is in here, and how far our clock is from the venue's. @spec Authentication › Signature, rule 3

import { type UnixMs, unixMs } from '../../domain/time.ts';

export class Clock {
  nowMs: UnixMs = unixMs(0);
  /** When our clock jumped by more than a wait for the venue has to spare. */
  jumpedAtMs: UnixMs | undefined;
  /** By how much it has jumped in this run, all jumps together. */
  jumpedByMs = 0;
  /** The venue's clock minus ours, as it was last measured. */
  offsetMs: number | undefined;
  /** The same as the run before this one last kept it. */
  offsetBeforeMs: number | undefined;
  /** As it was last kept, by a previous run perhaps; nothing where it never was seconds off. */
  knownOffsetMs = 0;

  /**
   * By which offset a previous run may have dated what it sent: whichever clock was further ahead. Without
   * the venue's clock of now nobody knows.
   */
  get lowestOffsetMs(): number | undefined {
    const { offsetMs } = this;
    if (offsetMs === undefined) return undefined;
    return Math.min(offsetMs, this.offsetBeforeMs ?? offsetMs);
  }
}
