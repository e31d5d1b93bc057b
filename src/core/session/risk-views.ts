// Every limit and control as operators see it: current value, limit, level, and what is latched.

import type { RiskLimits } from '../../domain/input.ts';
import {
  AUTOMATIC,
  type ControlName,
  type ControlUnit,
  type ControlView,
  type LatchView,
  type RiskControls,
  type RiskLevel,
  type RiskView,
} from '../../domain/risk.ts';
import { MICRO_PER_SHARE } from '../../domain/shares.ts';
import { usdcOf } from '../kernel/nano.ts';
import { resumesMarket } from '../quoting/reasons.ts';
import { externalMs, uncertainMax, widestShares } from '../risk/divergence.ts';
import { clearsText, harder } from '../risk/latches.ts';
import { lossesNano } from '../risk/loss.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { EngineStores } from './session.ts';
import type { SessionStores } from './stores.ts';

/** A snapshot for people and metrics, of sums that the caller has brought up to date. */
export function riskView(stores: EngineStores): RiskView {
  const latches = latchViews(stores);
  const ofAccount = latches.filter(({ scope }) => scope === 'account');
  return {
    level: ofAccount.reduce<RiskLevel>((level, latch) => harder(level, latch.level), 'normal'),
    latches,
    controls: controlViews(stores).map((row) => ({
      ...row,
      level: levelOf(stores, row.control),
    })),
  };
}

function latchViews(stores: EngineStores): readonly LatchView[] {
  const { standing, halted } = stores.session;
  const views: LatchView[] = [];
  if (standing !== undefined) {
    views.push({
      owner: 'operator',
      scope: 'account',
      level: standing.order === 'paused' ? 'cancel' : 'killed',
      detail: `${standing.order} by ${standing.by}`,
      sinceMs: standing.sinceMs,
      clears: standing.order === 'shutdown' ? 'nothing: the process ends' : 'bookend resume',
    });
  }
  for (const { marketId, stop, by, sinceMs } of stores.controls.marketStops.all()) {
    views.push({
      owner: 'operator',
      scope: marketId,
      level: stop === 'kill' ? 'killed' : 'cancel',
      detail: `${stop === 'kill' ? 'killed' : 'paused'} by ${by}`,
      sinceMs,
      clears: resumesMarket(marketId),
    });
  }
  const latches = stores.controls.latches.all();
  // A control of the last rung halts the account: one line says it.
  if (halted && !latches.some(({ control }) => control === halted.limit)) {
    views.push({
      owner: `${AUTOMATIC}${halted.limit}`,
      scope: 'account',
      level: 'killed',
      detail: halted.detail,
      sinceMs: halted.sinceMs,
      clears: clearsText({ kind: 'operator' }, stores.nowMs),
    });
  }
  for (const { control, marketId, level, detail, sinceMs, resumes } of latches) {
    views.push({
      owner: `${AUTOMATIC}${control}`,
      scope: marketId ?? 'account',
      level,
      detail,
      sinceMs,
      clears: clearsText(resumes, stores.nowMs),
    });
  }
  return views;
}

function levelOf({ controls, session }: EngineStores, control: string): RiskLevel {
  let level: RiskLevel = session.halted?.limit === control ? 'killed' : 'normal';
  for (const latch of controls.latches.all()) {
    if (latch.control === control) level = harder(level, latch.level);
  }
  return level;
}

type Row = Omit<ControlView, 'level'>;
type Measured = { readonly unit: ControlUnit; readonly value: number | undefined };

function controlViews(stores: SessionStores): readonly Row[] {
  const risk = stores.settings?.risk;
  if (risk === undefined) return [];
  return [
    ...limitRows(stores, risk),
    ...lossRows(stores, risk.loss),
    ...watchRows(stores, risk),
    ...differenceRows(stores, risk),
  ];
}

function limitRows(stores: SessionStores, limits: RiskLimits): readonly Row[] {
  const most = mostOf(stores);
  const nano = (value: number): Measured => ({ unit: 'usdc', value });
  return rows([
    ['max_position_shares', { unit: 'shares', value: most.position }, limits.maxPositionShares],
    ['max_net_shares', { unit: 'shares', value: most.net }, limits.maxNetShares],
    [
      'max_open_orders',
      { unit: 'orders', value: stores.ledger.exposedCount },
      limits.maxOpenOrders,
    ],
    ['max_market_open_orders', { unit: 'orders', value: most.orders }, limits.maxMarketOpenOrders],
    ['max_open_notional_usdc', nano(stores.risk.notionalNano), limits.maxOpenNotionalUsdc],
    ['max_event_loss_usdc', nano(most.eventLossNano), limits.maxEventLossUsdc],
    ['worst_case_loss', nano(stores.risk.lossNano), limits.maxLossUsdc],
    ['max_loss_usdc', nano(-stores.risk.pnlNano), limits.maxLossUsdc],
  ]);
}

