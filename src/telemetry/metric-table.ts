// Every number that is served, declared once. Code, ops/METRICS.md and the tests of dashboards and alerts read
// this table: a name that stands nowhere here cannot be made.

import { REPORT_SEVERITY } from '../domain/report.ts';
import { DEATH_REASONS } from '../domain/supervision.ts';
import { UPTIME_EXCLUSIONS } from '../domain/view.ts';
import { counter, gauge, histogram, type MetricSpec, type Room } from './metric-spec.ts';
import { ACCOUNT_FIGURES, MARKET_FIGURES } from './metric-table-figures.ts';
import { ORDERS, RISK, VENUE } from './metric-table-trade.ts';

/** From a commit that fits the disk's cache to one that stands still. */
const COMMIT_BUCKETS_SEC = [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5];

const MARKET = 'ids of the venue';
const QUOTE_SIDES = ['bid', 'ask'] as const;
const OUTCOMES = ['yes', 'no'] as const;

export const PHASES = [
  'starting',
  'clearing',
  'quoting',
  'paused',
  'halted',
  'killing',
  'killed',
  'stopping',
  'stopped',
] as const;
export const TRUST_STATES = ['trusted', 'suspect', 'resyncing', 'dead'] as const;

const ACCOUNT = {
  phase: gauge('bookend_phase_info', '1 for the phase the core is in.', { phase: PHASES }),
  ready: gauge('bookend_ready_bool', '1 when quoting is possible.'),
  stateAt: gauge(
    'bookend_state_timestamp_seconds',
    'When the state that the gauges are made from was true, by the clock of the daemon.',
  ),
  cash: gauge('bookend_cash_usdc', 'Cash of the account.'),
  available: gauge('bookend_available_usdc', 'Cash after holds of open orders.'),
  pnl: gauge('bookend_pnl_usdc', 'Profit and loss of the session.'),
  worstCase: gauge(
    'bookend_worst_case_loss_usdc',
    'Loss in the worst outcome of all that is held and live.',
  ),
  unlisted: gauge(
    'bookend_unlisted_markets',
    'Entries of the configuration that are no market of the venue.',
  ),
  refusedEdit: gauge(
    'bookend_settings_refused_bool',
    '1 while the configuration on disk is refused, and the one before it in force.',
  ),
  unshown: gauge(
    'bookend_unshown_markets',
    'Markets without series of their own: there are too many, and nothing of ours is there.',
  ),
  mirrored: gauge('bookend_mirrored_books', 'Books of all markets by the state of trust in them.', {
    state: TRUST_STATES,
  }),
  uptimeExcluded: gauge(
    'bookend_quoting_uptime_excluded_seconds',
    'Time since the start that quoting uptime leaves out, over all markets and sides, by cause.',
    { cause: UPTIME_EXCLUSIONS },
  ),
} satisfies Room;

const MARKETS = {
  market: gauge('bookend_market_info', 'Always 1; names of the market.', {
    market: MARKET,
    event: 'slugs of the venue',
    title: 'as the venue words it',
    strategy: 'as the configuration names it',
  }),
  status: gauge('bookend_market_status_info', '1 for the status of the market.', {
    market: MARKET,
    status: 'statuses of a market',
  }),
  books: gauge('bookend_book_state_info', '1 for the state of trust in a book.', {
    market: MARKET,
    outcome: OUTCOMES,
    state: TRUST_STATES,
  }),
  book: gauge('bookend_book_price_usdc', 'Best price of others on the YES axis.', sided()),
  quotePrice: gauge('bookend_quote_price_usdc', 'Best own live quote on the YES axis.', sided()),
  quoteOrders: gauge('bookend_quote_orders', 'Own live quotes.', sided()),
  quoteShares: gauge('bookend_quote_shares', 'Shares in own live quotes.', sided()),
  quoteSentAt: gauge(
    'bookend_quote_sent_timestamp_seconds',
    'When the oldest order of the live quotes was sent; no series without quotes.',
    sided(),
  ),
  inventory: gauge('bookend_inventory_shares', 'Shares held, matched ones included.', {
    market: MARKET,
    token: MARKET,
    outcome: OUTCOMES,
  }),
  settled: gauge('bookend_settled_shares', 'Shares held and settled.', {
    market: MARKET,
    token: MARKET,
    outcome: OUTCOMES,
  }),
  marketPnl: gauge(
    'bookend_market_pnl_usdc',
    'Profit and loss of one market at the middle, or at the outcome once that is known.',
    { market: MARKET },
  ),
  spreadEarned: gauge(
    'bookend_spread_earned_usdc',
    'What own fills were better than the fair value of their moment, since the start.',
    { market: MARKET },
  ),
  markout: gauge(
    'bookend_markout_usdc',
    'What the fair value moved in our favour after own fills, for each share; a decayed mean.',
    { market: MARKET, horizon: ['10s', '60s'] },
  ),
  shadowPnl: gauge(
    'bookend_shadow_pnl_usdc',
    'Simulated profit under the parameters in force and under those of the shadow, both measured alike.',
    { market: MARKET, params: ['live', 'shadow'] },
  ),
  shadowFilled: gauge(
    'bookend_shadow_filled_shares',
    'Shares that both would have traded in the same simulation, since it began.',
    { market: MARKET, params: ['live', 'shadow'] },
  ),
  unquoted: gauge('bookend_unquoted_info', '1 for the reason why a side is not quoted.', {
    ...sided(),
    reason: 'reason codes of the core and of strategies, 80 at the most',
  }),
  unquotedSince: gauge(
    'bookend_unquoted_since_timestamp_seconds',
    'Since when the reason holds; no series while the side is quoted.',
    sided(),
  ),
  bookUpdates: counter(
    'bookend_book_updates_total',
    'Changes that the mirrors of a market took in.',
    { market: MARKET },
  ),
  uptime: gauge(
    'bookend_quoting_uptime_ratio',
    'Share of time with an order resting where the strategy wants one; no series while no time counts.',
    { ...sided(), window: ['start', 'hour'] },
  ),
  freeSets: gauge(
    'bookend_free_sets_usdc',
    'Complete sets that are settled and held by no sell, at 1.00 each.',
    { market: MARKET },
  ),
  claims: gauge('bookend_claimable_shares', 'Shares of a resolved market that are not redeemed.', {
    market: MARKET,
    outcome: OUTCOMES,
  }),
  fills: counter('bookend_fills_total', 'Matches of own orders.', {
    market: MARKET,
    side: ['BUY', 'SELL'],
  }),
  filledShares: counter('bookend_filled_shares_total', 'Shares matched in own orders.', {
    market: MARKET,
    side: ['BUY', 'SELL'],
  }),
  filledUsdc: counter('bookend_filled_usdc_total', 'Value of the shares matched in own orders.', {
    market: MARKET,
    side: ['BUY', 'SELL'],
  }),
} satisfies Room;

