// Exit codes of every command; scripts and supervisors branch on them.

export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage or configuration. */
  usage: 2,
  /** Preflight refused: nothing was placed. */
  refused: 3,
  /** A kill or shutdown could not be confirmed clean. */
  unconfirmed: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
