// Order-flow toxicity by volume buckets (VPIN): how one-sided the last stretches of equal volume were.
// A signal to be tested against own fills before it is trusted: it rests on the feed's claim of who
// was the taker. The primary measure of toxicity are own markouts.
// Source: Easley, López de Prado, O'Hara, Flow toxicity and liquidity in a high-frequency world,
// Review of Financial Studies 25, 2012.

import { assert } from '../../../domain/assert.ts';
import { assertFinite, assertNotNegative, assertPositive, sum } from '../numeric/domain.ts';
import { normalCdf } from '../numeric/special.ts';

export type VolumeBuckets = {
  /** `|buy - sell|/V` of the last full buckets, oldest first. */
  readonly imbalances: readonly number[];
  readonly openBuyShares: number;
  readonly openSellShares: number;
};

export type BucketShape = {
  /** V: shares in a bucket. */
  readonly bucketShares: number;
  /** n: buckets that are kept. */
  readonly buckets: number;
};

/** Buckets kept at most; the usual choice is 50. */
export const BUCKETS_MAX = 200;

export const NO_VOLUME: VolumeBuckets = { imbalances: [], openBuyShares: 0, openSellShares: 0 };

/** Adds the volume of one trade, split exactly where buckets are full. */
export function withBucketTrade(
  before: VolumeBuckets,
  trade: { readonly takerSide: 'BUY' | 'SELL'; readonly shares: number },
  shape: BucketShape,
): VolumeBuckets {
  const isBuy = trade.takerSide === 'BUY';
  const volume = { buyShares: isBuy ? trade.shares : 0, sellShares: isBuy ? 0 : trade.shares };
  return withBucketVolume(before, volume, shape);
}

/** Adds volume whose buys and sells are mixed evenly; every bucket it fills gets both in proportion. */
export function withBucketVolume(
  before: VolumeBuckets,
  volume: { readonly buyShares: number; readonly sellShares: number },
  shape: BucketShape,
): VolumeBuckets {
  assertShape(shape);
  assertNotNegative(volume);
  const { bucketShares, buckets } = shape;
  const total = volume.buyShares + volume.sellShares;
  const room = bucketShares - before.openBuyShares - before.openSellShares;
  if (total === 0) return before;
  if (total < room) return opened(before, volume, 1);
  const first = opened(before, volume, room / total);
  const left = total - room;
  // One trade may fill any number of buckets, of which only the last ones are kept.
  const whole = Math.floor(left / bucketShares);
  const full = Math.abs(volume.buyShares - volume.sellShares) / total;
  const imbalances = [
    ...before.imbalances,
    Math.abs(first.openBuyShares - first.openSellShares) / bucketShares,
    ...Array.from({ length: Math.min(whole, buckets) }, () => full),
  ];
  const closed = { imbalances: imbalances.slice(-buckets), openBuyShares: 0, openSellShares: 0 };
  return opened(closed, volume, (left - whole * bucketShares) / total);
}

function opened(
  before: VolumeBuckets,
  volume: { readonly buyShares: number; readonly sellShares: number },
  part: number,
): VolumeBuckets {
  return {
    imbalances: before.imbalances,
    openBuyShares: before.openBuyShares + part * volume.buyShares,
    openSellShares: before.openSellShares + part * volume.sellShares,
  };
}

/** Mean of `|buy - sell|/V` over the last `n` full buckets; `undefined` until there are as many. */
export function vpin(volume: VolumeBuckets, shape: BucketShape): number | undefined {
  assertShape(shape);
  if (volume.imbalances.length < shape.buckets) return undefined;
  return sum(volume.imbalances.slice(-shape.buckets)) / shape.buckets;
}

/**
 * Bulk classification, where sides are unknown: `buy = V Phi(dp/sigma_dp)`.
 * @param priceVol - Standard deviation of the price change over such a stretch; a stretch without
 *   any movement is split in half.
 */
export function bulkClassified(
  shares: number,
  change: { readonly price: number; readonly priceVol: number },
): { readonly buyShares: number; readonly sellShares: number } {
  assertNotNegative({ shares, priceVol: change.priceVol });
  assertFinite({ price: change.price });
  const buying = change.priceVol === 0 ? 0.5 : normalCdf(change.price / change.priceVol);
  return { buyShares: shares * buying, sellShares: shares * (1 - buying) };
}

function assertShape({ bucketShares, buckets }: BucketShape): void {
  assertPositive({ bucketShares });
  const isBounded = Number.isSafeInteger(buckets) && buckets >= 1 && buckets <= BUCKETS_MAX;
  assert(isBounded, 'one to BUCKETS_MAX buckets are kept');
}
