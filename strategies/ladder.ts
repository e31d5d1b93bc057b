// Fixed levels on both sides of the middle of the book.

import { shares } from '../src/domain/shares.ts';
import {
  defineStrategy,
  joined,
  middleOf,
  noQuotes,
  numberParam,
  QUOTES_MAX,
  sideQuotes,
  wholeParam,
} from '../src/strategy/index.ts';

export type LadderParams = {
  readonly halfSpreadTicks: number;
  readonly levels: number;
  readonly levelSpacingTicks: number;
  readonly size: number;
};

/**
 * Quotes `levels` bids and asks: the best `halfSpreadTicks` from the middle of the book without our
 * own orders, then every `levelSpacingTicks`. A middle on a half-tick rounds bids down and asks up.
 */
export const strategy = defineStrategy<LadderParams>({
  name: 'ladder',
  summary: 'Quotes fixed levels on both sides of the middle of the book.',
  params: {
    halfSpreadTicks: wholeParam({
      doc: 'Distance of the best bid and the best ask from the middle of the book.',
      unit: 'ticks',
      default: 2,
      min: 1,
      max: 400,
    }),
    levels: wholeParam({
      doc: 'Quotes on each side.',
      unit: 'quotes',
      default: 3,
      min: 1,
      max: QUOTES_MAX,
    }),
    levelSpacingTicks: wholeParam({
      doc: 'Distance from one level to the next.',
      unit: 'ticks',
      default: 1,
      min: 1,
      max: 100,
    }),
    size: numberParam({
      doc: 'Quantity of each quote; price times size below 1.00 USDC is not placed.',
      unit: 'shares',
      default: 50,
      min: 1,
      max: 1_000_000,
    }),
  },
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    const { halfSpreadTicks, levels, levelSpacingTicks, size } = context.params;
    const quantity = shares(size);
    const spacingTicks = levelSpacingTicks;
    const bid = Math.floor(middle.twiceTicks / 2) - halfSpreadTicks;
    const ask = Math.ceil(middle.twiceTicks / 2) + halfSpreadTicks;
    return joined(
      sideQuotes(context, middle, { side: 'bid', bestTicks: bid, levels, spacingTicks, quantity }),
      sideQuotes(context, middle, { side: 'ask', bestTicks: ask, levels, spacingTicks, quantity }),
    );
  },
});
