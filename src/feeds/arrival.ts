// A text of a source, and what reads it.

import type { UnixMs } from '../domain/time.ts';
import type { Reading } from './statement.ts';

export type Arrival = {
  readonly text: string;
  /** Messages about something else are usual there. */
  readonly isStream: boolean;
  /** When it was asked for, or told. */
  readonly usualAtMs: UnixMs;
  /** By the time of day. */
  readonly nowMs: UnixMs;
};

/** Remembers what it must of the texts before; one for each feed. */
export interface Reader {
  read(arrival: Arrival): Reading;
  /** What the last price was made of, for people. */
  basis?(): string | undefined;
  volatility?(): number;
}
