// A market that was taken out of the settings is left: its orders are pulled.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

/** The longest trouble lasts two minutes; then a cancel must get through. */
const LEFT_MS = 180_000;

export class LeftMarkets {
  #events: ReadonlySet<string>;
  #sinceMs = 0;

  constructor(settings: CoreSettings) {
    this.#events = eventsOf(settings);
  }

  onSettings(settings: CoreSettings, nowMs: number): void {
    this.#events = eventsOf(settings);
    this.#sinceMs = nowMs;
  }

  onLifeStarts(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** An own order that rests all the same. */
  overdue(facts: OrderFacts, nowMs: number): OrderFact | undefined {
    if (nowMs - this.#sinceMs < LEFT_MS) return undefined;
    for (const fact of facts.live()) {
      const { slug } = fact.order.terms.market.listed.event;
      if (fact.owner === 'intent' && !this.#events.has(slug)) return fact;
    }
    return undefined;
  }
}

function eventsOf({ markets }: CoreSettings): ReadonlySet<string> {
  return new Set(markets.map(({ event }) => event));
}
