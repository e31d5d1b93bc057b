// Shares that the daemon could not know of, or could not prevent, when it decided: a settlement that
// failed brings sold shares back, and a new life without a memory sees positions that lag.

import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';
import type { Allowance } from './limits.ts';

type Executed = { readonly tokenId: string; readonly quantityMicro: number; readonly atMs: number };

/** What matched this long ago shows in positions; later matches may not. */
const UNSEEN_MS = 180_000;

export class Allowances implements Allowance {
  readonly #nowMs: () => number;
  readonly #failed = new Map<string, number>();
  readonly #unseen = new Map<string, number>();
  #recent: Executed[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  ofToken(tokenId: string): number {
    return (this.#failed.get(tokenId) ?? 0) + (this.#unseen.get(tokenId) ?? 0);
  }

  onFailed(leg: TradeLeg): void {
    add(this.#failed, leg.market.outcome(leg.index).tokenId, leg.quantityMicro);
  }

  /** Shares matched; `isSeen` when the life that runs ordered them. */
  onExecuted(tokenId: string, quantityMicro: number, isSeen: boolean): void {
    this.#recent.push({ tokenId, quantityMicro, atMs: this.#nowMs() });
    if (!isSeen) add(this.#unseen, tokenId, quantityMicro);
  }

  onLifeStarts(): void {
    const sinceMs = this.#nowMs() - UNSEEN_MS;
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
