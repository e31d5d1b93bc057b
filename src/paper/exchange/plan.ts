// Events to list, as a configuration states them; ids and token ids are derived from the slugs.

import { eventId, marketId, outcomeId, tokenId } from '../../domain/ids.ts';
import type { Event, Market, Outcome, OutcomeIndex } from '../../domain/market.ts';
import { type TickSize, tickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { derivedId, derivedTokenId } from './identity.ts';

export type MarketPlan = {
  readonly slug: string;
  readonly title: string;
  /** It has one where absent. */
  readonly enableOrderBook?: boolean;
};

export type EventPlan = {
  readonly slug: string;
  readonly title: string;
  readonly category: string;
  readonly tickSize: TickSize;
  readonly tags?: readonly string[];
  readonly expiryAtMs?: UnixMs;
  /** One for a binary event; each further one is a binary market of a multi-outcome event. */
  readonly markets: readonly MarketPlan[];
};

/** The same plan always gives the same event, ids included. */
export function plannedEvent(plan: EventPlan): Event {
  return {
    id: eventId(derivedId('evt', plan.slug)),
    slug: plan.slug,
    title: plan.title,
    category: plan.category,
    status: 'open',
    grid: tickGrid(plan.tickSize),
    expiryAtMs: plan.expiryAtMs,
    markets: plan.markets.map((market) => plannedMarket(plan.slug, market)),
  };
}

function plannedMarket(eventSlug: string, plan: MarketPlan): Market {
  return {
    id: marketId(derivedId('mkt', `${eventSlug}/${plan.slug}`)),
    title: plan.title,
    status: 'open',
    enableOrderBook: plan.enableOrderBook ?? true,
    yes: plannedOutcome(eventSlug, plan.slug, 1),
    no: plannedOutcome(eventSlug, plan.slug, 0),
  };
}

function plannedOutcome(eventSlug: string, marketSlug: string, index: OutcomeIndex): Outcome {
  return {
    id: outcomeId(derivedId('out', `${eventSlug}/${marketSlug}/${index}`)),
    name: index === 1 ? 'Yes' : 'No',
    tokenId: tokenId(derivedTokenId(eventSlug, marketSlug, index)),
    outcomeIndex: index,
  };
}
