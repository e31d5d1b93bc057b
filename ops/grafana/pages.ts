// The dashboards. `npm run ops:write` makes the files that Grafana reads of them.

import { bars, of, type Page, row, series, stat, states, titled } from './panels.ts';

const YES_NO = {
  '0': { text: 'no', color: 'red' },
  '1': { text: 'yes', color: 'green' },
};
const LIVE = 'filled|cancelled|expired|refused|absent';

const FLEET: Page = {
  uid: 'bookend',
  title: 'bookend fleet',
  description: 'Every instance at a glance: does it quote, what does it earn, what holds it back.',
  hasMarkets: false,
  panels: [
    stat(
      'Phase',
      of('max by (instance, phase) (bookend_phase_info) == 1', '{{instance}} {{phase}}'),
      {
        width: 6,
        help: 'What the core is doing. Anything but quoting has its reason in bookend status.',
      },
    ),
    stat('Ready', of('bookend_ready_bool', '{{instance}}'), { words: YES_NO }),
    stat('Guarded', of('bookend_guarded_bool', '{{instance}}'), { words: YES_NO, width: 3 }),
    stat('P&L since the start', of('bookend_pnl_usdc', '{{instance}}'), { unit: 'currencyUSD' }),
    stat('Worst case', of('bookend_worst_case_loss_usdc', '{{instance}}'), { unit: 'currencyUSD' }),
    stat(
      'Version',
      of('max by (instance, version) (bookend_build_info)', '{{instance}} {{version}}'),
      {
        width: 3,
      },
    ),
    row('Money'),
    series('P&L', [of('bookend_pnl_usdc', '{{instance}}')], { unit: 'currencyUSD' }),
    series(
      'Cash',
      [
        of('bookend_cash_usdc', '{{instance}} cash'),
        of('bookend_available_usdc', '{{instance}} available'),
      ],
      { unit: 'currencyUSD' },
    ),
    series('P&L by mark', [of('bookend_mark_pnl_usdc', '{{instance}} at {{mark}}')], {
      unit: 'currencyUSD',
      help: 'The same shares at the middle, at the own fair value, and at the outcome where it is known.',
    }),
    series('What the P&L is made of', [of('bookend_pnl_part_usdc', '{{instance}} {{part}}')], {
      unit: 'currencyUSD',
      help: 'The parts add up to it: spread, adverse selection up to 60 s, moves later than that, fees, and what is of no fill of this run.',
    }),
    series('Drawdown of this run', [of('bookend_drawdown_usdc', '{{instance}}')], {
      unit: 'currencyUSD',
    }),
    series('Inventory, root mean square and most of a market', [
      of('bookend_inventory_rms_shares', '{{instance}} RMS'),
      of('bookend_inventory_max_shares', '{{instance}} most'),
    ]),
    series('Shares made and taken', [of('bookend_traded_shares', '{{instance}} {{role}}')]),
    series('Fills against queue place', [
      of('bookend_queue_filled_shares', '{{instance}} {{ahead}} ahead'),
      of('bookend_queue_fills', '{{instance}} {{ahead}} ahead, fills'),
    ]),
    series(
      'Markout after 10 s against queue place',
      [of('bookend_queue_markout_usdc', '{{instance}} {{ahead}} ahead')],
      { help: 'For each share that an own order made. Below zero the takers knew more.' },
    ),
    row('Presence'),
    series(
      'Time at the touch, and quoting uptime, since the start',
      [
        of('bookend_touch_ratio', '{{instance}} at the touch'),
        of('bookend_mean_uptime_ratio', '{{instance}} quoted'),
      ],
      {
        unit: 'percentunit',
        help: 'At the touch: at or inside the best price of all others. Means over markets and sides.',
      },
    ),
    series(
      'Quoting uptime of the last hour',
      [of('avg by (instance) (bookend_quoting_uptime_ratio{window="hour"})', '{{instance}}')],
      {
        unit: 'percentunit',
        help: 'Mean over markets and sides: an order rests where the strategy wants one.',
      },
    ),
    series(
      'Time that uptime leaves out',
      [
        of(
          'sum by (instance, cause) (rate(bookend_quoting_uptime_excluded_seconds[$__rate_interval]))',
          '{{instance}} {{cause}}',
        ),
      ],
      { help: 'Sides at a time for which nothing was to be quoted, by cause.' },
    ),
    row('Runs'),
    series('Deaths of the trader', [
      of(
        'sum by (instance, reason) (increase(bookend_guard_deaths_total[1h]))',
        '{{instance}} {{reason}}',
      ),
      of('increase(bookend_guard_starvations_total[1h])', '{{instance}} starved'),
      of('increase(bookend_guard_restarts_total[1h])', '{{instance}} restarted'),
    ]),
    series('Last clearing after a death, and suspended places', [
      of('max by (instance) (bookend_guard_clear_seconds)', '{{instance}} seconds'),
      of(
        'sum by (instance) (bookend_suspended_places) or 0 * max by (instance) (bookend_guarded_bool)',
        '{{instance}} suspended',
      ),
    ]),
    series('What the core reported, per minute', [
      of(
        'sum by (instance, event) (rate(bookend_reports_total{severity=~"warn|error"}[$__rate_interval])) * 60 > 0',
        '{{instance}} {{event}}',
      ),
    ]),
    series('Age of the state', [of('time() - bookend_state_timestamp_seconds', '{{instance}}')], {
      unit: 's',
      help: 'Beyond some seconds the trader is stuck, or the clocks of daemon and Prometheus differ.',
    }),
    row('Machine'),
    series(
      'Event-loop delay',
      [
        of('bookend_nodejs_eventloop_lag_p50_seconds', '{{instance}} 50th'),
        of('bookend_nodejs_eventloop_lag_p99_seconds', '{{instance}} 99th'),
      ],
      { unit: 's' },
    ),
    series(
      'Memory',
      [
        of('bookend_process_resident_memory_bytes', '{{instance}} resident'),
        of('bookend_nodejs_heap_size_used_bytes', '{{instance}} heap'),
      ],
      { unit: 'bytes' },
    ),
    series('Processor and garbage collection', [
      of('rate(bookend_process_cpu_seconds_total[$__rate_interval])', '{{instance}} processor'),
      of(
        'sum by (instance) (rate(bookend_nodejs_gc_duration_seconds_sum[$__rate_interval]))',
        '{{instance}} collection',
      ),
    ]),
    series('Open files', [of('bookend_process_open_fds', '{{instance}}')]),
    series(
      'Writes of the ledger and syncs of its disk, 50th and 99th',
      ['commit', 'sync'].flatMap((what) =>
        [0.5, 0.99].map((part) =>
          of(
            `histogram_quantile(${part}, sum by (instance, le) (rate(bookend_ledger_${what}_seconds_bucket[$__rate_interval])))`,
            `{{instance}} ${what} ${part * 100}th`,
          ),
        ),
      ),
      { unit: 's' },
    ),
    series('Records, settings and failures', [
      of('rate(bookend_ledger_records_total[$__rate_interval])', '{{instance}} written per second'),
      of(
        'sum by (instance, queue) (increase(bookend_dropped_records_total[5m]))',
        '{{instance}} dropped {{queue}}',
      ),
      of(
        'sum by (instance, result) (increase(bookend_settings_reloads_total[5m]))',
        '{{instance}} settings {{result}}',
      ),
      of('increase(bookend_view_failures_total[5m])', '{{instance}} view failures'),
    ]),
  ],
};

