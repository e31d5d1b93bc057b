// The market that cards ask about: the one that was named, or the first open one with both sides.

import { CardFailure, payload, type Rest, type Target } from './card.ts';
import { at, isList, listOf, textAt } from './shape.ts';

/**
 * @param name - Slug or id of an event; without it the first open one of the listing.
 * @throws {CardFailure} When no market can be asked about.
 */
export async function targetOf(rest: Rest, name?: string): Promise<Target> {
  if (name !== undefined) {
    return describe(payload(await rest.get(`/events/${encodeURIComponent(name)}`), name));
  }
  const data = payload(await rest.get('/events?status=open&limit=100'), 'GET /events');
  const events = listOf(isList.is(data) ? data : at(data, 'items'), 'events');
  const usable = events.find((event) => listOf(at(event, 'markets'), 'markets').length > 0);
  if (usable === undefined) throw new CardFailure('no open event has a market');
  return describe(usable);
}

function describe(event: unknown): Target {
  const [market] = listOf(at(event, 'markets'), 'markets');
  const outcomes = listOf(at(market, 'outcomes'), 'outcomes');
  const outcome = (index: number) => outcomes.find((each) => at(each, 'outcomeIndex') === index);
  return {
    eventId: textAt(event, 'id'),
    slug: textAt(event, 'slug'),
    category: textAt(event, 'category'),
    title: textAt(event, 'title'),
    tickSize: textAt(event, 'tickSize'),
    marketId: textAt(market, 'id'),
    yes: textAt(outcome(1), 'tokenId'),
    no: textAt(outcome(0), 'tokenId'),
    yesOutcomeId: textAt(outcome(1), 'id'),
  };
}
