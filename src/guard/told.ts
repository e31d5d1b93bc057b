// Lines of log of which nobody here makes any use.

import type { OrderHash } from '../domain/ids.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import type { GuardLog } from './held.ts';
import type { RunEnd, TraderProcess } from './trader-run.ts';

/** Orders that a line of log names. */
export const LEFT_TOLD_MAX = 50;

export function tellNotClear(
  log: GuardLog,
  { left, detail }: { readonly left: readonly OrderHash[]; readonly detail: string },
): void {
  const orderHashes = left.slice(0, LEFT_TOLD_MAX);
  log.error('guard.not_clear', { detail, left: left.length, orderHashes });
}

/** What nobody else says of the end of a trader. */
export function tellEnd(
  end: RunEnd,
  trader: TraderProcess,
  startedAtMs: UnixMs,
  by: { readonly clock: Clock; readonly log: GuardLog },
): void {
  if (end.kind === 'silent') void tellWhenGone(trader, startedAtMs, by);
  // It could not say it itself.
  else if (end.exit.notStarted !== undefined)
    by.log.error('guard.not_started', { detail: end.exit.notStarted });
}

/** A process that was killed for its silence may take a while to be gone. */
export async function tellWhenGone(
  trader: TraderProcess,
  startedAtMs: UnixMs,
  { clock, log }: { readonly clock: Clock; readonly log: GuardLog },
): Promise<void> {
  const { signal, code } = await trader.exited;
  const aliveMs = clock.nowMs() - startedAtMs;
  log.info('guard.trader_gone', { pid: trader.pid, signal, code, aliveMs });
}
