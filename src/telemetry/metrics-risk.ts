// Limits and controls: where each stands, where it ends, which level it holds, and how often it tripped.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Report } from '../domain/report.ts';
import {
  AUTOMATIC,
  CONTROL_UNITS,
  CONTROLS,
  type ControlName,
  type ControlUnit,
  type ControlView,
  RISK_LEVELS,
  type RiskLevel,
  type RiskView,
} from '../domain/risk.ts';

const HELP: Readonly<Record<ControlUnit, string>> = {
  usdc: 'Limits and controls in USDC: value now, and limit.',
  shares: 'Limits in shares: the largest of all markets, and limit.',
  orders: 'Limits and controls in orders: value now, and limit.',
  fills: 'Fills within the interval of the breaker, and limit.',
  refusals: 'Most refusals of one code within the interval of the breaker, and limit.',
  trades: 'Failed settlements within the interval of the breaker, and limit.',
  seconds: 'Controls in seconds: value now, and limit.',
};

/** Controls without a milder rung: they halt the account, and say nothing else when they trip. */
const HALTS_AT_ONCE: ReadonlySet<string> = new Set<ControlName>([
  'account_conflict',
  'max_loss_usdc',
]);

/** Counts controls that trip. */
export function riskTrips(registry: Registry): { onReport(report: Report): void } {
  const trips = new Counter({
    name: 'bookend_control_trips_total',
    help: 'Times a control tripped, for a market or the account.',
    labelNames: ['control'] as const,
    registers: [registry],
  });
  for (const control of CONTROLS) trips.inc({ control }, 0);
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
  const metrics = declared(registry);
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
function collectControl(metrics: ReturnType<typeof declared>, view: ControlView): void {
  const { control, unit, value, limit } = view;
  const gauge = metrics.byUnit[unit];
  gauge.set({ control, bound: 'limit' }, Number(limit));
  if (value === undefined) return;
  gauge.set({ control, bound: 'value' }, Number(value));
  metrics.used.set({ control }, Number(value) / Number(limit));
}

function declared(registry: Registry) {
  const registers = [registry];
  const ofUnit = (unit: ControlUnit) =>
    new Gauge({
      name: `bookend_control_${unit}`,
      help: HELP[unit],
      labelNames: ['control', 'bound'] as const,
      registers,
    });
  return {
    byUnit: {
      usdc: ofUnit('usdc'),
      shares: ofUnit('shares'),
      orders: ofUnit('orders'),
      fills: ofUnit('fills'),
      refusals: ofUnit('refusals'),
      trades: ofUnit('trades'),
      seconds: ofUnit('seconds'),
    },
    used: new Gauge({
      name: 'bookend_control_used_ratio',
      help: 'Value of a limit or control as a part of where it ends.',
      labelNames: ['control'] as const,
      registers,
    }),
    controlLevel: new Gauge({
      name: 'bookend_control_level_info',
      help: '1 for the hardest level that a limit or control holds anywhere.',
      labelNames: ['control', 'level'] as const,
      registers,
    }),
    level: new Gauge({
      name: 'bookend_risk_level_info',
      help: '1 for the level of the whole account.',
      labelNames: ['level'] as const,
      registers,
    }),
    latches: new Gauge({
      name: 'bookend_risk_latches',
      help: 'What holds trading back now, of operators and of controls.',
      registers,
    }),
  };
}
