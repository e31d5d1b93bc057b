// The way from the log to people: made of settings, for the watchdog and for the trader alike.

import type { SystemClock } from '../clock/system.ts';
import type { Secret } from '../domain/secret.ts';
import type { Log } from '../telemetry/logs.ts';
import { withNotices } from '../telemetry/notices.ts';
import { Notifier } from '../telemetry/notifier.ts';

export type NotifyingLog = {
  readonly log: Log;
  /** What waits is delivered by then or given up; at the end of a process. */
  readonly close: (msMax: number) => Promise<void>;
};

/** The log itself where nobody is to be notified. */
export function notifyingLog(
  log: Log,
  urls: readonly Secret[],
  clock: Pick<SystemClock, 'steady' | 'nowMs' | 'after' | 'background'>,
): NotifyingLog {
  if (urls.length === 0) return { log, close: async () => {} };
  const notifier = new Notifier({
    urls,
    clock,
    timers: clock.background,
    onFailed: (failure) => log.warn('notify.failed', failure),
  });
  return {
    log: withNotices(log, (notice) => notifier.send(notice)),
    close: async (msMax) => {
      await notifier.flush(msMax);
      notifier.stop();
    },
  };
}
