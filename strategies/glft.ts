// The stationary quotes of Guéant, Lehalle and Fernandez-Tapia, with the fill rate fitted to the trades
// that pass.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import { unixMs } from '../src/domain/time.ts';
import {
  asMemory,
  type DepthCounts,
  defineStrategy,
  type FairValue,
  fillDecayPerPriceOf,
  fittedIntensity,
  flagParam,
  glftByLot,
  type Json,
  newDepthCounts,
  noQuotes,
  numberParam,
  type QuoteContext,
  rememberedNumber,
  rememberedNumbers,
  withDepthReach,
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

export type GlftParams = {
  readonly riskAversion: number;
  readonly fillRate: number;
  readonly fillDecay: number;
  readonly fits: boolean;
  readonly adverseMove: number;
  readonly varPriorPerHour: number;
  readonly levels: number;
  readonly levelStep: number;
  readonly size: number;
};

/** Depths that are counted, in ticks: beyond them nothing is quoted by this model. */
const DEPTHS = 40;
/** Trades of half an hour ago weigh half. */
const HALF_LIFE_SEC = 1_800;
/** A depth that fewer trades reached says too little of how rare they are. */
const COUNT_MIN = 5;

/** Every quote is out of range long before; without an end it would be no number. */
const GROWTH_MAX = 1e9;

/**
 * Half spread `c1 + Delta sigma c2/2` and skew `sigma c2` per share for quotes of `size` shares, with
 * `c1 = ln(1 + xi Delta/k)/(xi Delta)` and `c2 = sqrt(gamma/(2 A Delta k) (1 + xi Delta/k)^(k/(xi
 * Delta) + 1))`, `xi = gamma`. A price that moves against each fill by `adverseMove` adds half of it.
 *
 * Source: Guéant, Lehalle, Fernandez-Tapia, 2013; Guéant, Optimal market making, 2016.
 */
export const strategy = defineStrategy<GlftParams>({
  name: 'glft',
  summary: 'Stationary optimal quotes for a bounded position, with a fitted fill rate.',
  params: {
    riskAversion: numberParam({
      doc: 'gamma: how much risk is disliked, of prices and of fills alike.',
      unit: 'per USDC',
      default: 0.01,
      min: 0.000_01,
      max: 1_000,
    }),
    fillRate: numberParam({
      doc: 'A: fills of a quote at the fair price, until the fit has seen enough trades.',
      unit: 'per second',
      default: 0.3,
      min: 0.000_001,
      max: 1_000,
    }),
    fillDecay: fillDecayParam,
    fits: flagParam({
      doc: 'Fit the fill rate to the trades that pass, and use the two above only until then.',
      default: true,
    }),
    adverseMove: numberParam({
      doc: 'How far the price moves against us with each fill.',
      unit: 'USDC per share',
      default: 0,
      min: 0,
      max: 0.5,
    }),
    varPriorPerHour: varPriorParam,
    levels: levelsParam,
    levelStep: levelStepParam,
    size: sizeParam,
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const counts = countsOf(context, found.fair);
    const best = modelQuotes(context, found.fair, fillsOf(context, counts, found.fair));
    const { levels, levelStep, size } = context.params;
    const stepPrice = Math.max(levelStep, 1 / context.grid.ticksPerUnit);
    const layers = evenLayers(best, { levels, stepPrice, shares: size });
    const memory = memoryOf(context, counts);
    return { ...quoted(context, found.fair.price, layers), ...(memory ? { memory } : {}) };
  },
});

type Fills = { readonly fillRatePerSec: number; readonly fillDecayPerPrice: number };

function modelQuotes(
  { params, inventory }: QuoteContext<GlftParams>,
  fair: FairValue,
  fills: Fills,
): { readonly bid: number; readonly ask: number } {
  const { halfSpread, skewPerShare } = glftByLot({
    riskAversionPerUsd: params.riskAversion,
    fillRiskAversionPerUsd: params.riskAversion,
    priceVolPerSqrtSec: priceVolPerSqrtSecOf(fair, params.varPriorPerHour),
    lotShares: params.size,
    ...fills,
  });
  const { adverseMove } = params;
  const growth = Math.min(GROWTH_MAX, Math.exp((fills.fillDecayPerPrice * adverseMove) / 4));
  const skew = (inventory.net / MICRO_PER_SHARE) * skewPerShare * growth;
  const half = halfSpread + adverseMove / 2 + (params.size * skewPerShare * (growth - 1)) / 2;
  return { bid: fair.price - skew - half, ask: fair.price - skew + half };
}

/** Fitted over both sides, of which a quote meets one. */
function fillsOf(
  context: QuoteContext<GlftParams>,
  counts: DepthCounts,
  { price }: FairValue,
): Fills {
  const { fillRate, fits } = context.params;
  const stated = { fillRatePerSec: fillRate, fillDecayPerPrice: fillDecayAt(context, price) };
  if (!fits) return stated;
  const range = { halfLifeSec: HALF_LIFE_SEC, ticksFrom: 1, ticksTo: DEPTHS, countMin: COUNT_MIN };
  const fitted = fittedIntensity(counts, { nowMs: context.nowMs, ...range });
  if (fitted === undefined) return stated;
  return {
    fillRatePerSec: fitted.fillRatePerSec / 2,
    fillDecayPerPrice: fillDecayPerPriceOf(fitted.fillDecay, context.grid.ticksPerUnit),
  };
}

/** What was counted before and the trades since then, each by how far from the fair price it was. */
function countsOf(context: QuoteContext<GlftParams>, fair: FairValue): DepthCounts {
  const before = rememberedCounts(context);
  const fairTicks = fair.price * context.grid.ticksPerUnit;
  return context.trades.recent
    .filter(({ atMs }) => atMs > before.atMs)
    .reduce((counts, { price, atMs }) => {
      const reachTicks = Math.abs(price - fairTicks);
      return withDepthReach(counts, { reachTicks, atMs }, HALF_LIFE_SEC);
    }, before);
}

/** More trades than any market has: a count beyond it is not ours, and its rate would be no number. */
const COUNT_MAX = 1e9;

function rememberedCounts({ memory, nowMs }: QuoteContext<GlftParams>): DepthCounts {
  const reaching = rememberedNumbers(memory, 'reaching');
  const sinceMs = rememberedNumber(memory, 'sinceMs', nowMs);
  const atMs = rememberedNumber(memory, 'atMs', sinceMs);
  const isUsable =
    reaching.length === DEPTHS &&
    reaching.every((count) => count >= 0 && count <= COUNT_MAX) &&
    sinceMs <= nowMs;
  return isUsable
    ? { reaching, sinceMs: unixMs(sinceMs), atMs: unixMs(Math.min(atMs, nowMs)) }
    : newDepthCounts(nowMs, DEPTHS);
}

/** Thousandths of a trade are enough, and keep the memory small. */
function memoryOf({ memory }: QuoteContext<GlftParams>, counts: DepthCounts): Json | undefined {
  const isNew = rememberedNumber(memory, 'atMs', -1) !== counts.atMs;
  if (!isNew) return undefined;
  const { sinceMs, atMs } = counts;
  const reaching = counts.reaching.map((count) => Math.round(count * 1_000) / 1_000);
  return asMemory({ reaching, sinceMs, atMs });
}
