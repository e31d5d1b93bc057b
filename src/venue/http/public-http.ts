// The venue over REST as anybody may read it: no credentials, and nothing that could change anything there.

import type { VenueHttpOptions } from '../options.ts';
import { VENUE_CONNECTIONS, VENUE_LIMITS, VENUE_TIMEOUTS } from '../options.ts';
import { parseBase } from './base.ts';
import type { EventCalls } from './events.ts';
import type { RawAnswer } from './get-only.ts';
import { openReadLanes } from './lanes.ts';
import type { PublicCalls } from './public-reads.ts';
import { type ClockCalls, createVenueHttp } from './venue-http.ts';

export type PublicHttpOptions = Omit<VenueHttpOptions, 'credentials'> & {
  /** Given every answer as it came. */
  readonly onAnswer?: ((answer: RawAnswer) => void) | undefined;
};

/** No call of it writes. */
export type PublicHttp = EventCalls &
  Pick<PublicCalls, 'readBook' | 'readResolution'> &
  Pick<ClockCalls, 'measureClock' | 'venueNowMs'> & {
    /** Waiting calls end as not sent, calls under way as unknown; later ones are not sent. */
    stop(): Promise<void>;
  };

const NOBODY = { current: () => undefined, reload: () => Promise.resolve(false) };

/**
 * Opens the venue for public reads over connections that take nothing but GET.
 * @throws {BotError} `settings.invalid` when the base address is not usable.
 * @spec Endpoints
 */
export function createPublicHttp({ onAnswer, ...options }: PublicHttpOptions): PublicHttp {
  const lanes = openReadLanes(
    {
      origin: parseBase(options.baseUrl).origin,
      limits: { ...VENUE_LIMITS, ...options.limits },
      timeouts: { ...VENUE_TIMEOUTS, ...options.timeouts },
      connections: { ...VENUE_CONNECTIONS, ...options.connections },
      timers: options.timers,
    },
    onAnswer ?? (() => undefined),
  );
  const http = createVenueHttp({ ...options, credentials: NOBODY }, lanes);
  return {
    readEventsPage: http.readEventsPage,
    readAllEvents: http.readAllEvents,
    readEvent: http.readEvent,
    readNamedEvents: http.readNamedEvents,
    readBook: http.readBook,
    readResolution: http.readResolution,
    measureClock: http.measureClock,
    venueNowMs: http.venueNowMs,
    stop: http.stop,
  };
}
