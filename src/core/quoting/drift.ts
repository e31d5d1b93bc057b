// Orders whose place nobody can value. They keep it to save writes, so while there are plenty they keep it for a
// moment only, and then go to their targets.

import { isInFlight } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { QuoteDesk } from './market.ts';
import type { Judge } from './plan.ts';
import type { Verdict } from './requote.ts';
import type { Target } from './target.ts';

/** A price that is back by then costs no write; with a look every second it is gone within two. */
const DRIFT_MS = 800;
/** Writes are plenty while no more of them are used: what improvements always have. */
const PLENTY_PART = 0.5;

/** A judge that remembers whom it was asked about: orders off their targets. */
export type RememberingJudge = Judge & { readonly asked: ReadonlySet<OwnOrder> };

export function remembering(
  reachTicks: number,
  decide: (of: { readonly order: OwnOrder; readonly target: Target }) => Verdict,
): RememberingJudge {
  const asked = new Set<OwnOrder>();
  return {
    reachTicks,
    asked,
    keeps: (order, target) => {
      asked.add(order);
      return decide({ order, target }).keeps;
    },
  };
}

/** How many order writes are used and allowed. */
export type Writes = { readonly perWindow: number; usedInWindow(nowMs: UnixMs): number };

type At = {
  readonly desk: QuoteDesk;
  /** Those of the market. */
  readonly orders: Iterable<OwnOrder>;
  readonly budget: Writes;
  readonly nowMs: UnixMs;
};

/** One decision about the orders of a market that are off their targets. */
export class Drift {
  readonly #at: At;
  /** What goes, one order of a side at most, so that its other levels rest meanwhile. */
  readonly #leaving: Record<AxisSide, OwnOrder | undefined> = { bid: undefined, ask: undefined };

  constructor(at: At) {
    this.#at = at;
    for (const order of at.orders) {
      const isMoving = isInFlight(order.state) || order.state === 'cancelling';
      if (isMoving) this.#leaving[order.axisSide] = order;
    }
  }

  /** The verdict on an order off its target, as it is for one that has been off it for so long. */
  after(verdict: Verdict, order: OwnOrder): Verdict {
    if (verdict.why !== 'not_estimated') return verdict;
    const { desk, nowMs } = this.#at;
    const sinceMs = desk.driftsSinceMs.get(order);
    if (sinceMs === undefined || nowMs - sinceMs < DRIFT_MS || !isPlenty(this.#at)) return verdict;
    this.#leaving[order.axisSide] ??= order;
    if (this.#leaving[order.axisSide] !== order) return verdict;
    return { ...verdict, keeps: false, why: 'drifted' };
  }
}

/** Remembers since when the orders that a judge was asked about have been off their targets. */
export function noteDrifts(
  desk: QuoteDesk,
  judge: RememberingJudge | undefined,
  nowMs: UnixMs,
): void {
  const before = desk.driftsSinceMs;
  if (judge === undefined || judge.asked.size === 0) {
    if (before.size > 0) desk.driftsSinceMs = NO_DRIFTS;
    return;
  }
  const orders = [...judge.asked];
  desk.driftsSinceMs = new Map(orders.map((order) => [order, before.get(order) ?? nowMs]));
}

const NO_DRIFTS: ReadonlyMap<OwnOrder, UnixMs> = new Map();

/** Writes need not be saved. */
export function isPlenty({ budget, nowMs }: Pick<At, 'budget' | 'nowMs'>): boolean {
  return budget.usedInWindow(nowMs) <= budget.perWindow * PLENTY_PART;
}