const MARKET: Page = {
  uid: 'bookend-market',
  title: 'bookend market',
  description:
    'One market, or some: quotes beside the book, inventory, what fills were worth, why a side is empty.',
  hasMarkets: true,
  panels: [
    series(
      'Quotes beside the book',
      [
        titled('bookend_book_price_usdc{market=~"$market"}', '{{title}} book {{side}}'),
        titled('bookend_quote_price_usdc{market=~"$market"}', '{{title}} own {{side}}'),
      ],
      { width: 24, help: 'On the YES axis; the book is that of others.' },
    ),
    series('Shares in live quotes', [
      titled('bookend_quote_shares{market=~"$market"}', '{{title}} {{side}}'),
    ]),
    series('Live quotes', [
      titled('bookend_quote_orders{market=~"$market"}', '{{title}} {{side}}'),
    ]),
    series(
      'Age of the oldest quote',
      [
        titled(
          'time() - bookend_quote_sent_timestamp_seconds{market=~"$market"}',
          '{{title}} {{side}}',
        ),
      ],
      { unit: 's', help: 'A quote that is old keeps its place in the queue.' },
    ),
    series(
      'Quoting uptime since the start',
      [
        titled(
          'bookend_quoting_uptime_ratio{market=~"$market", window="start"}',
          '{{title}} {{side}}',
        ),
      ],
      { unit: 'percentunit' },
    ),
    series(
      'Time at the touch since the start',
      [titled('bookend_market_touch_ratio{market=~"$market"}', '{{title}}')],
      {
        unit: 'percentunit',
        help: 'At or inside the best price of all others, mean of both sides.',
      },
    ),
    row('Worth'),
    series(
      'P&L',
      [
        titled('bookend_market_pnl_usdc{market=~"$market"}', '{{title}} at the middle'),
        titled('bookend_market_fair_pnl_usdc{market=~"$market"}', '{{title}} at own fair value'),
      ],
      { unit: 'currencyUSD' },
    ),
    series(
      'Drawdown of this run',
      [titled('bookend_market_drawdown_usdc{market=~"$market"}', '{{title}}')],
      { unit: 'currencyUSD' },
    ),
    series('Shares made and taken', [
      titled('bookend_market_traded_shares{market=~"$market"}', '{{title}} {{role}}'),
    ]),
    series(
      'Spread earned',
      [titled('bookend_spread_earned_usdc{market=~"$market"}', '{{title}}')],
      {
        unit: 'currencyUSD',
        help: 'What fills were better than the fair value of their moment. P&L below it is adverse selection and inventory.',
      },
    ),
    series(
      'Markouts per share',
      [titled('bookend_markout_usdc{market=~"$market"}', '{{title}} {{horizon}}')],
      {
        help: 'What the fair value moved in our favour after own fills. Below zero the takers knew more.',
      },
    ),
    series(
      'Shadow parameters: profit, simulated',
      [titled('bookend_shadow_pnl_usdc{market=~"$market"}', '{{title}} {{params}}')],
      {
        unit: 'currencyUSD',
        help: 'Under the parameters in force and under those of markets[].shadow, both simulated alike. Neither is the account.',
      },
    ),
    series('Shadow parameters: shares filled, simulated', [
      titled('bookend_shadow_filled_shares{market=~"$market"}', '{{title}} {{params}}'),
    ]),
    series('Fills per minute', [
      titled(
        'sum by (instance, market, side) (rate(bookend_fills_total{market=~"$market"}[$__rate_interval])) * 60',
        '{{title}} {{side}}',
      ),
    ]),
    series(
      'Traded value in five minutes',
      [
        titled(
          'sum by (instance, market) (increase(bookend_filled_usdc_total{market=~"$market"}[5m]))',
          '{{title}}',
        ),
      ],
      { unit: 'currencyUSD' },
    ),
    row('Inventory'),
    series('Held, matched shares included', [
      titled(
        'sum by (instance, market, outcome) (bookend_inventory_shares{market=~"$market"})',
        '{{title}} {{outcome}}',
      ),
    ]),
    series('Matched, not settled', [
      titled(
        'sum by (instance, market, outcome) (bookend_inventory_shares{market=~"$market"}) - sum by (instance, market, outcome) (bookend_settled_shares{market=~"$market"})',
        '{{title}} {{outcome}}',
      ),
    ]),
    series('Net shares, root mean square and most of this run', [
      titled('bookend_market_inventory_rms_shares{market=~"$market"}', '{{title}} RMS'),
      titled('bookend_market_inventory_max_shares{market=~"$market"}', '{{title}} most'),
    ]),
    series('Complete sets and claims', [
      titled('bookend_free_sets_usdc{market=~"$market"}', '{{title}} sets'),
      titled(
        'sum by (instance, market) (bookend_claimable_shares{market=~"$market"}) or 0 * max by (instance, market) (bookend_free_sets_usdc{market=~"$market"})',
        '{{title}} claims',
      ),
    ]),
    states(
      'Status',
      titled(
        'max by (instance, market, status) (bookend_market_status_info{market=~"$market"})',
        '{{title}} {{status}}',
      ),
    ),
    row('Why a side is not quoted'),
    states(
      'Sides without quotes, by reason',
      titled(
        'max by (instance, market, side, reason) (bookend_unquoted_info{market=~"$market"})',
        '{{title}} {{side}} {{reason}}',
      ),
    ),
    series(
      'Longest without a quote',
      [
        titled(
          'time() - max by (instance, market, side) (bookend_unquoted_since_timestamp_seconds{market=~"$market"})',
          '{{title}} {{side}}',
        ),
      ],
      { unit: 's' },
    ),
    states(
      'Trust in books',
      titled(
        'max by (instance, market, outcome, state) (bookend_book_state_info{market=~"$market"})',
        '{{title}} {{outcome}} {{state}}',
      ),
    ),
    series('Book updates per second', [
      titled('rate(bookend_book_updates_total{market=~"$market"}[$__rate_interval])', '{{title}}'),
    ]),
    series('Markets without series, and not on the venue', [
      of('bookend_unshown_markets', '{{instance}} not shown'),
      of('bookend_unlisted_markets', '{{instance}} not listed'),
    ]),
  ],
};

