// How a market order would sweep the book: what it submits, at which limit, for how much.

import { Decimal } from 'decimal.js';
import type { Side } from '../../domain/order.ts';
import {
  affordableMicro,
  costOf,
  feeOf,
  feePartAt,
  type NanoUsdc,
  type TakerFee,
  usdcOf,
} from './amounts.ts';
import type { TokenRef } from './events.ts';
import type { MarketBook, PublicLevel } from './market-book.ts';
import { VenueRefusal } from './refusal.ts';

export type MarketSize =
  | { readonly side: 'BUY'; readonly spendMaxNano: NanoUsdc }
  | { readonly side: 'SELL'; readonly quantityMicro: number };

export type MarketRequest = {
  readonly token: TokenRef;
  readonly size: MarketSize;
  readonly timeInForce: 'FOK' | 'FAK';
  readonly slippageBpsMax: number | undefined;
};

/** @spec Resources and their fields › Execution plan */
export type SweepPlan = {
  readonly side: Side;
  readonly submittedMicro: number;
  readonly limitTicks: number;
  readonly averagePrice: Decimal;
  readonly quoteNano: NanoUsdc;
  /** Whether the book holds all that was asked for. */
  readonly isWhole: boolean;
};

type Swept = { countMicro: number; quoteNano: NanoUsdc; worstTicks: number; isWhole: boolean };

/**
 * Walks the resting orders of the same token only.
 * @throws {VenueRefusal} `no_liquidity` on an empty side, on a fill-or-kill that finds too little,
 * and on slippage beyond what was allowed.
 * @spec POST /orders/market, rule 1
 */
export function planSweep(request: MarketRequest, book: MarketBook, fee: TakerFee): SweepPlan {
  const { token, size } = request;
  const side = size.side === 'BUY' ? 'ask' : 'bid';
  const levels = book.levels(token.index, side);
  const touch = levels[0];
  if (!touch) throw new VenueRefusal('no_liquidity', `no resting ${side}s on this token`);
  const swept =
    size.side === 'BUY'
      ? sweepSpending(token, levels, { cash: size.spendMaxNano, fee })
      : sweepShares(token, levels, size.quantityMicro);
  const plan = planOf(request, swept);
  if (request.timeInForce === 'FOK' && !plan.isWhole) {
    throw new VenueRefusal('no_liquidity', 'the book does not hold the whole order');
  }
  checkSlippage(request, plan, touch.priceTicks);
  return plan;
}

function planOf(request: MarketRequest, swept: Swept): SweepPlan {
  if (swept.countMicro === 0) throw new VenueRefusal('no_liquidity', 'nothing to sweep');
  const { size } = request;
  const averagePrice = usdcOf(swept.quoteNano).div(swept.countMicro).times(1_000_000);
  return {
    side: size.side,
    submittedMicro: size.side === 'SELL' ? size.quantityMicro : swept.countMicro,
    limitTicks: swept.worstTicks,
    averagePrice,
    quoteNano: swept.quoteNano,
    isWhole: swept.isWhole,
  };
}

function sweepSpending(
  token: TokenRef,
  levels: readonly PublicLevel[],
  budget: { readonly cash: NanoUsdc; readonly fee: TakerFee },
): Swept {
  const { grid } = token.market;
  const swept: Swept = { countMicro: 0, quoteNano: 0n, worstTicks: 0, isWhole: false };
  let cash = budget.cash;
  for (const { priceTicks, sizeMicro } of levels) {
    const feePart = feePartAt(grid, priceTicks, budget.fee);
    const wanted = affordableMicro(grid, priceTicks, { cash, feePart });
    if (wanted === 0) break;
    const cost = add(swept, token, { priceTicks, countMicro: Math.min(wanted, sizeMicro) });
    cash -= cost + feeOf(cost, feePart);
    swept.isWhole = wanted <= sizeMicro;
    if (swept.isWhole) break;
  }
  return swept;
}

function sweepShares(
  token: TokenRef,
  levels: readonly PublicLevel[],
  quantityMicro: number,
): Swept {
  const swept: Swept = { countMicro: 0, quoteNano: 0n, worstTicks: 0, isWhole: false };
  for (const { priceTicks, sizeMicro } of levels) {
    const countMicro = Math.min(quantityMicro - swept.countMicro, sizeMicro);
    add(swept, token, { priceTicks, countMicro });
    swept.isWhole = swept.countMicro === quantityMicro;
    if (swept.isWhole) break;
  }
  return swept;
}

function add(
  swept: Swept,
  token: TokenRef,
  part: { readonly priceTicks: number; readonly countMicro: number },
): NanoUsdc {
  const cost = costOf(token.market.grid, part.priceTicks, part.countMicro);
  swept.countMicro += part.countMicro;
  swept.quoteNano += cost;
  swept.worstTicks = part.priceTicks;
  return cost;
}

function checkSlippage(request: MarketRequest, plan: SweepPlan, touchTicks: number): void {
  if (request.slippageBpsMax === undefined) return;
  const touch = new Decimal(touchTicks).div(request.token.market.grid.ticksPerUnit);
  const worse =
    plan.side === 'BUY' ? plan.averagePrice.minus(touch) : touch.minus(plan.averagePrice);
  if (worse.div(touch).times(10_000).lte(request.slippageBpsMax)) return;
  throw new VenueRefusal('no_liquidity', 'the sweep is worse than the slippage allowed');
}
