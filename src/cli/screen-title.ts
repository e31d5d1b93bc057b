// The line on top of the live status: what runs and where to look, or, while orders are being cancelled, how long that
// may still take.

import { duration } from './status-lines.ts';

export type ScreenTitle = (phase: string) => string;

type Waits = {
  /** From a Ctrl-C to the last word, `guard.stopDeadlineSec`; infinite where only a confirmation ends it. */
  readonly stopMs: number;
  /** After which a mass cancel that is not confirmed says so, `timing.proofDeadlineMs`. */
  readonly cancelMs: number;
};

/** @param nowMs - A clock that is never set. */
export function screenTitle(usual: () => string, waits: Waits, nowMs: () => number): ScreenTitle {
  let since: { readonly phase: string; readonly atMs: number } | undefined;
  return (phase) => {
    const wait = WAITS[phase];
    if (wait === undefined) {
      since = undefined;
      return usual();
    }
    if (since?.phase !== phase) since = { phase, atMs: nowMs() };
    const leftMs = waits[wait.until] - (nowMs() - since.atMs);
    return `${wait.doing}: ${leftText(leftMs)}${wait.after}`;
  };
}

const WAITS: Readonly<
  Record<string, { readonly doing: string; readonly until: keyof Waits; readonly after: string }>
> = {
  clearing: {
    doing: 'cancelling what an earlier run left',
    until: 'cancelMs',
    after: '; then it says what rests, and goes on',
  },
  killing: {
    doing: 'cancelling everything',
    until: 'cancelMs',
    after: '; then it says what rests, and goes on',
  },
  stopping: {
    doing: 'cancelling everything, then it ends',
    until: 'stopMs',
    after: '; a second Ctrl-C ends it sooner',
  },
};

function leftText(leftMs: number): string {
  if (!Number.isFinite(leftMs)) return 'until it is confirmed';
  return leftMs > 0 ? `${duration(leftMs + 999)} left at the most` : 'longer than usual';
}
