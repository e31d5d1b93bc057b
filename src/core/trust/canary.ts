// Own resting orders as canaries: where the venue says they rest, the book must show them. The time
// until they first show is the delay of the feed.

import type { TokenId } from '../../domain/ids.ts';
import { isOnBook } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { TrustSettings } from '../../domain/trust.ts';
import { rankOf } from '../book/levels.ts';
import type { BookMirror } from '../book/mirror.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';

/** An own order that its book does not show although it must; `undefined` when all are there. */
export function missingCanary(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  at: { readonly leg: OwnOrder['leg']; readonly nowMs: UnixMs; readonly limits: TrustSettings },
): OwnOrder | undefined {
  for (const order of orders) {
    if (order.leg !== at.leg || !isSettledIn(order, at.nowMs, at.limits.canaryMs)) continue;
    if (!isShown(mirror, order)) return order;
  }
  return undefined;
}

/** The order stands as it is for so long that the book must have caught up with it. */
function isSettledIn(order: OwnOrder, nowMs: UnixMs, canaryMs: number): boolean {
  const isResting = isOnBook(order.state);
  if (!isResting || order.confirmedAtMs === undefined || order.executed >= order.quantity) {
    return false;
  }
  const changedAtMs = Math.max(order.confirmedAtMs, order.stateSinceMs, order.executedAtMs ?? 0);
  return nowMs - changedAtMs >= canaryMs;
}

/** A level beyond the known window is unknown, not absent. */
export function isShown(mirror: BookMirror, order: OwnOrder): boolean {
  const side = order.side === 'BUY' ? 'bid' : 'ask';
  const edge = mirror.edge(side);
  const rank = rankOf(mirror.grid, side, order.price);
  if (edge !== undefined && rank < rankOf(mirror.grid, side, edge)) return true;
  return mirror.levels(side).at(rank) >= remaining(order);
}

/** Orders waited for at once; more of them tell nothing new about the delay. */
const AWAITED_MAX = 64;
/** Each delay counts this much in the mean. */
const WEIGHT = 0.1;
/** An order that has not shown after this long will not tell a delay. */
const AWAITED_MS_MAX = 60_000;

/** Measures how long after its acknowledgement an own order shows in the book. */
export class FeedDelay {
  /** By token: a change of one book never looks at what is awaited in the others. */
  readonly #awaited = new Map<TokenId, OwnOrder[]>();
  #count = 0;
  #meanMs: number | undefined;
  #lastMs: number | undefined;

  get meanMs(): number | undefined {
    return this.#meanMs;
  }

  get lastMs(): number | undefined {
    return this.#lastMs;
  }

  get isAwaiting(): boolean {
    return this.#count > 0;
  }

  /** The venue acknowledged an order; what is in the book already came before the answer. */
  onAcknowledged(order: OwnOrder, mirror: BookMirror, nowMs: UnixMs): void {
    if (isShown(mirror, order)) {
      this.#note(0);
      return;
    }
    if (this.#count >= AWAITED_MAX) this.#dropOver(nowMs);
    if (this.#count >= AWAITED_MAX) return;
    this.#count += 1;
    const awaited = this.#awaited.get(order.tokenId);
    if (awaited) awaited.push(order);
    else this.#awaited.set(order.tokenId, [order]);
  }

  /** It moved or traded: when it shows now says nothing of the delay. */
  forget({ intentId, tokenId }: OwnOrder): void {
    if (this.#awaited.has(tokenId)) this.#keep(tokenId, (order) => order.intentId !== intentId);
  }

  /** A book changed. */
  onChange(mirror: BookMirror, tokenId: TokenId, nowMs: UnixMs): void {
    if (!this.#awaited.has(tokenId)) return;
    this.#keep(tokenId, (order) => {
      if (isOver(order, nowMs)) return false;
      if (!isShown(mirror, order)) return true;
      this.#note(sinceMs(order, nowMs));
      return false;
    });
  }

  #dropOver(nowMs: UnixMs): void {
    for (const tokenId of this.#awaited.keys()) {
      this.#keep(tokenId, (order) => !isOver(order, nowMs));
    }
  }

  #keep(tokenId: TokenId, keeps: (order: OwnOrder) => boolean): void {
    const before = this.#awaited.get(tokenId) ?? [];
    const left = before.filter(keeps);
    this.#count += left.length - before.length;
    if (left.length === 0) this.#awaited.delete(tokenId);
    else this.#awaited.set(tokenId, left);
  }

  #note(delayMs: number): void {
    this.#lastMs = delayMs;
    this.#meanMs =
      this.#meanMs === undefined ? delayMs : this.#meanMs + WEIGHT * (delayMs - this.#meanMs);
  }
}

function sinceMs(order: OwnOrder, nowMs: UnixMs): number {
  return nowMs - (order.confirmedAtMs ?? order.sentAtMs);
}

function isOver(order: OwnOrder, nowMs: UnixMs): boolean {
  return order.executed > 0 || order.state !== 'resting' || sinceMs(order, nowMs) > AWAITED_MS_MAX;
}
