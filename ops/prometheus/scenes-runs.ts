// Whether the daemon runs, and what stops it.

import { type AlertScene, CLEAN } from './alert-scene.ts';

export const RUNS_SCENES: readonly AlertScene[] = [
  {
    alert: 'BookendWatchdog',
    says: 'fires whatever happens',
    series: { up: '1x10' },
    quietAt: [],
    fires: { at: '1m' },
  },
  {
    alert: 'BookendWatchdog',
    says: 'fires from the first moment',
    series: { up: '1x10' },
    quietAt: [],
    fires: { at: '0m' },
  },
  {
    alert: 'BookendWatchdog',
    says: 'fires while the daemon is down',
    series: { up: '0x40' },
    quietAt: [],
    fires: { at: '10m' },
  },
  {
    alert: 'BookendWatchdog',
    says: 'fires where nothing is scraped',
    series: {},
    quietAt: [],
    fires: { at: '10m' },
  },
  {
    alert: 'BookendWatchdog',
    says: 'fires an hour later',
    series: { up: '1x10', 'bookend_phase_info{phase="killed"}': '1x10' },
    quietAt: [],
    fires: { at: '1h' },
  },
  {
    alert: 'BookendDown',
    says: 'a daemon that is down pages after a minute, not before',
    series: { up: '1x4 0x20' },
    quietAt: ['1m30s'],
    fires: { at: '3m' },
    more: { calm: { up: '1x24' }, over: { series: { up: '1x40' }, quietAt: '7m' } },
  },
  {
    alert: 'BookendNotScraped',
    says: 'a daemon whose pod is no more pages after two minutes, not before',
    series: { up: '1x8 0x8 stale' },
    quietAt: ['2m', '4m', '5m30s'],
    fires: { at: '7m' },
  },
  {
    alert: 'BookendNotScraped',
    says: 'pages where there never was one',
    series: {},
    quietAt: ['1m30s'],
    fires: { at: '3m' },
  },
  {
    alert: 'BookendNotScraped',
    says: 'ends when another one is scraped',
    series: { up: '1x4 stale _x20 1x20' },
    quietAt: ['8m'],
    fires: { at: '5m' },
  },
  {
    alert: 'BookendNotScraped',
    says: 'a daemon that is down and still listed is of another alert',
    series: { up: '0x40' },
    quietAt: ['5m', '9m'],
  },
  {
    alert: 'BookendNotScraped',
    says: 'a pod that comes back within a minute pages nobody',
    series: { up: '1x8 stale _x4 1x40' },
    quietAt: ['3m', '5m', '9m'],
  },
  {
    alert: 'BookendRestarting',
    says: 'three starts in a quarter of an hour page, two are a death and a recovery',
    series: { bookend_process_start_time_seconds: '100x4 200x4 300x4 400x40' },
    quietAt: ['2m'],
    fires: { at: '4m', value: '3' },
    more: {
      calm: { bookend_process_start_time_seconds: '100x80' },
      over: { series: { bookend_process_start_time_seconds: '400x40' }, quietAt: '20m' },
    },
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
    more: {
      calm: {
        'bookend_guard_deaths_total{reason="signal"}': CLEAN,
        'bookend_guard_deaths_total{reason="exit"}': CLEAN,
      },
      over: { series: { 'bookend_guard_deaths_total{reason="signal"}': '1x60' }, quietAt: '19m' },
    },
  },
  {
    alert: 'BookendNotReady',
    says: 'what is not ready pages after two minutes',
    series: { bookend_ready_bool: '1x4 0x40', 'bookend_phase_info{phase="paused"}': CLEAN },
    quietAt: ['2m'],
    fires: { at: '4m' },
    more: {
      calm: { bookend_ready_bool: '1x80', 'bookend_phase_info{phase="paused"}': CLEAN },
      over: { series: { bookend_ready_bool: '1x20' }, quietAt: '12m' },
    },
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
    more: {
      calm: {
        'bookend_phase_info{phase="killing"}': '0x110',
        'bookend_phase_info{phase="killed"}': '0x110',
      },
      over: {
        series: {
          'bookend_phase_info{phase="killing"}': '0x20',
          'bookend_phase_info{phase="killed"}': '0x20',
        },
        quietAt: '28m',
      },
    },
  },
  {
    alert: 'BookendHalted',
    says: 'a halt pages at once',
    series: { 'bookend_phase_info{phase="halted"}': '0x8 1x20' },
    quietAt: ['1m'],
    fires: { at: '3m', labels: { phase: 'halted' } },
    more: {
      calm: { 'bookend_phase_info{phase="halted"}': CLEAN },
      over: { series: { 'bookend_phase_info{phase="halted"}': '0x20' }, quietAt: '8m' },
    },
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
    more: {
      calm: { 'bookend_control_level_info{control="day_loss", level="widen"}': '1x80' },
      over: {
        series: { 'bookend_control_level_info{control="day_loss", level="reduce-only"}': '0x20' },
        quietAt: '16m',
      },
    },
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
    more: {
      calm: { 'bookend_control_used_ratio{control="drawdown"}': '0.8x80' },
      over: {
        series: { 'bookend_control_used_ratio{control="drawdown"}': '0.5x20' },
        quietAt: '16m30s',
      },
    },
  },
  {
    alert: 'BookendStopNotOnDisk',
    says: 'a kill that no disk has pages at once',
    series: { bookend_kill_unlatched_bool: '0x4 1x20', bookend_unwritten_stops: CLEAN },
    quietAt: ['1m'],
    fires: { at: '2m' },
    more: {
      calm: { bookend_kill_unlatched_bool: CLEAN, bookend_unwritten_stops: CLEAN },
      over: { series: { bookend_kill_unlatched_bool: '0x20' }, quietAt: '7m' },
    },
  },
  {
    alert: 'BookendStopNotOnDisk',
    says: 'a pause that no disk has pages at once',
    series: { bookend_kill_unlatched_bool: CLEAN, bookend_unwritten_stops: '0x4 1x20' },
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
    more: {
      calm: {
        'bookend_unconfirmed_kills_total{left="open"}': CLEAN,
        'bookend_unconfirmed_kills_total{left="uncancellable"}': '0 1x79',
      },
      over: { series: { 'bookend_unconfirmed_kills_total{left="open"}': '1x60' }, quietAt: '13m' },
    },
  },
  {
    alert: 'BookendKillUnconfirmed',
    says: 'a kill that is not confirmed for half an hour pages as long, and one that was says so no more',
    series: {
      'bookend_unconfirmed_kills_total{left="open"}': '0x8 1x180',
      'bookend_phase_info{phase="killing"}': '0x4 1x120 0x60',
    },
    quietAt: ['1m', '34m'],
    fires: { at: '30m' },
  },
];