const ORDERS: Page = {
  uid: 'bookend-orders',
  title: 'bookend orders',
  description: 'Own orders: states, fills, refusals, and how fast a decision reaches the venue.',
  hasMarkets: false,
  panels: [
    stat(
      'Live orders',
      of(
        'sum by (instance) (bookend_own_orders{state=~"resting|partiallyFilled"})',
        '{{instance}}',
      ),
      { width: 6 },
    ),
    stat('Unknown or not confirmed', of('bookend_unknown_orders', '{{instance}}'), { width: 6 }),
    stat('Orders of others', of('bookend_external_orders', '{{instance}}'), { width: 6 }),
    stat('Not cancellable', of('bookend_uncancellable_orders', '{{instance}}'), { width: 6 }),
    series('Own orders by state', [
      of(
        `sum by (instance, state) (bookend_own_orders{state!~"${LIVE}"})`,
        '{{instance}} {{state}}',
      ),
    ]),
    series('Order writes per minute', [
      of('rate(bookend_order_writes_total[$__rate_interval]) * 60', '{{instance}}'),
    ]),
    series('Placed per minute, by what for', [
      of(
        'sum by (instance, class) (rate(bookend_placed_orders_total[$__rate_interval])) * 60',
        '{{instance}} {{class}}',
      ),
    ]),
    series(
      'Fill ratio of five minutes',
      [
        of(
          'sum by (instance) (increase(bookend_filled_shares_total[5m])) / sum by (instance) (increase(bookend_accepted_shares_total[5m]))',
          '{{instance}}',
        ),
      ],
      { unit: 'percentunit', help: 'Shares filled of shares that the venue took.' },
    ),
    series('Orders that wait for a write', [
      of('sum by (instance, class) (bookend_waiting_orders)', '{{instance}} {{class}}'),
    ]),
    series(
      'From decision to venue, 50th and 99th',
      [0.5, 0.99].map((part) =>
        of(
          `histogram_quantile(${part}, sum by (instance, kind, le) (rate(bookend_decision_to_venue_seconds_bucket[$__rate_interval])))`,
          `{{instance}} {{kind}} ${part * 100}th`,
        ),
      ),
      {
        unit: 's',
        help: "Journal, write budget and connection included; the venue's own time is not.",
      },
    ),
    series('Refused by the venue, per minute', [
      of(
        'sum by (instance, code) (rate(bookend_order_refusals_total[$__rate_interval])) * 60 > 0 or sum by (instance) (rate(bookend_order_refusals_total[$__rate_interval])) * 60',
        '{{instance}} {{code}}',
      ),
    ]),
    series('Anomalies and missed deadlines, per minute', [
      of(
        'sum by (instance, state, signal) (rate(bookend_order_anomalies_total[$__rate_interval])) * 60 or 0 * bookend_ready_bool',
        '{{instance}} {{state}} {{signal}}',
      ),
      of(
        'sum by (instance, state, remedy) (rate(bookend_order_deadlines_total[$__rate_interval])) * 60',
        '{{instance}} {{state}} {{remedy}}',
      ),
    ]),
    series('Cancels that a frame sent before the decision, per minute', [
      of(
        'sum by (instance, result) (rate(bookend_armed_cancels_total[$__rate_interval])) * 60 or 0 * bookend_ready_bool',
        '{{instance}} {{result}}',
      ),
    ]),
    series('Splits, merges and redeems', [
      of(
        'sum by (instance, action, by, state) (increase(bookend_chain_actions_total[1h])) or 0 * bookend_ready_bool',
        '{{instance}} {{action}} {{by}} {{state}}',
      ),
    ]),
  ],
};

