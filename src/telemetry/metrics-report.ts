// Counts of what the core reports: refusals, anomalies, fills.

import type { Registry } from 'prom-client';
import { LIVE_STATES, ORDER_MOVES } from '../domain/order.ts';
import { REPORT_SEVERITY, type Report } from '../domain/report.ts';
import { RECYCLER } from '../domain/sets.ts';
import { Instruments } from './instruments.ts';
import { LabelSet } from './labels.ts';
import { codeLabel } from './metrics-io.ts';

/** Names of limits that hold orders back. */
const LIMITS_MAX = 60;

type Metrics = ReturnType<typeof made>;
type Filled = Extract<Report, { readonly event: 'order.filled' }>;
type FillCount = {
  readonly market: string;
  readonly side: string;
  fills: number;
  shares: number;
  usdc: number;
};

export type ReportMetrics = {
  onReport(report: Report): void;
  /** Now and then, with the markets that still exist. */
  collect(markets: ReadonlySet<string>): void;
};

export function reportMetrics(registry: Registry): ReportMetrics {
  const metrics = made(registry);
  const limits = new LabelSet(LIMITS_MAX);
  // One entry for each market and side; entries of removed markets go with the next round.
  const fills = new Map<string, FillCount>();
  for (const state of LIVE_STATES) {
    metrics.deadlines.inc({ state, remedy: ORDER_MOVES[state].deadline.remedy }, 0);
  }
  for (const [event, severity] of Object.entries(REPORT_SEVERITY)) {
    metrics.reports.inc({ event, severity }, 0);
  }
  for (const left of ['open', 'uncancellable']) metrics.unconfirmedKills.inc({ left }, 0);
  return {
    onReport: (report) => {
      metrics.reports.inc({ event: report.event, severity: REPORT_SEVERITY[report.event] });
      if (report.event === 'order.filled') countFill(fills, report);
      if (report.event === 'order.refused') metrics.refusals.inc({ code: codeLabel(report.code) });
      if (report.event === 'order.moved' && report.signal === 'ack') {
        metrics.accepted.inc(Number(report.quantity));
      }
      if (report.event === 'risk.refused') metrics.risk.inc({ limit: limits.label(report.limit) });
      if (report.event === 'sets.changed') countChainAction(metrics, report);
      if (report.event === 'order.anomaly') {
        metrics.anomalies.inc({ state: report.state, signal: report.signal });
      }
      if (report.event === 'order.past_deadline') {
        metrics.deadlines.inc({ state: report.state, remedy: report.remedy });
      }
      countUnconfirmed(metrics, report);
      countTrust(metrics, report);
    },
    collect: (markets) => collectFills(metrics, fills, markets),
  };
}

function countUnconfirmed({ unconfirmedKills }: Metrics, report: Report): void {
  if (report.event !== 'kill.unconfirmed') return;
  unconfirmedKills.inc({ left: report.isOnlyParts ? 'uncancellable' : 'open' });
}

function countTrust(metrics: Metrics, report: Report): void {
  if (report.event === 'book.doubt') metrics.doubts.inc({ signal: report.signal });
  if (report.event !== 'book.resynced') return;
  const { by, wasRight, tookMs } = report;
  metrics.resyncs.inc({ by, alarm: wasRight ? 'false' : 'true' });
  metrics.resyncTook.observe(tookMs / 1_000);
}

/** People have names; for a label they are all one. */
function countChainAction(
  { chain }: Pick<Metrics, 'chain'>,
  { action, by, state }: Extract<Report, { readonly event: 'sets.changed' }>,
): void {
  chain.inc({ action, by: by === RECYCLER ? RECYCLER : 'operator', state });
}

function countFill(fills: Map<string, FillCount>, report: Filled): void {
  const { marketId: market, side } = report;
  const key = `${market} ${side}`;
  const count = fills.get(key) ?? { market, side, fills: 0, shares: 0, usdc: 0 };
  count.fills += 1;
  count.shares += Number(report.quantity);
  count.usdc += Number(report.quantity) * Number(report.price);
  fills.set(key, count);
}

function collectFills(
  metrics: Metrics,
  fills: Map<string, FillCount>,
  markets: ReadonlySet<string>,
): void {
  for (const counter of [metrics.fills, metrics.shares, metrics.usdc]) counter.reset();
  for (const [key, count] of fills) {
    if (!markets.has(count.market)) {
      fills.delete(key);
      continue;
    }
    const { market, side } = count;
    metrics.fills.inc({ market, side }, count.fills);
    metrics.shares.inc({ market, side }, count.shares);
    metrics.usdc.inc({ market, side }, count.usdc);
  }
}

function made(registry: Registry) {
  const make = new Instruments(registry);
  return {
    reports: make.counter('reports'),
    unconfirmedKills: make.counter('unconfirmedKills'),
    refusals: make.counterOf('refusals'),
    anomalies: make.counter('anomalies'),
    deadlines: make.counter('deadlines'),
    accepted: make.counter('accepted'),
    doubts: make.counterOf('doubts'),
    resyncs: make.counter('resyncs'),
    resyncTook: make.histogram('resyncTook'),
    risk: make.counter('riskRefusals'),
    fills: make.counter('fills'),
    shares: make.counter('filledShares'),
    usdc: make.counter('filledUsdc'),
    chain: make.counter('chain'),
  };
}
