// Requests to split, merge or redeem complete sets, and what they reserve until balances confirm them.

import type { MarketId, RequestId } from '../../domain/ids.ts';
import type { SettledTrade } from '../../domain/message.ts';
import type { StoredSets } from '../../domain/record.ts';
import { RECYCLER, type SetsOrder, type SetsState, type SetsView } from '../../domain/sets.ts';
import { formatShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { payoutNano } from '../kernel/nano.ts';

/** Requests remembered, so that one sent in twice is still one; a person makes few. */
const TARGETS_MAX = 1_000;
/** Ended requests that outlive the process, so that their ids are still known. */
const ENDED_STORED_MAX = 200;
/** Ended requests of the recycler, whose ids never come again: they only tell how the last ones went. */
const RECYCLED_MAX = 100;

export type SetsRequest = {
  readonly order: SetsOrder;
  readonly amount: MicroShares;
  readonly requestId: RequestId | undefined;
  readonly sentAtMs: UnixMs;
  readonly state: SetsState;
  readonly detail: string;
  /** Cash has moved by just what it costs or pays. */
  readonly isPaid: boolean;
  /** The cash break when it was sent: what it moves comes on top of that. */
  readonly breakNano: number;
  /** Tokens whose position has shown it; each lags on its own. */
  readonly shown: { yes: boolean; no: boolean };
};

/** It has taken effect, or still may. */
export function isUnderWay({ state }: Pick<SetsRequest, 'state'>): boolean {
  return state === 'sent' || state === 'accepted' || state === 'unknown';
}

export function setsView({ order, amount, state, detail }: SetsRequest): SetsView {
  const { id, by, action, marketId } = order;
  return { id, by, action, marketId, amount: formatShares(amount), state, detail };
}

type Kept = { -readonly [Field in keyof SetsRequest]: SetsRequest[Field] };

export class SetsBook {
  /** Oldest first. */
  readonly #requests = new Map<string, Kept>();
  /** At most one of each market has not ended. */
  readonly #underWay = new Map<MarketId, SetsRequest>();
  /** Cash lacks once more what a request cost, since when. */
  suspect: { readonly id: string; readonly sinceMs: UnixMs } | undefined;
  /** Bounded like the request that it is made of. */
  readonly #redeemed = new Set<MarketId>();

  has(id: string): boolean {
    return this.#requests.has(id);
  }

  /** All that have not ended. */
  live(): readonly SetsRequest[] {
    return [...this.#underWay.values()];
  }

  /** Splits and merges whose cash has moved. */
  paid(): readonly SetsRequest[] {
    return [...this.#requests.values()].filter(({ isPaid }) => isPaid);
  }

  underWay(marketId: MarketId): SetsRequest | undefined {
    return this.#underWay.get(marketId);
  }

  /** Whether a trade of a market that a history lists may be one half of a split or merge sent since then. */
  mayBeListedAs(
    marketId: MarketId,
    { side, quantity }: Pick<SettledTrade, 'side' | 'quantity'>,
    sinceMs: UnixMs,
  ): boolean {
    const action = side === 'BUY' ? 'split' : 'merge';
    return [...this.#requests.values()].some(
      ({ order, amount, sentAtMs }) =>
        order.marketId === marketId &&
        order.action === action &&
        amount === quantity &&
        sentAtMs >= sinceMs,
    );
  }

  /** What the recycler asked for in a market, oldest first. */
  recycled(marketId: MarketId): readonly SetsRequest[] {
    return [...this.#requests.values()].filter(
      ({ order }) => order.by === RECYCLER && order.marketId === marketId,
    );
  }

  /** What is left of a market after a redeem is worth nothing. */
  hasRedeemed(marketId: MarketId): boolean {
    return this.#redeemed.has(marketId);
  }

  add(request: SetsRequest): void {
    this.#requests.set(request.order.id, request);
    if (isUnderWay(request)) this.#underWay.set(request.order.marketId, request);
    this.#noteRedeemed(request);
    this.#forgetOldest();
  }

  move(request: SetsRequest, state: SetsState, detail: string): void {
    const kept = this.#requests.get(request.order.id);
    if (kept === undefined) return;
    kept.state = state;
    kept.detail = detail;
    if (!isUnderWay(kept)) this.#underWay.delete(request.order.marketId);
    this.#noteRedeemed(kept);
  }

  notePaid(request: SetsRequest): void {
    const kept = this.#requests.get(request.order.id);
    if (kept !== undefined) kept.isPaid = true;
  }

  /** Cash that splits under way may take. */
  reservedCashNano(): number {
    let nano = 0;
    for (const { order, amount } of this.#underWay.values()) {
      if (order.action === 'split') nano += payoutNano(amount);
    }
    return nano;
  }

  /** Shares of each token of a market that a split under way may bring. */
  incomingShares(marketId: MarketId): MicroShares {
    const request = this.underWay(marketId);
    return request?.order.action === 'split' ? request.amount : NO_SHARES;
  }

  /** Shares of each token of a market that a merge under way may take. */
  reservedShares(marketId: MarketId): MicroShares {
    const request = this.underWay(marketId);
    return request?.order.action === 'merge' ? request.amount : NO_SHARES;
  }

  /** What a later run must know: all that is under way, and the latest that ended. */
  stored(): readonly StoredSets[] {
    const all = [...this.#requests.values()];
    const ended = new Set(all.filter((request) => !isUnderWay(request)).slice(-ENDED_STORED_MAX));
    return all
      .filter((request) => isUnderWay(request) || ended.has(request))
      .map(({ order, state, detail, sentAtMs, isPaid, breakNano }) => {
        return { order, state, detail, sentAtMs, isPaid, breakNano };
      });
  }

  /** Nobody will answer what a previous run asked: it is unknown until balances speak. */
  restore(stored: readonly StoredSets[]): void {
    for (const { order, state, detail, sentAtMs, isPaid, breakNano } of stored) {
      this.add({
        order,
        amount: order.amount ?? NO_SHARES,
        requestId: undefined,
        sentAtMs,
        state: state === 'sent' ? 'unknown' : state,
        detail,
        isPaid: isPaid ?? false,
        breakNano: breakNano ?? 0,
        shown: { yes: false, no: false },
      });
    }
  }

  views(): readonly SetsView[] {
    return [...this.#requests.values()].map(setsView);
  }

  #noteRedeemed({ order, state }: SetsRequest): void {
    if (order.action === 'redeem' && state === 'confirmed') this.#redeemed.add(order.marketId);
  }

  /** What has ended goes; of the recycler's sooner, so that people's ids are known for longer. */
  #forgetOldest(): void {
    const ended = [...this.#requests.values()].filter((request) => !isUnderWay(request));
    const recycled = ended.filter(({ order }) => order.by === RECYCLER);
    const over = Math.max(0, this.#requests.size - TARGETS_MAX);
    const gone = [
      ...recycled.slice(0, Math.max(0, recycled.length - RECYCLED_MAX)),
      ...ended.slice(0, over),
    ];
    for (const { order } of gone) this.#requests.delete(order.id);
  }
}
