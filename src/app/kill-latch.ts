// What a daemon asks of its kill latch.

import type { LatchFault } from '../domain/view.ts';
import type { Latch } from '../journal/latch.ts';

/** The kill latch on disk: a daemon that finds it set does not quote until a resume. */
export type KillLatch = {
  /** A kill that could not be written: it is tried again, and a new start would know nothing of it. */
  readonly fault?: LatchFault | undefined;
  /** Set when this resolves, or tried on behind `fault`. Never rejects. */
  set(by: string): Promise<void>;
  /** When `fault` says whether the disk has it; soon, whatever the disk does. */
  settled(): Promise<void>;
  /** What keeps quotes away by now. */
  standing(): Promise<readonly Latch[]>;
  /**
   * Lifts those, and none that was set since.
   * @returns The one that stays: somebody has killed again.
   */
  lift(standing: readonly Latch[]): Promise<Latch | undefined>;
  /** Notes on a latch that is set that nothing is open and nothing of ours under way. */
  confirm(): Promise<void>;
};
