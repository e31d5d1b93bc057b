// warproxxx/poly-maker, second version (docs/scoping/04-strategy.md and config/strategy.toml, the profile
// `political-longdated`): around a fair value of the sizes at the touch, a half spread of
// `2 ticks + 1.2 vol + 2 toxicity`, leaning by `gamma vol` at the largest position; it joins the touch and never
// improves it, keeps a tick from its fair value, rests two levels two ticks apart, pulls the side that adds at 60 %
// of its cap, walks the exit to the touch within 15 minutes, and leaves for a minute after a jump of eight ticks.

import {
  defineStrategy,
  type QuoteContext,
  rememberedNumber,
  type Touch,
  touchOf,
  weightedMid,
} from '../../../src/strategy/index.ts';
import { netShares, nothing, type Rest, rest } from './rest.ts';

const SIZES = [65, 65];
const STEP_TICKS = 2;
const SOFT_PART = 0.6;
const EXIT_MS = 900_000;
const JUMP_TICKS = 8;
const COOL_OFF_MS = 60_000;
const VOL_HORIZON_SEC = 10;

export const polyMakerV2 = defineStrategy<Record<string, never>>({
  name: 'poly-maker-v2',
  summary: 'Behind or at the touch, by volatility, toxicity and inventory.',
  params: {},
  quote(context) {
    const touch = touchOf(context.book);
    if (touch === undefined) return nothing('both', 'the book has no two sides');
    const fairTicks = weightedMid(touch);
    const last = rememberedNumber(context.memory, 'fairTicks', fairTicks);
    const hasJumped = Math.abs(fairTicks - last) >= JUMP_TICKS;
    const outMs = hasJumped
      ? context.nowMs + COOL_OFF_MS
      : rememberedNumber(context.memory, 'outMs', 0);
    const isHeavy = Math.abs(netShares(context)) >= SOFT_PART * context.limits.maxPositionShares;
    const heavyMs = isHeavy ? rememberedNumber(context.memory, 'heavyMs', context.nowMs) : 0;
    const memory = { fairTicks, outMs, ...(isHeavy ? { heavyMs } : {}) };
    if (context.nowMs < outMs) return { ...nothing('both', 'the fair value has jumped'), memory };
    const urgency = isHeavy ? Math.min(1, (context.nowMs - heavyMs) / EXIT_MS) : 0;
    return { ...quotes(context, { touch, fairTicks, urgency }), memory };
  },
});

function quotes(
  context: QuoteContext<unknown>,
  at: { readonly touch: Touch; readonly fairTicks: number; readonly urgency: number },
) {
  const { grid, fair, toxicity, limits } = context;
  const { touch, fairTicks, urgency } = at;
  const slope = fair === undefined ? 0.25 : fair.price * (1 - fair.price);
  const volPrice = slope * Math.sqrt((fair?.logOddsVarPerSec ?? 2e-5) * VOL_HORIZON_SEC);
  const lossPrice = Math.max(0, -(toxicity.markout60sUsdc ?? 0));
  const used = netShares(context) / limits.maxPositionShares;
  const centre = fairTicks - 0.5 * volPrice * grid.ticksPerUnit * used;
  const half = 2 + (1.2 * volPrice + 2 * lossPrice) * grid.ticksPerUnit;
  // It joins and never improves, at least a tick from its fair value.
  const bid = Math.min(centre - half, touch.bid, fairTicks - 1);
  const ask = Math.max(centre + half, touch.ask, fairTicks + 1);
  const side = (best: number, away: number): readonly Rest[] =>
    SIZES.map((shares, level) => ({ ticks: best + away * level * STEP_TICKS, shares }));
  const walked = (from: number, to: number) => from + urgency * (to - from);
  return rest(context, {
    bids: used >= SOFT_PART ? [] : side(used <= -SOFT_PART ? walked(bid, touch.ask - 1) : bid, -1),
    asks: used <= -SOFT_PART ? [] : side(used >= SOFT_PART ? walked(ask, touch.bid + 1) : ask, 1),
  });
}
