// Markets that a filter of the configuration chooses: what became of it, for people and metrics.

import type { UnixMs } from './time.ts';

export type SelectionView = {
  /** The filter as people write it: `tag=politics`. */
  readonly select: string;
  readonly strategy: string;
  /** Slugs of the events that are quoted by it. */
  readonly events: readonly string[];
  /** Markets of these events. */
  readonly marketCount: number;
  readonly marketsMax: number;
  /** Events that fit no more and are known until nothing of them is held. */
  readonly kept: number;
  /** Events of the listing that fit, chosen or not. */
  readonly fitting: number;
  /** When the listing was last read whole; absent before that. */
  readonly readAtMs?: UnixMs;
  /** Why the last read brought nothing; what was chosen before stays. */
  readonly fault?: string;
};
