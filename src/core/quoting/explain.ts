// Says of each order why it stays or goes: once for each decision, and not more than a few a second.

import { formatPrice } from '../../domain/ticks.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { QuotedMarket } from './market.ts';
import type { Judge, Plan } from './plan.ts';
import type { Verdict } from './requote.ts';
import type { Target } from './target.ts';

/** Reports a second and market: a ladder of five levels a side, moved once. */
const TOLD_PER_SECOND_MAX = 10;

export type Judgement = { readonly target: Target; readonly verdict: Verdict };

/** A judge that remembers what it said, for the report. */
export type RememberingJudge = Judge & { readonly said: ReadonlyMap<OwnOrder, Judgement> };

export function remembering(
  reachTicks: number,
  decide: (of: { readonly order: OwnOrder; readonly target: Target }) => Verdict,
): RememberingJudge {
  const said = new Map<OwnOrder, Judgement>();
  return {
    reachTicks,
    said,
    keeps: (order, target) => {
      const verdict = decide({ order, target });
      said.set(order, { target, verdict });
      return verdict.keeps;
    },
  };
}

/** Reports what was decided about orders that do not simply match their target quotes. */
export function explain(
  stores: KernelStores,
  market: QuotedMarket,
  plan: Plan,
  of: { readonly judge: RememberingJudge | undefined; readonly because: string },
): void {
  if (isQuiet(plan)) {
    market.desk.decided = NOTHING_TOLD;
    return;
  }
  const decided = new Map<OwnOrder, string>();
  for (const { order, target } of plan.kept) {
    const why = of.judge?.said.get(order)?.verdict.why ?? 'within_tolerance';
    tell(stores, market, { order, target, decision: 'kept', why, decided, judge: of.judge });
  }
  for (const order of plan.cancels) {
    const judged = of.judge?.said.get(order);
    const why = judged?.verdict.why ?? of.because;
    tell(stores, market, {
      order,
      target: judged?.target,
      decision: 'cancelled',
      why,
      decided,
      judge: of.judge,
    });
  }
  for (const order of plan.renewed) {
    tell(stores, market, {
      order,
      target: undefined,
      decision: 'cancelled',
      why: 'renewed',
      decided,
    });
  }
  for (const target of plan.missing) {
    for (const order of target.renews ?? []) {
      tell(stores, market, { order, target, decision: 'kept', why: 'renewal_due', decided });
    }
  }
  market.desk.decided = decided;
}

const NOTHING_TOLD: ReadonlyMap<OwnOrder, string> = new Map();

/** Every order simply matches its target quotes: there is nothing to tell. */
function isQuiet({ kept, cancels, renewed, missing }: Plan): boolean {
  return kept.length + cancels.length + renewed.length + missing.length === 0;
}

type Told = {
  readonly order: OwnOrder;
  readonly target: Target | undefined;
  readonly decision: 'kept' | 'cancelled';
  readonly why: string;
  readonly decided: Map<OwnOrder, string>;
  readonly judge?: RememberingJudge | undefined;
};

function tell(stores: KernelStores, market: QuotedMarket, told: Told): void {
  const { order, target, decision, why } = told;
  const text = `${decision} ${why} ${target?.price ?? ''}`;
  told.decided.set(order, text);
  if (market.desk.decided.get(order) === text || !mayTell(stores, market)) return;
  const values = told.judge?.said.get(order)?.verdict;
  stores.outbox.report({
    event: 'quote.decided',
    marketId: market.market.id,
    side: order.axisSide,
    price: formatPrice(market.grid, order.axisPrice),
    wanted: target === undefined ? undefined : formatPrice(market.grid, target.price),
    decision,
    why,
    keepValueUsdc: values?.keepValuePrice?.toFixed(6),
    moveValueUsdc: values?.moveValuePrice?.toFixed(6),
  });
}

function mayTell(stores: KernelStores, { desk }: QuotedMarket): boolean {
  const second = Math.floor(stores.nowMs / 1_000);
  if (second !== desk.toldSecond) {
    desk.toldSecond = second;
    desk.toldCount = 0;
  }
  desk.toldCount += 1;
  return desk.toldCount <= TOLD_PER_SECOND_MAX;
}
