// Toxicity from own fills: how the fair price stands to ours a while after each fill. The one measure
// of informed flow that rests on nothing but what happened to us.

import type { UnixMs } from '../../../domain/time.ts';
import { informedShareOfLoss } from '../model/glosten-milgrom.ts';
import { assertPositive, assertProbability } from '../numeric/domain.ts';
import { type DecayedMean, meanOf, secondsBetween, withMeanEvent } from './decay.ts';

/** A fill of ours on the YES axis. */
export type AxisFill = {
  readonly side: 'bid' | 'ask';
  readonly price: number;
  readonly shares: number;
  readonly atMs: UnixMs;
};

/** Fills that wait for their horizon, and the mean of those that reached it. */
export type Markouts = {
  readonly waiting: readonly AxisFill[];
  readonly mean: DecayedMean | undefined;
  /** Fills that were never measured: too many at once, or no fair price in time. */
  readonly missed: number;
};

export type MarkoutShape = {
  /** How long after a fill the fair price is compared: 10 s, 60 s, 300 s. */
  readonly horizonSec: number;
  readonly halfLifeSec: number;
};

export const NO_MARKOUTS: Markouts = { waiting: [], mean: undefined, missed: 0 };

/**
 * Fills in waiting: three a second for a minute, far above what one market brings. The memory of a
 * strategy holds some forty.
 */
export const WAITING_FILLS_MAX = 200;
/** A comparison later than this many horizons says something else, and is left out. */
const LATENESS_MAX = 2;

/** Notes a fill; with too many in waiting the oldest is given up and counted. */
export function withFill(before: Markouts, fill: AxisFill): Markouts {
  assertProbability({ price: fill.price });
  assertPositive({ shares: fill.shares });
  const { side, price, shares, atMs } = fill;
  const waiting = [...before.waiting, { side, price, shares, atMs }];
  const over = Math.max(0, waiting.length - WAITING_FILLS_MAX);
  return { ...before, waiting: waiting.slice(over), missed: before.missed + over };
}

/**
 * Measures the fills whose horizon has passed, against the fair price of now: `fair - price` for a
 * bid, `price - fair` for an ask, per share, weighted by shares.
 */
export function measured(
  before: Markouts,
  now: { readonly fairPrice: number; readonly nowMs: UnixMs },
  shape: MarkoutShape,
): Markouts {
  assertPositive({ horizonSec: shape.horizonSec });
  assertProbability({ fairPrice: now.fairPrice });
  const age = (fill: AxisFill) => secondsBetween(fill.atMs, now.nowMs);
  const due = before.waiting.filter((fill) => age(fill) >= shape.horizonSec);
  if (due.length === 0) return before;
  const timely = due.filter((fill) => age(fill) <= LATENESS_MAX * shape.horizonSec);
  const mean = timely.reduce((sofar: DecayedMean | undefined, fill) => {
    const event = { value: markoutOf(fill, now.fairPrice), weight: fill.shares, atMs: now.nowMs };
    return withMeanEvent(sofar, event, shape.halfLifeSec);
  }, before.mean);
  return {
    waiting: before.waiting.filter((fill) => age(fill) < shape.horizonSec),
    mean,
    missed: before.missed + due.length - timely.length,
  };
}

/** What a share of the fill has gained since, in price; negative when the taker was right. */
export function markoutOf(fill: Pick<AxisFill, 'side' | 'price'>, fairPrice: number): number {
  return fill.side === 'bid' ? fairPrice - fill.price : fill.price - fairPrice;
}

/** What is believed of a market before it has shown itself. */
export type ToxicityPrior = {
  /** mu without own fills. */
  readonly informedShare: number;
  /** How many shares of fills that belief is worth. */
  readonly shares: number;
};

/** Mean markout per share in price, drawn towards the prior's. */
export function meanMarkout(
  markouts: Markouts,
  prior: { readonly markoutPrice: number; readonly shares: number },
  at: { readonly nowMs: UnixMs; readonly halfLifeSec: number },
): number {
  return meanOf(markouts.mean, { value: prior.markoutPrice, weight: prior.shares }, at);
}

/**
 * mu: the informed share that explains the mean markout at this price, by `-markout = p(1-p)
 * ln((1+mu)/(1-mu))`; the prior counts as fills that lost what it implies.
 */
export function informedShare(
  markouts: Markouts,
  prior: ToxicityPrior,
  at: { readonly nowMs: UnixMs; readonly halfLifeSec: number; readonly probability: number },
): number {
  const { probability: p } = at;
  assertProbability({ probability: p });
  const priorLoss = 2 * p * (1 - p) * Math.atanh(prior.informedShare);
  const priorMean = { markoutPrice: -priorLoss, shares: prior.shares };
  return informedShareOfLoss(-meanMarkout(markouts, priorMean, at), p);
}
