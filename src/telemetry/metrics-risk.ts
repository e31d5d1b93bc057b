// Limits and controls: where each stands, where it ends, which level it holds, and how often it tripped.

import type { Registry } from 'prom-client';
import type { Report } from '../domain/report.ts';
import {
  AUTOMATIC,
  CONTROL_UNITS,
  type ControlName,
  type ControlUnit,
  type ControlView,
  RISK_LEVELS,
  type RiskLevel,
  type RiskView,
} from '../domain/risk.ts';
import { Instruments } from './instruments.ts';

/** Controls without a milder rung: they halt the account, and say nothing else when they trip. */
const HALTS_AT_ONCE: ReadonlySet<string> = new Set<ControlName>([
  'account_conflict',
  'max_loss_usdc',
]);

/** Counts controls that trip. */
export function riskTrips(registry: Registry): { onReport(report: Report): void } {
  const trips = new Instruments(registry).counterOf('trips');
  return {
    onReport: (report) => {
      if (report.event === 'control.tripped') trips.inc({ control: report.control });
      if (report.event === 'risk.halted' && HALTS_AT_ONCE.has(report.limit))
        trips.inc({ control: report.limit });
    },
  };
}

/** Shows where limits and controls stand. */
export function riskGauges(registry: Registry): { collect(risk: RiskView | undefined): void } {
  const metrics = made(registry);
  return {
    collect: (risk) => {
      metrics.level.reset();
      metrics.controlLevel.reset();
      metrics.used.reset();
      for (const unit of CONTROL_UNITS) metrics.byUnit[unit].reset();
      metrics.latches.set(risk?.latches.length ?? 0);
      if (risk === undefined) return;
      for (const level of RISK_LEVELS) metrics.level.set({ level }, risk.level === level ? 1 : 0);
      for (const control of risk.controls) collectControl(metrics, control);
      for (const [control, level] of levelsOf(risk))
        metrics.controlLevel.set({ control, level }, 1);
    },
  };
}

/**
 * The hardest level of each control: of some no number is shown, as of what the venue alone decides, or of a
 * breaker that counts by market only, and they hold trading back all the same.
 */
function levelsOf({ controls, latches }: RiskView): ReadonlyMap<string, RiskLevel> {
  const levels = new Map<string, RiskLevel>(controls.map(({ control, level }) => [control, level]));
  for (const { owner, level } of latches) {
    if (!owner.startsWith(AUTOMATIC)) continue;
    const control = owner.slice(AUTOMATIC.length);
    const known = levels.get(control) ?? 'normal';
    if (RISK_LEVELS.indexOf(level) >= RISK_LEVELS.indexOf(known)) levels.set(control, level);
  }
  return levels;
}

/** What cannot be known has no series: zero would be an answer. */
function collectControl(metrics: ReturnType<typeof made>, view: ControlView): void {
  const { control, unit, value, limit } = view;
  const gauge = metrics.byUnit[unit];
  gauge.set({ control, bound: 'limit' }, Number(limit));
  if (value === undefined) return;
  gauge.set({ control, bound: 'value' }, Number(value));
  metrics.used.set({ control }, Number(value) / Number(limit));
}

function made(registry: Registry) {
  const make = new Instruments(registry);
  return {
    byUnit: {
      usdc: make.gauge('controlUsdc'),
      shares: make.gauge('controlShares'),
      orders: make.gauge('controlOrders'),
      fills: make.gauge('controlFills'),
      refusals: make.gauge('controlRefusals'),
      trades: make.gauge('controlTrades'),
      seconds: make.gauge('controlSeconds'),
    } satisfies Record<ControlUnit, unknown>,
    used: make.gauge('controlUsed'),
    controlLevel: make.gauge('controlLevel'),
    level: make.gauge('level'),
    latches: make.gauge('latches'),
  };
}
