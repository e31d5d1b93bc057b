// What every market risks and earns, summed over all of them and brought up to date for those that
// changed. Sums are whole numbers of nano-USDC, so that adding and taking away leaves nothing behind.

import type { Inventory } from './inventory/inventory.ts';
import type { MarketState } from './market.ts';
import { type Exposure, noExposure } from './risk/exposure.ts';

/** What one market risks: its live orders, its worst loss, and the cash that it holds. */
export type MarketRisks = {
  readonly exposure: Exposure;
  readonly lossNano: number;
  readonly holdNano: number;
};

type Entry = { exposure: Exposure; lossNano: number; holdNano: number; pnlNano: number };

export class RiskBook {
  readonly #entries = new Map<MarketState, Entry>();
  #lossNano = 0;
  #holdNano = 0;
  #pnlNano = 0;

  /** Worst loss of all markets together, each by itself. */
  get lossNano(): number {
    return this.#lossNano;
  }

  /** Cash that live buys hold, and that matched buys will still take. */
  get holdNano(): number {
    return this.#holdNano;
  }

  /** Profit since the start at the last known prices. */
  get pnlNano(): number {
    return this.#pnlNano;
  }

  exposure(market: MarketState): Exposure {
    return this.#entry(market).exposure;
  }

  /** Sums up anew what markets risk. */
  updateExposure(markets: Set<MarketState>, riskOf: (market: MarketState) => MarketRisks): void {
    for (const market of markets) {
      const entry = this.#entry(market);
      const { exposure, lossNano, holdNano } = riskOf(market);
      this.#lossNano += lossNano - entry.lossNano;
      this.#holdNano += holdNano - entry.holdNano;
      entry.exposure = exposure;
      entry.lossNano = lossNano;
      entry.holdNano = holdNano;
    }
    markets.clear();
  }

  /** Sums up anew what markets earn; one without a price yet earns nothing. */
  updateProfit(markets: Set<MarketState>, inventory: Inventory): void {
    for (const market of markets) {
      const entry = this.#entry(market);
      const pnlNano = market.pnlNano(inventory) ?? 0;
      this.#pnlNano += pnlNano - entry.pnlNano;
      entry.pnlNano = pnlNano;
    }
    markets.clear();
  }

  drop(market: MarketState): void {
    const entry = this.#entries.get(market);
    if (entry === undefined) return;
    this.#entries.delete(market);
    this.#lossNano -= entry.lossNano;
    this.#holdNano -= entry.holdNano;
    this.#pnlNano -= entry.pnlNano;
  }

  #entry(market: MarketState): Entry {
    const known = this.#entries.get(market);
    if (known) return known;
    const fresh = { exposure: noExposure(), lossNano: 0, holdNano: 0, pnlNano: 0 };
    this.#entries.set(market, fresh);
    return fresh;
  }
}
