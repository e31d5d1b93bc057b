// Polymarket/poly-market-maker, bands strategy (docs/strategies/bands.md, config/bands.json): three bands at one,
// two and three cents from the middle rounded to a cent; one that holds less than its minimum is filled to its
// average, one above its maximum is cut to it. Sizes are scaled to 130 shares a side. It is asked as often as
// everybody here; its own polls every 30 s are left out, in its favour.

import { MICRO_PER_SHARE } from '../../../src/domain/shares.ts';
import {
  type AxisSide,
  defineStrategy,
  middleOf,
  noQuotes,
  type QuoteContext,
} from '../../../src/strategy/index.ts';
import { type Rest, rest } from './rest.ts';

const BANDS = [1, 2, 3].map((cents) => ({ cents, least: 22, average: 43, most: 65 }));

export const polyMarketMakerBands = defineStrategy<Record<string, never>>({
  name: 'poly-market-maker-bands',
  summary: 'Amounts in three bands around the middle.',
  params: {},
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    const perCent = context.grid.ticksPerUnit / 100;
    const target = Math.round(middle.twiceTicks / 2 / perCent);
    const banded = (side: AxisSide) => levelsOf(context, { side, target, perCent });
    return rest(context, { bids: banded('bid'), asks: banded('ask') });
  },
});

function levelsOf(
  { ownQuotes }: QuoteContext<unknown>,
  at: { readonly side: AxisSide; readonly target: number; readonly perCent: number },
): readonly Rest[] {
  const away = at.side === 'bid' ? -1 : 1;
  return BANDS.flatMap(({ cents, least, average, most }) => {
    const inBand = ownQuotes.filter(({ side, price }) => {
      const distance = away * (price / at.perCent - at.target);
      return side === at.side && distance >= cents && distance < cents + 1;
    });
    const held = inBand.reduce((sum, { remaining }) => sum + remaining / MICRO_PER_SHARE, 0);
    const isRight = held >= least && held <= most;
    const kept = inBand.map(({ price, remaining }) => ({
      ticks: price,
      shares: remaining / MICRO_PER_SHARE,
    }));
    return isRight ? kept : [{ ticks: (at.target + away * cents) * at.perCent, shares: average }];
  });
}
