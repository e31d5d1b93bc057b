// hummingbot/hummingbot, pure market making (its documentation, hummingbot.org/strategies/pure-market-making):
// levels at a spread in percent of the middle, refreshed every 30 s, after a fill not before 60 s have passed
// (`order_refresh_time`, `filled_order_delay`), sizes steered by the inventory skew. Its spreads of 2 % a level
// are a tick at a price of 0.5; what is not filled rests on until the refresh.

import { MICRO_PER_SHARE } from '../../../src/domain/shares.ts';
import {
  defineStrategy,
  inventoryMultipliers,
  middleOf,
  noQuotes,
  type QuoteContext,
  rememberedNumber,
} from '../../../src/strategy/index.ts';
import { netShares, nothing, type Rest, rest } from './rest.ts';

const REFRESH_MS = 30_000;
const FILLED_DELAY_MS = 60_000;
const SPREADS = [0.02, 0.04, 0.06];

export const hummingbotPmm = defineStrategy<Record<string, never>>({
  name: 'hummingbot-pmm',
  summary: 'Spreads in percent of the middle, refreshed now and then.',
  params: {},
  quote(context) {
    const net = netShares(context);
    const isFilled = net !== rememberedNumber(context.memory, 'net', 0);
    const before = rememberedNumber(context.memory, 'nextMs', 0);
    const nextMs = isFilled ? context.nowMs + FILLED_DELAY_MS : before;
    if (context.nowMs < nextMs) return { ...kept(context), memory: { net, nextMs } };
    const middle = middleOf(context.book);
    if (middle.kind === 'absent') return { ...noQuotes(middle.reason), memory: { net, nextMs } };
    const memory = { net, nextMs: context.nowMs + REFRESH_MS };
    return { ...refreshed(context, middle.twiceTicks / 2), memory };
  },
});

function kept(context: QuoteContext<unknown>) {
  const side = (wanted: 'bid' | 'ask'): readonly Rest[] =>
    context.ownQuotes
      .filter(({ side }) => side === wanted)
      .map(({ price, remaining }) => ({ ticks: price, shares: remaining / MICRO_PER_SHARE }));
  const both = { bids: side('bid'), asks: side('ask') };
  const isEmpty = both.bids.length + both.asks.length === 0;
  return isEmpty ? nothing('both', 'the next refresh is not due') : rest(context, both);
}

function refreshed(context: QuoteContext<unknown>, middleTicks: number) {
  const limit = context.limits.maxPositionShares;
  const price = middleTicks / context.grid.ticksPerUnit;
  // Half of what it may hold is in shares when nothing is: the net position moves it from there.
  const baseShares = Math.max(0, limit + netShares(context));
  const cashUsd = Math.max(0, limit - netShares(context)) * price;
  const by = inventoryMultipliers(
    { price, baseShares, cashUsd },
    { fraction: 0.5, rangeShares: limit },
  );
  return rest(context, {
    bids: SPREADS.map((spread) => ({ ticks: middleTicks * (1 - spread), shares: 43 * by.bid })),
    asks: SPREADS.map((spread) => ({ ticks: middleTicks * (1 + spread), shares: 43 * by.ask })),
  });
}
