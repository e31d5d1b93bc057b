// What cannot be laid at the daemon's door: shares that it could not know of, or could not prevent, when
// it decided, and prices that nobody told. A settlement that failed brings sold shares back, somebody
// else trades on the account, and a new life without a memory sees positions that lag.

import type { Report } from '../../../src/domain/report.ts';
import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';
import type { OrderFact } from './facts.ts';
import type { Allowance } from './limits.ts';
import type { LifeStart, Lives } from './lives.ts';

export type ExcuseParts = {
  readonly nowMs: () => number;
  readonly lives: Lives;
  /** The daemon cancels, counts and shows its own orders only. */
  readonly isOwnScope: boolean;
};

type Executed = { readonly tokenId: string; readonly quantityMicro: number; readonly atMs: number };

/** What matched this long ago shows in positions; later matches may not. */
const UNSEEN_MS = 180_000;

export class Excuses implements Allowance {
  readonly #parts: ExcuseParts;
  readonly #failed = new Map<string, number>();
  readonly #unseen = new Map<string, number>();
  #recent: Executed[] = [];
  hasForeign = false;
  #hasDiverged = false;
  #hasStrangeFill = false;
  /** Shares that a correction of the daemon's brought or took, at a price that nobody told. */
  unpricedShares = 0;

  constructor(parts: ExcuseParts) {
    this.#parts = parts;
  }

  /** No share came by a correction of the daemon's, or before the lives that remember. */
  get isCostKnown(): boolean {
    const { isOwnScope, lives } = this.#parts;
    // In the own scope nobody tells whose settlement a better price was.
    const isMixed = isOwnScope && this.#hasStrangeFill;
    return !this.#hasDiverged && !isMixed && lives.era === 1;
  }

  ofToken(tokenId: string): number {
    return (this.#failed.get(tokenId) ?? 0) + (this.#unseen.get(tokenId) ?? 0);
  }

  onFailed(leg: TradeLeg): void {
    this.hasForeign = true;
    add(this.#failed, leg.market.outcome(leg.index).tokenId, leg.quantityMicro);
  }

  /** Somebody else has an order there. */
  onForeign(): void {
    this.hasForeign = true;
  }

  onReport(report: Report): void {
    if (report.event !== 'inventory.diverged') return;
    this.#hasDiverged = true;
    this.unpricedShares += Math.abs(Number(report.venues) - Number(report.ours));
  }

  onExecuted({ owner, era, order }: OrderFact, changeMicro: number): void {
    if (owner !== 'intent') this.#hasStrangeFill = true;
    const { tokenId } = order.terms.outcome;
    const quantityMicro = Math.abs(changeMicro);
    this.#recent.push({ tokenId, quantityMicro, atMs: this.#parts.nowMs() });
    const isSeen = owner === 'intent' && era === this.#parts.lives.era;
    if (!isSeen) add(this.#unseen, tokenId, quantityMicro);
  }

  onLifeStarts({ life, remembers }: LifeStart): void {
    if (remembers) return;
    if (life > 1) this.hasForeign = true;
    const sinceMs = this.#parts.nowMs() - UNSEEN_MS;
    this.#recent = this.#recent.filter((each) => each.atMs >= sinceMs);
    this.#unseen.clear();
    for (const { tokenId, quantityMicro } of this.#recent) {
      add(this.#unseen, tokenId, quantityMicro);
    }
  }
}

function add(counts: Map<string, number>, tokenId: string, quantityMicro: number): void {
  counts.set(tokenId, (counts.get(tokenId) ?? 0) + quantityMicro);
}
