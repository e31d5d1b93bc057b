// What cannot be laid at the daemon's door: shares that it could not know of, or could not prevent, when
// it decided, and prices that nobody told. Somebody else trades, a settlement fails, a life begins without
// a memory: each excuses its market, until the truth can be known again.

import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';
import type { OrderFact } from './facts.ts';
import type { Allowance } from './limits.ts';
import type { LifeStart, Lives } from './lives.ts';

export type ExcuseParts = {
  readonly nowMs: () => number;
  readonly lives: Lives;
  /** The daemon cancels, counts and shows its own orders only. */
  readonly isOwnScope: boolean;
  /** Every settlement says of which token it is. */
  readonly namesTokens: boolean;
  readonly markets: () => readonly ListedMarket[];
  readonly marketOf: (tokenId: TokenId) => ListedMarket | undefined;
  /** Whether the daemon's own records differ from what matched on the venue. */
  readonly differs: (tokenId: TokenId) => boolean;
  /** Millionths of a share by those records, what matched and has not settled included. */
  readonly believed: (tokenId: TokenId) => number | undefined;
};

type Unknown = { readonly tokenId: TokenId; readonly micro: number; readonly atMs: number };

/**
 * A settlement may be late, positions lag behind it by two minutes and a half, and are believed when they
 * have been quiet for as long.
 */
export const LEARNT_MS = 400_000;
/** What matched or was split this long ago shows in positions; later matches may not. */
const UNSEEN_MS = 180_000;

export class Excuses implements Allowance {
  readonly #parts: ExcuseParts;
  /** When something last happened in a market that the daemon need not know of at once. */
  readonly #troubledAtMs = new Map<MarketId, number>();
  /** Shares that came or went unseen, oldest first. */
  #unknown: Unknown[] = [];
  /** Everything that matched or was split of late: a life without a memory has seen none of it. */
  readonly #recent: Unknown[] = [];
  /** Shares that a correction of the daemon's brought or took, at a price that nobody told. */
  readonly #unpricedShares = new Map<MarketId, number>();
  /** Markets in which somebody else traded. */
  readonly #shared = new Set<MarketId>();
  #diverged = 0;

  constructor(parts: ExcuseParts) {
    this.#parts = parts;
  }

  /**
   * So little ago that the daemon need not know of it somebody else had an order in this market, a
   * settlement failed, or a life began that knew nothing. It ends when its time is over and the records
   * of the daemon are right: until then `position_wrong` holds the market.
   */
  isUnsettled({ id, yes, no }: Pick<ListedMarket['market'], 'id' | 'yes' | 'no'>): boolean {
    const atMs = this.#troubledAtMs.get(id);
    if (atMs === undefined) return false;
    const { nowMs, differs } = this.#parts;
    if (nowMs() - atMs < LEARNT_MS || differs(yes.tokenId) || differs(no.tokenId)) return true;
    this.#troubledAtMs.delete(id);
    return false;
  }

  /** When something last happened there that the daemon need not know of at once. */
  troubledAtMs(marketId: MarketId): number | undefined {
    return this.#troubledAtMs.get(marketId);
  }

