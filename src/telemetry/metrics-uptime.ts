// Quoting uptime of each side, and what is left out of it.

import type { Gauge } from 'prom-client';
import { type MarketView, UPTIME_EXCLUSIONS } from '../domain/view.ts';

type UptimeGauge = Gauge<'market' | 'side' | 'window'>;

export function collectUptime(uptime: UptimeGauge, view: MarketView): void {
  const market = view.marketId;
  for (const side of ['bid', 'ask'] as const) {
    const { sinceStart, lastHour } = view.uptime[side];
    if (sinceStart !== undefined) uptime.set({ market, side, window: 'start' }, sinceStart);
    if (lastHour !== undefined) uptime.set({ market, side, window: 'hour' }, lastHour);
  }
}

/** Over all markets and sides: it says why time does not count, and `bookend status` where. */
export function collectExcluded(excluded: Gauge<'cause'>, markets: readonly MarketView[]): void {
  for (const cause of UPTIME_EXCLUSIONS) {
    let ms = 0;
    for (const { uptime } of markets) {
      ms += uptime.bid.excludedMs[cause] + uptime.ask.excludedMs[cause];
    }
    excluded.set({ cause }, ms / 1_000);
  }
}
