// Orders, positions, and who else is on the account.

import { type AlertScene, CLEAN } from './alert-scene.ts';

export const ORDERS_SCENES: readonly AlertScene[] = [
  {
    alert: 'BookendCancelsFail',
    says: 'cancels that had to go wider page at once',
    series: { $event: '0x4 1x20' },
    quietAt: ['1m'],
    fires: { at: '2m' },
    more: { calm: { $event: CLEAN }, over: { series: { $event: '1x60' }, quietAt: '13m' } },
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
    more: {
      calm: { bookend_unknown_orders: CLEAN, 'bookend_own_orders{state="resting"}': '9x80' },
      over: { series: { bookend_unknown_orders: '0x20' }, quietAt: '7m' },
    },
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
    more: {
      calm: {
        bookend_uncancellable_orders: '1x140',
        'bookend_phase_info{phase="killing"}': '0x140',
        'bookend_phase_info{phase="quoting"}': '1x140',
      },
      over: {
        series: {
          bookend_uncancellable_orders: '1x21',
          'bookend_phase_info{phase="killing"}': '0x20',
          'bookend_phase_info{phase="quoting"}': '1x20',
        },
        quietAt: '37m',
      },
    },
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
    more: {
      calm: { $event: CLEAN, $event2: CLEAN },
      over: { series: { $event: '1x80' }, quietAt: '18m' },
    },
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
    more: {
      calm: {
        'bookend_order_refusals_total{code="insufficient_balance"}': '0x80',
        'bookend_order_refusals_total{code="max_open_orders"}': '0+0.25x80',
      },
      over: {
        series: { 'bookend_order_refusals_total{code="insufficient_balance"}': '160x60' },
        quietAt: '32m',
      },
    },
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
    says: 'a side of a paused market has no quotes either, and is a ticket for as long as that lasts',
    series: {
      'bookend_quote_orders{market="m1", side="bid"}': '2x3 0x60',
      'bookend_phase_info{phase="quoting"}': '1x120',
      'bookend_market_status_info{market="m1", status="paused"}': '1x120',
    },
    quietAt: ['10m30s'],
    fires: { at: '12m', labels: { market: 'm1', side: 'bid' } },
    more: {
      calm: {
        'bookend_quote_orders{market="m1", side="bid"}': '2x3 0x30 2x80',
        'bookend_phase_info{phase="quoting"}': '1x120',
        'bookend_market_status_info{market="m1", status="paused"}': '1x120',
      },
      over: { series: { 'bookend_quote_orders{market="m1", side="bid"}': '1x20' }, quietAt: '17m' },
    },
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
    alert: 'BookendSideUnquoted',
    says: 'a watch on consistency rests nothing, and is a ticket where it says anything else',
    series: {
      'bookend_quote_orders{market="m1", side="bid"}': '0x160',
      'bookend_phase_info{phase="quoting"}': '1x160',
      'bookend_market_status_info{market="m1", status="open"}': '1x160',
      'bookend_unquoted_info{market="m1", side="bid", reason="consistent"}': '1x80 _x80',
      'bookend_unquoted_info{market="m1", side="bid", reason="fee_unknown"}': '_x80 1x80',
    },
    quietAt: ['15m', '24m'],
    fires: { at: '36m', labels: { market: 'm1', side: 'bid' } },
  },
  {
    alert: 'BookendSideUnquoted',
    says: 'quiet hours and news of the configuration are no ticket, every night anew',
    series: {
      'bookend_quote_orders{market="m1", side="ask"}': '0x160',
      'bookend_phase_info{phase="quoting"}': '1x160',
      'bookend_market_status_info{market="m1", status="open"}': '1x160',
      'bookend_unquoted_info{market="m1", side="ask", reason="quiet_hours"}': '1x80 _x80',
      'bookend_unquoted_info{market="m1", side="ask", reason="news_window"}': '_x80 1x80',
    },
    quietAt: ['15m', '36m'],
  },
  {
    alert: 'BookendPositionCorrected',
    says: 'a settlement that failed is a ticket',
    series: { $event: '0x4 1x20' },
    quietAt: ['1m'],
    fires: { at: '2m', labels: { event: '$event' } },
    more: { calm: { $event: CLEAN }, over: { series: { $event: '1x140' }, quietAt: '33m' } },
  },
];