  /** Whether any market is unsettled: sums over all of them cannot be known either. */
  get isAnyUnsettled(): boolean {
    if (this.#troubledAtMs.size === 0) return false;
    return this.#parts.markets().some(({ market }) => this.isUnsettled(market));
  }

  /** Micro-shares of a token that the daemon need not know of. */
  ofToken(tokenId: TokenId): number {
    if (this.#unknown.length === 0) return 0;
    this.#unknown = this.#unknown.filter((each) => !this.#isLearnt(each));
    let sum = 0;
    for (const each of this.#unknown) if (each.tokenId === tokenId) sum += each.micro;
    return sum;
  }

  /**
   * Shares whose price nobody told: each may have cost nothing or a whole payout, and no later news says
   * which. So this never ends, and counts no further than that.
   */
  get unpricedShares(): number {
    let sum = 0;
    for (const shares of this.#unpricedShares.values()) sum += shares;
    return sum;
  }

  /** Corrections so far: each moves what the daemon takes for its profit. */
  get corrections(): number {
    return this.#diverged;
  }

  /**
   * The daemon can know what every share of a market cost. It never can again where a correction put a
   * price on some, nor in a life that began without a memory; nor in the own scope where somebody else
   * traded, since nobody says whose better price a settlement was. All of that is of its market alone,
   * unless settlements do not say of which token they are.
   */
  isCostKnown(marketId: MarketId): boolean {
    const { lives, isOwnScope, namesTokens } = this.#parts;
    if (lives.era !== 1) return false;
    const isOf = (markets: ReadonlyMap<MarketId, unknown> | ReadonlySet<MarketId>) =>
      namesTokens ? markets.has(marketId) : markets.size > 0;
    return !isOf(this.#unpricedShares) && !(isOwnScope && isOf(this.#shared));
  }

  onFailed({ market, index, quantityMicro }: TradeLeg): void {
    this.#trouble(market.market.id);
    this.#add(market.outcome(index).tokenId, quantityMicro);
  }

  /** Somebody else has an order there. */
  onForeign({ order }: OrderFact): void {
    this.#trouble(order.terms.market.market.id);
  }

  onExecuted({ owner, era, order }: OrderFact, changeMicro: number): void {
    const { lives } = this.#parts;
    const { outcome, market } = order.terms;
    const { id } = market.market;
    const micro = Math.abs(changeMicro);
    this.#noteRecent(outcome.tokenId, micro);
    if (owner !== 'intent') this.#shared.add(id);
    if (owner === 'intent' && era === lives.era) return;
    this.#trouble(id);
    this.#add(outcome.tokenId, micro);
    // Nobody listens, or nobody knows the order: balances tell of the shares, and of no price.
    if (!lives.isAlive || lives.era !== 1) this.#leaveUnpriced(id, micro / 1e6);
  }

  /** Positions lag behind splits and merges as they do behind matches. */
  onSets(tokenId: TokenId, deltaMicro: number): void {
    this.#noteRecent(tokenId, Math.abs(deltaMicro));
  }

  /** Shares that came, or went, because the network delivered a split or merge twice. */
  onDoubledSets({ market }: ListedMarket, tokenId: TokenId, deltaMicro: number): void {
    this.#shared.add(market.id);
    this.#trouble(market.id);
    this.#add(tokenId, Math.abs(deltaMicro));
  }

  onReport(report: Report): void {
    if (report.event !== 'inventory.diverged') return;
    this.#diverged += 1;
    const market = this.#parts.marketOf(report.tokenId);
    const venues = Number(report.venues);
    // It says what had settled; what matched and never settled by its news is put right with that.
    const believed = (this.#parts.believed(report.tokenId) ?? venues * 1e6) / 1e6;
    const shares = Math.max(Math.abs(venues - Number(report.ours)), Math.abs(venues - believed));
    if (market) this.#leaveUnpriced(market.market.id, shares);
  }

  onLifeStarts({ life, remembers }: LifeStart): void {
    if (remembers || life === 1) return;
    for (const { market } of this.#parts.markets()) this.#trouble(market.id);
    const sinceMs = this.#parts.nowMs() - UNSEEN_MS;
    for (const { tokenId, micro, atMs } of this.#recent) {
      if (atMs >= sinceMs) this.#add(tokenId, micro);
    }
  }

  #noteRecent(tokenId: TokenId, micro: number): void {
    const nowMs = this.#parts.nowMs();
    this.#recent.push({ tokenId, micro, atMs: nowMs });
    while ((this.#recent[0]?.atMs ?? 0) < nowMs - UNSEEN_MS) this.#recent.shift();
  }

  #trouble(marketId: MarketId): void {
    this.#troubledAtMs.set(marketId, this.#parts.nowMs());
  }

  #add(tokenId: TokenId, micro: number): void {
    this.#unknown.push({ tokenId, micro, atMs: this.#parts.nowMs() });
  }

  #isLearnt({ tokenId, atMs }: Unknown): boolean {
    const { nowMs, differs } = this.#parts;
    return nowMs() - atMs >= LEARNT_MS && !differs(tokenId);
  }

  #leaveUnpriced(marketId: MarketId, shares: number): void {
    this.#unpricedShares.set(marketId, (this.#unpricedShares.get(marketId) ?? 0) + shares);
  }
}
