// A refusal of the venue: a stated code, prose for people, and the status where a group has several.

import type { VenueCode } from '../../domain/codes.ts';
import { VENUE_CODES } from '../../wire/codes.ts';

/** Thrown by whatever checks a request, caught once where the answer is written. @spec Errors */
export class VenueRefusal extends Error {
  override readonly name = 'VenueRefusal';
  readonly code: VenueCode;
  readonly status: number;
  readonly retryAfterSec: number | undefined;

  constructor(
    code: VenueCode,
    message: string,
    extra: {
      readonly status?: number;
      readonly retryAfterSec?: number;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = extra.status ?? statusOf(code);
    this.retryAfterSec = extra.retryAfterSec;
  }
}

/** Where the interface groups several statuses, these codes take the second of their group. */
const SECOND_STATUS: ReadonlySet<VenueCode> = new Set([
  'account_restricted',
  'geo_restricted',
  'order_not_cancellable',
  'duplicate_client_order_id',
  'already_exists',
]);

/** Unavailability is not a crash: 503 is the third of its group. */
const UNAVAILABLE: ReadonlySet<VenueCode> = new Set(['service_unavailable', 'maintenance']);

/** The HTTP status that a code comes with here. */
export function statusOf(code: VenueCode): number {
  if (UNAVAILABLE.has(code)) return 503;
  const [first, second] = VENUE_CODES[code];
  return SECOND_STATUS.has(code) ? (second ?? first) : first;
}
