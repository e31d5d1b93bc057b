// What has been said of the ends of orders: an answer or a list says that one is off the book, and how much
// had traded by then only the user channel does, or balances have to.

import type { MarketId } from '../../domain/ids.ts';
import { isTerminal } from '../../domain/order.ts';
import type { OwnOrder } from './own-order.ts';

const NONE: ReadonlySet<OwnOrder> = new Set();

/** Orders by market, since whoever asks asks for one. */
class ByMarket {
  readonly #markets = new Map<MarketId, Set<OwnOrder>>();

  has(order: OwnOrder): boolean {
    return this.of(order.marketId).has(order);
  }

  of(marketId: MarketId): ReadonlySet<OwnOrder> {
    return this.#markets.get(marketId) ?? NONE;
  }

  *all(): Iterable<OwnOrder> {
    for (const orders of this.#markets.values()) yield* orders;
  }

  add(order: OwnOrder): void {
    const orders = this.#markets.get(order.marketId);
    if (orders) orders.add(order);
    else this.#markets.set(order.marketId, new Set([order]));
  }

  delete(order: OwnOrder): boolean {
    const orders = this.#markets.get(order.marketId);
    if (orders === undefined || !orders.delete(order)) return false;
    if (orders.size === 0) this.#markets.delete(order.marketId);
    return true;
  }

  /** Takes all of one market. */
  takeOf(marketId: MarketId): Iterable<OwnOrder> {
    const orders = this.of(marketId);
    this.#markets.delete(marketId);
    return orders;
  }
}

export class Ends {
  readonly #onChanged: (order: OwnOrder) => void;
  /** Ended, and nobody has said yet how much had traded. */
  readonly #unseen = new ByMarket();
  /**
   * The same, and their market waits for cash and holds, or positions, to say it; as many as it had when it began
   * to. What is not said in one life is for the next one to count: it is kept of each order that it is one of these.
   */
  readonly #unproven = new ByMarket();
  /** The user channel has said it, and not balances in its stead. */
  readonly #told = new WeakSet<OwnOrder>();

  /** @param onChanged - Told of an order of which somebody has said it now. */
  constructor(onChanged: (order: OwnOrder) => void) {
    this.#onChanged = onChanged;
  }

  /** A cancel's answer ended it: what traded before may still be on its way to us. */
  onUnseen(order: OwnOrder): void {
    if (isTerminal(order.state) && order.executed < order.quantity) this.#unseen.add(order);
  }

  /**
   * Its market waits for the proof that it had traded no more than is known: until then it may have. Whoever else
   * trades on the account places and cancels as often as he likes, in a market that may never be proven beside him.
   */
  onUnproven(order: OwnOrder): void {
    const isOurs = !order.isOrphan && !order.isForeign;
    const mayHaveTraded = isTerminal(order.state) && order.executed < order.quantity;
    if (isOurs && mayHaveTraded) {
      this.#unproven.add(order);
      this.#onChanged(order);
    }
    this.forgetUnseen(order);
  }

  /** Cash and holds, or positions, agree with all that is known of a market. */
  onProven(marketId: MarketId): void {
    for (const order of this.#unproven.takeOf(marketId)) this.#onChanged(order);
  }

  /** Their market goes, and nothing is proven of it: they are kept as they were, for the day on which it is back. */
  takeUnproven(marketId: MarketId): Iterable<OwnOrder> {
    return this.#unproven.takeOf(marketId);
  }

  /** The user channel has said how much of it had traded. */
  onTold(order: OwnOrder): void {
    this.#told.add(order);
    if (this.#unproven.delete(order)) this.#onChanged(order);
    this.forgetUnseen(order);
  }

  /** It rests again: it will have another end. */
  onRevived(order: OwnOrder): void {
    this.#unseen.delete(order);
    this.#unproven.delete(order);
    this.#told.delete(order);
  }

  /** Nobody remembers the order any more. */
  forget(order: OwnOrder): void {
    this.#unseen.delete(order);
  }

  /** Orders that are off the book, and of which nobody has said yet how much had traded. */
  unseen(): Iterable<OwnOrder> {
    return this.#unseen.all();
  }

  unseenOf(marketId: MarketId): ReadonlySet<OwnOrder> {
    return this.#unseen.of(marketId);
  }

  /** Orders of a market that are off the book and may have traded all the same, in cash or shares not read yet. */
  mayHaveTradedOf(marketId: MarketId): ReadonlySet<OwnOrder> {
    const unseen = this.#unseen.of(marketId);
    const unproven = this.#unproven.of(marketId);
    if (unseen.size === 0) return unproven;
    return unproven.size === 0 ? unseen : new Set([...unseen, ...unproven]);
  }

  /** Whether nobody has said yet how much of an ended order had traded. */
  isUnseen(order: OwnOrder): boolean {
    return this.#unseen.has(order);
  }

  /** Whether its market has to be proven before it is known how much of it had traded. */
  isUnproven(order: OwnOrder): boolean {
    return this.#unproven.has(order);
  }

  /** Whether the user channel has; balances may have answered for any other. */
  isTold(order: OwnOrder): boolean {
    return this.#told.has(order);
  }

  forgetUnseen(order: OwnOrder): void {
    if (this.#unseen.delete(order)) this.#onChanged(order);
  }
}
