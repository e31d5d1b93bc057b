// What every peer's rule ends with: prices in ticks and sizes in shares as quotes, inside the position limit.

import { MICRO_PER_SHARE, microShares } from '../../../src/domain/shares.ts';
import { ticksWithin } from '../../../src/domain/ticks.ts';
import {
  type AxisSide,
  joined,
  noQuotes,
  type Quote,
  type QuoteContext,
  type TargetQuotes,
} from '../../../src/strategy/index.ts';
import {
  besideTouch,
  purposeOf,
  quantityLeast,
  roomOf,
} from '../../../strategies/shared/quoting.ts';

type Context = QuoteContext<unknown>;

/** One level; `ticks` need not be whole: a bid is rounded down, an ask up. */
export type Rest = { readonly ticks: number; readonly shares: number };

export function rest(
  context: Context,
  both: { readonly bids: readonly Rest[]; readonly asks: readonly Rest[] },
): TargetQuotes {
  return joined(sideOf(context, 'bid', both.bids), sideOf(context, 'ask', both.asks));
}

function sideOf(context: Context, side: AxisSide, levels: readonly Rest[]): TargetQuotes {
  const quotes: Quote[] = [];
  let used = 0;
  for (const { ticks, shares } of together(context, side, levels)) {
    const price = ticksWithin(context.grid, ticks);
    const wanted = Math.round(shares * 100) * (MICRO_PER_SHARE / 100);
    const quantity = microShares(Math.max(0, Math.min(wanted, roomOf(context, side) - used)));
    if (price === undefined || quantity < quantityLeast(context, side, price)) continue;
    used += quantity;
    quotes.push({ side, price, quantity, purpose: purposeOf(context, side, used) });
  }
  return quotes.length > 0
    ? { quotes, reasons: [] }
    : nothing(side, 'the rule target quotes nothing here');
}

/** Whole ticks, never through the other side; what lies on the same one is one level. */
function together(context: Context, side: AxisSide, levels: readonly Rest[]): readonly Rest[] {
  const byTick = new Map<number, number>();
  for (const { ticks, shares } of levels) {
    const whole = side === 'bid' ? Math.floor(ticks + 1e-9) : Math.ceil(ticks - 1e-9);
    const at = besideTouch(context, side, whole);
    byTick.set(at, (byTick.get(at) ?? 0) + shares);
  }
  return [...byTick].map(([ticks, shares]) => ({ ticks, shares }));
}

export function nothing(side: AxisSide | 'both', detail: string): TargetQuotes {
  return noQuotes({ side, code: 'peer_rests_nothing', detail, clears: 'its rule' });
}

/** Levels `first`, `first + step`, … ticks from a middle, on both sides. */
export function ladderAround(
  middleTicks: number,
  shape: { readonly first: number; readonly step: number; readonly sizes: readonly number[] },
): { readonly bids: readonly Rest[]; readonly asks: readonly Rest[] } {
  const away = shape.sizes.map((shares, level) => ({
    by: shape.first + level * shape.step,
    shares,
  }));
  return {
    bids: away.map(({ by, shares }) => ({ ticks: middleTicks - by, shares })),
    asks: away.map(({ by, shares }) => ({ ticks: middleTicks + by, shares })),
  };
}

/** Net shares, YES less NO. */
export function netShares({ inventory }: Context): number {
  return inventory.net / MICRO_PER_SHARE;
}
