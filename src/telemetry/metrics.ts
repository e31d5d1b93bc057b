// The numbers of the daemon for Prometheus: `bookend_<noun>_<unit>`, labels from closed sets. The trader
// counts what it does; gauges of its state are made from the state where they are served.

import { collectDefaultMetrics, Registry } from 'prom-client';
import type { VenueObserver } from '../domain/observe.ts';
import type { Report } from '../domain/report.ts';
import type { StateView } from '../domain/view.ts';
import { Instruments } from './instruments.ts';
import { METRIC_SPECS } from './metric-table.ts';
import { guardMetrics } from './metrics-guard.ts';
import { ioMetrics } from './metrics-io.ts';
import { ledgerMetrics } from './metrics-ledger.ts';
import { reportMetrics } from './metrics-report.ts';
import { riskGauges, riskTrips } from './metrics-risk.ts';
import { viewMetrics } from './metrics-view.ts';

export type ReloadResult = 'applied' | 'refused' | 'unchanged';

/** Queues that give up records rather than memory. */
export type DropCounts = {
  readonly log?: () => number;
  readonly recorder?: () => number;
};

export type MetricsOptions = {
  readonly version: string;
  readonly dropped?: DropCounts;
};

/** What the trader counts. */
export interface Metrics {
  /** For the venue client: requests, frames, reconnects. */
  readonly observer: VenueObserver;
  onReport(report: Report): void;
  /** The ledger has written so many records. */
  onCommit(tookMs: number, records: number): void;
  /** The disk has taken what was written when that began. */
  onSync(tookMs: number): void;
  /** Settings were read again. */
  onReload(result: ReloadResult): void;
  /** The core could not describe itself. */
  onViewFailed(): void;
  /** Counts of markets that are gone go. */
  keep(markets: ReadonlySet<string>): void;
  /** What is counted, each under the name of its series. */
  names(): readonly string[];
  /** The series of one name in the text form of Prometheus. */
  text(name: string): Promise<string>;
}

/** Creates what the trader counts, in a registry of its own. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  runtimeMetrics(registry);
  const io = ioMetrics(registry);
  const reports = reportMetrics(registry);
  const trips = riskTrips(registry);
  const ledger = ledgerMetrics(registry);
  const process = processMetrics(registry, options);
  return {
    observer: io,
    onReport: (report) => {
      reports.onReport(report);
      trips.onReport(report);
    },
    onCommit: ledger.onCommit,
    onSync: ledger.onSync,
    onReload: process.onReload,
    onViewFailed: process.onViewFailed,
    keep: reports.collect,
    names: () => {
      process.collect();
      return registry.getMetricsAsArray().map(({ name }) => name);
    },
    text: async (name) => await registry.getSingleMetricAsString(name),
  };
}

export interface StateMetrics {
  readonly contentType: string;
  /** Gauges of this state in the text form of Prometheus. */
  text(view: StateView): Promise<string>;
}

/** Creates gauges of the trader's state, in a registry of their own. */
export function createStateMetrics(): StateMetrics {
  const registry = new Registry();
  const gauges = viewMetrics(registry);
  const guards = guardMetrics(registry);
  const risk = riskGauges(registry);
  return {
    contentType: registry.contentType,
    text: async (view) => {
      gauges.collect(view);
      guards.collect(view.guard);
      risk.collect(view.risk);
      return await registry.metrics();
    },
  };
}

/** Of what the library knows of a Node process, what the table names: the rest is nobody's question. */
function runtimeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: 'bookend_' });
  const wanted = new Set(METRIC_SPECS.map(({ name }) => name));
  for (const { name } of registry.getMetricsAsArray()) {
    if (!wanted.has(name)) registry.removeSingleMetric(name);
  }
}

function processMetrics(registry: Registry, options: MetricsOptions) {
  const make = new Instruments(registry);
  make.gauge('build').set({ version: options.version }, 1);
  const reloads = make.counterOf('reloads');
  const dropped = make.counter('dropped');
  const viewFailures = make.counter('viewFailures');
  return {
    onReload: (result: ReloadResult) => reloads.inc({ result }),
    collect: () => {
      dropped.reset();
      dropped.inc({ queue: 'log' }, options.dropped?.log?.() ?? 0);
      dropped.inc({ queue: 'recorder' }, options.dropped?.recorder?.() ?? 0);
    },
    onViewFailed: () => viewFailures.inc(),
  };
}
