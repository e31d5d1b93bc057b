// The statuses that each of the venue's error codes may come with. @spec Errors

import { isVenueCode, type VenueCode } from '../domain/codes.ts';
import type { Refusal } from '../domain/message.ts';

export const VENUE_CODES = {
  invalid_request: [400],
  missing_parameter: [400],
  invalid_parameter: [400],
  invalid_price: [400],
  tick_size_violation: [400],
  price_out_of_range: [400],
  invalid_quantity: [400],
  below_min_notional: [400],
  missing_credentials: [401, 403],
  unknown_api_key: [401, 403],
  invalid_signature: [401, 403],
  invalid_passphrase: [401, 403],
  expired_timestamp: [401, 403],
  account_restricted: [401, 403],
  geo_restricted: [401, 403],
  market_not_found: [404, 409],
  token_not_found: [404, 409],
  order_not_found: [404, 409],
  order_not_cancellable: [404, 409],
  duplicate_client_order_id: [404, 409],
  already_exists: [404, 409],
  insufficient_balance: [422],
  insufficient_shares: [422],
  max_open_orders: [422],
  market_closed: [422],
  market_paused: [422],
  market_resolved: [422],
  no_liquidity: [422],
  rate_limited: [429],
  internal_error: [500, 502, 503, 504],
  service_unavailable: [500, 502, 503, 504],
  maintenance: [500, 502, 503, 504],
} as const satisfies Readonly<Record<VenueCode, readonly number[]>>;

/** A failing server: what came of an order write it was asked for nobody knows. @spec Errors */
const SERVER_CODES: readonly string[] = Object.entries(VENUE_CODES)
  .filter(([, statuses]) => statuses.every((status) => status >= 500))
  .map(([code]) => code);

/**
 * What was asked for is there: an order of ours does not carry a name that another one could have, so this
 * is the order itself, asked for once and delivered twice. Its first request was taken, and nobody saw the
 * answer. @spec Errors
 */
const THERE_CODES: readonly string[] = [
  'already_exists',
  'duplicate_client_order_id',
] satisfies readonly VenueCode[];

/** Codes after which an order write that was refused may have taken effect all the same. */
export const UNCERTAIN_CODES: readonly string[] = [...SERVER_CODES, ...THERE_CODES];

/** Whether a code is about who we are, not about what we asked. */
export function isAuthCode(code: VenueCode): boolean {
  return VENUE_CODES[code].some((status) => status === 401);
}

type Refused = Pick<Refusal, 'code' | 'httpStatus'>;

/** Whether the venue says that what was asked for is not there; its codes come with any status of their group. */
export function isNotThere({ code, httpStatus }: Refused): boolean {
  return httpStatus === 404 || code === 'market_not_found' || code === 'token_not_found';
}

/** Whether a refusal is about who asks, or how often, and so about all that is asked. */
export function isAboutAsker({ code, httpStatus = 0 }: Refused): boolean {
  if (code === undefined || !isVenueCode(code)) return [401, 403, 429].includes(httpStatus);
  return code === 'rate_limited' || isAuthCode(code);
}
