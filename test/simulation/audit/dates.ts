// Orders that die by themselves: where dates are switched on every order has one, and none outlives
// whoever sent it by more than the longest that orders may rest.

import type { GtdSettings } from '../../../src/domain/input.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

/** The venue's clock is set by up to 20 s, the machine's runs away by up to 8 s until it is measured. */
const CLOCKS_MS = 50_000;
/** No date is nearer than the venue allows. @spec Endpoints › POST /orders (limit order) */
const AHEAD_MS_MIN = 60_000;
/** What a refused date teaches: later ones. */
const LEARNED_MS = 630_000;

export class Dates {
  readonly #gtd: GtdSettings | undefined;
  #learnedMs = 0;
  #diedAtMs: number | undefined;

  constructor(gtd: GtdSettings | undefined) {
    this.#gtd = gtd;
  }

  onReport(report: Report): void {
    if (report.event === 'order.date_refused') this.#learnedMs = LEARNED_MS;
  }

  onProcessStarts(): void {
    this.#diedAtMs = undefined;
  }

  onProcessEnds(nowMs: number): void {
    this.#diedAtMs = nowMs;
  }

  /** What is wrong with the date of an order that the venue has just taken. */
  faultOf({ order, acceptedAtMs }: OrderFact): string | undefined {
    if (this.#gtd === undefined) return undefined;
    const { expiresAtMs, timeInForce } = order.terms;
    // Nothing of what takes at once is left to need one.
    if (timeInForce === 'FAK') return undefined;
    if (expiresAtMs === undefined) return 'it has no date';
    const aheadMs = expiresAtMs - acceptedAtMs;
    const longestMs = this.#longestMs(this.#gtd);
    return aheadMs > longestMs ? `it rests ${aheadMs} ms, ${longestMs} at most` : undefined;
  }

  /** An own order that rests although nobody has lived for longer than it may. */
  outlived(facts: OrderFacts, nowMs: number): OrderFact | undefined {
    if (this.#gtd === undefined || this.#diedAtMs === undefined) return undefined;
    const deadMs = nowMs - this.#diedAtMs;
    if (deadMs <= this.#longestMs(this.#gtd)) return undefined;
    for (const fact of facts.live()) if (fact.owner === 'intent') return fact;
    return undefined;
  }

  /** Whether orders died by themselves while nobody lived. */
  isOver(facts: OrderFacts, nowMs: number): boolean {
    if (this.#gtd === undefined || this.#diedAtMs === undefined) return false;
    if (nowMs - this.#diedAtMs < this.#gtd.lifetimeMs) return false;
    return ![...facts.live()].some(({ owner }) => owner === 'intent');
  }

  #longestMs({ lifetimeMs, marginMs }: GtdSettings): number {
    return Math.max(lifetimeMs, AHEAD_MS_MIN + marginMs, this.#learnedMs) + CLOCKS_MS;
  }
}
