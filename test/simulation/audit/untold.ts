// Settlements at better prices of which no life was told what they cost: one came while nobody listened,
// or named no token. Cash shows such gains together, and nothing says which market each belongs to.

type Gain = {
  readonly marketId: string;
  /** What a settlement says of its match, but for its price: token and side. */
  readonly said: string;
  readonly quantityMicro: number;
  /** The order's own, in nano-USDC a share. */
  readonly priceNano: number;
  readonly atMs: number;
  nano: number;
  isTold: boolean;
  /** It was told first where it could not be counted: what is said again of it changes nothing. */
  isUncounted: boolean;
};

/** A match waits so long for a settlement that nobody tells of: everything that is excused ends by then. */
const WAITS_MS = 400_000;

export class Untold {
  readonly #settled = new Map<string, Gain>();

  /** @param gain - By how much better than the order's own price, in nano-USDC. */
  onSettled(tradeId: string, gain: Omit<Gain, 'isTold' | 'isUncounted'>): void {
    const known = this.#settled.get(tradeId);
    if (known) known.nano += gain.nano;
    else this.#settled.set(tradeId, { ...gain, isTold: false, isUncounted: false });
  }

  onTold(tradeId: string): void {
    const gain = this.#settled.get(tradeId);
    if (gain) gain.isTold = !gain.isUncounted;
  }

  /** The history told of it when balances might have shown it, before any frame did. */
  onUncounted(tradeId: string): void {
    const gain = this.#settled.get(tradeId);
    if (gain) gain.isUncounted = true;
  }

  /**
   * Nano-USDC that a market earned and nobody was told of. At a better price one settlement may have been
   * taken for another, or for a part of a larger one, whose own was told to nobody: each of these may be the
   * one of as many shares or fewer that gained the most. And what was told may have been laid at each other's
   * doors around its shares, where orders of other prices make another gain of it.
   */
  nanoOf(marketId: string): number {
    let sum = 0;
    for (const alike of this.#alikeOf(marketId).values()) sum += mostOf(alike) + shiftedOf(alike);
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

/** The most that as many of them gained as nobody was told of, each no larger than one of those. */
function mostOf(alike: readonly Gain[]): number {
  const gains = alike.toSorted((one, other) => other.nano - one.nano);
  const untold = alike.filter(({ isTold }) => !isTold);
  let sum = 0;
  // The smallest first: a larger one may stand for whatever is left.
  for (const { quantityMicro } of untold.toSorted((a, b) => a.quantityMicro - b.quantityMicro)) {
    const at = gains.findIndex((gain) => gain.quantityMicro <= quantityMicro);
    sum += gains.splice(at, 1)[0]?.nano ?? 0;
  }
  return sum;
}

/** As many shares as nobody was told of, at the distance of the orders whose settlements could change places. */
function shiftedOf(alike: readonly Gain[]): number {
  let sum = 0;
  for (const { atMs, quantityMicro, priceNano } of alike.filter(({ isTold }) => !isTold)) {
    const beside = alike.filter((gain) => {
      // At its order's own price it is that one's.
      const mayMove = !gain.isTold || gain.nano !== 0;
      return mayMove && Math.abs(gain.atMs - atMs) <= WAITS_MS;
    });
    const prices = [priceNano, ...beside.map((gain) => gain.priceNano)];
    sum += ((Math.max(...prices) - Math.min(...prices)) * quantityMicro) / 1e6;
  }
  return sum;
}
