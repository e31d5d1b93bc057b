// What has been said of the ends of orders: an answer or a list says that one is off the book, and how much
// had traded by then only the user channel does, or balances have to.

import type { MarketId } from '../../domain/ids.ts';
import { isTerminal } from '../../domain/order.ts';
import type { OwnOrder } from './own-order.ts';

export class Ends {
  readonly #onChanged: (order: OwnOrder) => void;
  /** Ended, and nobody has said yet how much had traded. */
  readonly #unseen = new Set<OwnOrder>();
  /** The same, and their market waits for cash and holds, or positions, to say it; as many as it had when it began to. */
  #unproven = new Set<OwnOrder>();
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
    if (isOurs && mayHaveTraded) this.#unproven.add(order);
    this.forgetUnseen(order);
  }

  /** Cash and holds, or positions, agree with all that is known of a market. */
  onProven(marketId: MarketId): void {
    if (this.#unproven.size === 0) return;
    this.#unproven = new Set([...this.#unproven].filter((order) => order.marketId !== marketId));
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
    return this.#unseen;
  }

  unseenOf(marketId: MarketId): readonly OwnOrder[] {
    if (this.#unseen.size === 0) return [];
    return [...this.#unseen].filter((order) => order.marketId === marketId);
  }

  /** Orders of a market that are off the book and may have traded all the same, in cash or shares not read yet. */
  mayHaveTradedOf(marketId: MarketId): readonly OwnOrder[] {
    if (this.#unseen.size + this.#unproven.size === 0) return [];
    return [...this.#unseen, ...this.#unproven].filter((order) => order.marketId === marketId);
  }

  /** Whether nobody has said yet how much of an ended order had traded. */
  isUnseen(order: OwnOrder): boolean {
    return this.#unseen.has(order);
  }

  /** Whether the user channel has; balances may have answered for any other. */
  isTold(order: OwnOrder): boolean {
    return this.#told.has(order);
  }

  forgetUnseen(order: OwnOrder): void {
    if (this.#unseen.delete(order)) this.#onChanged(order);
  }
}
