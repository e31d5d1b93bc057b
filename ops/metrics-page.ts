// The page that documents every metric, made of the table that the daemon makes them from.

import type { LabelValues, MetricSpec } from '../src/telemetry/metric-spec.ts';
import { METRIC_ROOMS } from '../src/telemetry/metric-table.ts';

const TITLES: Readonly<Record<keyof typeof METRIC_ROOMS, string>> = {
  account: 'The account',
  figures: 'What quoting came to (each figure: `src/backtest/README.md`)',
  market: 'Markets',
  marketFigures: 'What quoting came to in a market',
  orders: 'Orders',
  risk: 'Limits and controls',
  venue: 'The venue, its books and sources of prices',
  process: 'Processes, journal and settings',
  runtime: 'The runtime',
};

const HEAD = `# Metrics

What \`GET /metrics\` serves. This page is made of \`src/telemetry/metric-table.ts\` by \`npm run ops:write\`; do not edit it.

A counter ends in \`_total\` and begins at zero with each run of the trader. A time is a Unix timestamp, so that
\`time() - x\` is an age at the moment of asking. An amount that is not known has no series: zero would be an answer. Prometheus adds
\`job\` and \`instance\`. With 500 markets or fewer each has series of its own, some fifty; beyond that those with something of ours come first.
`;

/** The page as Markdown. */
export function metricsPage(): string {
  const rooms = Object.entries(METRIC_ROOMS).map(([key, room]) =>
    roomText(TITLES[key as keyof typeof METRIC_ROOMS], Object.values(room)),
  );
  return `${[HEAD, ...rooms].join('\n')}`;
}

function roomText(title: string, specs: readonly MetricSpec[]): string {
  const rows = specs.map(
    ({ name, type, unit, help, labels }) =>
      `| \`${name}\` | ${type} | ${unit} | ${labelText(labels)} | ${help} |`,
  );
  return `## ${title}\n\n| Metric | Type | Unit | Labels | Help |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function labelText(labels: MetricSpec['labels']): string {
  const each = Object.entries(labels).map(
    ([label, values]) => `\`${label}\`: ${valuesText(values)}`,
  );
  return each.length === 0 ? '–' : each.join('; ');
}

/** A long set is named by its begin: the code has the rest. */
function valuesText(values: LabelValues): string {
  if (typeof values === 'string') return values;
  const shown = values.slice(0, 8).join(', ');
  return values.length > 8 ? `${shown}, … (${values.length})` : shown;
}