const PROCESS = {
  build: gauge('bookend_build_info', 'Always 1; the version is in the label.', {
    version: 'the version that runs',
  }),
  guarded: gauge('bookend_guarded_bool', '1 when a guard watches this trader.'),
  restarts: counter('bookend_guard_restarts_total', 'Times the guard started the trader again.'),
  deaths: counter(
    'bookend_guard_deaths_total',
    'Deaths of the trader, by how the guard saw them.',
    {
      reason: DEATH_REASONS,
    },
  ),
  clearTook: gauge(
    'bookend_guard_clear_seconds',
    'From the last death of the trader to an account without open orders.',
  ),
  starved: counter(
    'bookend_guard_starvations_total',
    'Times the machine did not let the trader run and the guard pulled its quotes.',
  ),
  suspended: gauge(
    'bookend_suspended_places',
    'Markets and events that a strategy is not asked for, since the trader died in it.',
    { strategy: 'as the configuration names it' },
  ),
  reports: counter(
    'bookend_reports_total',
    'Reports of the core by event; the log has the same events.',
    {
      event: Object.keys(REPORT_SEVERITY),
      severity: ['debug', 'info', 'warn', 'error'],
    },
  ),
  unconfirmedKills: counter(
    'bookend_unconfirmed_kills_total',
    'Kills and stops that could not be confirmed: `uncancellable` where each order that is left has traded in part, and the venue refuses to cancel it.',
    { left: ['open', 'uncancellable'] },
  ),
  commits: histogram(
    'bookend_ledger_commit_seconds',
    'Time of a write of the ledger that orders wait for; durable with `orders.scope: own`.',
    { buckets: COMMIT_BUCKETS_SEC },
  ),
  syncs: histogram(
    'bookend_ledger_sync_seconds',
    'Time in which the disk took what was written with `orders.scope: account`; beyond 2 s nothing is placed.',
    { buckets: COMMIT_BUCKETS_SEC },
  ),
  records: counter('bookend_ledger_records_total', 'Records that are written.'),
  reloads: counter(
    'bookend_settings_reloads_total',
    'Times the configuration was read again, by what came of it.',
    { result: ['applied', 'refused', 'unchanged'] },
  ),
  dropped: counter(
    'bookend_dropped_records_total',
    'Records given up because a queue was full or its disk failed.',
    { queue: ['log', 'recorder'] },
  ),
  viewFailures: counter('bookend_view_failures_total', 'Times the core could not describe itself.'),
} satisfies Room;

/** Made by prom-client itself; whatever else it would make is taken out. */
const RUNTIME = {
  cpu: counter('bookend_process_cpu_seconds_total', 'Processor time of the trader.'),
  startedAt: gauge(
    'bookend_process_start_time_seconds',
    'When the process of the trader was started.',
  ),
  memory: gauge('bookend_process_resident_memory_bytes', 'Memory that the trader holds.'),
  files: gauge('bookend_process_open_fds', 'Files and sockets that the trader has open.'),
  loopP50: gauge('bookend_nodejs_eventloop_lag_p50_seconds', 'Delay of the event loop, median.'),
  loopP99: gauge(
    'bookend_nodejs_eventloop_lag_p99_seconds',
    'Delay of the event loop, one turn in a hundred is later.',
  ),
  heap: gauge('bookend_nodejs_heap_size_used_bytes', 'Heap in use.'),
  gc: histogram('bookend_nodejs_gc_duration_seconds', 'Pauses of the garbage collector.', {
    buckets: [],
    labels: {
      kind: ['major', 'minor', 'incremental', 'weakcb'],
    },
  }),
} satisfies Room;

/** By room, in the order of the page that documents them. */
export const METRIC_ROOMS = {
  account: ACCOUNT,
  figures: ACCOUNT_FIGURES,
  market: MARKETS,
  marketFigures: MARKET_FIGURES,
  orders: ORDERS,
  risk: RISK,
  venue: VENUE,
  process: PROCESS,
  runtime: RUNTIME,
} satisfies Readonly<Record<string, Room>>;

export const METRICS = {
  ...{ ...ACCOUNT, ...ACCOUNT_FIGURES, ...MARKETS, ...MARKET_FIGURES },
  ...{ ...ORDERS, ...RISK, ...VENUE, ...PROCESS },
};
export type MetricKey = keyof typeof METRICS;

export const METRIC_SPECS: readonly MetricSpec[] = Object.values(METRIC_ROOMS).flatMap((room) =>
  Object.values<MetricSpec>(room),
);

function sided() {
  return { market: MARKET, side: QUOTE_SIDES } as const;
}
