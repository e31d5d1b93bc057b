// How densely time is filled: with ticks of the loop, and with what the crowd does.

import type { ProfileChoice } from '../../src/paper/crowd/profile.ts';

export type PaceName = keyof typeof PACES;

export type Pace = {
  /** The loop ticks this often beside the turn after each batch of messages. */
  readonly tickMs: number;
  /** The crowd acts this often at most. */
  readonly crowdStepMs: number;
  /** How often makers look, and takers come. */
  readonly activity: number;
  readonly crowd: ProfileChoice;
  /** Books that are read over REST for comparison. */
  readonly auditsPerSec: number;
};

/** Fewer people than usual, so that an hour passes quickly; they trade often all the same. */
const CROWD = { makers: 2, makerLevels: 4, noiseTakersPerSec: 0.8, informedTakersPerSec: 0.15 };

export const PACES = {
  /** As a live market: some ten frames and fifty turns of the loop in a second. */
  brisk: { tickMs: 50, crowdStepMs: 0, activity: 1, crowd: CROWD, auditsPerSec: 2 },
  /**
   * For long hours: the same troubles and every rule, and about a thousand own fills in an hour, in a
   * market that moves every second or two and a loop that ticks four times a second.
   */
  steady: {
    tickMs: 400,
    crowdStepMs: 2_000,
    activity: 0.25,
    crowd: { ...CROWD, makerLevels: 3, makerError: 0.02 },
    auditsPerSec: 0.5,
  },
  /** For the most hours: a market that moves every few seconds, with some hundred own fills an hour. */
  sparse: {
    tickMs: 1_000,
    crowdStepMs: 5_000,
    activity: 0.1,
    crowd: { ...CROWD, makers: 1, makerLevels: 3, makerError: 0.02 },
    auditsPerSec: 0.5,
  },
} as const satisfies Readonly<Record<string, Pace>>;
