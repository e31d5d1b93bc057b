// What happened on the account and may not have been reported to the daemon yet: trades of somebody else, failed
// settlements, orders of a journal that is lost, requests that the network doubled. Rules hold the daemon to none
// of it before balances must show it.

import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';
import type { OrderFact } from './facts.ts';
import type { Allowance } from './limits.ts';
import type { Processes, ProcessStart } from './processes.ts';

export type UnreportedParts = {
  readonly nowMs: () => number;
  readonly processes: Processes;
  readonly markets: () => readonly ListedMarket[];
  /** Whether the position that the daemon expects is another one than the venue's. */
  readonly differs: (tokenId: TokenId) => boolean;
  /** Whether a fault may have touched frames of then, or of later. */
  readonly mayLackFrames: (atMs: number) => boolean;
};

type Change = {
  readonly tokenId: TokenId;
  readonly micro: number;
  readonly atMs: number;
  /** A frame says so: it is unreported only where a fault may have lost that. */
  readonly isTold?: boolean;
};

/**
 * A settlement may be 90 s late, balances lag behind it by up to 120 s, and a read of them is adopted after the
 * token was quiet for 150 s.
 */
export const REPORTED_MS = 400_000;
/** Fills and splits older than this are in the first balances that a process reads; later ones may not be. */
const SHOWN_MS = 180_000;

export class Unreported implements Allowance {
  readonly #parts: UnreportedParts;
  /** When something unreported last happened in each market. */
  readonly #atMs = new Map<MarketId, number>();
  #changes: readonly Change[] = [];
  /** Every fill and split of the last minutes: a process without a journal has seen none of them. */
  readonly #recent: Change[] = [];
  /** Shares that the daemon booked at a price of its own guess. */
  #unpriced = 0;
  #corrections = 0;
  /** Somebody else traded, or the network doubled a split. */
  isShared = false;

  constructor(parts: UnreportedParts) {
    this.#parts = parts;
  }

  /** Something happened there so lately, or the daemon still expects another position than the venue's. */
  isUnsettled({ id, yes, no }: Pick<ListedMarket['market'], 'id' | 'yes' | 'no'>): boolean {
    const atMs = this.#atMs.get(id);
    if (atMs === undefined) return false;
    const { nowMs, differs } = this.#parts;
    if (nowMs() - atMs < REPORTED_MS || differs(yes.tokenId) || differs(no.tokenId)) return true;
    this.#atMs.delete(id);
    return false;
  }

  /** Whether that is so of any market: sums over all of them cannot be known either. */
  get isAnyUnsettled(): boolean {
    if (this.#atMs.size === 0) return false;
    return this.#parts.markets().some(({ market }) => this.isUnsettled(market));
  }

  /** Micro-shares of a token that came or went so lately. */
  ofToken(tokenId: TokenId): number {
    if (this.#changes.length === 0) return 0;
    const { nowMs, differs } = this.#parts;
    this.#changes = this.#changes.filter(
      (each) => nowMs() - each.atMs < REPORTED_MS || differs(each.tokenId),
    );
    let sum = 0;
    for (const each of this.#changes) {
      const isOpen = each.isTold !== true || this.#parts.mayLackFrames(each.atMs);
      if (each.tokenId === tokenId && isOpen) sum += each.micro;
    }
    return sum;
  }

  /** Each of these shares may have cost nothing, or a whole payout. */
  get unpricedShares(): number {
    return this.#unpriced;
  }

  /** Positions that the daemon has corrected so far: each moves its profit. */
  get corrections(): number {
    return this.#corrections;
  }

  /** @param isOwn - Whether this run knows the order that it is of. */
  onFailed({ market, index, quantityMicro }: TradeLeg, isOwn = false): void {
    this.#note(market.market.id, market.outcome(index).tokenId, quantityMicro, isOwn);
  }

  /** Somebody else has an order there. */
  onExternal({ order }: OrderFact): void {
    this.#atMs.set(order.terms.market.market.id, this.#parts.nowMs());
  }

  onExecuted({ owner, era, order }: OrderFact, changeMicro: number): void {
    const { processes } = this.#parts;
    const { outcome, market } = order.terms;
    const micro = Math.abs(changeMicro);
    this.#noteRecent(outcome.tokenId, micro);
    if (owner !== 'intent') this.isShared = true;
    if (owner === 'intent' && era === processes.era) return;
    this.#note(market.market.id, outcome.tokenId, micro);
    if (!processes.isAlive || processes.era !== 1) this.#unpriced += micro / 1e6;
  }

  onSets(tokenId: TokenId, deltaMicro: number): void {
    this.#noteRecent(tokenId, Math.abs(deltaMicro));
  }

  /** The network delivered a split or merge twice. */
  onDoubledSets({ market }: ListedMarket, tokenId: TokenId, deltaMicro: number): void {
    this.isShared = true;
    this.#note(market.id, tokenId, Math.abs(deltaMicro));
  }

  onReport(report: Report): void {
    if (report.event !== 'position.adopted') return;
    this.#corrections += 1;
    this.#unpriced += Math.abs(Number(report.venues) - Number(report.ours));
  }

  onProcessStarts({ process, remembers }: ProcessStart): void {
    if (remembers || process === 1) return;
    const nowMs = this.#parts.nowMs();
    for (const { market } of this.#parts.markets()) this.#atMs.set(market.id, nowMs);
    const shown = nowMs - SHOWN_MS;
    const unseen = this.#recent.filter(({ atMs }) => atMs >= shown);
    this.#changes = [...this.#changes, ...unseen.map((each) => ({ ...each, atMs: nowMs }))];
  }

  #noteRecent(tokenId: TokenId, micro: number): void {
    const nowMs = this.#parts.nowMs();
    this.#recent.push({ tokenId, micro, atMs: nowMs });
    while ((this.#recent[0]?.atMs ?? 0) < nowMs - SHOWN_MS) this.#recent.shift();
  }

  #note(marketId: MarketId, tokenId: TokenId, micro: number, isTold = false): void {
    const atMs = this.#parts.nowMs();
    this.#atMs.set(marketId, atMs);
    this.#changes = [...this.#changes, { tokenId, micro, atMs, isTold }];
  }
}
