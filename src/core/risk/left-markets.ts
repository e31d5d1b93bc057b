// Markets that are quoted no more: what they earned, and what the shares that stayed may still lose.
// Neither goes away with its market, and both outlive a restart with the baselines.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { Event } from '../../domain/market.ts';
import type { StoredBaselines, StoredHeld } from '../../domain/risk.ts';
import { type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Positions } from '../positions/positions.ts';
import { exposureOf, lossPair, uncertainOf, worseOf } from './exposure.ts';
import type { RiskMarket } from './market.ts';

type Left = {
  readonly profitNano: number;
  /** Shares that may still lose; `undefined` where nothing is at stake but what the profit says. */
  held: StoredHeld | undefined;
  /** Since when the venue has shown none of them. */
  noneSinceMs: UnixMs | undefined;
};

export class LeftMarkets {
  /** As many as were ever traded. */
  readonly #markets = new Map<MarketId, Left>();
  #profitNano = 0;
  #lossNano = 0;

  /** Profit of all of them, the last that was known. */
  get profitNano(): number {
    return this.#profitNano;
  }

  /** Worst loss of all of them, each by itself: no hedge with what is quoted is assumed. */
  get lossNano(): number {
    return this.#lossNano;
  }

  /** Worst loss of those among the markets of an event. */
  lossAmong({ markets, vanished = [] }: Event): number {
    if (this.#markets.size === 0) return 0;
    let lossNano = 0;
    for (const { id } of markets) lossNano += this.#lossOf(id);
    for (const id of vanished) lossNano += this.#lossOf(id);
    return lossNano;
  }

  #lossOf(marketId: MarketId): number {
    const left = this.#markets.get(marketId);
    return left === undefined ? 0 : lossOf(left);
  }

  add(marketId: MarketId, profitNano: number, held: StoredHeld | undefined): void {
    this.take(marketId);
    // No profit and nothing at stake leave nothing to remember.
    if (profitNano === 0 && held === undefined) return;
    const left: Left = { profitNano, held, noneSinceMs: undefined };
    this.#markets.set(marketId, left);
    this.#profitNano += profitNano;
    this.#lossNano += lossOf(left);
  }

  /** It is quoted again, and its own count goes on where it was. */
  take(marketId: MarketId): void {
    const left = this.#markets.get(marketId);
    if (left === undefined) return;
    this.#markets.delete(marketId);
    this.#profitNano -= left.profitNano;
    this.#lossNano -= lossOf(left);
  }

  /** They are quoted under another id, which counts them: what they earned under this one stays. */
  handOver(tokenId: TokenId): void {
    for (const [id, { profitNano, held }] of this.#markets)
      if (held?.tokenIds.includes(tokenId)) this.add(id, profitNano, undefined);
  }

  /** What a previous run left, but for what this one counts itself. */
  restore(
    { left, held = [] }: Pick<StoredBaselines, 'left' | 'held'>,
    isCounted: (marketId: MarketId) => boolean,
  ): void {
    const profits = new Map(left);
    const stakes = new Map(held.map((each) => [each.marketId, each]));
    for (const id of new Set([...profits.keys(), ...stakes.keys()])) {
      if (!isCounted(id) && !this.#markets.has(id))
        this.add(id, profits.get(id) ?? 0, stakes.get(id));
    }
  }

  /** A complete read of the balances: shares of which it shows none for the whole lag are gone. */
  onBalances(
    amounts: ReadonlyMap<TokenId, MicroShares>,
    at: { readonly askedAtMs: UnixMs; readonly positionLagMs: number },
  ): void {
    for (const [marketId, left] of this.#markets) {
      if (left.held === undefined) continue;
      const isShown = left.held.tokenIds.some((id) => (amounts.get(id) ?? NO_SHARES) > 0);
      left.noneSinceMs = isShown ? undefined : (left.noneSinceMs ?? at.askedAtMs);
      if (left.noneSinceMs === undefined) continue;
      // Sold or redeemed by somebody else: what they brought is what they were last worth.
      if (at.askedAtMs - left.noneSinceMs > at.positionLagMs) {
        this.add(marketId, left.profitNano, undefined);
      }
    }
  }

  *profits(): Iterable<readonly [MarketId, number]> {
    for (const [marketId, { profitNano }] of this.#markets) {
      if (profitNano !== 0) yield [marketId, profitNano];
    }
  }

  *held(): Iterable<StoredHeld> {
    for (const { held } of this.#markets.values()) if (held !== undefined) yield held;
  }
}

/**
 * What a market would leave if it left now: shares that it traded, and the worst that may come of them.
 * What it only found on the account is at stake for whoever brought it there.
 */
export function heldOf(market: RiskMarket, positions: Positions): StoredHeld | undefined {
  const { fills, cashNano } = market.flows;
  const holdings = market.holdings(positions);
  const isFlat = holdings.yes === 0 && holdings.no === 0;
  if (isFlat || (fills === 0 && cashNano === 0)) return undefined;
  const exposure = exposureOf(market, [], uncertainOf({ positions }, market));
  const lossNano = worseOf(lossPair(holdings, exposure));
  const tokenIds = [market.tokenOf('yes'), market.tokenOf('no')];
  return { marketId: market.market.id, lossNano, tokenIds };
}

function lossOf({ profitNano, held }: Left): number {
  return held?.lossNano ?? -profitNano;
}
