// Shares that the daemon could not know of, or could not prevent, when it decided: a settlement that
// failed brings sold shares back, and a new life sees positions that lag.

import type { Balances } from '../../../src/domain/message.ts';
import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';
import type { OrderFacts } from './facts.ts';
import type { Allowance } from './limits.ts';

export class Allowances implements Allowance {
  readonly #facts: OrderFacts;
  readonly #nowMs: () => number;
  readonly #failed = new Map<string, number>();
  readonly #unseen = new Map<string, number>();
  #isFirstRead = false;

  constructor(facts: OrderFacts, nowMs: () => number) {
    this.#facts = facts;
    this.#nowMs = nowMs;
  }

  ofToken(tokenId: string): number {
    return (this.#failed.get(tokenId) ?? 0) + (this.#unseen.get(tokenId) ?? 0);
  }

  onFailed(leg: TradeLeg): void {
    const { tokenId } = leg.market.outcome(leg.index);
    this.#failed.set(tokenId, (this.#failed.get(tokenId) ?? 0) + leg.quantityMicro);
  }

  onLifeStarts(): void {
    this.#isFirstRead = this.#nowMs() > 0;
    this.#unseen.clear();
  }

  /** An order of an earlier life traded in a later one, which cannot see it. */
  onExecutedUnseen(tokenId: string, quantityMicro: number): void {
    this.#unseen.set(tokenId, (this.#unseen.get(tokenId) ?? 0) + quantityMicro);
  }

  /** The first read of a life is where it starts from, and it lags what has matched. */
  onBalances(balances: Balances): void {
    if (!this.#isFirstRead) return;
    this.#isFirstRead = false;
    for (const tokenId of this.#facts.tokens()) {
      const shown = balances.positions.find((each) => each.tokenId === tokenId)?.shareAmount ?? 0;
      this.#unseen.set(tokenId, Math.abs(this.#facts.totalMicro(tokenId) - shown));
    }
  }
}
