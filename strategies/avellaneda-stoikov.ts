// The quotes of Avellaneda and Stoikov around the fair value, over a rolling horizon.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import {
  avellanedaStoikov,
  defineStrategy,
  noQuotes,
  numberParam,
  type QuoteContext,
} from '../src/strategy/index.ts';
import { fairOf, priceVolPerSqrtSecOf } from './shared/fair.ts';
import {
  fillDecayAt,
  fillDecayParam,
  levelStepParam,
  levelsParam,
  sizeParam,
  varPriorParam,
} from './shared/params.ts';
import { evenLayers, quoted } from './shared/quoting.ts';

export type AvellanedaStoikovParams = {
  readonly riskAversion: number;
  readonly horizonSec: number;
  readonly fillDecay: number;
  readonly inventoryWeight: number;
  readonly varPriorPerHour: number;
  readonly levels: number;
  readonly levelStep: number;
  readonly size: number;
};

/**
 * Quotes half of `gamma sigma^2 tau + (2/gamma) ln(1 + gamma/k)` away from `s - q gamma sigma^2 tau`,
 * with `q` in lots of `size`. The horizon rolls: it is how long inventory is held, not the time to
 * resolution, since skew would vanish with that when the contract becomes all or nothing.
 *
 * Source: Avellaneda, Stoikov, Quantitative Finance 8(3), 2008.
 */
export const strategy = defineStrategy<AvellanedaStoikovParams>({
  name: 'avellaneda-stoikov',
  summary: 'Quotes around an indifference price that falls with inventory, volatility and horizon.',
  params: {
    riskAversion: numberParam({
      doc: 'gamma: how much risk is disliked; a lot counts as this times its shares.',
      unit: 'per USDC',
      default: 0.02,
      min: 0.000_01,
      max: 100,
    }),
    horizonSec: numberParam({
      doc: 'tau: how long a position is expected to be held.',
      unit: 's',
      default: 600,
      min: 0.001,
      max: 86_400,
    }),
    fillDecay: fillDecayParam,
    inventoryWeight: numberParam({
      doc: 'Weight of the inventory in the indifference price; 0 quotes evenly around the fair price.',
      unit: 'times',
      default: 1,
      min: 0,
      max: 10,
    }),
    varPriorPerHour: varPriorParam,
    levels: levelsParam,
    levelStep: levelStepParam,
    size: sizeParam,
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const { levels, levelStep, size, varPriorPerHour } = context.params;
    const priceVol = priceVolPerSqrtSecOf(found.fair, varPriorPerHour);
    const best = modelQuotes(context, found.fair.price, priceVol);
    const stepPrice = Math.max(levelStep, 1 / context.grid.ticksPerUnit);
    const plan = { levels, stepPrice, shares: size };
    return quoted(context, found.fair.price, evenLayers(best, plan));
  },
});

function modelQuotes(
  context: QuoteContext<AvellanedaStoikovParams>,
  fairPrice: number,
  priceVolPerSqrtSec: number,
) {
  const { params, inventory } = context;
  const held = inventory.net / MICRO_PER_SHARE / params.size;
  return avellanedaStoikov({
    fairPrice,
    inventoryLots: params.inventoryWeight * held,
    riskAversionPerUsd: params.riskAversion * params.size,
    priceVolPerSqrtSec,
    timeLeftSec: params.horizonSec,
    fillDecayPerPrice: fillDecayAt(context, fairPrice),
  });
}
