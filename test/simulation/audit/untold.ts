// Settlements at better prices of which no life was told what they cost: one came while nobody listened,
// or named no token. Cash shows such gains together, and nothing says which market each belongs to.

type Gain = {
  readonly marketId: string;
  /** What a settlement says of its match: token, side, shares and price. */
  readonly said: string;
  nano: number;
  isTold: boolean;
};

export class Untold {
  readonly #settled = new Map<string, Gain>();

  /** @param gain - By how much better than the order's own price, in nano-USDC. */
  onSettled(tradeId: string, gain: Pick<Gain, 'marketId' | 'said' | 'nano'>): void {
    const known = this.#settled.get(tradeId);
    if (known) known.nano += gain.nano;
    else this.#settled.set(tradeId, { ...gain, isTold: false });
  }

  onTold(tradeId: string): void {
    const gain = this.#settled.get(tradeId);
    if (gain) gain.isTold = true;
  }

  /**
   * Nano-USDC that a market earned and nobody was told of. Of settlements that say the same one may have
   * been taken for another: as many as nobody was told of may be those that gained the most.
   */
  nanoOf(marketId: string): number {
    let sum = 0;
    for (const alike of this.#alikeOf(marketId).values()) {
      const untold = alike.filter(({ isTold }) => !isTold).length;
      const most = alike.map(({ nano }) => nano).sort((one, other) => other - one);
      for (const nano of most.slice(0, untold)) sum += nano;
    }
    return sum;
  }

  #alikeOf(marketId: string): ReadonlyMap<string, readonly Gain[]> {
    const found = new Map<string, Gain[]>();
    for (const gain of this.#settled.values()) {
      if (gain.marketId !== marketId) continue;
      const alike = found.get(gain.said);
      if (alike) alike.push(gain);
      else found.set(gain.said, [gain]);
    }
    return found;
  }
}
