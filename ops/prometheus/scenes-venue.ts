// The line to the venue, sources of prices, the configuration and the machine.

import { type AlertScene, CLEAN } from './alert-scene.ts';

export const VENUE_SCENES: readonly AlertScene[] = [
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
    more: {
      calm: {
        bookend_socket_open_bool: '1x80',
        bookend_socket_authenticated_bool: '1x80',
        $event: CLEAN,
      },
      over: {
        series: { bookend_socket_open_bool: '1x20', bookend_socket_authenticated_bool: '1x20' },
        quietAt: '7m',
      },
    },
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
    more: {
      calm: {
        'bookend_requests_total{result="ok"}': '0+90x60',
        'bookend_requests_total{result="unknown"}': '0+4x60',
      },
      over: {
        series: {
          'bookend_requests_total{result="ok"}': '5490+90x60',
          'bookend_requests_total{result="unknown"}': '400x60',
        },
        quietAt: '23m',
      },
    },
  },
  {
    alert: 'BookendVenueUnsteady',
    says: 'the first 429 of a run is a ticket',
    series: { 'bookend_request_refusals_total{code="rate_limited"}': '0x4 1x60' },
    quietAt: ['3m'],
    fires: { at: '6m', labels: { what: 'rate limit' } },
    more: {
      calm: { 'bookend_request_refusals_total{code="rate_limited"}': CLEAN },
      over: {
        series: { 'bookend_request_refusals_total{code="rate_limited"}': '1x20' },
        quietAt: '14m',
      },
    },
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
    more: {
      calm: {
        'bookend_feed_state_info{feed="odds", state="ok"}': '1x80',
        'bookend_feed_state_info{feed="odds", state="down"}': CLEAN,
      },
      over: {
        series: {
          'bookend_feed_state_info{feed="odds", state="ok"}': '1x20',
          'bookend_feed_state_info{feed="odds", state="down"}': '0x20',
        },
        quietAt: '12m',
      },
    },
  },
  {
    alert: 'BookendConfigurationWrong',
    says: 'a market that the venue does not list is told, one that a catalogue misses for a moment is not',
    series: { bookend_unlisted_markets: '0x4 1x8 0x4 2x40' },
    quietAt: ['3m', '6m'],
    fires: { at: '12m', labels: { what: 'markets are not on the venue' } },
    more: {
      calm: { bookend_unlisted_markets: CLEAN },
      over: { series: { bookend_unlisted_markets: '0x20' }, quietAt: '16m' },
    },
  },
  {
    alert: 'BookendConfigurationWrong',
    says: 'a file that was refused is told for as long as it is, one that is mended in a minute is not',
    series: { bookend_settings_refused_bool: '0x4 1x4 0x4 1x100 0x8' },
    quietAt: ['7m', '31m'],
    fires: { at: '28m', labels: { what: 'a changed file was refused' } },
  },
  {
    alert: 'BookendMachineStrained',
    says: 'an event loop that stays late is a ticket, one slow minute is not',
    series: { bookend_nodejs_eventloop_lag_p99_seconds: '0.01x4 0.4x4 0.01x8 0.4x40' },
    quietAt: ['3m', '6m'],
    fires: { at: '12m', labels: { part: 'event loop' } },
    more: {
      calm: { bookend_nodejs_eventloop_lag_p99_seconds: '0.25x80' },
      over: { series: { bookend_nodejs_eventloop_lag_p99_seconds: '0.01x20' }, quietAt: '16m' },
    },
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
