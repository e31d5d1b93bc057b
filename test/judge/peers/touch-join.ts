// Joins the best bid and the best ask of everybody else, whatever they are.

import { defineStrategy, middleOf, noQuotes } from '../../../src/strategy/index.ts';
import { rest } from './rest.ts';

export const touchJoin = defineStrategy<Record<string, never>>({
  name: 'touch-join',
  summary: 'Joins the touch on both sides.',
  params: {},
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    const at = (ticks: number) => [{ ticks, shares: 130 }];
    return rest(context, { bids: at(middle.bid), asks: at(middle.ask) });
  },
});
