// Events as an exchange may list them, with readable ids.

import { eventId, marketId, outcomeId, tokenId } from '../../src/domain/ids.ts';
import type { Event, Market } from '../../src/domain/market.ts';
import { type TickSize, tickGrid } from '../../src/domain/ticks.ts';

/** An open event with `markets` binary markets; ids come from the slug and are unique per slug. */
export function listedEvent(slug: string, markets = 1, tickSize: TickSize = '0.01'): Event {
  return {
    id: eventId(`event-${slug}`),
    slug,
    title: `What about ${slug}?`,
    category: 'tests',
    status: 'open',
    grid: tickGrid(tickSize),
    expiryAtMs: undefined,
    markets: Array.from({ length: markets }, (_, index) => listedMarket(`${slug}-${index}`)),
  };
}

function listedMarket(name: string): Market {
  const outcome = (outcomeIndex: 0 | 1) => ({
    id: outcomeId(`outcome-${name}-${outcomeIndex}`),
    name: outcomeIndex === 1 ? 'Yes' : 'No',
    tokenId: tokenId(`0x${Buffer.from(`${name}/${outcomeIndex}`).toString('hex')}`),
  });
  return {
    id: marketId(`market-${name}`),
    title: name,
    status: 'open',
    enableOrderBook: true,
    yes: { ...outcome(1), outcomeIndex: 1 },
    no: { ...outcome(0), outcomeIndex: 0 },
  };
}
