// Quoting uptime of each side, and what is left out of it.

import { Gauge, type Registry } from 'prom-client';
import { type MarketView, UPTIME_EXCLUSIONS } from '../domain/view.ts';

type UptimeMetrics = ReturnType<typeof uptimeMetrics>;

export function uptimeMetrics(registry: Registry) {
  const registers = [registry];
  return {
    uptime: new Gauge({
      name: 'bookend_quoting_uptime_ratio',
      help: 'Share of time with an order resting where the strategy wants one; no series while no time counts.',
      labelNames: ['market', 'side', 'window'] as const,
      registers,
    }),
    uptimeExcluded: new Gauge({
      name: 'bookend_quoting_uptime_excluded_seconds',
      help: 'Time since the start that quoting uptime leaves out, by cause.',
      labelNames: ['market', 'side', 'cause'] as const,
      registers,
    }),
  };
}

export function collectUptime(metrics: UptimeMetrics, view: MarketView): void {
  const market = view.marketId;
  for (const side of ['bid', 'ask'] as const) {
    const { sinceStart, lastHour, excludedMs } = view.uptime[side];
    if (sinceStart !== undefined) metrics.uptime.set({ market, side, window: 'start' }, sinceStart);
    if (lastHour !== undefined) metrics.uptime.set({ market, side, window: 'hour' }, lastHour);
    for (const cause of UPTIME_EXCLUSIONS) {
      metrics.uptimeExcluded.set({ market, side, cause }, excludedMs[cause] / 1_000);
    }
  }
}
