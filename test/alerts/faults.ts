// What goes wrong, and which alerts must say so.

import type { Fault } from './fault.ts';
import { ACCOUNT_FAULTS } from './faults-account.ts';
import { HOST_FAULTS } from './faults-host.ts';
import { VENUE_FAULTS } from './faults-venue.ts';

export const FAULTS: readonly Fault[] = [...VENUE_FAULTS, ...ACCOUNT_FAULTS, ...HOST_FAULTS];

/** Every kind of place, each alert group, and each severity; for a look that takes seconds. */
export const FEW: readonly string[] = [
  'blackout',
  'cancels-refused',
  'crash',
  'drawdown',
  'external-order',
  'feed-down',
  'kill-in-a-blackout',
  'market-paused',
  'paused-on-a-full-disk',
  'socket-lost-for-seconds',
];
