// Counts of what the core reports: refusals, anomalies, fills.

import { Counter, Histogram, type Registry } from 'prom-client';
import { LIVE_STATES, ORDER_LIFE } from '../domain/order.ts';
import { REPORT_SEVERITY, type Report } from '../domain/report.ts';
import { RECYCLER } from '../domain/sets.ts';
import { TRUST_SIGNALS } from '../domain/trust.ts';
import { LabelSet } from './labels.ts';

/** Codes and names of limits that refusals carry. */
const CODES_MAX = 60;

/** From one round trip to the longest wait between two renewals. */
const HEALING_BUCKETS_SEC = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Filled = Extract<Report, { readonly event: 'order.filled' }>;
type FillCount = {
  readonly market: string;
  readonly token: string;
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
  const metrics = { ...declared(registry), chain: chainCounter(registry) };
  const codes = new LabelSet(CODES_MAX);
  const limits = new LabelSet(CODES_MAX);
  // One entry for each market, token and side; entries of removed markets go with the next round.
  const fills = new Map<string, FillCount>();
  for (const state of LIVE_STATES) {
    metrics.overdue.inc({ state, remedy: ORDER_LIFE[state].deadline.remedy }, 0);
  }
  for (const signal of TRUST_SIGNALS) metrics.doubts.inc({ signal }, 0);
  for (const [event, severity] of Object.entries(REPORT_SEVERITY)) {
    metrics.reports.inc({ event, severity }, 0);
  }
  return {
    onReport: (report) => {
      metrics.reports.inc({ event: report.event, severity: REPORT_SEVERITY[report.event] });
      if (report.event === 'order.filled') countFill(fills, report);
      if (report.event === 'order.refused')
        metrics.refusals.inc({ code: codes.label(report.code) });
      if (report.event === 'risk.refused') metrics.risk.inc({ limit: limits.label(report.limit) });
      if (report.event === 'sets.changed') countChainAction(metrics, report);
      if (report.event === 'order.anomaly') {
        metrics.anomalies.inc({ state: report.state, signal: report.signal });
      }
      if (report.event === 'order.overdue') {
        metrics.overdue.inc({ state: report.state, remedy: report.remedy });
      }
      countTrust(metrics, report);
    },
    collect: (markets) => collectFills(metrics, fills, markets),
  };
}

function countTrust(metrics: ReturnType<typeof declared>, report: Report): void {
  if (report.event === 'book.doubt') metrics.doubts.inc({ signal: report.signal });
  if (report.event !== 'book.healed') return;
  const { signal, by, wasRight, tookMs } = report;
  metrics.heals.inc({ signal, by, alarm: wasRight ? 'false' : 'true' });
  metrics.healing.observe({ signal }, tookMs / 1_000);
}

/** People have names; for a label they are all one. */
function countChainAction(
  { chain }: { readonly chain: ReturnType<typeof chainCounter> },
  { action, by, state }: Extract<Report, { readonly event: 'sets.changed' }>,
): void {
  chain.inc({ action, by: by === RECYCLER ? RECYCLER : 'operator', state });
}

function countFill(fills: Map<string, FillCount>, report: Filled): void {
  const { marketId: market, tokenId: token, side } = report;
  const key = `${market} ${token} ${side}`;
  const count = fills.get(key) ?? { market, token, side, fills: 0, shares: 0, usdc: 0 };
  count.fills += 1;
  count.shares += Number(report.quantity);
  count.usdc += Number(report.quantity) * Number(report.price);
  fills.set(key, count);
}

function collectFills(
  metrics: ReturnType<typeof declared>,
  fills: Map<string, FillCount>,
  markets: ReadonlySet<string>,
): void {
  for (const counter of [metrics.fills, metrics.shares, metrics.usdc]) counter.reset();
  for (const [key, count] of fills) {
    if (!markets.has(count.market)) {
      fills.delete(key);
      continue;
    }
    const { market, token, side } = count;
    metrics.fills.inc({ market, token, side }, count.fills);
    metrics.shares.inc({ market, token, side }, count.shares);
    metrics.usdc.inc({ market, token, side }, count.usdc);
  }
}

function declared(registry: Registry) {
  const registers = [registry];
  const fillLabels = ['market', 'token', 'side'] as const;
  return {
    reports: new Counter({
      name: 'bookend_reports_total',
      help: 'Reports of the core by event; the log has the same events.',
      labelNames: ['event', 'severity'] as const,
      registers,
    }),
    refusals: new Counter({
      name: 'bookend_order_refusals_total',
      help: 'Placements that the venue refused, by code.',
      labelNames: ['code'] as const,
      registers,
    }),
    anomalies: new Counter({
      name: 'bookend_order_anomalies_total',
      help: 'Order events that the table of moves does not list.',
      labelNames: ['state', 'signal'] as const,
      registers,
    }),
    overdue: new Counter({
      name: 'bookend_order_deadlines_total',
      help: 'Deadlines that orders missed, by the state that lasted too long and what was done.',
      labelNames: ['state', 'remedy'] as const,
      registers,
    }),
    doubts: new Counter({
      name: 'bookend_book_doubts_total',
      help: 'Doubts about books, by the signal that spoke.',
      labelNames: ['signal'] as const,
      registers,
    }),
    heals: new Counter({
      name: 'bookend_book_heals_total',
      help: 'Books trusted again, by signal, by what healed them, and whether the alarm was true.',
      labelNames: ['signal', 'by', 'alarm'] as const,
      registers,
    }),
    healing: new Histogram({
      name: 'bookend_book_healing_seconds',
      help: 'From the first doubt about a book until it was trusted again.',
      labelNames: ['signal'] as const,
      buckets: HEALING_BUCKETS_SEC,
      registers,
    }),
    risk: new Counter({
      name: 'bookend_risk_refusals_total',
      help: 'Wishes that a limit held back.',
      labelNames: ['limit'] as const,
      registers,
    }),
    fills: new Counter({
      name: 'bookend_fills_total',
      help: 'Matches of own orders.',
      labelNames: fillLabels,
      registers,
    }),
    shares: new Counter({
      name: 'bookend_filled_shares_total',
      help: 'Shares matched in own orders.',
      labelNames: fillLabels,
      registers,
    }),
    usdc: new Counter({
      name: 'bookend_filled_usdc_total',
      help: 'Value of the shares matched in own orders.',
      labelNames: fillLabels,
      registers,
    }),
  };
}

function chainCounter(registry: Registry) {
  return new Counter({
    name: 'bookend_chain_actions_total',
    help: 'Splits, merges and redeems by what became of them.',
    labelNames: ['action', 'by', 'state'] as const,
    registers: [registry],
  });
}
