// Follows a faster price from outside the venue, at a distance that pays for being late.

import {
  defineStrategy,
  flagParam,
  noQuotes,
  numberParam,
  type QuoteContext,
  type QuoteReason,
} from '../src/strategy/index.ts';
import { fairOf, priceVolPerSqrtSecOf } from './shared/fair.ts';
import { levelStepParam, levelsParam, sizeParam, varPriorParam } from './shared/params.ts';
import { evenLayers, quoted, usedPart } from './shared/quoting.ts';

export type FairFollowParams = {
  readonly needsExternal: boolean;
  readonly externalAgeMsMax: number;
  readonly disagreementMax: number;
  readonly latencySec: number;
  readonly latencyWeight: number;
  readonly toxicityWeight: number;
  readonly jumpPremium: number;
  readonly skewTicks: number;
  readonly varPriorPerHour: number;
  readonly levels: number;
  readonly levelStep: number;
  readonly size: number;
};

type Context = QuoteContext<FairFollowParams>;

/**
 * With `d = max(tick, kappa sigma_p sqrt(latency) + c toxicity + premium)` and a shift `sh` against
 * the position of `skewTicks` at its limit: a bid for YES at `fair + sh - d`, and one for NO at
 * `1 - fair - sh - d`, which is the ask. The fair price is the external one; without it nothing is
 * quoted unless the book's own may stand in.
 */
export const strategy = defineStrategy<FairFollowParams>({
  name: 'fair-follow',
  summary: 'Quotes around a price from outside, as far away as lateness and toxicity demand.',
  params: {
    needsExternal: flagParam({
      doc: 'Quote only while an external price arrives; otherwise the fair value of the books stands in.',
      default: true,
    }),
    externalAgeMsMax: numberParam({
      doc: 'An external price older than this is an outage.',
      unit: 'ms',
      default: 5_000,
      min: 50,
      max: 3_600_000,
    }),
    disagreementMax: numberParam({
      doc: 'Distance between the external price and the books at which one of them must be wrong.',
      unit: 'USDC per share',
      default: 0.15,
      min: 0.001,
      max: 1,
    }),
    latencySec: numberParam({
      doc: 'From a change outside to our cancel at the venue; the slow end of what is measured.',
      unit: 's',
      default: 0.5,
      min: 0,
      max: 60,
    }),
    latencyWeight: numberParam({
      doc: 'kappa: deviations of the price within the latency that the distance covers.',
      unit: 'deviations',
      default: 2,
      min: 0,
      max: 10,
    }),
    toxicityWeight: numberParam({
      doc: 'Weight of the mean loss of own fills after 60 s.',
      unit: 'times',
      default: 1,
      min: 0,
      max: 10,
    }),
    jumpPremium: numberParam({
      doc: 'Half spread that pays for jumps which find our quotes still there.',
      unit: 'USDC per share',
      default: 0.003,
      min: 0,
      max: 0.5,
    }),
    skewTicks: numberParam({
      doc: 'How far the quotes lean at the position limit; proportionally less before it.',
      unit: 'ticks',
      default: 2,
      min: 0,
      max: 400,
    }),
    varPriorPerHour: varPriorParam,
    levels: levelsParam,
    levelStep: levelStepParam,
    size: sizeParam,
  },
  quote(context) {
    const followed = followedPrice(context);
    if (typeof followed !== 'number') return noQuotes(followed);
    const { levels, levelStep, size } = context.params;
    const tick = 1 / context.grid.ticksPerUnit;
    const middle = followed - context.params.skewTicks * usedPart(context) * tick;
    const distance = Math.max(tick, distanceOf(context));
    const best = { bid: middle - distance, ask: middle + distance };
    const plan = { levels, stepPrice: Math.max(levelStep, tick), shares: size };
    return quoted(context, followed, evenLayers(best, plan));
  },
});

/** A price is a sum of fractions: just as far as allowed is not further, whichever outcome it is reported. */
const ROUNDING = 1e-9;

/** The external price, or why it may not be followed. */
function followedPrice(context: Context): number | QuoteReason {
  const { externalAgeMsMax, needsExternal, disagreementMax } = context.params;
  const external = context.fair?.external;
  if (external === undefined || external.ageMs > externalAgeMsMax) {
    if (needsExternal) return outage(context);
    const found = fairOf(context);
    return found.kind === 'absent' ? found.reason : found.fair.price;
  }
  const { price } = external;
  if (!(price > 0 && price < 1)) return outage(context);
  const bid = context.book.bestBid();
  const ask = context.book.bestAsk();
  if (bid === undefined || ask === undefined) return price;
  const middle = (bid + ask) / 2 / context.grid.ticksPerUnit;
  const isFar = Math.abs(price - middle) > disagreementMax + ROUNDING;
  return isFar ? disagreement(price, middle) : price;
}

function distanceOf(context: Context): number {
  const { params, fair, toxicity } = context;
  const vol = fair === undefined ? 0 : priceVolPerSqrtSecOf(fair, params.varPriorPerHour);
  const lateness = params.latencyWeight * vol * Math.sqrt(params.latencySec);
  const loss = Math.max(0, -(toxicity.markout60sUsdc ?? 0));
  return lateness + params.toxicityWeight * loss + params.jumpPremium;
}

/** Why there is no price to follow: its source fails, it is too old, or it never came. */
function outage({ fair, externalSource: source, params }: Context): QuoteReason {
  const ageMs = fair?.external?.ageMs ?? source?.ageMs;
  const age = ageMs === undefined ? undefined : `the external price is ${ageMs} ms old`;
  if (source?.fault !== undefined) {
    const detail = `its source: ${source.fault}${age === undefined ? '' : `; ${age}`}`;
    return { ...MISSING, code: 'external_fault', detail, clears: 'the source says a price again' };
  }
  if (age === undefined) return MISSING;
  const clears = `the source says a price younger than ${params.externalAgeMsMax} ms`;
  return { ...MISSING, code: 'external_old', detail: age, clears };
}

const MISSING: QuoteReason = {
  side: 'both',
  code: 'external_missing',
  detail: 'no external price has come',
  clears: 'a feed of this market is configured under `feeds`, and states a price',
};

function disagreement(price: number, middle: number): QuoteReason {
  return {
    side: 'both',
    code: 'external_disagrees',
    detail: `outside ${price.toFixed(3)}, in the book ${middle.toFixed(3)}`,
    clears: 'the two come together, or a person finds out which is wrong',
  };
}
