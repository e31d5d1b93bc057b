// Polymarket/poly-market-maker, AMM strategy (docs/strategies/amm.md): sizes of a concentrated-liquidity curve
// around the middle, bids of both tokens bought with collateral, asks of what is held. Three levels and a
// collateral that rests about 130 shares a side.

import { MICRO_PER_SHARE } from '../../../src/domain/shares.ts';
import {
  type AmmLevel,
  type AmmShape,
  ammAsks,
  ammBids,
  defineStrategy,
  middleOf,
  noQuotes,
} from '../../../src/strategy/index.ts';
import { type Rest, rest } from './rest.ts';

/** Together they make 130 shares a side at any price. */
const SHARES = 130;

export const polyMarketMakerAmm = defineStrategy<Record<string, never>>({
  name: 'poly-market-maker-amm',
  summary: 'A concentrated-liquidity curve around the middle.',
  params: {},
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    const { grid, inventory } = context;
    const n = grid.ticksPerUnit;
    const priceTicks = Math.round(middle.twiceTicks / 2);
    const cents = n / 100;
    const shape: AmmShape = {
      ...{ spreadTicks: cents, stepTicks: cents, depthTicks: 3 * cents },
      ...{ priceTicksMin: 1, priceTicksMax: n - 1 },
    };
    const held = { yes: inventory.yes / MICRO_PER_SHARE, no: inventory.no / MICRO_PER_SHARE };
    const bidsAt = (at: number) => {
      const collateralUsd = SHARES * Math.max(0.01, at / n - 0.02);
      return ammBids(grid, { priceTicks: at, collateralUsd }, shape);
    };
    const asksOfNo = ammAsks(grid, { priceTicks: n - priceTicks, tokenShares: held.no }, shape);
    const asksOfYes = ammAsks(grid, { priceTicks, tokenShares: held.yes }, shape);
    return rest(context, {
      bids: merged(bidsAt(priceTicks), turned(asksOfNo, n)),
      asks: merged(asksOfYes, turned(bidsAt(n - priceTicks), n)),
    });
  },
});

function turned(levels: readonly AmmLevel[], n: number): readonly AmmLevel[] {
  return levels.map(({ ticks, shares }) => ({ ticks: n - ticks, shares }));
}

function merged(one: readonly AmmLevel[], other: readonly AmmLevel[]): readonly Rest[] {
  const longer = one.length >= other.length ? one : other;
  const sharesAt = (levels: readonly AmmLevel[], at: number) =>
    levels.find(({ ticks }) => ticks === at)?.shares ?? 0;
  return longer.map(({ ticks }) => {
    // What it sells of its holdings stands for bids of the other token, as its collateral split has it.
    const shares = Math.max(sharesAt(one, ticks), sharesAt(other, ticks));
    return { ticks, shares };
  });
}
