// Everything that is listed, found by any of its names.

import type { Event, OutcomeIndex } from '../../domain/market.ts';
import type { TokenRef } from './events.ts';
import { ListedEvent, type ListedMarket } from './listed-market.ts';
import { VenueRefusal } from './refusal.ts';

export class Catalogue {
  readonly #events: ListedEvent[] = [];
  readonly #byName = new Map<string, ListedEvent>();
  readonly #markets = new Map<string, ListedMarket>();
  readonly #tokens = new Map<string, TokenRef>();
  readonly #outcomes = new Map<string, TokenRef>();

  /** In the order of listing. */
  events(): readonly ListedEvent[] {
    return this.#events;
  }

  markets(): readonly ListedMarket[] {
    return this.#events.flatMap((listed) => listed.markets);
  }

  /** @throws {VenueRefusal} `already_exists` when an id or slug is taken. */
  list(event: Event, tags: readonly string[]): ListedEvent {
    for (const name of [event.id, event.slug]) {
      if (this.#byName.has(name)) throw new VenueRefusal('already_exists', `${name} is listed`);
    }
    const listed = new ListedEvent(event, tags);
    this.#events.push(listed);
    this.#byName.set(event.id, listed);
    this.#byName.set(event.slug, listed);
    for (const market of listed.markets) this.#add(market);
    return listed;
  }

  /** Markets and tags that a listed event did not have before. @throws {VenueRefusal} `market_not_found` */
  extend({ id, markets }: Event, tags: readonly string[]): ListedEvent {
    const listed = this.event(id);
    for (const market of listed.extend(markets, tags)) this.#add(market);
    return listed;
  }

  /** @throws {VenueRefusal} `market_not_found`: events have no code of their own. */
  event(idOrSlug: string): ListedEvent {
    return this.#byName.get(idOrSlug) ?? refuse('market_not_found', 'no such event');
  }

  /** @throws {VenueRefusal} `market_not_found` */
  market(id: string): ListedMarket {
    return this.#markets.get(id) ?? refuse('market_not_found', 'no such market');
  }

  /** @throws {VenueRefusal} `token_not_found`, for an outcome id too. */
  token(id: string): TokenRef {
    return (
      this.#tokens.get(id.toLowerCase()) ??
      refuse('token_not_found', 'no such token; a token id is required, not an outcome id')
    );
  }

  findToken(id: string): TokenRef | undefined {
    return this.#tokens.get(id.toLowerCase());
  }

  findOutcome(id: string): TokenRef | undefined {
    return this.#outcomes.get(id);
  }

  #add(market: ListedMarket): void {
    this.#markets.set(market.market.id, market);
    for (const index of [0, 1] satisfies OutcomeIndex[]) {
      const outcome = market.outcome(index);
      this.#tokens.set(outcome.tokenId, { market, index });
      this.#outcomes.set(outcome.id, { market, index });
    }
  }
}

function refuse(code: 'market_not_found' | 'token_not_found', message: string): never {
  throw new VenueRefusal(code, message);
}
