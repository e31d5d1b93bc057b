// One thing that goes wrong.

import type { ReplayedDaemon, Unusual } from './daemon.ts';

export type Fault = {
  /** The instance that it happens to. */
  readonly name: string;
  readonly says: string;
  /** Each of these has to fire. Where it says none the daemon copes, and nobody may be woken. */
  readonly fires: readonly string[];
  readonly unusual?: Unusual;
  /** Five minutes after the start. */
  readonly strike: (daemon: ReplayedDaemon) => void;
  /** Until the end, from the start on; twenty where nothing is said. */
  readonly minutes?: number;
};
