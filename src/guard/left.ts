// What is known of orders that an earlier run left, when a trader ends that has placed nothing on top of them.

import { TRADER_EXIT } from './death.ts';
import type { SupervisorOptions } from './supervisor-options.ts';
import type { TraderRun } from './trader-run.ts';

export type Left = 'left' | 'nothing' | 'unknown';

export type EndedStart = {
  readonly hasLeft: SupervisorOptions['hasLeft'] | undefined;
  readonly code: number;
  /** Somebody has told it to end. */
  readonly isStopping: boolean;
};

/**
 * Who has looked has said so. Of one that ended before it could, told to while it loads, over a configuration that is
 * wrong, or since the machine started no process, the journal of the earlier run tells. Never rejects: what nobody can
 * say is unknown.
 */
export async function leftOf(
  {
    isUntouched,
    isLeaving,
    hasGone,
    isWordless,
  }: Pick<TraderRun, 'isUntouched' | 'isLeaving' | 'hasGone' | 'isWordless'>,
  { code, isStopping, hasLeft }: EndedStart,
): Promise<Left> {
  if (isUntouched) return 'left';
  if (isLeaving || hasGone) return 'nothing';
  if (code === TRADER_EXIT.failed) return 'unknown';
  const hasFailedEarly = code === TRADER_EXIT.usage || isWordless;
  const isEarly = code === TRADER_EXIT.done ? isStopping : hasFailedEarly;
  if (!isEarly) return 'nothing';
  try {
    if (hasLeft === undefined) return 'unknown';
    return (await hasLeft()) ? 'left' : 'nothing';
  } catch {
    return 'unknown';
  }
}
