// What an earlier run left, where the first start of this one failed: it would rest over every further try.

import { leftOf } from './left.ts';
import type { EarlierOrders, SupervisorOptions } from './supervisor-options.ts';
import type { TraderRun } from './trader-run.ts';
import type { Waiting } from './waiting.ts';
import type { Watch } from './watch.ts';

export type EarlierRun = Pick<SupervisorOptions, 'hadJournal' | 'hasLeft' | 'settings' | 'log'> & {
  readonly scope: 'account' | 'own';
  readonly isStopping: boolean;
  readonly waiting: Waiting;
  readonly hasAbandoned: () => boolean;
  readonly startWatch: () => Watch;
};

/** A venue that answers is cleared in less: whoever waits for the reason of a start that failed gets it soon. */
const SWEEP_MS_MAX = 5_000;

/** Cancels it once, or says that it may rest; `undefined` where nothing was left. */
export async function clearEarlier(
  traderRun: TraderRun,
  code: number,
  run: EarlierRun,
): Promise<EarlierOrders | undefined> {
  const { hadJournal, hasLeft, settings, log, isStopping, waiting, hasAbandoned } = run;
  if (!settings.enabled || hadJournal !== true) return undefined;
  const found: { left?: Awaited<ReturnType<typeof leftOf>> } = {};
  void leftOf(traderRun, { code, isStopping, hasLeft }).then((left) => {
    found.left = left;
    waiting.wake();
  });
  await waiting.until(() => found.left !== undefined || hasAbandoned(), SWEEP_MS_MAX);
  if (found.left === 'nothing') return undefined;
  const isOurs = found.left === 'left' && run.scope === 'account';
  const watch = isOurs ? await sweepOnce(run) : undefined;
  if (watch?.isEmpty === true) {
    log.warn('guard.cleared_earlier', { cancelled: watch.cancelled, clearMs: watch.clearMs });
    return { kind: 'cleared', cancelled: watch.cancelled };
  }
  log.error('guard.left_earlier', { do: 'bookend kill', scope: run.scope });
  return { kind: 'left' };
}

async function sweepOnce({ waiting, hasAbandoned, startWatch }: EarlierRun): Promise<Watch> {
  const watch = startWatch();
  await waiting.until(() => watch.clearMs !== undefined || hasAbandoned(), SWEEP_MS_MAX);
  void watch.release();
  return watch;
}