function lossRows(stores: SessionStores, loss: RiskControls['loss'] | undefined): readonly Row[] {
  if (loss === undefined) return [];
  const losses = lossesNano(stores);
  const lost = (name: 'session_loss' | 'day_loss' | 'drawdown'): Measured => ({
    unit: 'usdc',
    value: losses?.[name],
  });
  return rows([
    ['session_loss', lost('session_loss'), loss.sessionUsdc],
    ['day_loss', lost('day_loss'), loss.dayUsdc],
    ['drawdown', lost('drawdown'), loss.drawdownUsdc],
    ['unmarked_position', { unit: 'seconds', value: unmarkedSec(stores) }, loss.unmarkedMs / 1_000],
  ]);
}

function watchRows(stores: RiskStores, risk: RiskLimits): readonly Row[] {
  const { controls, nowMs } = stores;
  const { orderRate, fillBurst, refusals, settlements, blind } = risk;
  const { counts } = controls;
  if (orderRate) counts.orders.advance(nowMs, orderRate.intervalMs);
  if (fillBurst) counts.fills.advance(nowMs, fillBurst.intervalMs);
  if (settlements) counts.failures.advance(nowMs, settlements.intervalMs);
  const refused = refusals && counts.refusals.most(nowMs, refusals.intervalMs);
  const blindSec =
    controls.blindSinceMs === undefined ? 0 : (nowMs - controls.blindSinceMs) / 1_000;
  return rows([
    ['order_rate', { unit: 'orders', value: counts.orders.count }, orderRate?.orders],
    ['fill_burst', { unit: 'fills', value: counts.fills.count }, fillBurst?.accountFills],
    ['repeated_refusals', { unit: 'refusals', value: refused }, refusals?.account],
    [
      'settlement_failures',
      { unit: 'trades', value: counts.failures.count },
      settlements?.failures,
    ],
    ['blind_account', { unit: 'seconds', value: blindSec }, seconds(blind?.forMs)],
  ]);
}

/** What we hold true against what the venue says: money, shares, orders, and the time. */
function differenceRows(stores: RiskStores, { divergence, clock }: RiskLimits): readonly Row[] {
  const { controls } = stores;
  const { offsetMs } = stores.clock;
  const cashNano = Math.abs(controls.cash.unexplainedNano);
  const forMs = divergence?.forMs;
  const lasting = (durationMs: number | undefined): Measured => ({
    unit: 'seconds',
    value: seconds(durationMs),
  });
  return rows([
    ['cash_divergence', { unit: 'usdc', value: cashNano }, divergence?.cashUsdc],
    [
      'position_uncertain',
      { unit: 'shares', value: widestShares(stores) },
      uncertainMax(stores) / MICRO_PER_SHARE,
    ],
    ['order_divergence', lasting(externalMs(stores)), seconds(forMs)],
    ['clock_offset', lasting(offsetMs && Math.abs(offsetMs)), seconds(clock?.offsetMsMax)],
    ['clock_drift', lasting(controls.clockMovedMs), seconds(clock?.driftMsMax)],
  ]);
}

function seconds(durationMs: number | undefined): number | undefined {
  return durationMs === undefined ? undefined : durationMs / 1_000;
}

type Stated = readonly [
  control: ControlName | 'worst_case_loss' | `max_${string}`,
  measured: Measured,
  limit: number | undefined,
];

/** A limit of 0 is switched off where that means anything, and then there is nothing to show. */
function rows(stated: readonly Stated[]): readonly Row[] {
  return stated.flatMap(([control, { unit, value }, limit]) => {
    if (limit === undefined || limit === 0) return [];
    return [
      {
        control,
        unit,
        value: value === undefined ? undefined : textOf(unit, value),
        limit: String(limit),
      },
    ];
  });
}

/** Losses are nano-USDC; a profit is a loss of nothing. */
function textOf(unit: ControlUnit, value: number): string {
  if (unit === 'usdc') return usdcOf(Math.max(0, Math.round(value))).toFixed(6);
  return String(Number(value.toFixed(6)));
}

type Most = { position: number; net: number; orders: number; eventLossNano: number };

function mostOf(stores: SessionStores): Most {
  const most: Most = { position: 0, net: 0, ...stores.risk.largest() };
  for (const market of stores.markets.values()) {
    const { yes, no } = market.holdingsShares(stores.positions);
    most.position = Math.max(most.position, yes / MICRO_PER_SHARE, no / MICRO_PER_SHARE);
    most.net = Math.max(most.net, Math.abs(yes - no) / MICRO_PER_SHARE);
  }
  return most;
}

function unmarkedSec(stores: SessionStores): number {
  const { unpricedSinceMs } = stores.controls;
  let longestMs = unpricedSinceMs === undefined ? 0 : stores.nowMs - unpricedSinceMs;
  for (const { unmarkedSinceMs } of stores.markets.values()) {
    if (unmarkedSinceMs !== undefined)
      longestMs = Math.max(longestMs, stores.nowMs - unmarkedSinceMs);
  }
  return longestMs / 1_000;
}
