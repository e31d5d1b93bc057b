// Quotes in log-odds: inventory skew by the variance that is really at stake, a floor that pays for
// toxicity, jumps and doubt, and a best price that gives way to competition no further than the floor.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import {
  defineStrategy,
  type FairValue,
  informedLogitStep,
  noQuotes,
  numberParam,
  type QuoteContext,
  riskScaleShares,
  sigmoid,
  skewedLogit,
  varianceFraction,
} from '../src/strategy/index.ts';
import { fairOf, logOddsVarPerSecOf } from './shared/fair.ts';
import {
  fillDecayAt,
  fillDecayParam,
  informedPriorAt,
  informedPriorParam,
  levelsParam,
  lossBudgetParam,
  sizeParam,
  varPriorParam,
} from './shared/params.ts';
import { type Layer, quoted } from './shared/quoting.ts';

export type LogitInventoryParams = {
  readonly lossBudget: number;
  readonly horizonSec: number;
  readonly informedPrior: number;
  readonly fillDecay: number;
  readonly jumpPremium: number;
  readonly doubt: number;
  readonly varPriorPerHour: number;
  readonly levels: number;
  readonly levelStepLogit: number;
  readonly size: number;
};

type Context = QuoteContext<LogitInventoryParams>;

/**
 * With `x` the fair log-odds, `b = L/ln 2` and `rho` the part of the remaining variance expected
 * within the horizon: `x_r = x - (q/b) rho`, the floor `f = ln((1+mu)/(1-mu)) + (pi + z sqrt(P) p(1-p))
 * / (p(1-p))`, and `o = max(f, 1/(k p(1-p)) + rho size/(2b))`. A bid lies at `S(x_r - o)`, comes up to
 * the touch where others bid more, and never beyond `S(x_r - f)`; asks mirror it.
 *
 * There is no clock in it: when the answer is due within the horizon, `rho` is one.
 */
export const strategy = defineStrategy<LogitInventoryParams>({
  name: 'logit-inventory',
  summary: 'Quotes in log-odds with a break-even floor, for two-sided markets.',
  params: {
    lossBudget: lossBudgetParam,
    horizonSec: numberParam({
      doc: 'How long a position is expected to be held.',
      unit: 's',
      default: 1_800,
      min: 1,
      max: 2_592_000,
    }),
    informedPrior: informedPriorParam,
    fillDecay: fillDecayParam,
    jumpPremium: numberParam({
      doc: 'Half spread that pays for jumps which find our quotes still there.',
      unit: 'USDC per share',
      default: 0.001,
      min: 0,
      max: 0.5,
    }),
    doubt: numberParam({
      doc: 'Standard deviations of the fair value that the floor adds.',
      unit: 'deviations',
      default: 1,
      min: 0,
      max: 10,
    }),
    varPriorPerHour: varPriorParam,
    levels: levelsParam,
    levelStepLogit: numberParam({
      doc: 'Distance from one level to the next in log-odds; it counts at least as one tick.',
      unit: 'log-odds',
      default: 0.01,
      min: 0.000_1,
      max: 5,
    }),
    size: sizeParam,
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const { fair } = found;
    const distances = distancesOf(context, fair);
    return quoted(context, fair.price, {
      bids: layersOf(context, distances, 'bid'),
      asks: layersOf(context, distances, 'ask'),
    });
  },
});

type Distances = {
  readonly skewed: number;
  readonly floor: number;
  readonly best: number;
  readonly step: number;
};

function distancesOf(context: Context, fair: FairValue): Distances {
  const { params, inventory, grid } = context;
  const b = riskScaleShares(params.lossBudget);
  const rho = atStake(context, fair);
  const slope = fair.price * (1 - fair.price);
  const mu = context.toxicity.informedShare ?? informedPriorAt(context);
  const doubt = params.doubt * Math.sqrt(fair.logOddsVar);
  const floor = informedLogitStep(mu) + params.jumpPremium / slope + doubt;
  const monopoly = 1 / (fillDecayAt(context, fair.price) * slope) + (rho * params.size) / (2 * b);
  return {
    skewed: skewedLogit(fair.logOdds, {
      inventoryShares: inventory.net / MICRO_PER_SHARE,
      riskScaleShares: b,
      varianceFraction: rho,
    }),
    floor,
    best: Math.max(floor, monopoly),
    step: Math.max(params.levelStepLogit, 1 / grid.ticksPerUnit / slope),
  };
}

/**
 * The part of the remaining variance that the horizon brings; all of it once it brings the answer. It grows to that over
 * a horizon before: from one second to the next every quote would move by many ticks at once.
 */
function atStake({ params, life }: Context, fair: FairValue): number {
  const { horizonSec, varPriorPerHour } = params;
  const variance = logOddsVarPerSecOf(fair, varPriorPerHour) * horizonSec;
  const usual = varianceFraction(fair.price, variance);
  if (life.leftMs === undefined) return usual;
  const horizonsLeft = life.leftMs / (horizonSec * 1_000);
  const answered = Math.min(1, Math.max(0, 2 - horizonsLeft));
  return usual + (1 - usual) * answered;
}

function layersOf(context: Context, at: Distances, side: 'bid' | 'ask'): readonly Layer[] {
  const away = side === 'bid' ? -1 : 1;
  const { levels, size } = context.params;
  return Array.from({ length: levels }, (_, level) => {
    const own = sigmoid(at.skewed + away * (at.best + level * at.step));
    if (level > 0) return { price: own, shares: size };
    const worstPrice = sigmoid(at.skewed + away * at.floor);
    return { price: raised(context, { side, own, worstPrice }), shares: size, worstPrice };
  });
}

/** Up to the touch where others are nearer, never beyond the floor. */
function raised(
  { book, grid }: Context,
  at: { readonly side: 'bid' | 'ask'; readonly own: number; readonly worstPrice: number },
): number {
  const touch = at.side === 'bid' ? book.bestBid() : book.bestAsk();
  if (touch === undefined) return at.own;
  const price = touch / grid.ticksPerUnit;
  return at.side === 'bid'
    ? Math.min(Math.max(price, at.own), at.worstPrice)
    : Math.max(Math.min(price, at.own), at.worstPrice);
}
