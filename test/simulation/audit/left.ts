// A market that was taken out of the settings is left: its orders are pulled.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

/** Cancels are tried every few seconds. */
const LEFT_MS = 30_000;
/** Lists that came since: the network carries requests and answers. */
const LISTS_MIN = 6;

export class LeftMarkets {
  #events: ReadonlySet<string>;
  #sinceMs = 0;
  #lists = 0;

  constructor(settings: CoreSettings) {
    this.#events = eventsOf(settings);
  }

  onSettings(settings: CoreSettings, nowMs: number): void {
    this.#events = eventsOf(settings);
    this.onProcessStarts(nowMs);
  }

  onProcessStarts(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#lists = 0;
  }

  /** A list of open orders came. */
  onList(): void {
    this.#lists += 1;
  }

  /** An own order that rests all the same. */
  pastDeadline(
    facts: OrderFacts,
    nowMs: number,
    isUncancellable: (fact: OrderFact) => boolean,
  ): OrderFact | undefined {
    if (nowMs - this.#sinceMs < LEFT_MS || this.#lists < LISTS_MIN) return undefined;
    for (const fact of facts.live()) {
      const { slug } = fact.order.terms.market.listed.event;
      const isOld = nowMs - fact.acceptedAtMs > LEFT_MS;
      const isOurs = fact.owner === 'intent' && !isUncancellable(fact);
      if (isOld && isOurs && !this.#events.has(slug)) return fact;
    }
    return undefined;
  }
}

/** Slugs of the events that settings quote. */
export function eventsOf({ markets }: CoreSettings): ReadonlySet<string> {
  return new Set(markets.map(({ event }) => event));
}