const RISK: Page = {
  uid: 'bookend-risk',
  title: 'bookend risk',
  description: 'Limits and controls: how near, which hold trading back, what they held back.',
  hasMarkets: false,
  panels: [
    stat(
      'Level of the account',
      of('max by (instance, level) (bookend_risk_level_info) == 1', '{{instance}} {{level}}'),
      { width: 6 },
    ),
    stat('Latches', of('bookend_risk_latches', '{{instance}}'), { width: 6 }),
    stat(
      'Stops that no disk has',
      of('bookend_unwritten_stops + bookend_kill_unlatched_bool', '{{instance}}'),
      { width: 6 },
    ),
    stat('Worst case', of('bookend_worst_case_loss_usdc', '{{instance}}'), {
      unit: 'currencyUSD',
      width: 6,
    }),
    bars(
      'Limits in use',
      of('max by (instance, control) (bookend_control_used_ratio)', '{{instance}} {{control}}'),
      {
        unit: 'percentunit',
        width: 24,
      },
    ),
    states(
      'Levels',
      of(
        'max by (instance, control, level) (bookend_control_level_info)',
        '{{instance}} {{control}} {{level}}',
      ),
      { width: 24 },
    ),
    series('Controls tripped, per hour', [
      of(
        'sum by (instance, control) (increase(bookend_control_trips_total[1h]))',
        '{{instance}} {{control}}',
      ),
    ]),
    series('Held back by a limit, per minute', [
      of(
        'sum by (instance, limit) (rate(bookend_risk_refusals_total[$__rate_interval])) * 60 or 0 * bookend_ready_bool',
        '{{instance}} {{limit}}',
      ),
    ]),
    row('Value and limit'),
    ...(['usdc', 'shares', 'orders', 'fills', 'refusals', 'trades', 'seconds'] as const).map(
      (unit) =>
        series(
          `Controls in ${unit === 'usdc' ? 'USDC' : unit}`,
          [
            of(
              `max by (instance, control, bound) (bookend_control_${unit})`,
              '{{instance}} {{control}} {{bound}}',
            ),
          ],
          { width: 8 },
        ),
    ),
  ],
};

