// Metrics of orders, limits and the venue: a part of the table of metrics.

import { VENUE_CODE_LABELS } from '../domain/codes.ts';
import { REQUEST_RESULTS } from '../domain/observe.ts';
import { CONTROLS, RISK_LEVELS } from '../domain/risk.ts';
import { TRUST_SIGNALS } from '../domain/trust.ts';
import { counter, gauge, histogram, type Room } from './metric-spec.ts';

/** From a round trip in one rack to a request that timed out. */
const REQUEST_BUCKETS_SEC = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From a write in the same turn to a placement that has waited for the budget until it is too old. */
const DECISION_BUCKETS_SEC = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** From one round trip to the longest wait between two renewals. */
const RESYNC_BUCKETS_SEC = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ORDER = 'states of an order, as the runbook lists them';
const FEED = 'names of `feeds` in the configuration';
const CONTROL = 'controls and limits that are switched on';
const BOUNDS = ['value', 'limit'] as const;
const PURPOSE = 'what orders are for: `quote`, `renew`, `repair`, …';
export const FEED_STATES = ['waiting', 'ok', 'stale', 'refused', 'down'] as const;
/** Why a socket was opened anew; what is `other` stands in the log in words. */
export const RECONNECT_CAUSES = ['silence', 'closed', 'error', 'auth', 'slow', 'other'] as const;

export const ORDERS = {
  orders: gauge('bookend_own_orders', 'Own orders by state.', { state: ORDER }),
  unknown: gauge(
    'bookend_unknown_orders',
    'Own orders of which nobody can tell whether they rest: a placement or a cancel was not answered.',
  ),
  placed: counter(
    'bookend_placed_orders_total',
    'Orders placed in this run, by what they were for.',
    {
      class: PURPOSE,
    },
  ),
  armed: counter(
    'bookend_armed_cancels_total',
    'Orders that a frame had cancelled or placed before it was decided on, and what the decision said then.',
    { result: ['fired', 'right', 'wrong', 'placed', 'unwanted'] },
  ),
  accepted: counter(
    'bookend_accepted_shares_total',
    'Shares of orders that the venue took; what was filled, beside it, is the fill ratio.',
  ),
  waiting: gauge('bookend_waiting_orders', 'Orders that wait for a write, by what they are for.', {
    class: PURPOSE,
  }),
  external: gauge(
    'bookend_external_orders',
    "Somebody else's orders on the account, which are left alone.",
  ),
  uncancellable: gauge(
    'bookend_uncancellable_orders',
    'Live orders that the venue refuses to cancel: they count everywhere, and rest until they trade.',
  ),
  refusals: counter('bookend_order_refusals_total', 'Placements that the venue refused, by code.', {
    code: VENUE_CODE_LABELS,
  }),
  anomalies: counter(
    'bookend_order_anomalies_total',
    'Order events that the table of moves does not list.',
    { state: ORDER, signal: 'signals of the order table' },
  ),
  deadlines: counter(
    'bookend_order_deadlines_total',
    'Deadlines that orders missed, by the state that lasted too long and what was done.',
    { state: ORDER, remedy: 'remedies of the order table' },
  ),
  chain: counter(
    'bookend_chain_actions_total',
    'Splits, merges and redeems by what became of them.',
    {
      action: ['split', 'merge', 'redeem'],
      by: ['recycler', 'operator'],
      state: 'states of a chain action',
    },
  ),
} satisfies Room;

export const RISK = {
  level: gauge('bookend_risk_level_info', '1 for the level of the whole account.', {
    level: RISK_LEVELS,
  }),
  latches: gauge(
    'bookend_risk_latches',
    'What holds trading back now, of operators and of controls.',
  ),
  controlLevel: gauge(
    'bookend_control_level_info',
    '1 for the hardest level that a limit or control holds anywhere.',
    { control: CONTROL, level: RISK_LEVELS },
  ),
  controlUsed: gauge(
    'bookend_control_used_ratio',
    'Value of a limit or control as a part of where it ends.',
    { control: CONTROL },
  ),
  controlUsdc: bound('bookend_control_usdc', 'Limits and controls in USDC: value now, and limit.'),
  controlShares: bound(
    'bookend_control_shares',
    'Limits in shares: the largest of all markets, and limit.',
  ),
  controlOrders: bound(
    'bookend_control_orders',
    'Limits and controls in orders: value now, and limit.',
  ),
  controlFills: bound(
    'bookend_control_fills',
    'Fills within the interval of the breaker, and limit.',
  ),
  controlRefusals: bound(
    'bookend_control_refusals',
    'Most refusals of one code within the interval of the breaker, and limit.',
  ),
  controlTrades: bound(
    'bookend_control_trades',
    'Failed settlements within the interval of the breaker, and limit.',
  ),
  controlSeconds: bound('bookend_control_seconds', 'Controls in seconds: value now, and limit.'),
  trips: counter(
    'bookend_control_trips_total',
    'Times a control tripped, for a market or the account.',
    { control: CONTROLS },
  ),
  riskRefusals: counter('bookend_risk_refusals_total', 'Target quotes that a limit held back.', {
    limit: 'names of limits, 60 at the most',
  }),
  unwrittenStops: gauge(
    'bookend_unwritten_stops',
    'What keeps quotes away (pause, halt, controls that tripped) and is on no disk: a new start would quote.',
  ),
  unlatched: gauge(
    'bookend_kill_unlatched_bool',
    '1 while the account is killed and the disk does not take the latch: a new start would quote.',
  ),
} satisfies Room;

