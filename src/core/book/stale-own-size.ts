// How long a book may still show what has ended: for a moment in any feed, and in a late one for as long as
// its own frames are behind.

import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import type { TrustSettings } from '../../domain/trust.ts';
import { type BookMirror, FLUSH_MS } from './mirror.ts';
import { STALE_OWN_MS } from './own.ts';

/** What tells how late a frame is. */
export type Clocks = {
  readonly nowMs: UnixMs;
  /** Without an offset to the venue's clock stamps say nothing. */
  readonly clock: { readonly offsetMs: number | undefined };
  readonly trustLimits: Pick<TrustSettings, 'frameAgeMs'>;
};

/** Long since. */
export const AT_ANY_MOMENT = unixMs(0);

/** A feed that falls behind is later with the next frame than it was with the last one. */
const DELAY_MARGIN = 1.5;
/** A feed that is later is in doubt for its age, or its stamps are no measure of it. */
const DELAY_MS_MAX = 5_000;

/**
 * Until when a book may still show what ended or traded at `atMs`; absent when it cannot.
 *
 * A frame stamped later than that by a flush, and by what clocks may differ, is of a book without it. While none
 * has come it lasts as long as the last frame took, so that a quiet book does not keep it: own orders never
 * measure this, since one of the same size in the same place shows no change.
 */
export function staleOwnUntilMs(
  mirror: BookMirror,
  atMs: UnixMs,
  clocks: Clocks,
): UnixMs | undefined {
  const { nowMs, clock, trustLimits } = clocks;
  if (nowMs - atMs < STALE_OWN_MS) return AT_ANY_MOMENT;
  // Where stamps are not to be trusted, or none came, the feed counts as one in time.
  const { lastUpdateMs, lastVenueTs } = mirror;
  if (clock.offsetMs === undefined || trustLimits.frameAgeMs === 0) return undefined;
  if (lastUpdateMs === undefined || lastVenueTs === undefined) return undefined;
  const stampedAtMs = lastVenueTs - clock.offsetMs;
  if (stampedAtMs - atMs >= STALE_OWN_MS) return undefined;
  const delayMs = Math.min(lastUpdateMs - stampedAtMs, DELAY_MS_MAX);
  const untilMs = addMs(atMs, FLUSH_MS + DELAY_MARGIN * delayMs);
  return nowMs < untilMs ? untilMs : undefined;
}
