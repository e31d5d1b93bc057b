// Limits that were lowered hold for what rests as well: what was there before, and is still there after
// a while, is by itself within them. Whatever came since was held to them when it came.

import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { RiskLimits } from '../../../src/domain/input.ts';

/** Cancels are tried every few seconds. */
const LOWERED_MS = 30_000;
/** Lists that came since: the network carries requests and answers. */
const LISTS_MIN = 6;
const MICRO = 1_000_000;
const EPSILON_USDC = 1e-6;

/** An own order on the book that somebody can cancel. */
export type Resting = {
  readonly tokenId: TokenId;
  readonly marketId: MarketId;
  readonly acceptedAtMs: number;
  /** What of it may still be bought; none of a sell. */
  readonly buyingMicro: number;
  /** What rests of it at its price. */
  readonly valueUsdc: number;
};

type Limits = Pick<
  RiskLimits,
  'maxOpenOrders' | 'maxPositionShares' | 'maxMarketOpenOrders' | 'maxOpenNotionalUsdc'
>;

export class LoweredLimits {
  #limits: Limits;
  #sinceMs = 0;
  #lists = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  onLimits(limits: Limits, nowMs: number): void {
    this.#limits = limits;
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

  isDue(nowMs: number): boolean {
    return nowMs - this.#sinceMs >= LOWERED_MS && this.#lists >= LISTS_MIN;
  }

  /** What orders from before come to that is more than is allowed now. */
  brokenBy(resting: readonly Resting[]): string | undefined {
    const before = resting.filter(({ acceptedAtMs }) => acceptedAtMs < this.#sinceMs);
    const { maxOpenOrders, maxPositionShares } = this.#limits;
    if (before.length > maxOpenOrders)
      return `${before.length} orders from before rest, ${maxOpenOrders} allowed`;
    const buying = new Map<TokenId, number>();
    for (const { tokenId, buyingMicro } of before) {
      const micro = (buying.get(tokenId) ?? 0) + buyingMicro;
      buying.set(tokenId, micro);
      if (micro > maxPositionShares * MICRO)
        return `${micro / MICRO} shares are bid for from before, ${maxPositionShares} allowed`;
    }
    return this.#brokenCount(before);
  }

  #brokenCount(before: readonly Resting[]): string | undefined {
    const { maxMarketOpenOrders = Number.POSITIVE_INFINITY } = this.#limits;
    const { maxOpenNotionalUsdc = Number.POSITIVE_INFINITY } = this.#limits;
    const counts = new Map<MarketId, number>();
    let notional = 0;
    for (const { marketId, valueUsdc } of before) {
      const count = (counts.get(marketId) ?? 0) + 1;
      counts.set(marketId, count);
      if (count > maxMarketOpenOrders)
        return `${count} orders of one market from before rest, ${maxMarketOpenOrders} allowed`;
      notional += valueUsdc;
    }
    if (notional <= maxOpenNotionalUsdc + EPSILON_USDC) return undefined;
    return `orders of ${notional} USDC from before rest, ${maxOpenNotionalUsdc} allowed`;
  }
}
