// Everything that the automatic controls remember, in one place of the world.

import type { UnixMs } from '../../domain/time.ts';
import { Baselines } from './baselines.ts';
import { BreakerCounts } from './counts.ts';
import { Latches } from './latches.ts';

export class Controls {
  readonly latches = new Latches();
  readonly baselines = new Baselines();
  readonly counts = new BreakerCounts();
  /** Since when cash has differed, since when it agrees again, and how much of it nothing explains. */
  readonly cash: {
    sinceMs: number | undefined;
    agreedSinceMs: number | undefined;
    unexplainedNano: number;
  } = { sinceMs: undefined, agreedSinceMs: undefined, unexplainedNano: 0 };
  /** Since when no profit of the account is known, since something traded has no price. */
  unpricedSinceMs: UnixMs | undefined;
  /** Since when own events cannot be seen. */
  blindSinceMs: number | undefined;
  /** When what is looked at once a second was looked at. */
  lookedAtMs = 0;
}
