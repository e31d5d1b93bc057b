// States of estimators are what a strategy remembers, so they must survive being written down.

import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../src/domain/time.ts';
import {
  BUCKETS_MAX,
  correctedEstimate,
  DEPTH_TICKS_MAX,
  ewma,
  type Json,
  memoryFault,
  NO_MARKOUTS,
  NO_VOLUME,
  newDepthCounts,
  newQueuePlace,
  newRate,
  queueAfterLevel,
  restored,
  withBucketTrade,
  withDepthReach,
  withMeanEvent,
  withOwnFill,
  withPriceSample,
  withRateCount,
  withVariationSample,
} from '../../../../src/strategy/index.ts';

const AT = unixMs(1_700_000_000_000);
const LATER = unixMs(1_700_000_007_000);
const SEEN = { value: 0.123_456_789_012_345_6, atMs: LATER };
const SAMPLING = { halfLifeSec: 60, sampleSecMin: 1 };
const FILL = { side: 'bid', price: 0.4, shares: 20, atMs: AT } as const;
const BUCKETS = { bucketShares: 7, buckets: BUCKETS_MAX };

/** Each with a state that has seen something, a new one, and one more step. */
const STATES = {
  'moving average': kept(ewma({ value: 1, atMs: AT }, SEEN, 60), { value: 0, atMs: AT }, (s) =>
    ewma(s, { value: 2, atMs: unixMs(LATER + 1) }, 60),
  ),
  'mean of events': kept(
    withMeanEvent(undefined, { ...SEEN, weight: 3 }, 60),
    { weightedSum: 0, weight: 0, atMs: AT },
    (s) => withMeanEvent(s, { ...SEEN, weight: 1 }, 60),
  ),
  rate: kept(withRateCount(newRate(AT), { count: 2, atMs: LATER }, 60), newRate(AT), (s) =>
    withRateCount(s, { count: 1, atMs: LATER }, 60),
  ),
  variation: kept(
    withVariationSample(
      withVariationSample(undefined, { value: 0, atMs: AT }, SAMPLING),
      SEEN,
      SAMPLING,
    ),
    withVariationSample(undefined, SEEN, SAMPLING),
    (s) => withVariationSample(s, { value: 3, atMs: unixMs(LATER + 5_000) }, SAMPLING),
  ),
  'fair value': kept(
    { logOdds: -0.25, logitVar: 1 / 3, atMs: AT },
    { logOdds: 0, logitVar: 1, atMs: AT },
    (s) => correctedEstimate(s, { logOdds: 1, logitVar: 0.7 }).estimate,
  ),
  'depth counts': kept(
    withDepthReach(newDepthCounts(AT, DEPTH_TICKS_MAX), { reachTicks: 3, atMs: LATER }, 60),
    newDepthCounts(AT, DEPTH_TICKS_MAX),
    (s) => withDepthReach(s, { reachTicks: 2, atMs: unixMs(LATER + 100) }, 60),
  ),
  'volume buckets': kept(
    withBucketTrade(NO_VOLUME, { takerSide: 'BUY', shares: 3.3 }, BUCKETS),
    NO_VOLUME,
    (s) => withBucketTrade(s, { takerSide: 'SELL', shares: 9 }, BUCKETS),
  ),
  'place in a queue': kept(newQueuePlace(40.5), newQueuePlace(0), (s) =>
    queueAfterLevel(s, { previousSize: 90, size: 50 }, { kind: 'log' }),
  ),
  'price samples': kept(withPriceSample([], 1 / 3), [0], (s) => withPriceSample(s, 0.5)),
};

/** The state after JSON goes on as the state itself would. */
function kept<State extends Json>(state: State, fresh: State, step: (from: State) => State) {
  return {
    memory: state,
    direct: () => step(state),
    through: () => step(restored(JSON.parse(JSON.stringify(state)), fresh) ?? fresh),
  };
}

describe.each(Object.entries(STATES))('a %s', (_, { memory, direct, through }) => {
  it('may be remembered', () => {
    expect(memoryFault(memory)).toBeUndefined();
  });

  it('goes on after a restart as if there had been none', () => {
    expect(through()).toEqual(direct());
  });
});

describe('markouts', () => {
  it('of some forty waiting fills still fit into a memory', () => {
    const many = Array.from({ length: 40 }, () => FILL).reduce(withOwnFill, NO_MARKOUTS);
    const memory: Json = many;
    expect(memoryFault(memory)).toBeUndefined();
  });
});
