// The venue's error codes and what each means for us: one table that the core obeys, the interface's
// documentation lists and the tests provoke. Statuses belong to the wire and stand there.

/**
 * What follows from a refusal.
 *
 * `retry`: the same request may be sent again · `backOff`: all order writes rest for a while ·
 * `resyncClock`: measure the venue's clock, then go on · `reloadCredentials`: read them again; no
 * order until they work · `stopSide`: this side of this market rests, longer with each refusal ·
 * `stopMarket`: no quotes on this market until the catalogue says what is true ·
 * `reconcile`: what we trust of orders or balances is wrong, read it · `reduceOnly`: only what
 * reduces positions is placed, and one order asks now and then whether it is over.
 */
export type Consequence =
  | 'retry'
  | 'backOff'
  | 'resyncClock'
  | 'reloadCredentials'
  | 'stopSide'
  | 'stopMarket'
  | 'reconcile'
  | 'reduceOnly';

/** @spec Errors */
export const CODE_CONSEQUENCES = {
  invalid_request: 'stopSide',
  missing_parameter: 'stopSide',
  invalid_parameter: 'stopSide',
  invalid_price: 'stopSide',
  tick_size_violation: 'stopMarket',
  price_out_of_range: 'stopMarket',
  invalid_quantity: 'stopSide',
  below_min_notional: 'stopSide',
  missing_credentials: 'reloadCredentials',
  unknown_api_key: 'reloadCredentials',
  invalid_signature: 'reloadCredentials',
  invalid_passphrase: 'reloadCredentials',
  expired_timestamp: 'resyncClock',
  account_restricted: 'reduceOnly',
  geo_restricted: 'reduceOnly',
  market_not_found: 'stopMarket',
  token_not_found: 'stopMarket',
  order_not_found: 'reconcile',
  order_not_cancellable: 'reconcile',
  duplicate_client_order_id: 'reconcile',
  already_exists: 'reconcile',
  insufficient_balance: 'stopSide',
  insufficient_shares: 'stopSide',
  max_open_orders: 'backOff',
  market_closed: 'stopMarket',
  market_paused: 'stopMarket',
  market_resolved: 'stopMarket',
  no_liquidity: 'stopSide',
  rate_limited: 'backOff',
  // A 5xx to an order write leaves its outcome unknown whatever the code; to a read, it is this.
  internal_error: 'retry',
  service_unavailable: 'backOff',
  maintenance: 'backOff',
} as const satisfies Readonly<Record<string, Consequence>>;

export type VenueCode = keyof typeof CODE_CONSEQUENCES;

/** Codes as labels of counters: those of the venue, the status class of answers without one, and the rest. */
export const VENUE_CODE_LABELS: readonly string[] = [
  ...Object.keys(CODE_CONSEQUENCES),
  'http_4xx',
  'http_5xx',
  'other',
];

export function isVenueCode(text: string): text is VenueCode {
  return Object.hasOwn(CODE_CONSEQUENCES, text);
}

/**
 * A refusal without a code we know is about this order, as far as we can tell; its status says so where it is about
 * the credentials. @spec Authentication › Credentials
 */
export function consequenceOf(code: string | undefined, httpStatus?: number): Consequence {
  if (code !== undefined && isVenueCode(code)) return CODE_CONSEQUENCES[code];
  return httpStatus === 401 ? 'reloadCredentials' : 'stopSide';
}
