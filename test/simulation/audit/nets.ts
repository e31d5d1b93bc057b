// What the net position of each market has been lately, by the venue's own ledger: whoever decides knows
// one of these, since reports of a fill is under way for a while.

import type { MarketId } from '../../../src/domain/ids.ts';

type Known = { readonly net: number; readonly sinceMs: number };

/** A fill that no frame tells of is found in a list by then, or the market stops. */
const NEWS_MS = 90_000;

export class Nets {
  /** Oldest first; the first may have begun before the window. */
  readonly #known = new Map<MarketId, Known[]>();

  /** @param net - YES shares less NO shares, from now on. */
  note(marketId: MarketId, net: number, nowMs: number): void {
    const known = this.#known.get(marketId) ?? [{ net: 0, sinceMs: 0 }];
    this.#known.set(marketId, known);
    if (known.at(-1)?.net !== net) known.push({ net, sinceMs: nowMs });
  }

  /** The least and the most that it has been. */
  range(marketId: MarketId, nowMs: number): { readonly least: number; readonly most: number } {
    const known = this.#known.get(marketId) ?? [];
    while ((known[1]?.sinceMs ?? nowMs) < nowMs - NEWS_MS) known.shift();
    const nets = known.map(({ net }) => net);
    return nets.length === 0
      ? { least: 0, most: 0 }
      : { least: Math.min(...nets), most: Math.max(...nets) };
  }
}
