// What feeds tell, and what they need.

import type { LookupFunction } from 'node:net';
import type { FeedView } from '../domain/feed.ts';
import type { FairTarget } from '../domain/input.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';

/** What the core is reported one market. */
export type FairUpdate =
  | {
      readonly kind: 'price';
      readonly target: FairTarget;
      readonly price: number;
      readonly logOddsVar: number | undefined;
      readonly statedAtMs: UnixMs;
    }
  | {
      readonly kind: 'fault';
      readonly target: FairTarget;
      readonly fault: string;
      /** Whether the price before counts no more. */
      readonly isWithdrawn: boolean;
    };

export type FeedsOptions = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** What sources date by the time of day, in the time of that clock. */
  readonly fromTimeOfDay: (atMs: UnixMs) => UnixMs;
  readonly random: () => number;
  /** Names of hosts: one that hangs must hold up no other, the venue's least of all. */
  readonly lookup: LookupFunction;
  readonly onUpdate: (update: FairUpdate) => void;
  /** A source changed its state. */
  readonly onState: (view: FeedView) => void;
};
