// The prices of a logarithmic market scoring rule around the fair value: each level at the average
// price of the shares it would take, so that inventory is priced by construction and the loss is bounded.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import {
  caraAsk,
  caraBid,
  defineStrategy,
  informedLogitStep,
  noQuotes,
  numberParam,
  type QuoteContext,
  riskScaleShares,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { levelsParam, sizeParam } from './shared/params.ts';
import { type Layer, quoted } from './shared/quoting.ts';

export type LmsrParams = {
  readonly lossBudget: number;
  readonly edge: number;
  readonly levels: number;
  readonly size: number;
};

/**
 * Level i bids the average price of going from `q + (i-1)s` to `q + is` shares under the rule with
 * liquidity `b = L/ln 2`, `b [ln(1+e^(x-z/b)) - ln(1+e^(x-(z+s)/b))]/s`, less an edge: the stated one,
 * or what the measured toxicity asks for if that is more. Asks mirror it.
 */
export const strategy = defineStrategy<LmsrParams>({
  name: 'lmsr',
  summary: 'A scoring rule in the shadow of the book: bounded loss, for thin markets.',
  params: {
    lossBudget: numberParam({
      doc: 'What the market may lose at worst; it sets the risk scale b = L/ln 2. 0: 8 USDC for each share of `size` at a tick of 0.01, 25 at 0.001.',
      unit: 'USDC',
      default: 0,
      min: 0,
      max: 1_000_000,
    }),
    edge: numberParam({
      doc: 'Kept between every quote and its price under the rule.',
      unit: 'USDC per share',
      default: 0.001,
      min: 0,
      max: 0.5,
    }),
    levels: levelsParam,
    size: sizeParam,
  },
  quote(context) {
    const found = fairOf(context);
    if (found.kind === 'absent') return noQuotes(found.reason);
    const { price } = found.fair;
    return quoted(context, price, {
      bids: layersOf(context, price, 'bid'),
      asks: layersOf(context, price, 'ask'),
    });
  },
});

/** A filled quote of any size then moves the price at 0.50 by about two ticks of 0.01, or six of 0.001. */
const USDC_A_SHARE = { coarse: 8, fine: 25 } as const;

function budgetOf({ params, grid }: QuoteContext<LmsrParams>): number {
  const { lossBudget, size } = params;
  if (lossBudget > 0) return lossBudget;
  return (grid.ticksPerUnit > 100 ? USDC_A_SHARE.fine : USDC_A_SHARE.coarse) * size;
}

function layersOf(
  context: QuoteContext<LmsrParams>,
  fairPrice: number,
  side: 'bid' | 'ask',
): readonly Layer[] {
  const { levels, size } = context.params;
  const held = context.inventory.net / MICRO_PER_SHARE;
  const edge = edgeOf(context, fairPrice);
  return Array.from({ length: levels }, (_, level) => {
    const holding = (inventoryShares: number) => ({
      probability: fairPrice,
      riskScaleShares: riskScaleShares(budgetOf(context)),
      inventoryShares,
    });
    return side === 'bid'
      ? { price: caraBid(holding(held + level * size), size) - edge, shares: size }
      : { price: caraAsk(holding(held - level * size), size) + edge, shares: size };
  });
}

/** What informed takers cost on average, `p(1-p) ln((1+mu)/(1-mu))`, once own fills have shown it. */
function edgeOf({ params, toxicity }: QuoteContext<LmsrParams>, fairPrice: number): number {
  const mu = toxicity.informedShare;
  if (mu === undefined) return params.edge;
  return Math.max(params.edge, fairPrice * (1 - fairPrice) * informedLogitStep(mu));
}
