// What a start waits for at the venue before anything is placed: that it is as configured, and that nothing of before a
// power cut can arrive any more.

import type { PersistedState } from '../domain/record.ts';
import type { Ledger } from '../journal/ledger/ledger.ts';
import { isNamed } from '../settings/selected.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';
import { LeftOrders } from './left-orders.ts';
import { keepListed, listedBefore } from './listed-before.ts';
import { lastArrivalMs } from './power-cut.ts';
import { preflight } from './preflight.ts';
import { withVenueHttp } from './venue-access.ts';

/** The venue is as configured, and nothing of before a power cut can arrive any more. */
export async function ready(options: DaemonOptions, parts: DaemonParts, cut: Cut): Promise<void> {
  const { persisted, ledger } = cut;
  const mayRest = persisted.orders.length > 0 || ledger.cutBeforeMs !== undefined;
  const left = new LeftOrders(options, parts, mayRest);
  const checked = checkVenue(options, parts, { ...cut, left });
  const waited = checked.then(async () => {
    await outwaitCut(options, parts, { ...cut, left });
    ledger.endCut();
  });
  // A venue that does not answer must not keep the process from ending.
  try {
    await Promise.race([waited, abortion(cut.calledOff)]);
  } finally {
    await left.end();
  }
}

type Waiting = Cut & { readonly left: LeftOrders };
type Cut = {
  readonly persisted: Pick<PersistedState, 'orders'>;
  readonly ledger: Pick<Ledger, 'cutBeforeMs' | 'endCut' | 'fact' | 'setFact'>;
  readonly calledOff: AbortSignal;
};

/**
 * What left just before a power cut is in no ledger and may still arrive: the start clears the account when nothing
 * of it can any more. A machine seldom comes back sooner.
 */
async function outwaitCut(
  { clock, log, isVenueNew = false }: DaemonOptions,
  { own }: DaemonParts,
  { left, ledger: { cutBeforeMs } }: Waiting,
): Promise<void> {
  if (cutBeforeMs === undefined || isVenueNew) return;
  const waitMs = Math.min(lastArrivalMs(cutBeforeMs, own.horizonMs) - clock.nowMs(), WAIT_MS_MAX);
  if (waitMs <= 0) return;
  const detail = 'orders sent just before the power cut may still arrive';
  log.warn('start.waiting', { detail, waitMs });
  left.onWait();
  await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
}

/** A clock that was set says nothing of a boot; more than that nobody waits. */
const WAIT_MS_MAX = 600_000;

export async function abortion(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return undefined;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function checkVenue(
  options: DaemonOptions,
  parts: DaemonParts,
  { ledger, left, calledOff }: Waiting,
): Promise<void> {
  const { settings, credentials, log, clock: timers, guarded } = options;
  const markets = settings.markets.filter(isNamed);
  const wasListed = listedBefore(ledger);
  const isLater = (guarded?.facts.run ?? 1) > 1;
  const result = await withVenueHttp(
    parts.access,
    async (http) =>
      await preflight({
        http,
        baseUrl: settings.venue.baseUrl,
        hasCredentials: credentials.current() !== undefined,
        markets,
        wasListed: (choice) => isLater || wasListed(choice),
        select: async () => await parts.selection.start(),
        ...{ timers, calledOff },
        onWait: (wait) => {
          log.warn('start.waiting', wait);
          left.onWait();
        },
      }),
  );
  for (const detail of result.unlisted) log.warn('preflight.unlisted', { detail });
  keepListed(ledger, markets);
  log.info('preflight.passed', result);
}
