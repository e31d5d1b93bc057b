// Three levels, a tick apart, the best a tick from the middle of the book: nothing leans, nothing waits.

import { defineStrategy, middleOf, noQuotes } from '../../../src/strategy/index.ts';
import { ladderAround, rest } from './rest.ts';

export const fixedLadder = defineStrategy<Record<string, never>>({
  name: 'fixed-ladder',
  summary: 'Three levels around the middle of the book.',
  params: {},
  quote(context) {
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return noQuotes(middle.reason);
    return rest(
      context,
      ladderAround(middle.twiceTicks / 2, { first: 1, step: 1, sizes: [43, 43, 43] }),
    );
  },
});
