// For each alert what makes it fire, and what is so near to it that it must stay silent. Prometheus itself judges them:
// `npm run ops:write` makes alerts.test.yml of them, `promtool test rules` runs it.

export type AlertScene = {
  readonly alert: string;
  /** What happens, as a sentence. */
  readonly says: string;
  /**
   * Values every 15 s, in the notation of promtool; `job` and `instance` are added. `$event` is the count of the first
   * report that the alert asks for, `$event2` that of the second.
   */
  readonly series: Readonly<Record<string, string>>;
  /** It is silent then. */
  readonly quietAt: readonly string[];
  /** It fires then, with these labels beside its severity, job and instance. */
  readonly fires?: {
    readonly at: string;
    readonly labels?: Readonly<Record<string, string>>;
    /** As the summary shows it. */
    readonly value?: string;
  };
};

const CLEAN = '0x80';

export const ALERT_SCENES: readonly AlertScene[] = [
  {
    alert: 'BookendWatchdog',
    says: 'fires whatever happens',
    series: { up: '1x10' },
    quietAt: [],
    fires: { at: '1m' },
  },
  {
    alert: 'BookendDown',
    says: 'a daemon that is down pages after a minute, not before',
    series: { up: '1x4 0x20' },
    quietAt: ['1m30s'],
    fires: { at: '3m' },
  },
  {
    alert: 'BookendRestarting',
    says: 'three starts in a quarter of an hour page, two are a death and a recovery',
    series: { bookend_process_start_time_seconds: '100x4 200x4 300x4 400x40' },
    quietAt: ['2m'],
    fires: { at: '4m', value: '3' },
  },
  {
    alert: 'BookendTraderDied',
    says: 'one death is a ticket',
    series: {
      'bookend_guard_deaths_total{reason="signal"}': '0x8 1x40',
      'bookend_guard_deaths_total{reason="exit"}': CLEAN,
    },
    quietAt: ['1m'],
    fires: { at: '4m', labels: { reason: 'signal' } },
  },
  {
    alert: 'BookendNotReady',
    says: 'what is not ready pages after two minutes',
    series: { bookend_ready_bool: '1x4 0x40', 'bookend_phase_info{phase="paused"}': CLEAN },
    quietAt: ['2m'],
    fires: { at: '4m' },
  },
  {
    alert: 'BookendNotReady',
    says: 'a pause of an operator wakes nobody',
    series: { bookend_ready_bool: '0x80', 'bookend_phase_info{phase="paused"}': '1x80' },
    quietAt: ['10m'],
  },
  {
    alert: 'BookendStoppedByHand',
    says: 'a kill that is forgotten is a ticket after a quarter of an hour',
    series: {
      'bookend_phase_info{phase="killing"}': '0x4 1x20 0x80',
      'bookend_phase_info{phase="killed"}': '0x24 1x80',
    },
    quietAt: ['10m'],
    fires: { at: '20m' },
  },
  {
    alert: 'BookendHalted',
    says: 'a halt pages at once',
    series: { 'bookend_phase_info{phase="halted"}': '0x8 1x20' },
    quietAt: ['1m'],
    fires: { at: '3m', labels: { phase: 'halted' } },
  },
  {
    alert: 'BookendControlTripped',
    says: 'a tripped control pages, its warning does not',
    series: {
      'bookend_control_level_info{control="day_loss", level="widen"}': '1x20 _x40',
      'bookend_control_level_info{control="day_loss", level="reduce-only"}': '_x20 1x40',
    },
    quietAt: ['4m'],
    fires: { at: '7m', labels: { control: 'day_loss', level: 'reduce-only' } },
  },
  {
    alert: 'BookendControlTripped',
    says: 'a control of one market at the last rung pages, though nothing is halted',
    series: {
      'bookend_control_level_info{control="position_uncertain", level="killed"}': '1x20',
      'bookend_phase_info{phase="halted"}': '0x20',
    },
    quietAt: [],
    fires: { at: '4m', labels: { control: 'position_uncertain', level: 'killed' } },
  },
  {
    alert: 'BookendLossNear',
    says: 'a loss near its limit is a ticket before it is a trip',
    series: { 'bookend_control_used_ratio{control="drawdown"}': '0.5x20 0.9x40' },
    quietAt: ['4m'],
    fires: { at: '8m', labels: { control: 'drawdown' }, value: '90%' },
  },
  {
    alert: 'BookendStopNotOnDisk',
    says: 'a kill that no disk has pages at once',
    series: { bookend_kill_unlatched_bool: '0x4 1x20', bookend_unwritten_stops: CLEAN },
    quietAt: ['1m'],
    fires: { at: '2m' },
  },
  {
    alert: 'BookendKillUnconfirmed',
    says: 'a kill that is not confirmed pages at once, unless the venue refuses to cancel all that is left',
    series: {
      'bookend_unconfirmed_kills_total{left="open"}': '0x4 1x20',
      'bookend_unconfirmed_kills_total{left="uncancellable"}': '0 1x23',
    },
    quietAt: ['1m'],
    fires: { at: '2m' },
  },
  {
    alert: 'BookendCancelsFail',
    says: 'cancels that had to go wider page at once',
    series: { $event: '0x4 1x20' },
    quietAt: ['1m'],
    fires: { at: '2m' },
  },
  {
    alert: 'BookendOrdersUnknown',
    says: 'an order whose fate is unknown pages when nobody finds out',
    series: {
      bookend_unknown_orders: '0x4 3x20',
      'bookend_own_orders{state="resting"}': '9x24',
    },
    quietAt: ['2m'],
    fires: { at: '4m', value: '3' },
  },
  {
    alert: 'BookendOrdersUncancellable',
    says: 'an order that cannot be cancelled is a ticket when it rests though everything is stopped',
    series: {
      bookend_uncancellable_orders: '1x140',
      'bookend_phase_info{phase="killing"}': '0x80 1x60',
      'bookend_phase_info{phase="quoting"}': '1x80 0x60',
    },
    quietAt: ['20m', '29m'],
    fires: { at: '31m', value: '1' },
  },
  {
    alert: 'BookendAccountShared',
    says: 'an order of somebody else is a ticket',
    series: {
      $event: '0x4 1x20',
      $event2: CLEAN,
    },
    quietAt: ['1m'],
    fires: { at: '2m', labels: { event: '$event' } },
  },
  {
    alert: 'BookendRefusals',
    says: 'a few refusals of a code are the trade, many are a ticket',
    series: {
      'bookend_order_refusals_total{code="insufficient_balance"}': '0+2x80',
      'bookend_order_refusals_total{code="max_open_orders"}': '0x20 1x60',
    },
    quietAt: ['2m'],
    fires: { at: '15m', labels: { code: 'insufficient_balance' }, value: '80' },
  },
  {
    alert: 'BookendSideUnquoted',
    says: 'a side without quotes is a ticket after ten minutes',
    series: {
      'bookend_quote_orders{market="m1", side="ask"}': '2x3 0x80',
      'bookend_quote_orders{market="m1", side="bid"}': '2x3 0x8 2x1 0x30 2x40',
      'bookend_phase_info{phase="quoting"}': '1x60 0x20',
      'bookend_market_status_info{market="m1", status="open"}': '1x80',
    },
    quietAt: ['5m', '16m'],
    fires: { at: '12m', labels: { market: 'm1', side: 'ask' } },
  },
  {
    alert: 'BookendSideUnquoted',
    says: 'a market that is over needs no quotes',
    series: {
      'bookend_quote_orders{market="m1", side="ask"}': '0x80',
      'bookend_phase_info{phase="quoting"}': '1x80',
      'bookend_market_status_info{market="m1", status="resolved"}': '1x80',
    },
    quietAt: ['15m'],
  },
  {
    alert: 'BookendPositionCorrected',
    says: 'a settlement that failed is a ticket',
    series: { $event: '0x4 1x20' },
    quietAt: ['1m'],
    fires: { at: '2m', labels: { event: '$event' } },
  },
  {
    alert: 'BookendBlind',
    says: 'a socket that is down pages after a minute',
    series: {
      bookend_socket_open_bool: '1x4 0x20',
      bookend_socket_authenticated_bool: '1x4 0x20',
      $event: CLEAN,
    },
    quietAt: ['1m45s'],
    fires: { at: '4m' },
  },
  {
    alert: 'BookendBlind',
    says: 'a socket that is back within half a minute wakes nobody',
    series: {
      bookend_socket_open_bool: '1x4 0x1 1x20',
      bookend_socket_authenticated_bool: '1x4 0x2 1x20',
    },
    quietAt: ['1m30s', '3m'],
  },
  {
    alert: 'BookendRequestsUnanswered',
    says: 'unanswered requests page beyond one in twenty',
    series: {
      'bookend_requests_total{result="ok"}': '0+90x60',
      'bookend_requests_total{result="unknown"}': '0x20 0+10x40',
    },
    quietAt: ['5m'],
    fires: { at: '15m' },
  },
  {
    alert: 'BookendVenueUnsteady',
    says: 'the first 429 of a run is a ticket',
    series: { 'bookend_request_refusals_total{code="rate_limited"}': '0x4 1x60' },
    quietAt: ['3m'],
    fires: { at: '6m', labels: { what: 'rate limit' } },
  },
  {
    alert: 'BookendVenueUnsteady',
    says: 'two reconnects are a night like any other',
    series: { 'bookend_reconnects_total{reason="closed"}': '0x4 1x10 2x60' },
    quietAt: ['6m', '12m'],
  },
  {
    alert: 'BookendFeedDown',
    says: 'a source of prices that is down is a ticket after two minutes',
    series: {
      'bookend_feed_state_info{feed="odds", state="ok"}': '1x4 0x40',
      'bookend_feed_state_info{feed="odds", state="down"}': '0x4 1x40',
    },
    quietAt: ['2m'],
    fires: { at: '5m', labels: { feed: 'odds' } },
  },
  {
    alert: 'BookendConfigurationWrong',
    says: 'a market that the venue does not list is told, one that a catalogue misses for a moment is not',
    series: { bookend_unlisted_markets: '0x4 1x8 0x4 2x40' },
    quietAt: ['3m', '6m'],
    fires: { at: '12m', labels: { what: 'markets are not on the venue' } },
  },
  {
    alert: 'BookendConfigurationWrong',
    says: 'a file that was refused is told',
    series: { 'bookend_settings_reloads_total{result="refused"}': '0x4 1x60' },
    quietAt: ['3m'],
    fires: { at: '8m', labels: { what: 'a changed file was refused' } },
  },
  {
    alert: 'BookendMachineStrained',
    says: 'an event loop that stays late is a ticket, one slow minute is not',
    series: { bookend_nodejs_eventloop_lag_p99_seconds: '0.01x4 0.4x4 0.01x8 0.4x40' },
    quietAt: ['3m', '6m'],
    fires: { at: '12m', labels: { part: 'event loop' } },
  },
  {
    alert: 'BookendMachineStrained',
    says: 'a disk that takes what was written late is a ticket, though no order waits for it',
    series: {
      'bookend_ledger_sync_seconds_bucket{le="0.1"}': '0x80',
      'bookend_ledger_sync_seconds_bucket{le="0.5"}': '0+10x80',
      'bookend_ledger_sync_seconds_bucket{le="+Inf"}': '0+10x80',
    },
    quietAt: ['3m'],
    fires: { at: '12m', labels: { part: 'journal' } },
  },
  {
    alert: 'BookendMachineStrained',
    says: 'records that were given up are a ticket',
    series: { 'bookend_dropped_records_total{queue="recorder"}': '0x4 9x60' },
    quietAt: ['2m'],
    fires: { at: '8m', labels: { part: 'disk' } },
  },
];
