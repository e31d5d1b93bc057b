// A start whose guard ends meanwhile. What the previous run had sent may still arrive, and its guard would have
// watched for it: nobody else does that now, so this process does, before it gives its journal free.

import type { KillResult } from '../guard/kill.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';
import { Outlast } from './outlast.ts';
import { stopTimeOf } from './stop-time.ts';
import { withVenueHttp } from './venue-access.ts';

/** It has ended before it placed anything, and orders of a previous run may be left. */
export class UnconfirmedStart extends Error {
  override readonly name = 'UnconfirmedStart';
}

export type Orphaned = {
  readonly options: DaemonOptions;
  readonly parts: DaemonParts;
  /** Orders that the ledger knows of, and that had not ended. */
  readonly ordersLeft: number;
  /** Somebody wants it to end all the same. */
  readonly insisted: AbortSignal;
};

export const NOT_LOOKED: KillResult = {
  kind: 'unconfirmed',
  cancelled: 0,
  tookMs: 0,
  left: undefined,
  detail: 'the guard was gone before the start was over',
};

/**
 * Cancels and confirms where the guard is gone and something may rest or arrive; otherwise does nothing.
 * @throws {UnconfirmedStart} When somebody insisted, or the venue refuses to cancel what is open.
 */
export async function clearAsGuard(orphaned: Orphaned): Promise<void> {
  const { options, parts, ordersLeft, insisted } = orphaned;
  const { guarded, log } = options;
  // What the guard took along needs no proof.
  if (guarded?.isGone() !== true || options.endsWithGuard === true) return;
  if (!guarded.facts.hasTraded && ordersLeft === 0) return;
  log.error('daemon.goes_on', {
    ...NOT_LOOKED,
    endsWith: 'a proof, guard.stopDeadlineSec, or a second signal',
  });
  const outlast = outlastOf(options, parts);
  const giveUp = (): void => outlast.giveUp();
  insisted.addEventListener('abort', giveUp, { once: true });
  if (insisted.aborted) giveUp();
  const last = await withVenueHttp(
    parts.access,
    async (door) =>
      await outlast.run(door, NOT_LOOKED, stopTimeOf(options.settings.guard).settleMs),
  );
  insisted.removeEventListener('abort', giveUp);
  if (last.kind === 'confirmed') log.info('daemon.stopped', last);
  else {
    log.error('daemon.stop_unconfirmed', last);
    throw new UnconfirmedStart(last.detail);
  }
}

/** Goes on as the guard of this process would have done. */
export function outlastOf({ settings, clock, log }: DaemonOptions, { own }: DaemonParts): Outlast {
  return new Outlast({
    own: own.meant,
    clock: clock.steady(),
    timers: clock,
    horizonMs: () => Math.max(settings.timing.unknownHorizonMs, own.horizonMs),
    tellMs: settings.timing.proofDeadlineMs,
    log,
  });
}
