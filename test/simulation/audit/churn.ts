// A place in the queue is given up for another one, or for a reason that lasts. An order that is
// cancelled and placed again where it was, with nothing placed elsewhere between, gave it up for nothing.

import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import type { OrderFact } from './facts.ts';

const WINDOW_MS = 60_000;
/** What pulls all quotes and brings them back, like a book in doubt, does not do so more often. */
export const RETURNS_MAX = 12;

export type Place = { readonly side: string; readonly priceTicks: number };
type Side = { readonly left: Set<number>; readonly returns: Map<number, number[]> };

/** Quotes by side of the YES price: a bid may come back as a sell of NO. */
export class Churn {
  readonly #sides = new Map<string, Side>();

  onProcessStarts(): void {
    this.#sides.clear();
  }

  /** Other settings, and an operator's resume, are a reason to leave, and to come back. */
  onSettings(): void {
    for (const { left } of this.#sides.values()) left.clear();
  }

  /** The daemon cancels an order; one that has traded is another one when it comes back. */
  onCancelling({ order, executedMicro }: OrderFact): void {
    if (executedMicro > 0) return;
    const { side, priceTicks } = placeOf(order);
    this.#of(side).left.add(priceTicks);
  }

  /** @returns How often an order came back to this place within a minute. */
  onAccepted({ order }: OrderFact, nowMs: number): number {
    const { side, priceTicks } = placeOf(order);
    const { left, returns } = this.#of(side);
    const isBack = left.has(priceTicks);
    // Whoever quotes elsewhere as well has moved: what comes back now comes back for a reason.
    left.clear();
    if (!isBack) return 0;
    const times = (returns.get(priceTicks) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS);
    times.push(nowMs);
    returns.set(priceTicks, times);
    return times.length;
  }

  #of(side: string): Side {
    const known = this.#sides.get(side);
    if (known) return known;
    const fresh: Side = { left: new Set(), returns: new Map() };
    this.#sides.set(side, fresh);
    return fresh;
  }
}

/** By side of the YES price. */
export function placeOf({ terms }: ExchangeOrder): Place {
  const { market, outcome, grid, price } = terms;
  const isYes = outcome.outcomeIndex === 1;
  const isBid = isYes === (terms.side === 'BUY');
  const priceTicks = isYes ? price : grid.ticksPerUnit - price;
  // Of another tick size the same number is another price.
  const onMarket = `${market.market.id} of ${grid.ticksPerUnit}`;
  return { side: `${onMarket} ${isBid ? 'bid' : 'ask'}`, priceTicks };
}
