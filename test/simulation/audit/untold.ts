// Settlements at better prices of which no life was told what they cost: one came while nobody listened,
// or named no token. Cash shows such gains together, and nothing says which market each belongs to.

type Gain = { readonly marketId: string; readonly nano: number };

export class Untold {
  readonly #gains = new Map<string, Gain>();

  /** @param nano - By how much better than the order's own price. */
  onSettled(tradeId: string, gain: Gain): void {
    if (gain.nano === 0) return;
    const before = this.#gains.get(tradeId)?.nano ?? 0;
    this.#gains.set(tradeId, { ...gain, nano: before + gain.nano });
  }

  onTold(tradeId: string): void {
    this.#gains.delete(tradeId);
  }

  /** Nano-USDC that a market earned and nobody was told of. */
  nanoOf(marketId: string): number {
    let sum = 0;
    for (const gain of this.#gains.values()) if (gain.marketId === marketId) sum += gain.nano;
    return sum;
  }
}