const VENUE: Page = {
  uid: 'bookend-venue',
  title: 'bookend venue',
  description:
    'The line to the venue: requests, latency, write budget, frames, books, sources of prices.',
  hasMarkets: false,
  panels: [
    stat('Socket', of('bookend_socket_open_bool', '{{instance}}'), { words: YES_NO, width: 6 }),
    stat('User channel', of('bookend_socket_authenticated_bool', '{{instance}}'), {
      words: YES_NO,
      width: 6,
    }),
    stat('Clock', of('bookend_clock_offset_seconds', '{{instance}}'), { unit: 's', width: 6 }),
    stat('Feed delay', of('bookend_feed_delay_seconds', '{{instance}}'), { unit: 's', width: 6 }),
    series('Requests per second, by outcome', [
      of(
        'sum by (instance, result) (rate(bookend_requests_total[$__rate_interval]))',
        '{{instance}} {{result}}',
      ),
    ]),
    series('Refused requests per minute, by code', [
      of(
        'sum by (instance, code) (rate(bookend_request_refusals_total[$__rate_interval])) * 60 > 0 or sum by (instance) (rate(bookend_request_refusals_total[$__rate_interval])) * 60',
        '{{instance}} {{code}}',
      ),
    ]),
    ...[0.5, 0.99].map((part) =>
      series(
        `Latency, ${part * 100}th`,
        [
          of(
            `histogram_quantile(${part}, sum by (instance, endpoint, le) (rate(bookend_request_duration_seconds_bucket[$__rate_interval])))`,
            '{{instance}} {{endpoint}}',
          ),
        ],
        { unit: 's' },
      ),
    ),
    series('Order writes in the last 10 s', [
      of('bookend_write_budget_used_requests', '{{instance}} used'),
      of('bookend_write_budget_max_requests', '{{instance}} allowed'),
    ]),
    series('Reconnects', [
      of(
        'sum by (instance, reason) (increase(bookend_reconnects_total[5m]))',
        '{{instance}} {{reason}}',
      ),
    ]),
    series('Frames per second', [
      of(
        'sum by (instance, type) (rate(bookend_frames_total[$__rate_interval]))',
        '{{instance}} {{type}}',
      ),
    ]),
    row('Trust in books'),
    series('Books by state', [
      of('sum by (instance, state) (bookend_mirrored_books)', '{{instance}} {{state}}'),
    ]),
    series('Doubts per hour, by signal', [
      of(
        'sum by (instance, signal) (increase(bookend_book_doubts_total[1h]))',
        '{{instance}} {{signal}}',
      ),
    ]),
    series('Doubts that were right, per hour', [
      of(
        'sum by (instance, alarm, by) (increase(bookend_book_resyncs_total[1h])) or 0 * bookend_ready_bool',
        '{{instance}} {{alarm}} {{by}}',
      ),
    ]),
    series(
      'Resync, 99th',
      [
        of(
          'histogram_quantile(0.99, sum by (instance, le) (rate(bookend_book_resync_seconds_bucket[1h]))) > 0 or 0 * max by (instance) (bookend_ready_bool)',
          '{{instance}}',
        ),
      ],
      { unit: 's' },
    ),
    row('External prices'),
    states(
      'Sources',
      of(
        'max by (instance, feed, state) (bookend_feed_state_info)',
        '{{instance}} {{feed}} {{state}}',
      ),
    ),
    series(
      'Age of the last price',
      [of('time() - bookend_feed_price_timestamp_seconds', '{{instance}} {{feed}}')],
      { unit: 's' },
    ),
    series('Price of YES', [of('bookend_feed_price_usdc', '{{instance}} {{feed}}')]),
    series('Fitted volatility of spot prices, a year', [
      of('bookend_feed_volatility_ratio', '{{instance}} {{feed}}'),
    ]),
    series('Values and failed reads, per minute', [
      of(
        'sum by (instance, feed, result) (rate(bookend_feed_values_total[$__rate_interval])) * 60',
        '{{instance}} {{feed}} {{result}}',
      ),
      of(
        'rate(bookend_feed_failures_total[$__rate_interval]) * 60',
        '{{instance}} {{feed}} failures',
      ),
    ]),
  ],
};

/** By the name of its file. */
export const PAGES: Readonly<Record<string, Page>> = {
  bookend: FLEET,
  'bookend-market': MARKET,
  'bookend-orders': ORDERS,
  'bookend-risk': RISK,
  'bookend-venue': VENUE,
};
