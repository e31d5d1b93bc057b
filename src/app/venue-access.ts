// The configured venue as each part of the program opens it.

import type { VenueObserver } from '../domain/observe.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { type KillOptions, type KillResult, killOrders } from '../guard/kill.ts';
import type { Settings } from '../settings/settings.ts';
import { createVenueHttp, type VenueHttp } from '../venue/http/venue-http.ts';
import type {
  CredentialsProvider,
  SocketSettings,
  VenueHttpOptions,
  VenueTimeouts,
} from '../venue/options.ts';
import { SOCKET_SETTINGS } from '../venue/options.ts';
import type { PublicVenueOptions } from '../venue/public-venue.ts';

export type VenueAccess = {
  readonly settings: Pick<Settings, 'venue' | 'timing'>;
  readonly credentials: CredentialsProvider;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observer?: VenueObserver;
  /** An idle connection stays open so long; the default of the client without it. */
  readonly keepAliveMs?: number;
  /** A wait that the venue asks for is kept up to this; as far as the client does without it. */
  readonly retryAfterMsMax?: number;
};

/**
 * For whoever cancels everything, and waits between two looks by himself: a venue that names minutes where it
 * means milliseconds must not make him blind.
 */
export const KILL_RETRY_AFTER_MS_MAX = 1_000;

/** What both doors of the venue, REST alone and REST with the socket, are made from. */
export function venueHttpOptions(access: VenueAccess): VenueHttpOptions {
  const { settings, credentials, clock, timers, observer, keepAliveMs, retryAfterMsMax } = access;
  const { baseUrl, writeShare, readShare, signReads } = settings.venue;
  return {
    baseUrl,
    credentials,
    signsReads: signReads,
    clock,
    timers,
    limits: {
      writeShare,
      readShare,
      ...(retryAfterMsMax === undefined ? {} : { retryAfterMsMax }),
    },
    timeouts: timeoutsOf(settings.venue),
    ...(observer === undefined ? {} : { observer }),
    ...(keepAliveMs === undefined ? {} : { connections: { keepAliveMs } }),
  };
}

/** A socket is probed three times before its silence counts as death. */
const PROBES_PER_SILENCE = 3;

export function socketOptions(venue: Settings['venue']): Partial<SocketSettings> {
  const probeMs = Math.floor(venue.silenceTimeoutMs / PROBES_PER_SILENCE);
  return {
    silenceMs: venue.silenceTimeoutMs,
    probeMs: Math.min(SOCKET_SETTINGS.probeMs, probeMs),
  };
}

/** What the door for public reads alone is made from. */
export function publicVenueOptions(
  venue: Settings['venue'],
  { clock, timers }: Pick<VenueAccess, 'clock' | 'timers'>,
): Omit<PublicVenueOptions, 'emit'> {
  const { baseUrl, wsUrl, readShare } = venue;
  return {
    ...{ baseUrl, wsUrl, clock, timers },
    limits: { readShare },
    timeouts: timeoutsOf(venue),
    socket: socketOptions(venue),
    random: Math.random,
  };
}

/** Opens REST for a short errand and closes it, whatever happens. */
export async function withVenueHttp<Value>(
  access: VenueAccess,
  errand: (http: VenueHttp) => Promise<Value>,
): Promise<Value> {
  const http = createVenueHttp(venueHttpOptions(access));
  try {
    return await errand(http);
  } finally {
    await http.stop();
  }
}

/**
 * What a kill means, and what is known of placements under way. It is confirmed by its own clock, which
 * nobody sets; the one of the access dates requests.
 */
export type KillErrand = Pick<
  KillOptions,
  'scope' | 'own' | 'onProgress' | 'inFlightUntilMs' | 'clock' | 'withinMs' | 'isUnlisted'
> & {
  /** `timing.proofDeadlineMs` without it. */
  readonly deadlineMs?: number;
};

/** The independent kill path over connections of its own. */
export async function killAt(access: VenueAccess, errand: KillErrand): Promise<KillResult> {
  const { proofQuietMs, proofDeadlineMs } = access.settings.timing;
  const { inFlightUntilMs } = errand;
  return await withVenueHttp(
    { ...access, retryAfterMsMax: KILL_RETRY_AFTER_MS_MAX },
    async (http) =>
      await killOrders({
        // A clock that is off shows in the first refusal, and the client then measures it: the
        // cancel itself waits for nothing.
        door: http,
        deadlineMs: proofDeadlineMs,
        ...errand,
        inFlightUntilMs: (sofar) =>
          inFlightUntilMs?.({ ...sofar, clockOffsetMs: http.clockOffsetMs() }),
        timers: access.timers,
        quietMs: proofQuietMs,
      }),
  );
}

function timeoutsOf({
  connectTimeoutMs,
  requestTimeoutMs,
}: Settings['venue']): Partial<VenueTimeouts> {
  return {
    connectMs: connectTimeoutMs,
    headersMs: requestTimeoutMs,
    bodyMs: requestTimeoutMs,
    totalMs: requestTimeoutMs,
  };
}
