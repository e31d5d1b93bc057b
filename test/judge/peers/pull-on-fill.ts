// The fixed ladder, and after every fill nothing at all for half a minute: many bots "cool down" so.

import {
  defineStrategy,
  middleOf,
  noQuotes,
  rememberedNumber,
} from '../../../src/strategy/index.ts';
import { ladderAround, netShares, nothing, rest } from './rest.ts';

const PULLED_MS = 30_000;

export const pullOnFill = defineStrategy<Record<string, never>>({
  name: 'pull-on-fill',
  summary: 'The fixed ladder, gone for half a minute after each fill.',
  params: {},
  quote(context) {
    const net = netShares(context);
    const isFilled = net !== rememberedNumber(context.memory, 'net', 0);
    const until = isFilled
      ? context.nowMs + PULLED_MS
      : rememberedNumber(context.memory, 'untilMs', 0);
    const memory = { net, untilMs: until };
    if (context.nowMs < until)
      return { ...nothing('both', 'a fill was less than 30 s ago'), memory };
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return { ...noQuotes(middle.reason), memory };
    const sizes = [43, 43, 43];
    return {
      ...rest(context, ladderAround(middle.twiceTicks / 2, { first: 1, step: 1, sizes })),
      memory,
    };
  },
});
