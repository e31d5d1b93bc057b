// Everything that a scrape tells of a trader: what it has counted, and gauges of its state, which come from
// another process as text.

import type { StateView } from '../../src/domain/view.ts';
import {
  createMetrics,
  createStateMetrics,
  type Metrics,
  type MetricsOptions,
} from '../../src/telemetry/metrics.ts';

export type Scraped = Omit<Metrics, 'text'> & { text(): Promise<string> };

export function scraped({
  view,
  ...options
}: MetricsOptions & { readonly view: () => StateView | undefined }): Scraped {
  const metrics = createMetrics(options);
  const gauges = createStateMetrics();
  const viewed = (): StateView | undefined => {
    try {
      return view();
    } catch {
      metrics.onViewFailed();
      return undefined;
    }
  };
  return {
    ...metrics,
    text: async () => {
      const state = viewed();
      if (state) metrics.keep(new Set(state.markets.map(({ marketId }) => marketId)));
      const told = state && JSON.parse(JSON.stringify(state));
      const series = metrics.names().map(async (name) => await metrics.text(name));
      const counted = (await Promise.all(series)).join('\n\n');
      return `${counted}\n\n${told === undefined ? '' : await gauges.text(told)}`;
    },
  };
}
