// The book of a token rebuilt from the wire alone: a map of JSON numbers, no ticks, no arrays.

import type { WireFrame, WireLevel } from './frames.ts';

export type Sides = { readonly bid: Map<number, number>; readonly ask: Map<number, number> };

export class Reconstruction {
  readonly #books = new Map<string, Sides>();

  book(marketId: string): Sides {
    const known = this.#books.get(marketId);
    if (known) return known;
    const fresh: Sides = { bid: new Map(), ask: new Map() };
    this.#books.set(marketId, fresh);
    return fresh;
  }

  apply(frame: WireFrame): void {
    if (frame.type === 'orderbook.snapshot') {
      const { bid, ask } = this.book(frame.marketId);
      refill(bid, frame.levels.bids);
      refill(ask, frame.levels.asks);
    } else if (frame.type === 'orderbook.delta') {
      const side = this.book(frame.marketId)[frame.side];
      if (frame.size === 0) side.delete(frame.price);
      else side.set(frame.price, frame.size);
    }
  }
}

/** The best price of a side, found by looking at all of them. */
export function bestOf(sides: Sides, side: 'bid' | 'ask'): number | undefined {
  let best: number | undefined;
  for (const price of sides[side].keys()) {
    const isBetter = best === undefined || (side === 'bid' ? price > best : price < best);
    if (isBetter) best = price;
  }
  return best;
}

function refill(side: Map<number, number>, levels: readonly WireLevel[]): void {
  side.clear();
  for (const { price, size } of levels) if (size !== 0) side.set(price, size);
}
