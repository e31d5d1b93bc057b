// Wishes to split, merge or redeem complete sets, and what they reserve until balances prove them.

import type { MarketId, RequestId } from '../domain/ids.ts';
import type { StoredSets } from '../domain/record.ts';
import type { SetsOrder, SetsState, SetsView } from '../domain/sets.ts';
import { formatShares, type MicroShares, NO_SHARES } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';
import { payoutNano } from './risk/nano.ts';

/** Wishes remembered, so that one sent in twice is still one; a person makes few. */
const WISHES_MAX = 1_000;
/** Ended wishes that outlive the process, so that their ids are still known. */
const ENDED_STORED_MAX = 200;

export type SetsWish = {
  readonly order: SetsOrder;
  readonly amount: MicroShares;
  readonly requestId: RequestId | undefined;
  readonly sentAtMs: UnixMs;
  state: SetsState;
  detail: string;
  /** Tokens whose position has shown it; each lags on its own. */
  readonly shown: { yes: boolean; no: boolean };
};

/** It has taken effect, or still may. */
export function isUnderWay(wish: SetsWish): boolean {
  return wish.state === 'sent' || wish.state === 'accepted' || wish.state === 'unknown';
}

export function setsView({ order, amount, state, detail }: SetsWish): SetsView {
  const { id, action, marketId } = order;
  return { id, action, marketId, amount: formatShares(amount), state, detail };
}

export class SetsBook {
  readonly #wishes = new Map<string, SetsWish>();

  has(id: string): boolean {
    return this.#wishes.has(id);
  }

  all(): readonly SetsWish[] {
    return [...this.#wishes.values()];
  }

  underWay(marketId: MarketId): SetsWish | undefined {
    for (const wish of this.#wishes.values()) {
      if (wish.order.marketId === marketId && isUnderWay(wish)) return wish;
    }
    return undefined;
  }

  add(wish: SetsWish): void {
    this.#wishes.set(wish.order.id, wish);
    if (this.#wishes.size <= WISHES_MAX) return;
    for (const [old, each] of this.#wishes) {
      if (isUnderWay(each)) continue;
      this.#wishes.delete(old);
      return;
    }
  }

  /** Cash that splits under way may take. */
  reservedCashNano(): number {
    let nano = 0;
    for (const wish of this.#wishes.values()) {
      if (isUnderWay(wish) && wish.order.action === 'split') nano += payoutNano(wish.amount);
    }
    return nano;
  }

  /** Shares of each token of a market that a merge under way may take. */
  reservedShares(marketId: MarketId): MicroShares {
    const wish = this.underWay(marketId);
    return wish?.order.action === 'merge' ? wish.amount : NO_SHARES;
  }

  /** What a later life must know: all that is under way, and the latest that ended. */
  stored(): readonly StoredSets[] {
    const all = this.all();
    const ended = all.filter((wish) => !isUnderWay(wish)).slice(-ENDED_STORED_MAX);
    return all
      .filter((wish) => isUnderWay(wish) || ended.includes(wish))
      .map(({ order, state, detail, sentAtMs }) => ({ order, state, detail, sentAtMs }));
  }

  /** Nobody will answer what an earlier life asked: it is unknown until balances speak. */
  restore(stored: readonly StoredSets[]): void {
    for (const { order, state, detail, sentAtMs } of stored) {
      this.add({
        order,
        amount: order.amount ?? NO_SHARES,
        requestId: undefined,
        sentAtMs,
        state: state === 'sent' ? 'unknown' : state,
        detail,
        shown: { yes: false, no: false },
      });
    }
  }

  views(): readonly SetsView[] {
    return this.all().map(setsView);
  }
}