export const VENUE = {
  socket: gauge('bookend_socket_open_bool', '1 while the socket is open.'),
  authenticated: gauge('bookend_socket_authenticated_bool', '1 while the user channel streams.'),
  clockOffset: gauge('bookend_clock_offset_seconds', 'Venue time minus ours.'),
  feedDelay: gauge(
    'bookend_feed_delay_seconds',
    "How old changes of books are when they come, by the venue's stamps, a decayed mean.",
  ),
  writesUsed: gauge('bookend_write_budget_used_requests', 'Order writes in the last 10 s.'),
  writesMax: gauge('bookend_write_budget_max_requests', 'Order writes allowed in 10 s.'),
  requests: counter('bookend_requests_total', 'Requests to the venue, by how they ended.', {
    result: REQUEST_RESULTS,
  }),
  requestErrors: counter(
    'bookend_request_refusals_total',
    'Requests that the venue refused, by code.',
    {
      code: VENUE_CODE_LABELS,
    },
  ),
  latency: histogram(
    'bookend_request_duration_seconds',
    'Time from sending a request to its outcome.',
    {
      buckets: REQUEST_BUCKETS_SEC,
      labels: { endpoint: "methods and routes of the venue's interface" },
    },
  ),
  decision: histogram(
    'bookend_decision_to_venue_seconds',
    'From the decision to place or cancel until the request leaves: journal, write budget and connection included.',
    { buckets: DECISION_BUCKETS_SEC, labels: { kind: ['place', 'cancel'] } },
  ),
  frames: counter('bookend_frames_total', 'Frames that came in over the socket, by type.', {
    type: 'frame types of the interface, 40 at the most',
  }),
  reconnects: counter('bookend_reconnects_total', 'Times the socket was opened anew, by cause.', {
    reason: RECONNECT_CAUSES,
  }),
  doubts: counter('bookend_book_doubts_total', 'Doubts about books, by the signal that spoke.', {
    signal: TRUST_SIGNALS,
  }),
  resyncs: counter(
    'bookend_book_resyncs_total',
    'Books trusted again, by what brought them back, and whether the alarm was true.',
    { by: 'a snapshot, a read, a new connection, …', alarm: ['true', 'false'] },
  ),
  resyncTook: histogram(
    'bookend_book_resync_seconds',
    'From the first doubt about a book until it was trusted again.',
    { buckets: RESYNC_BUCKETS_SEC },
  ),
  feedState: gauge('bookend_feed_state_info', '1 for the state of a source of external prices.', {
    feed: FEED,
    state: FEED_STATES,
  }),
  feedPrice: gauge(
    'bookend_feed_price_usdc',
    'The last external price of YES that was taken; not set before there is one.',
    { feed: FEED },
  ),
  feedVolatility: gauge(
    'bookend_feed_volatility_ratio',
    'Volatility of a spot price, fitted to its own moves: deviation of its log over the root of a year.',
    { feed: FEED },
  ),
  feedPriceAt: gauge(
    'bookend_feed_price_timestamp_seconds',
    'When the last external price that was taken came.',
    { feed: FEED },
  ),
  feedValues: counter(
    'bookend_feed_values_total',
    'What a source said: taken, refused as no price, or skipped as about something else.',
    { feed: FEED, result: ['taken', 'refused', 'skipped'] },
  ),
  feedFailures: counter(
    'bookend_feed_failures_total',
    'Times a source of external prices could not be read.',
    { feed: FEED },
  ),
} satisfies Room;

function bound(name: string, help: string) {
  return gauge(name, help, { control: CONTROL, bound: BOUNDS });
}
