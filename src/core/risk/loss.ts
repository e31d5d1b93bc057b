// Losses of the session, of the day, and from the peak, at the last trusted prices. A profit that is
// not complete is no number: while something that was traded never had a price, nothing is measured
// against it, and after a while the account is held.

import {
  type ControlName,
  type ResumeRule,
  RISK_CONTROL_DEFAULTS,
  type RiskAction,
  type RiskControls,
} from '../../domain/risk.ts';
import { unixMs } from '../../domain/time.ts';
import { NANO_PER_USDC } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { dayEndMs, dayOf } from './controls.ts';
import { type RiskMarket, STANDS_MS } from './market.ts';
import type { RiskStores } from './stores.ts';
import { ease, trip } from './trip.ts';

/** What was near a limit is not any more when the loss has shrunk by a tenth of it. */
const RECOVERED_PART = 0.9;

type LossSettings = RiskControls['loss'];
export type LossName = Extract<ControlName, 'session_loss' | 'day_loss' | 'drawdown'>;

/** Loss by control in nano-USDC; `undefined` while no profit was ever known, or this one is not. */
export function lossesNano(stores: RiskStores): Readonly<Record<LossName, number>> | undefined {
  const { current } = stores.controls.baselines;
  if (current === undefined || !stores.risk.isPriced) return undefined;
  const { pnlNano } = stores.risk;
  return {
    session_loss: current.sessionNano - pnlNano,
    day_loss: current.dayNano - pnlNano,
    drawdown: current.peakNano - pnlNano,
  };
}

/**
 * After profits were summed up; O(1). Where no loss is limited a baseline begins all the same: what markets that
 * left may still lose is kept with it.
 */
export function watchLoss(stores: RiskStores): void {
  const { settings, risk, controls, nowMs } = stores;
  const isBegun = stores.catalogue !== undefined && stores.positions.isBaselined;
  if (settings === undefined || !isBegun) return;
  const { loss } = settings.risk;
  if (loss !== undefined) watchUnpriced(stores, loss);
  if (!risk.isPriced) return;
  const { dayStartsAtHour: beginsAtHour } = loss ?? RISK_CONTROL_DEFAULTS.loss;
  const today = { day: dayOf(nowMs, beginsAtHour), beginsAtHour };
  controls.baselines.update(risk.pnlNano, today, stoodNano(stores));
  if (loss === undefined) return;
  const losses = lossesNano(stores);
  if (losses === undefined) return;
  const limits = [
    ['session_loss', loss.sessionUsdc, loss.sessionAction],
    ['day_loss', loss.dayUsdc, loss.dayAction],
    ['drawdown', loss.drawdownUsdc, loss.drawdownAction],
  ] as const;
  for (const [control, limitUsdc, action] of limits)
    hold(stores, loss, { control, lostNano: losses[control], limitUsdc, action });
}

/** A peak is the least profit of five seconds above the last peak: a shorter one may be of somebody's stray order. */
function stoodNano({ controls, risk: { pnlNano }, nowMs }: RiskStores): number {
  const { peakNano = pnlNano } = controls.baselines.current ?? {};
  const { sinceMs, leastNano } = controls.above ?? { sinceMs: nowMs, leastNano: pnlNano };
  const least = Math.min(leastNano, pnlNano);
  const hasStood = least > peakNano && nowMs - sinceMs >= STANDS_MS;
  controls.above = hasStood || least <= peakNano ? undefined : { sinceMs, leastNano: least };
  return hasStood ? least : Math.min(least, peakNano);
}

type Held = {
  readonly control: LossName;
  readonly lostNano: number;
  readonly limitUsdc: number;
  readonly action: RiskAction;
};

function hold(stores: RiskStores, loss: LossSettings, of: Held): void {
  if (of.limitUsdc === 0) return;
  const { control, lostNano, limitUsdc } = of;
  const part = lostNano / (limitUsdc * NANO_PER_USDC);
  const detail = () => `${(lostNano / NANO_PER_USDC).toFixed(2)} USDC lost, ${limitUsdc} allowed`;
  if (part >= 1) {
    const resumes = resumeOf(stores, loss, control);
    trip(stores, { control, level: of.action, detail, resumes });
    return;
  }
  if (part >= loss.warnPart) {
    const text = `the loss is less than ${Math.round(loss.warnPart * 100)} % of the limit`;
    const resumes = { kind: 'condition', text } as const;
    trip(stores, { control, level: loss.warnAction, detail, resumes });
    return;
  }
  if (part >= loss.warnPart * RECOVERED_PART) return;
  ease(stores, control);
}

/** A day ends by itself; what else was lost is an operator's to look at. */
function resumeOf(stores: KernelStores, loss: LossSettings, control: LossName): ResumeRule {
  if (control !== 'day_loss') return { kind: 'operator' };
  const day = dayOf(stores.nowMs, loss.dayStartsAtHour);
  return { kind: 'time', atMs: unixMs(dayEndMs(day, loss.dayStartsAtHour)) };
}

/**
 * While what was traded in one market has no price, no loss of the account can be measured. A limit that
 * cannot be held to is no limit: after a while the account is held, until the profit is a number again.
 */
function watchUnpriced(stores: RiskStores, loss: LossSettings): void {
  const { risk, controls, nowMs } = stores;
  const hasLimit = loss.sessionUsdc > 0 || loss.dayUsdc > 0 || loss.drawdownUsdc > 0;
  if (risk.isPriced || !hasLimit) {
    controls.unpricedSinceMs = undefined;
    ease(stores, 'unmarked_position');
    return;
  }
  controls.unpricedSinceMs ??= nowMs;
  // Switching off the control of single positions is no want to have loss limits that do nothing.
  const forMs = loss.unmarkedMs || RISK_CONTROL_DEFAULTS.loss.unmarkedMs;
  if (nowMs - controls.unpricedSinceMs < forMs) return;
  trip(stores, {
    control: 'unmarked_position',
    level: loss.unmarkedAction,
    detail: () => `no loss can be measured: no price is known for ${risk.unpriced().join(', ')}`,
    resumes: { kind: 'condition', text: 'every market that was traded has a price' },
  });
}

/** A position whose books are not trusted has no price of now; O(1), at each look at its market. */
export function watchMark(stores: RiskStores, market: RiskMarket, isMarked: boolean): void {
  const loss = stores.settings?.risk.loss;
  if (loss === undefined || loss.unmarkedMs === 0) return;
  const { yes, no } = market.holdingsShares(stores.positions);
  const { id } = market.market;
  // As many of both pay the same whatever comes true, and need no price.
  if (isMarked || yes === no) {
    if (market.unmarkedSinceMs !== undefined) ease(stores, 'unmarked_position', id);
    market.unmarkedSinceMs = undefined;
    return;
  }
  market.unmarkedSinceMs ??= stores.nowMs;
  if (stores.nowMs - market.unmarkedSinceMs < loss.unmarkedMs) return;
  trip(stores, {
    control: 'unmarked_position',
    marketId: id,
    level: loss.unmarkedAction,
    detail: () => `no trusted price for ${Math.round(loss.unmarkedMs / 1_000)} s or more`,
    resumes: { kind: 'condition', text: 'both books are trusted and have both sides' },
  });
}
